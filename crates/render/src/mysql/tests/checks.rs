//! Questions to the rows.

use insta::assert_snapshot;
use trueup_plan::{CheckRule, DataCheck, LossProbe, OpId};
use trueup_schema::TableOptions;

use super::*;

fn ask(rule: CheckRule) -> String {
    let check = DataCheck { table: name("shop.t"), key: vec![ident("id")], rule };
    let query = MySql(&MYSQL).check(&OpId("x".to_owned()), &check).unwrap();
    format!("{}\n{}\n{}", query.rule, query.count, query.sample.unwrap_or_default())
}

fn converts(from: &str, to: &str) -> String {
    let rule = CheckRule::Converts {
        column: ident("a"),
        from: DataType::builtin(from),
        to: DataType::builtin(to),
        using: None,
        options: TableOptions::default(),
    };
    let text = ask(rule);
    let count = text.lines().nth(1).unwrap_or_default();
    count.split_once("WHERE ").map_or(count, |(_, condition)| condition).to_owned()
}

#[test]
fn rules_are_asked_by_count_and_sample() {
    assert_snapshot!(ask(CheckRule::NotNull { column: ident("a") }), @r"
    no NULL in a
    SELECT count(*) FROM `shop`.`t` WHERE `a` IS NULL
    SELECT CAST(`id` AS CHAR) FROM `shop`.`t` WHERE `a` IS NULL LIMIT 5
    ");
    let parts = vec![IndexPart { prefix: Some(4), ..IndexPart::column(ident("a")) }, IndexPart::column(ident("b"))];
    assert_snapshot!(ask(CheckRule::Unique { parts, nulls_not_distinct: false, refuses_nulls: true, predicate: None }), @r"
    no two rows with an equal a, b
    SELECT (SELECT CAST(coalesce(sum(d.more), 0) AS SIGNED) FROM (SELECT count(*) - 1 AS more FROM `shop`.`t` WHERE (LEFT(`a`, 4) IS NOT NULL) AND (`b` IS NOT NULL) GROUP BY LEFT(`a`, 4), `b` HAVING count(*) > 1) AS d) + (SELECT count(*) FROM `shop`.`t` WHERE LEFT(`a`, 4) IS NULL OR `b` IS NULL)
    SELECT d.k0 FROM (SELECT CAST(`id` AS CHAR) AS k0, count(*) OVER (PARTITION BY LEFT(`a`, 4), `b`) AS n FROM `shop`.`t` WHERE LEFT(`a`, 4) IS NOT NULL AND `b` IS NOT NULL) AS d WHERE d.n > 1 LIMIT 5
    ");
    let rule = CheckRule::References {
        columns: vec![ident("a")],
        references: name("log.p"),
        referenced_columns: vec![ident("id")],
        match_full: false,
    };
    assert_snapshot!(ask(rule), @r"
    every a is in log.p
    SELECT count(*) FROM `shop`.`t` WHERE `shop`.`t`.`a` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `log`.`p` AS r WHERE r.`id` = `shop`.`t`.`a`)
    SELECT CAST(`id` AS CHAR) FROM `shop`.`t` WHERE `shop`.`t`.`a` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `log`.`p` AS r WHERE r.`id` = `shop`.`t`.`a`) LIMIT 5
    ");
    assert_snapshot!(ask(CheckRule::Holds { expr: SqlExpr::new("`a` > 0") }), @r"
    `a` > 0 is not false
    SELECT count(*) FROM `shop`.`t` WHERE NOT (`a` > 0)
    SELECT CAST(`id` AS CHAR) FROM `shop`.`t` WHERE NOT (`a` > 0) LIMIT 5
    ");
    assert_snapshot!(ask(CheckRule::ValuesUnused { column: ident("a"), values: vec!["x'y".to_owned()] }), @r"
    no 'x''y' in a
    SELECT count(*) FROM `shop`.`t` WHERE FIND_IN_SET('x''y', `a`) > 0
    SELECT CAST(`id` AS CHAR) FROM `shop`.`t` WHERE FIND_IN_SET('x''y', `a`) > 0 LIMIT 5
    ");
    assert_snapshot!(ask(CheckRule::Empty), @r"
    that it holds no row
    SELECT count(*) FROM `shop`.`t` WHERE TRUE
    SELECT CAST(`id` AS CHAR) FROM `shop`.`t` WHERE TRUE LIMIT 5
    ");
    let rule =
        CheckRule::Indexable { expr: SqlExpr::new("cast(`a` as unsigned array)"), condition: SqlExpr::new("`a` > 0") };
    assert_snapshot!(ask(rule), @r"
    an index takes cast(`a` as unsigned array) of every row
    SELECT count(*) FROM `shop`.`t` WHERE NOT (`a` > 0)
    SELECT CAST(`id` AS CHAR) FROM `shop`.`t` WHERE NOT (`a` > 0) LIMIT 5
    ");
}

#[test]
fn conversions_are_asked_for_what_would_change() {
    assert_snapshot!(converts("bigint", "int unsigned"), @"`a` NOT BETWEEN 0 AND 4294967295");
    assert_snapshot!(converts("varchar(9)", "tinyint"), @"NOT (`a` REGEXP '^[ ]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ ]*$') OR CAST(`a` AS DECIMAL(65, 20)) NOT BETWEEN -128 AND 127 OR CAST(`a` AS DECIMAL(65, 20)) <> ROUND(CAST(`a` AS DECIMAL(65, 20)))");
    assert_snapshot!(converts("decimal(9,2)", "decimal(5,1)"), @"CAST(`a` AS DECIMAL(5, 1)) <> `a`");
    assert_snapshot!(converts("text", "varchar(5)"), @"CHAR_LENGTH(CAST(`a` AS CHAR)) > 5");
    assert_snapshot!(converts("enum('a','b')", "enum('a','it''s')"), @"CAST(`a` AS CHAR) NOT IN ('a', 'it''s')");
    assert_snapshot!(converts("set('a','b')", "set('a')"), @"FIND_IN_SET('b', `a`) > 0");
    assert_snapshot!(converts("varchar(9)", "datetime(3)"), @"(`a` IS NOT NULL AND CAST(`a` AS DATETIME(3)) IS NULL)");
    assert_snapshot!(converts("longtext", "json"), @"NOT JSON_VALID(`a`)");
    assert_snapshot!(converts("point", "geometry"), @"FALSE");
}

#[test]
fn losses_are_counted() {
    let count = |flavour, probe: &LossProbe| MySql(flavour).loss(&OpId("x".to_owned()), probe).map(|loss| loss.count);
    let rows = LossProbe::Rows { table: name("shop.t") };
    assert_snapshot!(count(&MYSQL, &rows).unwrap(), @"SELECT count(*) FROM `shop`.`t`");
    let values = LossProbe::Values { table: name("shop.t"), column: ident("a") };
    assert_snapshot!(count(&MYSQL, &values).unwrap(), @"SELECT COUNT(`a`) FROM `shop`.`t`");
    let position = LossProbe::Position { sequence: name("shop.q") };
    assert_snapshot!(count(&MARIADB, &position).unwrap(), @"SELECT next_not_cached_value FROM `shop`.`q`");
    assert!(count(&MYSQL, &position).is_err());
}
