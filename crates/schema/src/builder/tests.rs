use super::*;
use crate::{DialectId, FkAction, ObjectRef, Schema};

fn errors(builder: &SchemaBuilder) -> Vec<String> {
    builder.finish().unwrap_err().0.iter().map(ToString::to_string).collect()
}

#[test]
fn types_and_values_are_spelled_per_engine() {
    let spelled = |dialect| {
        let mut build = Schema::build(dialect);
        let mut table = build.table("t");
        table.column("a", boolean()).default(true);
        table.column("b", varchar(20)).default("it's a\\b");
        table.column("c", timestamp()).default(now());
        table.column("d", decimal(10, 2)).default(5).backfill(null());
        let schema = build.finish().unwrap();
        let table = schema.tables.values().next().unwrap();
        let columns = table.columns.iter();
        let text = |c: &crate::Column| format!("{} {}", c.data_type, c.default.as_ref().unwrap());
        columns.map(text).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        spelled(DialectId::Postgres),
        "boolean true; character varying(20) 'it''s a\\b'; timestamp without time zone now(); numeric(10,2) 5"
    );
    assert_eq!(
        spelled(DialectId::MySql),
        "tinyint(1) 1; varchar(20) 'it''s a\\\\b'; datetime(6) CURRENT_TIMESTAMP(6); decimal(10,2) 5"
    );
    assert_eq!(spelled(DialectId::Sqlite), "INTEGER 1; TEXT 'it''s a\\b'; TEXT CURRENT_TIMESTAMP; NUMERIC 5");
}

#[test]
fn structured_needs_are_hard_dependencies() {
    let mut build = Schema::build(DialectId::Postgres);
    build.default_namespace("shop").external("audit.people");
    build.namespace("shop");
    build.enumeration("mood", ["sad", "ok"]).renamed_from("feeling").comment("how they are");
    let mut users = build.table("users").renamed_from("people");
    users.column("id", bigint()).identity_always().primary_key();
    users.column("mood", named("mood")).not_null().default("ok");
    users.column("person", bigint()).references("audit.people", "id", FkAction::Cascade);
    let schema = build.finish().unwrap();
    let users = &schema.tables.values().next().unwrap();
    assert_eq!(users.name.to_string(), "shop.users");
    assert_eq!(users.common.renamed_from.as_ref().unwrap().to_string(), "shop.people");
    assert!(users.columns[0].not_null);
    assert_eq!(users.columns[1].depends_on[0].on, ObjectRef::Type("shop.mood".to_qual_name().unwrap()));
    let needs: Vec<String> =
        users.constraints[1].depends_on.iter().map(|need| format!("{} {}", need.on.kind(), need.on)).collect();
    assert_eq!(needs, ["table audit.people", "column audit.people.id"]);
}

#[test]
fn every_mistake_is_returned_and_nothing_panics() {
    let mut build = Schema::build(DialectId::Sqlite);
    build.namespace("shop");
    build.domain("email", "text").check("ok", "true");
    let mut table = build.table("a.b.c");
    table.column("", integer()).identity();
    table.column("x\0", "int").default("\0");
    table.index("i", ["", "b"]).include(["\0"]);
    build.table("t");
    build.table("t").unlogged();
    let found = errors(&build);
    assert_eq!(
        found,
        [
            "a namespace: sqlite has no namespaces",
            "type `email`: sqlite has no types with names of their own",
            "a table: path `a.b.c` should be `name` or `namespace.name`",
            "a column of table `\"?\"`: a name is empty",
            "column `\"?\".\"?\"`: sqlite has no identity columns",
            "a column of table `\"?\"`: name `x\\0` holds a NUL character",
            "column `\"?\".\"?\"`: a text holds a NUL character",
            "an index of table `\"?\"`: a name is empty",
            "an index of table `\"?\"`: name `\\0` holds a NUL character",
            "table `t` is built twice",
            "table `t`: sqlite has no unlogged tables",
        ]
    );
}

#[test]
fn contradictions_are_returned() {
    let mut build = Schema::build(DialectId::MySql);
    let mut orders = build.table("orders");
    orders.column("user_id", bigint());
    orders.foreign_key(["user_id"], "usres", ["id"]).named("fk").on_delete(FkAction::SetNull);
    orders.unique(["nope"]);
    build.view("v", "select 1").columns(["a", "A"]);
    assert_eq!(
        errors(&build),
        [
            "constraint `orders.fk` names `usres`, which is not in the schema",
            "table `orders` names column `nope`, which does not exist",
            "view `v` has two columns called `A`",
        ]
    );
    build.external("usres");
    assert_eq!(errors(&build).len(), 2);
}
