use trueup_schema::builder::{bigint, desc, text, varchar};
use trueup_schema::{
    Constraint, ConstraintKind, DataType, Dependency, DialectId, FkAction, Grant, Ident, ObjectRef, PartId, QualName,
    Schema, Spelling, SqlExpr, Table,
};

use super::{Canonical as _, Snapshot};
use crate::{Document, DocumentFormat, Normalise, SnapshotError};

/// An engine of few opinions: it upper-cases nothing, trims types, and calls a key `{table}_key`.
#[derive(Debug, Default)]
struct Rules {
    column_order: bool,
    lower_names: bool,
}

impl Normalise for Rules {
    fn normalise(&self, schema: &mut Schema) {
        for table in schema.tables.values_mut() {
            if self.lower_names {
                table.name.name = Ident::new(table.name.name.as_str().to_lowercase()).unwrap();
            }
            for column in &mut table.columns {
                if let DataType::Builtin(words) = &mut column.data_type {
                    *words = words.trim().to_owned();
                }
            }
        }
    }

    fn is_generated(&self, table: &Table, constraint: &Constraint) -> bool {
        constraint.name.as_ref().is_some_and(|name| name.as_str() == format!("{}_key", table.name.name.as_str()))
    }

    fn hashes_column_order(&self) -> bool {
        self.column_order
    }
}

fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn shop() -> Schema {
    let mut build = Schema::build(DialectId::Postgres);
    let mut users = build.table("users");
    users.column("id", bigint()).not_null();
    users.column("email", varchar(20)).default("x");
    users.primary_key(["id"]).named("users_pkey");
    users.unique(["email"]).named("users_key");
    users.check("id > 0").named("users_id");
    users.index("users_b", ["email"]);
    users.index("users_a", [desc("id")]);
    let mut orders = build.table("orders");
    orders.column("user_id", bigint()).references("users", "id", FkAction::Cascade);
    build.view("names", "select email from users").columns(["email"]);
    build.finish().unwrap()
}

fn snapshot(schema: &Schema) -> Snapshot {
    Snapshot::of(schema, &Rules::default()).unwrap()
}

fn users(schema: &mut Schema) -> &mut Table {
    schema.tables.get_mut(&name("users")).unwrap()
}

/// The root after `change`.
fn changed(change: impl FnOnce(&mut Schema)) -> Snapshot {
    let mut schema = shop();
    change(&mut schema);
    snapshot(&schema)
}

#[test]
fn the_order_of_options_is_kept_and_says_nothing() {
    let with = |pairs: &[(&str, &str)]| {
        let mut schema = shop();
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        users(&mut schema).indexes[0].parameters = pairs.collect();
        schema
    };
    let (one, other) =
        ([("fillfactor", "70"), ("deduplicate_items", "on")], [("deduplicate_items", "on"), ("fillfactor", "70")]);
    let (one, other) = (with(&one), with(&other));
    assert_eq!(one, other);
    assert_eq!(snapshot(&one).root(), snapshot(&other).root());
    let mut kept = one;
    let names: Vec<&String> = users(&mut kept).indexes[0].parameters.keys().collect();
    assert_eq!(names, ["fillfactor", "deduplicate_items"]);
}

#[test]
fn canonical_bytes_are_these() {
    let schema = snapshot(&shop());
    let bytes = |object: &dyn Fn(&Snapshot) -> Vec<u8>| String::from_utf8(object(&schema)).unwrap();
    let rules = Rules::default();
    assert_eq!(
        bytes(&|s| s.tables[&name("users")].canonical(&rules).unwrap()),
        concat!(
            r#"{"name":"users","columns":["#,
            r#"{"name":"email","type":"character varying(20)","default":"'x'"},"#,
            r#"{"name":"id","type":"bigint","not_null":true}],"#,
            r#""constraints":[{"name":"users_id","check":{"expr":"id > 0"}},"#,
            r#"{"name":"users_pkey","primary_key":{"columns":["id"]}},"#,
            r#"{"unique":{"columns":["email"]}}]}"#
        )
    );
    assert_eq!(
        bytes(&|s| s.tables[&name("users")].indexes[0].canonical(&rules).unwrap()),
        r#"{"name":"users_a","parts":[{"column":"id","descending":true}]}"#
    );
    assert_eq!(
        bytes(&|s| s.views[&name("names")].canonical(&rules).unwrap()),
        r#"{"name":"names","columns":[{"name":"email"}],"query":"select email from users"}"#
    );
}

#[test]
fn what_is_no_part_of_an_object_is_not_hashed() {
    let before = snapshot(&shop()).root();
    let same = |change: fn(&mut Schema)| assert_eq!(changed(change).root(), before);
    same(|schema| users(schema).columns.reverse());
    same(|schema| users(schema).constraints.reverse());
    same(|schema| users(schema).indexes.reverse());
    same(|schema| users(schema).source = Some("create table".to_owned()));
    same(|schema| users(schema).common.renamed_from = Some(name("people")));
    same(|schema| users(schema).columns[0].renamed_from = Some(ident("key")));
    same(|schema| users(schema).columns[0].using = Some(SqlExpr::new("1")));
    same(|schema| users(schema).columns[0].backfill = Some(SqlExpr::new("1")));
    same(|schema| users(schema).columns[0].source = Some("id".to_owned()));
    same(|schema| users(schema).columns[0].data_type = DataType::builtin(" bigint "));
    same(|schema| users(schema).columns[0].depends_on.push(Dependency::hard(ObjectRef::Table(name("t")))));
    same(|schema| users(schema).common.depends_on.push(Dependency::soft(ObjectRef::Table(name("t")))));
    same(|schema| users(schema).constraints.iter_mut().for_each(|each| each.source = Some("key".to_owned())));
    same(|schema| users(schema).indexes[0].source = Some("index".to_owned()));
    same(|schema| users(schema).indexes[0].renamed_from = Some(ident("old")));
    same(|schema| drop(users(schema).options.parameters.insert("auto_increment".to_owned(), "5".to_owned())));
    same(|schema| users(schema).spelled = true);
    same(|schema| drop(users(schema).indexes[0].parameters.insert("spelled".to_owned(), "btree".to_owned())));
    same(|schema| drop(users(schema).columns[0].attributes.insert("spelled".to_owned(), "charset".to_owned())));
    same(|schema| schema.tables.get_mut(&name("orders")).unwrap().constraints[0].depends_on.clear());
    same(|schema| schema.views.values_mut().for_each(|view| view.populated = false));
    same(|schema| schema.views.values_mut().for_each(|view| view.columns[0].data_type = "text".to_owned()));
    same(|schema| {
        let generated = users(schema).constraints.iter_mut().find(|each| each.name == Some(ident("users_key")));
        generated.unwrap().name = None;
    });
}

#[test]
fn how_a_table_is_spelled_out_is_told_by_one_fingerprint_alone() {
    let mut snapshot = snapshot(&shop());
    let plain = snapshot.root_as_spelled();
    assert_eq!(plain, snapshot.root());
    let said = [("spelled".to_owned(), "btree".to_owned())].into();
    let spelling = Spelling { indexes: [(ident("users_a"), said)].into(), ..Spelling::default() };
    snapshot.spell(&name("users"), &spelling);
    assert_eq!((&snapshot.tables[&name("users")].spelling(), snapshot.root()), (&spelling, plain));
    let spelled = snapshot.root_as_spelled();
    assert_ne!(spelled, plain);
    let spelling = Spelling { columns: [ident("email")].into(), ..Spelling::default() };
    snapshot.spell(&name("users"), &spelling);
    assert_eq!(snapshot.tables[&name("users")].spelling(), spelling);
    assert!(![plain, spelled].contains(&snapshot.root_as_spelled()));
    snapshot.spell(&name("users"), &Spelling::default());
    assert_eq!(snapshot.root_as_spelled(), plain);
}

#[test]
fn what_is_a_part_of_an_object_is_hashed() {
    let before = snapshot(&shop());
    let differs = |change: fn(&mut Schema)| assert_ne!(changed(change).root(), before.root());
    differs(|schema| users(schema).columns[0].not_null = false);
    differs(|schema| users(schema).columns[1].default = None);
    differs(|schema| users(schema).common.comment = Some("c".to_owned()));
    differs(|schema| users(schema).common.grants = Some(Vec::new()));
    differs(|schema| users(schema).constraints[0].name = Some(ident("other")));
    differs(|schema| users(schema).indexes[0].unique = true);
    differs(|schema| users(schema).indexes[0].valid = false);
    differs(|schema| users(schema).indexes[0].name = ident("other"));
    differs(|schema| schema.views.values_mut().for_each(|view| view.query.0.push(' ')));
    differs(|schema| drop(schema.views.pop_first()));
    differs(|schema| schema.dialect = DialectId::MariaDb);
}

#[test]
fn indexes_and_tables_change_apart() {
    let before = snapshot(&shop());
    let table = ObjectRef::Table(name("users"));
    let part = |text: &str| PartId { table: name("users"), name: ident(text) };
    let index = ObjectRef::Index(part("users_b"));
    let after = changed(|schema| users(schema).indexes[0].unique = true);
    assert!(before.same_object(&after, &table));
    assert!(!before.same_object(&after, &index));
    let after = changed(|schema| users(schema).columns[0].comment = Some("c".to_owned()));
    assert!(!before.same_object(&after, &table));
    assert!(!before.same_object(&after, &ObjectRef::Column(part("email"))), "a column is hashed with its table");
    assert!(before.same_object(&after, &index));
    assert!(!before.same_object(&after, &ObjectRef::Table(name("nope"))));
    assert_eq!(before.object_hash(&ObjectRef::Constraint(part("users_pkey"))), before.object_hash(&table));
    assert_eq!(before.object_hash(&ObjectRef::Table(name("nope"))), None);
    let users_only = |object: &ObjectRef| object.owner() == table;
    assert_eq!(
        before.fingerprint_of(users_only),
        changed(|schema| drop(schema.views.pop_first())).fingerprint_of(users_only)
    );
    assert_ne!(before.fingerprint_of(users_only), after.fingerprint_of(users_only));
    assert_eq!(before.fingerprint_of(|_| true), before.root());
    let listed: Vec<String> = before.objects().map(|(object, _)| format!("{} {object}", object.kind())).collect();
    assert_eq!(listed, ["table orders", "table users", "view names", "index users.users_a", "index users.users_b"]);
}

#[test]
fn column_order_is_hashed_where_the_engine_keeps_it() {
    let ordered = Rules { column_order: true, ..Rules::default() };
    let mut schema = shop();
    let before = Snapshot::of(&schema, &ordered).unwrap().root();
    users(&mut schema).columns.reverse();
    assert_ne!(Snapshot::of(&schema, &ordered).unwrap().root(), before);
}

#[test]
fn the_form_is_canonical_and_without_hints() {
    let mut schema = shop();
    let table = users(&mut schema);
    table.common.renamed_from = Some(name("people"));
    table.columns[0].backfill = Some(SqlExpr::new("1"));
    let grant = |grantee: &str| Grant {
        grantee: grantee.to_owned(),
        privilege: "SELECT".to_owned(),
        column: None,
        grantable: false,
    };
    table.common.grants = Some(vec![grant("b"), grant("a"), grant("b")]);
    let once = snapshot(&schema);
    let table = &once.tables[&name("users")];
    assert_eq!(table.common.renamed_from, None);
    assert_eq!(table.columns[0].backfill, None);
    assert_eq!(table.columns[0].name, ident("id"), "columns keep their order");
    assert_eq!(table.common.grants, Some(vec![grant("a"), grant("b")]));
    let names: Vec<_> = table.constraints.iter().map(|each| each.name.as_ref().unwrap().as_str()).collect();
    assert_eq!(names, ["users_id", "users_key", "users_pkey"]);
    let twice = snapshot(once.schema());
    assert_eq!(twice.schema(), once.schema());
    assert_eq!(twice.root(), once.root());
}

#[test]
fn names_that_become_one_are_refused() {
    let mut build = Schema::build(DialectId::MySql);
    build.table("Users").column("a", text());
    build.table("users").column("a", text());
    let schema = build.finish().unwrap();
    let folding = Rules { lower_names: true, ..Rules::default() };
    let error = Snapshot::of(&schema, &folding).unwrap_err();
    assert_eq!(error.to_string(), "table `users` and another one are both called `users` in this engine");
    let mut alone = schema;
    alone.tables.remove(&name("users"));
    let folded = Snapshot::of(&alone, &folding).unwrap();
    assert!(folded.tables.contains_key(&name("users")), "an object is found under its canonical name");
}

#[test]
fn contradictions_are_refused_but_the_world_outside_may_be_named() {
    let mut schema = shop();
    schema.tables.remove(&name("users"));
    assert!(Snapshot::of(&schema, &Rules::default()).is_ok());
    let orders = schema.tables.get_mut(&name("orders")).unwrap();
    for constraint in &mut orders.constraints {
        if let ConstraintKind::ForeignKey(key) = &mut constraint.kind {
            key.columns.push(ident("nope"));
        }
    }
    assert!(matches!(Snapshot::of(&schema, &Rules::default()), Err(SnapshotError::Invalid(found)) if found.len() == 2));
}

/// Format 1 and its hashes are promises: this document is read for ever, with these fingerprints.
#[test]
fn the_golden_document_keeps_its_fingerprints() {
    let text = include_str!("../../tests/golden/format-1.toml");
    let schema = Document::read(text, DocumentFormat::Toml).unwrap();
    let snapshot = snapshot(&schema);
    let found: String =
        snapshot.objects().map(|(object, hash)| format!("{} {object} {}\n", object.kind(), hash.hex())).collect();
    assert_eq!(found, include_str!("../../tests/golden/format-1.hashes"));
    assert_eq!(snapshot.root().to_string(), "fnv1a64-1:fb37dd4cd8d55caa");
    let json = Document::write(&schema, DocumentFormat::Json).unwrap();
    assert_eq!(json, include_str!("../../tests/golden/format-1.json"));
    assert_eq!(Document::read(&json, DocumentFormat::Json).unwrap(), schema);
}
