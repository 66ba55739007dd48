//! Whole objects.

use insta::assert_snapshot;
use trueup_plan::{Change, Object, TableIndex};
use trueup_schema::{
    Common, FkAction, ForeignKey, Generated, Index, IndexKey, Namespace, Opaque, OpaqueId, PartId, Partitioning,
    Routine, RoutineId, RoutineKind, Sequence, SequenceOptions, Trigger, View, ViewColumn,
};

use super::*;

fn create(object: Object) -> Change {
    Change::Create { object }
}

fn full_table() -> Table {
    let mut id = column("id", "bigint unsigned");
    (id.not_null, id.auto_increment, id.comment) = (true, true, Some("it's a\\b".to_owned()));
    let mut text = with(column("text", "varchar(20)"), &[("charset", "latin1")]);
    text.collation = Some(QualName::new(None, ident("latin1_bin")));
    text.default = Some(SqlExpr::new("'x'"));
    let mut plain = with(column("plain", "text"), &[("charset", "utf8mb4")]);
    plain.collation = Some(QualName::new(None, ident("utf8mb4_bin")));
    let mut at = with(column("at", "timestamp(3)"), &[("on_update", "CURRENT_TIMESTAMP(3)")]);
    at.default = Some(SqlExpr::new("CURRENT_TIMESTAMP(3)"));
    let mut twice = with(column("twice", "int"), &[("invisible", "true")]);
    twice.generated = Some(Generated { expr: SqlExpr::new("`id` * 2"), stored: true });
    let mut place = with(column("place", "point"), &[("srid", "4326")]);
    place.not_null = true;
    let mut table = table(vec![id, text, plain, at, twice, place]);
    let reference = ForeignKey {
        columns: vec![ident("id")],
        references: name("shop.parent"),
        referenced_columns: vec![ident("id")],
        on_delete: FkAction::Cascade,
        on_delete_columns: Vec::new(),
        on_update: FkAction::NoAction,
        match_type: None,
        period: false,
    };
    table.constraints = vec![
        primary_key(&["id"]),
        check("c", "`id` > 0", None),
        Constraint::new(Some(ident("fk")), ConstraintKind::ForeignKey(reference)),
    ];
    let mut prefix = Index::new(
        ident("p"),
        vec![IndexPart { prefix: Some(5), descending: true, ..IndexPart::column(ident("text")) }],
    );
    prefix.parameters = map(&[("invisible", "true")]);
    let mut words = Index::new(ident("w"), vec![IndexPart::column(ident("text"))]);
    (words.method, words.parameters) = (Some("fulltext".to_owned()), map(&[("parser", "ngram")]));
    let lower = IndexPart { key: IndexKey::Expr(SqlExpr::new("lower(`text`)")), ..IndexPart::column(ident("text")) };
    let mut functional = Index::new(ident("f"), vec![lower, IndexPart::column(ident("id"))]);
    (functional.unique, functional.comment) = (true, Some("x".to_owned()));
    let mut spatial = Index::new(ident("s"), vec![IndexPart::column(ident("place"))]);
    spatial.method = Some("spatial".to_owned());
    table.indexes = vec![functional, prefix, spatial, words];
    table.options.parameters = map(&[
        ("engine", "InnoDB"),
        ("charset", "utf8mb4"),
        ("collation", "utf8mb4_bin"),
        ("row_format", "DYNAMIC"),
        ("compression", "zlib"),
    ]);
    table.common.comment = Some("all".to_owned());
    table.partitioning = Some(Partitioning {
        by: SqlExpr::new("RANGE (`id`)"),
        partitions: vec![SqlExpr::new("PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB")],
    });
    table
}

#[test]
fn a_table_is_made_with_all_that_it_holds() {
    let change = create(Object::Table(full_table()));
    assert_snapshot!(mysql(&change), @r"CREATE TABLE `shop`.`t` (`id` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s a\\b', `text` varchar(20) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT 'x', `plain` text, `at` timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), `twice` int GENERATED ALWAYS AS (`id` * 2) STORED INVISIBLE, `place` point NOT NULL SRID 4326, PRIMARY KEY (`id`), UNIQUE KEY `f` ((lower(`text`)), `id`) COMMENT 'x', KEY `p` (`text`(5) DESC) INVISIBLE, SPATIAL KEY `s` (`place`), FULLTEXT KEY `w` (`text`) WITH PARSER `ngram`, CONSTRAINT `c` CHECK (`id` > 0), CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `shop`.`parent` (`id`) ON DELETE CASCADE) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMPRESSION='zlib' ROW_FORMAT=DYNAMIC COMMENT='all' PARTITION BY RANGE (`id`) (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB)");
    assert_snapshot!(mariadb(&change), @r"CREATE TABLE `shop`.`t` (`id` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s a\\b', `text` varchar(20) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT 'x', `plain` text, `at` timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), `twice` int GENERATED ALWAYS AS (`id` * 2) STORED INVISIBLE, `place` point NOT NULL REF_SYSTEM_ID=4326, PRIMARY KEY (`id`), UNIQUE KEY `f` ((lower(`text`)), `id`) COMMENT 'x', KEY `p` (`text`(5) DESC) IGNORED, SPATIAL KEY `s` (`place`), FULLTEXT KEY `w` (`text`) WITH PARSER `ngram`, CONSTRAINT `c` CHECK (`id` > 0), CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `shop`.`parent` (`id`) ON DELETE CASCADE ON UPDATE NO ACTION) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMPRESSION='zlib' ROW_FORMAT=DYNAMIC COMMENT='all' PARTITION BY RANGE (`id`) (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB)");
}

#[test]
fn mariadb_has_periods_versioning_checks_at_columns_and_sequences() {
    let mut start = with(column("s", "timestamp(6)"), &[("row", "start"), ("invisible", "true")]);
    start.not_null = true;
    let end = with(column("e", "timestamp(6)"), &[("row", "end")]);
    let mut next = column("n", "bigint(20)");
    next.default = Some(SqlExpr::new("nextval(`q`)"));
    let quiet = with(column("x", "varchar(9)"), &[("without_versioning", "true"), ("compressed", "")]);
    let mut table = table(vec![start, end, next, quiet]);
    table.constraints = vec![check("n", "`n` > 0", Some("n"))];
    table.options.versioning = Some(SqlExpr::new("PERIOD FOR SYSTEM_TIME (`s`, `e`), WITH SYSTEM VERSIONING"));
    assert_snapshot!(mariadb(&create(Object::Table(table.clone()))), @r"
    USE `shop`;
    CREATE TABLE `shop`.`t` (`s` timestamp(6) GENERATED ALWAYS AS ROW START INVISIBLE, `e` timestamp(6) GENERATED ALWAYS AS ROW END, `n` bigint(20) DEFAULT nextval(`q`) CHECK (`n` > 0), `x` varchar(9) COMPRESSED WITHOUT SYSTEM VERSIONING, PERIOD FOR SYSTEM_TIME (`s`, `e`)) WITH SYSTEM VERSIONING
    ");
    assert!(MySql(&MYSQL).change(&create(Object::Table(table))).is_err());
    let sequence = |options| Sequence {
        name: name("shop.q"),
        options,
        unlogged: false,
        owned_by: None,
        common: Common::default(),
    };
    let plain = sequence(SequenceOptions::default());
    let other =
        sequence(SequenceOptions { increment: Some(-2), max: Some(9), cycle: true, ..SequenceOptions::default() });
    assert_snapshot!(mariadb(&create(Object::Sequence(other.clone()))), @"CREATE SEQUENCE `shop`.`q` START WITH 9 MAXVALUE 9 INCREMENT BY -2 CYCLE");
    assert_snapshot!(mariadb(&Change::AlterSequence { before: other.clone(), after: plain.clone() }), @"ALTER SEQUENCE `shop`.`q` START WITH 1 NO MINVALUE NO MAXVALUE INCREMENT BY 1 NOCYCLE RESTART");
    assert_snapshot!(mariadb(&Change::Drop { object: Object::Sequence(plain.clone()) }), @"DROP SEQUENCE `shop`.`q`");
    assert!(MySql(&MYSQL).change(&create(Object::Sequence(plain))).is_err());
}

fn view(query: &str) -> View {
    let mut view = View::new(name("shop.v"), SqlExpr::new(query));
    let column = |name| ViewColumn::new(ident(name));
    view.columns = vec![column("a"), column("b")];
    view
}

#[test]
fn views_run_in_their_own_database() {
    let mut first = view("select `t`.`a` AS `a`,1 AS `b` from `t`");
    first.options = map(&[
        ("algorithm", "merge"),
        ("check_option", "local"),
        ("definer", "`root`@`%`"),
        ("sql_security", "invoker"),
    ]);
    assert_snapshot!(mysql(&create(Object::View(first.clone()))), @r"
    USE `shop`;
    CREATE ALGORITHM=MERGE DEFINER=`root`@`%` SQL SECURITY INVOKER VIEW `shop`.`v` AS select `t`.`a` AS `a`,1 AS `b` from `t` WITH LOCAL CHECK OPTION
    ");
    let second = view("select 1,2");
    assert_snapshot!(mysql(&Change::ReplaceView { before: first.clone(), after: second.clone() }), @r"
    USE `shop`;
    CREATE OR REPLACE VIEW `shop`.`v` (`a`, `b`) AS select 1,2
    ");
    assert_snapshot!(mysql(&Change::AlterView { before: second, after: first.clone() }), @r"
    USE `shop`;
    CREATE OR REPLACE ALGORITHM=MERGE DEFINER=`root`@`%` SQL SECURITY INVOKER VIEW `shop`.`v` AS select `t`.`a` AS `a`,1 AS `b` from `t` WITH LOCAL CHECK OPTION
    ");
    assert_snapshot!(mysql(&Change::Drop { object: Object::View(first) }), @"DROP VIEW `shop`.`v`");
}

#[test]
fn code_is_made_under_its_own_mode() {
    let settings = map(&[("sql_mode", "ANSI_QUOTES,PIPES_AS_CONCAT")]);
    let trigger = Trigger {
        id: PartId { table: name("shop.t"), name: ident("g") },
        definition: SqlExpr::new("CREATE TRIGGER `g` BEFORE INSERT ON `t` FOR EACH ROW set new.a = 1;"),
        enabled: "origin".to_owned(),
        settings: settings.clone(),
        comment: None,
        depends_on: Vec::new(),
        source: None,
    };
    assert_snapshot!(mysql(&create(Object::Trigger(trigger.clone()))), @r"
    USE `shop`;
    SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT';
    CREATE TRIGGER `g` BEFORE INSERT ON `t` FOR EACH ROW set new.a = 1;
    SET SESSION sql_mode = @trueup_sql_mode
    ");
    assert_snapshot!(mysql(&Change::Drop { object: Object::Trigger(trigger) }), @"DROP TRIGGER `shop`.`g`");
    let routine = |body: &str| Routine {
        id: RoutineId { name: name("shop.f"), arguments: String::new() },
        kind: RoutineKind::Function,
        definition: SqlExpr::new(format!("CREATE FUNCTION `f`() RETURNS int RETURN {body}")),
        signature: String::new(),
        tracked: false,
        settings: settings.clone(),
        common: Common::default(),
    };
    let change = Change::ReplaceRoutine { before: routine("1"), after: routine("2") };
    assert_snapshot!(mysql(&change), @r"
    DROP FUNCTION `shop`.`f`;
    USE `shop`;
    SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT';
    CREATE FUNCTION `f`() RETURNS int RETURN 2;
    SET SESSION sql_mode = @trueup_sql_mode
    ");
    assert_snapshot!(mariadb(&change), @r"
    USE `shop`;
    SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT';
    CREATE OR REPLACE FUNCTION `f`() RETURNS int RETURN 2;
    SET SESSION sql_mode = @trueup_sql_mode
    ");
    assert_snapshot!(mysql(&Change::Drop { object: Object::Routine(routine("1")) }), @"DROP FUNCTION `shop`.`f`");
    let event = Opaque {
        id: OpaqueId { kind: "event".to_owned(), namespace: Some(ident("shop")), table: None, name: "e".to_owned() },
        create: vec![SqlExpr::new("CREATE EVENT `e` ON SCHEDULE EVERY 1 DAY DO SELECT 1")],
        drop: SqlExpr::new("DROP EVENT `e`"),
        parts: Vec::new(),
        roles: Vec::new(),
        comment_target: None,
        common: Common::default(),
    };
    assert_snapshot!(mysql(&create(Object::Opaque(event.clone()))), @r"
    USE `shop`;
    CREATE EVENT `e` ON SCHEDULE EVERY 1 DAY DO SELECT 1
    ");
    assert_snapshot!(mysql(&Change::Drop { object: Object::Opaque(event) }), @r"
    USE `shop`;
    DROP EVENT `e`
    ");
}

#[test]
fn databases_have_options() {
    let mut database = Namespace {
        name: ident("shop"),
        options: map(&[("charset", "utf8mb4"), ("collation", "utf8mb4_bin")]),
        common: Common::default(),
    };
    assert_snapshot!(mysql(&create(Object::Namespace(database.clone()))), @"CREATE DATABASE `shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    database.common.comment = Some("x'y".to_owned());
    assert_snapshot!(mariadb(&Change::AlterNamespace { before: database.clone(), after: database.clone() }), @"ALTER DATABASE `shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT 'x''y'");
    assert_snapshot!(mysql(&Change::Drop { object: Object::Namespace(database) }), @"DROP DATABASE `shop`");
}

#[test]
fn hostile_names_stay_names() {
    let bad = ident(HOSTILE);
    let mut table = Table::new(QualName::new(Some(bad.clone()), bad.clone()));
    let mut column = Column::new(bad.clone(), DataType::builtin("int"));
    column.comment = Some(HOSTILE.to_owned());
    table.columns.push(column);
    table.common.comment = Some(HOSTILE.to_owned());
    table.constraints.push(primary_key(&[HOSTILE]));
    table.indexes.push(Index::new(bad.clone(), vec![IndexPart { prefix: Some(3), ..IndexPart::column(bad.clone()) }]));
    assert_snapshot!(mysql(&create(Object::Table(table.clone()))), @r#"CREATE TABLE `a``; DROP TABLE t; -- '"\`.`a``; DROP TABLE t; -- '"\` (`a``; DROP TABLE t; -- '"\` int COMMENT 'a`; DROP TABLE t; -- ''"\\', PRIMARY KEY (`a``; DROP TABLE t; -- '"\`), KEY `a``; DROP TABLE t; -- '"\` (`a``; DROP TABLE t; -- '"\`(3))) COMMENT='a`; DROP TABLE t; -- ''"\\'"#);
    let index = TableIndex { table: table.name.clone(), index: Index::new(bad.clone(), vec![IndexPart::column(bad)]) };
    assert_snapshot!(mysql(&Change::Drop { object: Object::Index(index) }), @r#"ALTER TABLE `a``; DROP TABLE t; -- '"\`.`a``; DROP TABLE t; -- '"\` DROP KEY `a``; DROP TABLE t; -- '"\`"#);
    table.options.parameters = map(&[("engine", "InnoDB; DROP TABLE t")]);
    assert!(MySql(&MYSQL).change(&create(Object::Table(table.clone()))).is_err());
    table.options.parameters = map(&[("charset", HOSTILE)]);
    assert!(MySql(&MYSQL).change(&create(Object::Table(table))).is_err());
}
