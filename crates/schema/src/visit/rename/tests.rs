use crate::builder::{bigint, expression, named, text};
use crate::{
    Common, Dependency, DialectId, ExprSlot, FkAction, Grant, Ident, ObjectRef, PartId, PartitionOf, QualName,
    RenameError, Schema, SqlExpr, Trigger,
};

fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn part(table: &str, part: &str) -> PartId {
    PartId { table: name(table), name: ident(part) }
}

/// A schema in which table `a.users`, its column `id` and type `a.mood` are mentioned everywhere that they can be.
fn shop() -> Schema {
    let mut build = Schema::build(DialectId::Postgres);
    build.default_namespace("a");
    build.namespace("a");
    build.enumeration("mood", ["sad"]);
    let mut users = build.table("users");
    users.column("id", bigint());
    users.column("mood", named("mood"));
    users.primary_key(["id"]).named("users_pkey").include(["mood"]);
    users.index("users_i", ["id"]).include(["id"]);
    users.index("users_e", [expression("id + 1")]).predicate("id > 0");
    users.foreign_key(["id"], "users", ["id"]).named("users_self").on_delete(FkAction::SetNull);
    let mut orders = build.table("orders");
    orders.column("user_id", bigint()).references("users", "id", FkAction::NoAction);
    orders.column("whole", named("users"));
    build.table("users_1").column("id", bigint());
    build.sequence("users_id_seq").owned_by("users", "id");
    build
        .view("names", "select id from a.users")
        .columns(["id"])
        .depends_on(ObjectRef::Column(part("a.users", "id")))
        .depends_on(ObjectRef::Type(name("a.mood")))
        .depends_on(ObjectRef::Index(part("a.users", "users_i")));
    build.object(Trigger {
        id: part("a.users", "t"),
        definition: SqlExpr::new("create trigger t on a.users"),
        enabled: "origin".to_owned(),
        settings: crate::Parameters::new(),
        comment: None,
        depends_on: vec![Dependency::soft(ObjectRef::Table(name("a.orders")))],
        source: None,
    });
    let mut schema = build.finish().unwrap();
    let users = schema.tables.get_mut(&name("a.users")).unwrap();
    users.options.replica_identity = Some("index users_i".to_owned());
    let column = Some(ident("id"));
    let grant = Grant { grantee: "PUBLIC".to_owned(), privilege: "SELECT".to_owned(), column, grantable: false };
    users.common = Common { grants: Some(vec![grant]), ..Common::default() };
    let place = PartitionOf { parent: name("a.users"), bound: SqlExpr::new("DEFAULT") };
    schema.tables.get_mut(&name("a.users_1")).unwrap().partition_of = Some(place);
    schema
}

/// The structured mentions, each as one text.
fn mentions(schema: &Schema) -> Vec<String> {
    let mut found = Vec::new();
    schema.clone().visit_names_mut(&mut |mention| {
        found.push(match mention {
            crate::Mention::Part { table, name, .. } => format!("{table}.{name}"),
            crate::Mention::Namespace(name) => name.to_string(),
            crate::Mention::Relation(name)
            | crate::Mention::Type(name)
            | crate::Mention::Sequence(name)
            | crate::Mention::Routine(name)
            | crate::Mention::Index(name)
            | crate::Mention::Outside(name) => name.to_string(),
        });
    });
    found
}

fn count(schema: &Schema, mention: &str) -> usize {
    mentions(schema).iter().filter(|each| *each == mention).count()
}

#[test]
fn a_table_is_renamed_wherever_it_is_named() {
    let mut schema = shop();
    let before = mentions(&schema);
    let uses = count(&schema, "a.users");
    schema.rename_table(&name("a.users"), &name("a.people")).unwrap();
    assert_eq!(count(&schema, "a.users"), 0);
    assert_eq!(count(&schema, "a.people"), uses);
    assert!(uses >= 10, "{before:?}");
    assert_eq!(schema.tables[&name("a.orders")].columns[1].data_type.to_string(), "a.people");
    assert!(schema.triggers.contains_key(&part("a.people", "t")));
    assert_eq!(schema.views[&name("a.names")].query.as_str(), "select id from a.users", "text is not touched");
    schema.rename_table(&name("a.people"), &name("a.users")).unwrap();
    assert_eq!(schema, shop());
}

#[test]
fn a_column_is_renamed_wherever_it_is_named_and_in_partitions() {
    let mut schema = shop();
    let uses = count(&schema, "a.users.id");
    schema.rename_column(&name("a.users"), &ident("id"), &ident("key")).unwrap();
    assert_eq!(count(&schema, "a.users.id"), 0);
    assert_eq!(count(&schema, "a.users.key"), uses);
    assert_eq!(uses, 12);
    assert_eq!(count(&schema, "a.users_1.key"), 1);
    assert_eq!(count(&schema, "a.names.id"), 1, "a view keeps the names of its columns");
    schema.rename_column(&name("a.users"), &ident("key"), &ident("id")).unwrap();
    assert_eq!(schema, shop());
}

#[test]
fn namespaces_types_sequences_and_parts_are_renamed() {
    let mut schema = shop();
    schema.rename_type(&name("a.mood"), &name("a.feeling")).unwrap();
    schema.rename_sequence(&name("a.users_id_seq"), &name("a.s")).unwrap();
    schema.rename_index(&name("a.users"), &ident("users_i"), &ident("i")).unwrap();
    schema.rename_constraint(&name("a.users"), &ident("users_pkey"), &ident("pk")).unwrap();
    schema.rename_view(&name("a.names"), &name("a.v")).unwrap();
    let left = mentions(&schema);
    for gone in ["a.mood", "a.users_id_seq", "a.users.users_i", "a.users.users_pkey", "a.names"] {
        assert!(!left.iter().any(|mention| mention == gone), "{gone}");
    }
    assert_eq!(schema.tables[&name("a.users")].options.replica_identity.as_deref(), Some("index i"));
    schema.rename_namespace(&ident("a"), &ident("b")).unwrap();
    let left = mentions(&schema);
    assert!(left.iter().all(|mention| mention == "b" || mention.starts_with("a.") || mention.starts_with("b.")));
    // Parts are shown below the table's old name, which is the new one on the next walk.
    assert!(!left.iter().any(|mention| mention.starts_with("a.")), "{left:?}");
}

#[test]
fn impossible_renames_change_nothing() {
    let mut schema = shop();
    let missing = schema.rename_table(&name("a.nope"), &name("a.x")).unwrap_err();
    assert_eq!(missing.to_string(), "table `a.nope` does not exist");
    let taken = schema.rename_table(&name("a.users"), &name("a.names")).unwrap_err();
    assert!(matches!(taken, RenameError::Taken(_)));
    let taken = schema.rename_column(&name("a.users"), &ident("id"), &ident("mood")).unwrap_err();
    assert_eq!(taken.to_string(), "column `a.users.mood` exists already");
    schema.tables.get_mut(&name("a.users_1")).unwrap().columns[0].name = ident("free");
    let held = schema.rename_column(&name("a.users"), &ident("id"), &ident("free")).unwrap_err();
    assert_eq!(held.to_string(), "column `a.users_1.free` exists already");
    schema.tables.get_mut(&name("a.users_1")).unwrap().columns[0].name = ident("id");
    assert_eq!(schema, shop());
}

#[test]
fn every_text_is_shown_with_its_place() {
    let mut build = Schema::build(DialectId::Postgres);
    let mut table = build.table("t");
    table.column("a", text()).default("x").using("b").backfill("y");
    table.column("b", text()).generated_stored("c");
    table.check("d").named("k");
    table.check("e");
    table.index("i", [expression("f")]).predicate("g");
    build.view("v", "h");
    build.domain("dom", text()).default("z").check("ok", "j");
    let mut schema = build.finish().unwrap();
    let mut shown = Vec::new();
    schema.visit_exprs(&mut |site, sql| shown.push(format!("{site}: {sql}")));
    assert_eq!(
        shown,
        [
            "default of type `dom`: 'z'",
            "check of type `dom`: j",
            "default of column `t.a`: 'x'",
            "conversion of column `t.a`: b",
            "backfill of column `t.a`: 'y'",
            "generation expression of column `t.b`: c",
            "check of constraint `t.k`: d",
            "check of table `t`: e",
            "part 1 of index `t.i`: f",
            "predicate of index `t.i`: g",
            "query of view `v`: h",
        ]
    );
    schema.visit_exprs_mut(&mut |site, sql| {
        if site.slot == ExprSlot::Query {
            sql.0.push_str(" limit 1");
        }
    });
    assert_eq!(schema.views[&name("v")].query.as_str(), "h limit 1");
}
