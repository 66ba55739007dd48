//! Changes of one table in one ALTER.

use insta::assert_snapshot;
use trueup_plan::{Change, ColumnPosition, Flavor, Object, TableIndex};
use trueup_schema::{FkAction, ForeignKey, Index, ObjectRef, PartId, Partitioning};

use super::*;

fn shop() -> QualName {
    name("shop.t")
}

fn part(text: &str) -> PartId {
    PartId { table: shop(), name: ident(text) }
}

#[test]
fn columns_are_restated_and_placed() {
    let before = table(vec![column("a", "int"), column("b", "int"), column("c", "int"), column("d", "int")]);
    let mut after = table(vec![
        column("n", "int"),
        column("c", "bigint"),
        column("x", "int"),
        column("a", "int"),
        column("z", "int"),
    ]);
    after.columns[1].not_null = true;
    after.columns[3].comment = Some("new".to_owned());
    let changes = [
        Change::DropColumn { table: shop(), column: column("d", "int") },
        Change::AddColumn { table: shop(), column: column("n", "int"), position: ColumnPosition::First },
        Change::AddColumn { table: shop(), column: column("z", "int"), position: ColumnPosition::Last },
        Change::Rename { from: ObjectRef::Column(part("b")), to: ObjectRef::Column(part("x")), flavor: Flavor::Plain },
        Change::AlterColumnType {
            table: shop(),
            before: column("c", "int"),
            after: column("c", "bigint"),
            using: None,
        },
        Change::SetNotNull { table: shop(), before: column("c", "bigint"), after: after.columns[1].clone() },
        Change::MoveColumn {
            table: shop(),
            column: after.columns[1].clone(),
            position: ColumnPosition::After(ident("n")),
        },
        Change::MoveColumn { table: shop(), column: column("a", "int"), position: ColumnPosition::After(ident("x")) },
        Change::SetComment {
            on: ObjectRef::Column(part("a")),
            flavor: Flavor::Plain,
            before: None,
            after: Some("new".to_owned()),
        },
        Change::SetComment {
            on: ObjectRef::Table(shop()),
            flavor: Flavor::Plain,
            before: None,
            after: Some("t".to_owned()),
        },
    ];
    assert_snapshot!(merged(&MYSQL, &before, &after, &changes), @"ALTER TABLE `shop`.`t` DROP COLUMN `d`, ADD COLUMN `n` int FIRST, MODIFY COLUMN `c` bigint NOT NULL AFTER `n`, RENAME COLUMN `b` TO `x`, MODIFY COLUMN `a` int COMMENT 'new' AFTER `x`, ADD COLUMN `z` int, COMMENT='t'");
}

#[test]
fn every_change_of_a_column_restates_it() {
    let before = table(vec![column("old", "int")]);
    let mut after = table(vec![column("a", "int")]);
    after.columns[0].default = Some(SqlExpr::new("5"));
    let (b, a) = (before.columns[0].clone(), after.columns[0].clone());
    let t = shop;
    let rename = Change::Rename {
        from: ObjectRef::Column(part("old")),
        to: ObjectRef::Column(part("a")),
        flavor: Flavor::Plain,
    };
    let changes = [
        Change::SetDefault { table: t(), before: b.clone(), after: a.clone() },
        Change::DropNotNull { table: t(), before: b.clone(), after: a.clone() },
        Change::SetIdentity { table: t(), before: b.clone(), after: a.clone() },
        Change::SetGenerated { table: t(), before: b.clone(), after: a.clone() },
        Change::SetColumnAttributes { table: t(), before: b, after: a },
    ];
    for change in changes {
        let both = [change, rename.clone()];
        assert_eq!(
            merged(&MYSQL, &before, &after, &both),
            "ALTER TABLE `shop`.`t` CHANGE COLUMN `old` `a` int DEFAULT 5"
        );
        assert!(MySql(&MYSQL).change(&both[0]).is_err(), "a column alone cannot be restated");
    }
    assert_eq!(merged(&MYSQL, &before, &after, &[rename]), "ALTER TABLE `shop`.`t` RENAME COLUMN `old` TO `a`");
}

#[test]
fn keys_and_checks_go_before_they_come() {
    let before = table(vec![column("a", "int")]);
    let after = before.clone();
    let index =
        |name: &str| TableIndex { table: shop(), index: Index::new(ident(name), vec![IndexPart::column(ident("a"))]) };
    let mut hidden = index("h").index;
    hidden.parameters = map(&[("invisible", "true")]);
    let mut unique = index("u").index;
    unique.unique = true;
    let key = ForeignKey {
        columns: vec![ident("a")],
        references: name("shop.p"),
        referenced_columns: vec![ident("id")],
        on_delete: FkAction::SetNull,
        on_delete_columns: Vec::new(),
        on_update: FkAction::Restrict,
        match_type: None,
        period: false,
    };
    let foreign = Constraint::new(Some(ident("fk")), ConstraintKind::ForeignKey(key));
    let mut off = check("e", "`a` > 1", None);
    off.enforced = false;
    let changes = [
        Change::AddConstraint { table: shop(), constraint: foreign.clone() },
        Change::AddConstraint { table: shop(), constraint: primary_key(&["a"]) },
        Change::AddConstraint { table: shop(), constraint: check("c", "`a` > 0", None) },
        Change::AlterConstraint { table: shop(), before: check("e", "`a` > 1", None), after: off },
        Change::AlterConstraint { table: shop(), before: check("g", "1", None), after: check("g", "2", None) },
        Change::Create { object: Object::Index(index("i")) },
        Change::AlterIndex { table: shop(), before: index("h").index, after: hidden.clone() },
        Change::AlterIndex { table: shop(), before: index("u").index, after: unique },
        Change::Rename { from: ObjectRef::Index(part("o")), to: ObjectRef::Index(part("n")), flavor: Flavor::Plain },
        Change::DropConstraint { table: shop(), constraint: primary_key(&["a"]) },
        Change::DropConstraint { table: shop(), constraint: foreign },
        Change::Drop { object: Object::Index(index("j")) },
    ];
    assert_snapshot!(merged(&MYSQL, &before, &after, &changes), @r"
    ALTER TABLE `shop`.`t` DROP FOREIGN KEY `fk`;
    ALTER TABLE `shop`.`t` DROP CHECK `g`, DROP KEY `u`, DROP PRIMARY KEY, DROP KEY `j`, RENAME KEY `o` TO `n`, ADD PRIMARY KEY (`a`), ADD KEY `i` (`a`), ADD UNIQUE KEY `u` (`a`), ADD CONSTRAINT `c` CHECK (`a` > 0), ALTER CHECK `e` NOT ENFORCED, ADD CONSTRAINT `g` CHECK (2), ALTER INDEX `h` INVISIBLE;
    ALTER TABLE `shop`.`t` ADD CONSTRAINT `fk` FOREIGN KEY (`a`) REFERENCES `shop`.`p` (`id`) ON DELETE SET NULL ON UPDATE RESTRICT
    ");
    let shown = Change::AlterIndex { table: shop(), before: hidden, after: index("h").index };
    assert_snapshot!(mariadb(&shown), @"ALTER TABLE `shop`.`t` ALTER INDEX `h` NOT IGNORED");
    let gone = Change::DropConstraint { table: shop(), constraint: check("c", "1", None) };
    assert_snapshot!(mysql(&gone), @"ALTER TABLE `shop`.`t` DROP CHECK `c`");
    assert_snapshot!(mariadb(&gone), @"ALTER TABLE `shop`.`t` DROP CONSTRAINT `c`");
}

#[test]
fn a_check_at_a_column_goes_with_what_is_said_of_it() {
    let before = table(vec![column("a", "int(11)")]);
    let mut after = before.clone();
    after.constraints = vec![check("a", "`a` > 0", Some("a"))];
    let add = Change::AddConstraint { table: shop(), constraint: check("a", "`a` > 0", Some("a")) };
    assert_snapshot!(merged(&MARIADB, &before, &after, std::slice::from_ref(&add)), @"ALTER TABLE `shop`.`t` MODIFY COLUMN `a` int(11) CHECK (`a` > 0)");
    let drop = Change::DropConstraint { table: shop(), constraint: check("a", "`a` > 0", Some("a")) };
    assert_snapshot!(merged(&MARIADB, &after, &before, std::slice::from_ref(&drop)), @"ALTER TABLE `shop`.`t` MODIFY COLUMN `a` int(11)");
    assert!(MySql(&MARIADB).change(&add).is_err());
}

#[test]
fn options_change_one_by_one() {
    let mut before = table(Vec::new());
    before.options.parameters = map(&[
        ("charset", "latin1"),
        ("collation", "latin1_bin"),
        ("engine", "InnoDB"),
        ("key_block_size", "4"),
        ("row_format", "COMPRESSED"),
    ]);
    let mut after = table(Vec::new());
    after.options.parameters =
        map(&[("charset", "utf8mb4"), ("collation", "utf8mb4_bin"), ("engine", "InnoDB"), ("stats_persistent", "1")]);
    let change = Change::AlterTable { before: before.clone(), after };
    assert_snapshot!(mysql(&change), @"ALTER TABLE `shop`.`t` DEFAULT CHARSET=utf8mb4, COLLATE=utf8mb4_bin, KEY_BLOCK_SIZE=0, ROW_FORMAT=DEFAULT, STATS_PERSISTENT=1");
    let mut versioned = before.clone();
    versioned.options.versioning = Some(SqlExpr::new("WITH SYSTEM VERSIONING, PERIOD FOR `p` (`a`, `b`)"));
    assert_snapshot!(mariadb(&Change::AlterTable { before: before.clone(), after: versioned.clone() }), @"ALTER TABLE `shop`.`t` ADD SYSTEM VERSIONING, ADD PERIOD FOR `p` (`a`, `b`)");
    assert_snapshot!(mariadb(&Change::AlterTable { before: versioned, after: before }), @"ALTER TABLE `shop`.`t` DROP SYSTEM VERSIONING, DROP PERIOD FOR `p`");
}

fn partitioned(by: &str, partitions: &[&str]) -> Table {
    let mut table = table(Vec::new());
    let partitions = partitions.iter().map(|text| SqlExpr::new(format!("PARTITION {text}"))).collect();
    table.partitioning = Some(Partitioning { by: SqlExpr::new(by), partitions });
    table
}

#[test]
fn partitions_change_without_losing_rows() {
    let range = |list: &[&str]| partitioned("RANGE (`a`)", list);
    let [p0, p1, p2, max] = [
        "p0 VALUES LESS THAN (1)",
        "p1 VALUES LESS THAN (2)",
        "p2 VALUES LESS THAN (3)",
        "m VALUES LESS THAN MAXVALUE",
    ];
    let sql =
        |before: &Table, after: &Table| mysql(&Change::AlterTable { before: before.clone(), after: after.clone() });
    assert_snapshot!(sql(&range(&[p0]), &range(&[p0, p1, p2])), @"ALTER TABLE `shop`.`t` ADD PARTITION (PARTITION p1 VALUES LESS THAN (2), PARTITION p2 VALUES LESS THAN (3))");
    assert_snapshot!(sql(&range(&[p0, max]), &range(&[p0, p1, p2, max])), @"ALTER TABLE `shop`.`t` REORGANIZE PARTITION m INTO (PARTITION p1 VALUES LESS THAN (2), PARTITION p2 VALUES LESS THAN (3), PARTITION m VALUES LESS THAN MAXVALUE)");
    assert_snapshot!(sql(&range(&[p0, p1]), &range(&[p1])), @"ALTER TABLE `shop`.`t` REORGANIZE PARTITION p0, p1 INTO (PARTITION p1 VALUES LESS THAN (2))");
    assert_snapshot!(sql(&table(Vec::new()), &partitioned("HASH (`a`) PARTITIONS 4", &[])), @"ALTER TABLE `shop`.`t` PARTITION BY HASH (`a`) PARTITIONS 4");
    assert_snapshot!(sql(&range(&[p0]), &table(Vec::new())), @"ALTER TABLE `shop`.`t` REMOVE PARTITIONING");
}

#[test]
fn what_is_expected_is_asserted_of_the_only_alter() {
    let said = |changes: &[Change], algorithm: &str, lock: Option<&str>| {
        let expects = trueup_plan::Expected { algorithm: algorithm.to_owned(), lock: lock.map(str::to_owned) };
        let before = table(vec![column("a", "int")]);
        let changes: Vec<&Change> = changes.iter().collect();
        MySql(&MYSQL).merged(&before, &before, &changes, &[expects]).map(text)
    };
    let split = |before: &[&str], after: &[&str]| Change::AlterTable {
        before: partitioned("RANGE (`a`)", before),
        after: partitioned("RANGE (`a`)", after),
    };
    let [p0, p1] = ["p0 VALUES LESS THAN (1)", "p1 VALUES LESS THAN (2)"];
    assert_eq!(
        said(&[split(&[p0], &[p0, p1])], "INPLACE", Some("NONE")).unwrap(),
        "ALTER TABLE `shop`.`t` ALGORITHM=INPLACE, LOCK=NONE, ADD PARTITION (PARTITION p1 VALUES LESS THAN (2))"
    );
    assert_eq!(
        said(&[split(&[p0, p1], &[p0])], "COPY", Some("SHARED")).unwrap(),
        "ALTER TABLE `shop`.`t` ALGORITHM=COPY, LOCK=SHARED PARTITION BY RANGE (`a`) (PARTITION p0 VALUES LESS THAN (1))"
    );
    let drop = Change::DropColumn { table: shop(), column: column("d", "int") };
    let key = foreign_key("fk");
    let forge = Change::AddConstraint { table: shop(), constraint: key };
    assert_eq!(
        said(std::slice::from_ref(&drop), "INSTANT", None).unwrap(),
        "ALTER TABLE `shop`.`t` DROP COLUMN `d`, ALGORITHM=INSTANT"
    );
    assert_eq!(
        said(std::slice::from_ref(&drop), "INPLACE", Some("NONE")).unwrap(),
        "ALTER TABLE `shop`.`t` DROP COLUMN `d`, ALGORITHM=INPLACE, LOCK=NONE"
    );
    assert!(!said(&[drop.clone(), forge], "COPY", Some("SHARED")).unwrap().contains("ALGORITHM"), "there are two");
    assert!(said(&[drop], "COPY; DROP TABLE t", None).is_err());
}

fn foreign_key(name: &str) -> Constraint {
    let key = ForeignKey {
        columns: vec![ident("a")],
        references: super::name("shop.p"),
        referenced_columns: vec![ident("id")],
        on_delete: FkAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: FkAction::Restrict,
        match_type: None,
        period: false,
    };
    Constraint::new(Some(ident(name)), ConstraintKind::ForeignKey(key))
}

#[test]
fn an_index_stays_when_a_foreign_key_comes() {
    let mut table = table(vec![column("a", "int")]);
    table.indexes.push(Index::new(ident("a"), vec![IndexPart::column(ident("a"))]));
    let add = |name: &str| Change::AddConstraint { table: shop(), constraint: foreign_key(name) };
    assert_snapshot!(merged(&MYSQL, &table, &table, &[add("f"), add("g")]), @"ALTER TABLE `shop`.`t` DROP KEY `a`, ADD KEY `a` (`a`), ADD CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `shop`.`p` (`id`) ON UPDATE RESTRICT, ADD CONSTRAINT `g` FOREIGN KEY (`a`) REFERENCES `shop`.`p` (`id`) ON UPDATE RESTRICT");
    assert_snapshot!(merged(&MARIADB, &table, &table, &[add("f")]), @"ALTER TABLE `shop`.`t` DROP KEY `a`, ADD KEY `a` (`a`), ADD CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `shop`.`p` (`id`) ON DELETE NO ACTION");
    assert_eq!(
        merged(&MYSQL, &table, &table, &[add("a")]),
        "ALTER TABLE `shop`.`t` ADD CONSTRAINT `a` FOREIGN KEY (`a`) REFERENCES `shop`.`p` (`id`) ON UPDATE RESTRICT"
    );
}
