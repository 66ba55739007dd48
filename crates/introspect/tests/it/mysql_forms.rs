//! What is declared, made canonical, is what MySQL and MariaDB report after making it.

use trueup_dialect::dialect_with;
use trueup_introspect::{NamespaceFilter, Request, introspect};
use trueup_schema::{Column, Constraint, ConstraintKind, DataType, DialectId, Ident, QualName, Schema, SqlExpr, Table};
use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, Engine, TestServer};

/// Types and defaults as people write them.
const SHARED: &[(&str, Option<&str>)] = &[
    ("bool", Some("TRUE")),
    ("BOOLEAN", Some("false")),
    ("integer", Some("5")),
    ("INT UNSIGNED", Some("'07'")),
    ("int(5) zerofill", Some("7")),
    ("tinyint", Some("-1")),
    ("smallint", None),
    ("mediumint(9)", None),
    ("bigint(20) unsigned", Some("0")),
    ("int4", None),
    ("int8", None),
    ("middleint", None),
    ("numeric", Some("1")),
    ("dec(5)", Some("2.0")),
    ("decimal(10,2)", Some("1.5")),
    ("fixed(6,3)", Some("-.5")),
    ("float", Some("1")),
    ("double precision", Some("0")),
    ("float(30)", None),
    ("real", None),
    ("float8", None),
    ("bit", Some("1")),
    ("bit(8)", Some("b'0101'")),
    ("char", Some("'a'")),
    ("char(3)", Some("''")),
    ("character varying(20)", Some("\"it's\"")),
    ("varchar(20)", Some("5")),
    ("varchar(20)", Some("'back\\\\slash \\n'")),
    ("nvarchar(5)", None),
    ("text", None),
    ("long", None),
    ("tinytext", None),
    ("binary", None),
    ("varbinary(10)", None),
    ("blob", None),
    ("date", Some("'2020-01-01'")),
    ("datetime", Some("'2020-01-01'")),
    ("datetime(3)", Some("'2020-01-01 10:00:00.5'")),
    ("datetime(0)", Some("now()")),
    ("timestamp(6) NULL", Some("CURRENT_TIMESTAMP(6)")),
    ("datetime", Some("CURRENT_TIMESTAMP()")),
    ("time", None),
    ("time(2)", None),
    ("year", Some("2020")),
    ("year(4)", None),
    ("enum('a', 'b''c')", Some("'a'")),
    ("set(\"x\",'y')", Some("'x,y'")),
    ("json", None),
    ("point", None),
    ("geometrycollection", None),
    ("varchar(9)", Some("NULL")),
];

fn ident(name: &str) -> Ident {
    Ident::new(name).unwrap()
}

/// Column by column: what is declared, and what it is in its canonical form on both sides.
async fn compare(server: &TestServer, list: &[(&str, Option<&str>)]) {
    let database = TestDatabase::on(server).await.unwrap();
    let own = ident(database.name());
    let id = if server.engine == Engine::MySql { DialectId::MySql } else { DialectId::MariaDb };
    let mut declared = Schema::new(id);
    let mut table = Table::new(QualName::new(Some(own.clone()), ident("t")));
    let mut sql: Vec<String> = Vec::new();
    for (at, (words, default)) in list.iter().enumerate() {
        let name = format!("c{at}");
        sql.push(format!("{name} {words}{}", default.map(|text| format!(" DEFAULT {text}")).unwrap_or_default()));
        let mut column = Column::new(ident(&name), DataType::builtin(words.trim_end_matches(" NULL")));
        column.default = default.map(SqlExpr::new);
        table.columns.push(column);
    }
    let extra = ["UNIQUE (c2)", "UNIQUE (c3, c2)", "UNIQUE (c2, c3)", "CHECK (c2 > 0)", "KEY pre (c25(3), c26(20))"];
    let create = format!("CREATE TABLE t ({}, {})", sql.join(", "), extra.join(", "));
    let mut session =
        database.session_after(&[&create]).await.unwrap_or_else(|error| panic!("{}: {error}", server.name()));
    let namespaces = NamespaceFilter::Only(vec![own.clone()]);
    let request = Request { namespaces, control_namespace: None, owners: false, spelled: false, facts: true };
    let found = introspect(&mut *session, &request).await.unwrap();
    let dialect = dialect_with(id, session.server().version, &found.facts.settings).unwrap();

    let mut live = found.schema.clone();
    dialect.normalise(&mut live);
    assert_eq!(live, found.schema, "{}: what is read is canonical", server.name());
    declared.insert(table);
    dialect.normalise(&mut declared);
    let once = declared.clone();
    dialect.normalise(&mut declared);
    assert_eq!(once, declared, "{}: twice changes nothing more", server.name());

    let (mine, theirs) = (declared.tables.values().next().unwrap(), live.tables.values().next().unwrap());
    assert_eq!(mine.options, theirs.options, "{}", server.name());
    for (at, (words, default)) in list.iter().enumerate() {
        let at = (&mine.columns[at], &theirs.columns[at]);
        assert_eq!(at.0, at.1, "{}: {words} {default:?}", server.name());
    }
}

#[tokio::test]
async fn declared_columns_are_what_the_server_reports() {
    for server in servers::mysql().into_iter().chain(servers::mariadb()) {
        compare(&server, SHARED).await;
    }
    for server in servers::mariadb() {
        let own = [
            ("uuid", None),
            ("inet4", None),
            ("inet6", None),
            ("text", Some("'a'")),
            ("json", Some("'{}'")),
            ("datetime", Some("current_timestamp()")),
        ];
        let list: Vec<_> = SHARED.iter().chain(&own).copied().collect();
        compare(&server, &list).await;
    }
}

#[tokio::test]
async fn names_that_are_left_out_are_the_servers() {
    for server in servers::mysql().into_iter().chain(servers::mariadb()) {
        let database = TestDatabase::on(&server).await.unwrap();
        let own = ident(database.name());
        let script = [
            "CREATE TABLE p (a int, b int, PRIMARY KEY (a), KEY k (b, a))",
            "CREATE TABLE t (a int, b int, c int, d int, UNIQUE (a), UNIQUE (a, b), UNIQUE (a, c), CHECK (a > 0), CHECK (b > 0), \
             FOREIGN KEY (c) REFERENCES p (a), CONSTRAINT named FOREIGN KEY (d) REFERENCES p (a), FOREIGN KEY (a) REFERENCES p (a))",
        ];
        let mut session = database.session_after(&script).await.unwrap();
        let namespaces = NamespaceFilter::Only(vec![own.clone()]);
        let request = Request { namespaces, control_namespace: None, owners: false, spelled: false, facts: false };
        let found = introspect(&mut *session, &request).await.unwrap();
        let id = session.server().dialect;
        let dialect = dialect_with(id, session.server().version, &found.facts.settings).unwrap();
        let live = &found.schema.tables[&QualName::new(Some(own.clone()), ident("t"))];

        let mut table = Table::new(live.name.clone());
        table.columns = ["a", "b", "c", "d"].map(|name| Column::new(ident(name), DataType::builtin("int"))).to_vec();
        let parts = |names: &[&str]| names.iter().map(|name| trueup_schema::IndexPart::column(ident(name))).collect();
        let key = |names: &[&str]| trueup_schema::Key {
            columns: parts(names),
            include: Vec::new(),
            nulls_not_distinct: false,
            without_overlaps: false,
        };
        let foreign = |name: Option<&str>, column: &str| {
            let kind = trueup_schema::ForeignKey {
                columns: vec![ident(column)],
                references: QualName::new(Some(own.clone()), ident("p")),
                referenced_columns: vec![ident("a")],
                on_delete: trueup_schema::FkAction::Restrict,
                on_delete_columns: Vec::new(),
                on_update: Default::default(),
                match_type: None,
                period: false,
            };
            Constraint::new(name.map(ident), ConstraintKind::ForeignKey(kind))
        };
        let check = |text: &str| ConstraintKind::Check { expr: SqlExpr::new(text), no_inherit: false, column: None };
        table.constraints = vec![
            Constraint::new(None, ConstraintKind::Unique(key(&["a"]))),
            Constraint::new(None, ConstraintKind::Unique(key(&["a", "b"]))),
            Constraint::new(None, ConstraintKind::Unique(key(&["a", "c"]))),
            Constraint::new(None, check("a > 0")),
            Constraint::new(None, check("b > 0")),
            foreign(None, "c"),
            foreign(Some("named"), "d"),
            foreign(None, "a"),
        ];
        let mut declared = Schema::new(id);
        declared.insert(table);
        dialect.normalise(&mut declared);
        let declared = declared.tables.values().next().unwrap();
        let sorted = |table: &Table| {
            let mut names: Vec<String> =
                table.indexes.iter().map(|index| format!("{} {}", index.unique, index.name)).collect();
            names.extend(table.constraints.iter().filter_map(|it| it.name.as_ref()).map(ToString::to_string));
            names.sort();
            names
        };
        assert_eq!(sorted(declared), sorted(live), "{}", server.name());
        for constraint in
            live.constraints.iter().filter(|it| it.name.as_ref().is_some_and(|name| name.as_str() != "named"))
        {
            assert!(dialect.is_generated(live, constraint), "{constraint:?}");
        }
    }
}
