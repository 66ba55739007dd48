//! One of everything, read back.

use trueup_dialect::dialect_for;
use trueup_introspect::{Introspected, NamespaceFilter, Request, measure};
use trueup_schema::{
    ConstraintKind, DataType, Deferrable, DialectId, FkAction, IndexKey, ObjectRef, OpaqueId, PartId, QualName,
    RoutineId, RoutineKind, Schema, SqlExpr, Strength, Table, UserTypeKind,
};
use trueup_snapshot::Snapshot;
use trueup_testkit::TestDatabase;
use trueup_testkit::servers::postgres;

use crate::postgres::{MOST, name, read};

/// Statements of the fixture: none holds a semicolon at the end of a line but at its own end.
fn script() -> Vec<&'static str> {
    include_str!("shop.sql").split(";\n").map(str::trim).filter(|text| !text.is_empty()).collect()
}

fn request() -> Request {
    Request { namespaces: NamespaceFilter::All, control_namespace: None, owners: false, spelled: false, facts: true }
}

fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

fn needs(schema: &Schema, object: &ObjectRef, strength: Strength) -> Vec<String> {
    let common = if let ObjectRef::View(name) = object {
        &schema.views[name].common
    } else if let ObjectRef::Routine(id) = object {
        &schema.routines[id].common
    } else {
        panic!("{object}")
    };
    let list = common.depends_on.iter().filter(|it| it.strength == strength);
    list.map(|it| format!("{} {}", it.on.kind(), it.on)).collect()
}

#[tokio::test]
async fn everything_is_read_back() {
    for server in postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let (found, statements) = read(&database, &script(), &request()).await;
        assert!(statements <= MOST, "{statements}");
        types(&found.schema);
        users(&found.schema);
        users_indexes(&found.schema.tables[&name("shop.users")]);
        orders(&found.schema.tables[&name("shop.orders")]);
        partitions(&found.schema);
        views(&found.schema);
        routines(&found.schema);
        hanging(&found.schema);
        others(&found);
        let mut session = database.session().await.unwrap();
        let mut facts = found.facts;
        measure(session.as_mut(), &mut facts).await.unwrap();
        assert!(facts.is_empty(&name("shop.orders")) && !facts.is_empty(&name("shop.events")));
        session.close().await.unwrap();
        stays_as_it_is(&found.schema, server.version.parse().unwrap());
    }
}

fn types(schema: &Schema) {
    let kinds: Vec<String> = schema.types.keys().map(ToString::to_string).collect();
    assert_eq!(kinds, ["shop.address", "shop.email", "shop.floatrange", "shop.mood"]);
    let UserTypeKind::Domain(domain) = &schema.types[&name("shop.email")].kind else { panic!() };
    assert_eq!(
        json(domain),
        serde_json::json!({
            "base": "text", "not_null": true, "default": "'x@y'::text", "collation": "pg_catalog.C",
            "checks": [{ "name": "has_at", "expr": "(VALUE ~~ '%@%'::text)" }],
        })
    );
    let UserTypeKind::Enum { labels } = &schema.types[&name("shop.mood")].kind else { panic!() };
    assert_eq!(labels, &["sad", "it's ok", "happy"]);
    let UserTypeKind::Range(range) = &schema.types[&name("shop.floatrange")].kind else { panic!() };
    assert_eq!(json(range), serde_json::json!({"subtype": "double precision", "subtype_diff": "pg_catalog.float8mi"}));
    let UserTypeKind::Composite { attributes } = &schema.types[&name("shop.address")].kind else { panic!() };
    assert_eq!(attributes[1].data_type, DataType::named(name("shop.email")));
    assert_eq!(attributes[2].collation, Some(name("pg_catalog.C")));
    let sequences: Vec<String> = schema.sequences.keys().map(ToString::to_string).collect();
    assert_eq!(sequences, ["shop.tickets", "shop.users_serial_no_seq"]);
    let tickets = &schema.sequences[&name("shop.tickets")].options;
    assert_eq!(
        json(tickets),
        serde_json::json!({"type": "integer", "start": 10, "increment": 5, "cache": 20, "cycle": true})
    );
}

fn users(schema: &Schema) {
    let users = &schema.tables[&name("shop.users")];
    let columns: Vec<serde_json::Value> = users
        .columns
        .iter()
        .map(|column| {
            let mut column = column.clone();
            column.depends_on.clear();
            json(&column)
        })
        .collect();
    assert_eq!(
        serde_json::Value::Array(columns),
        serde_json::json!([
            { "name": "id", "type": "bigint", "not_null": true, "identity": { "always": true, "options": { "start": 100 } } },
            { "name": "serial_no", "type": "integer", "not_null": true,
              "default": "nextval('shop.users_serial_no_seq'::regclass)" },
            { "name": "name", "type": "text", "not_null": true, "collation": "pg_catalog.C",
              "attributes": { "n_distinct": "5" }, "comment": "full name" },
            { "name": "email", "type": { "name": "shop.email" } },
            { "name": "ci", "type": { "name": "shop.citext" } },
            { "name": "mood", "type": { "name": "shop.mood" }, "default": "'happy'::shop.mood" },
            { "name": "moods", "type": { "name": "shop.mood", "dimensions": 1 } },
            { "name": "span", "type": { "name": "shop.floatrange" } },
            { "name": "amount", "type": "numeric(10,2)", "default": "0.00" },
            { "name": "gross", "type": "numeric",
              "generated": { "expr": "(amount + shop.tax(amount))", "stored": true } },
            { "name": "created", "type": "timestamp(3) with time zone", "not_null": true, "default": "now()" },
            { "name": "big", "type": "text", "attributes": { "statistics": "500", "storage": "external" } },
        ])
    );
    let gross: Vec<String> = users.columns[9].depends_on.iter().map(|it| it.on.to_string()).collect();
    assert_eq!(gross, ["shop.users.amount", "shop.tax(numeric)"]);
    assert_eq!(
        json(&users.options),
        serde_json::json!({
            "parameters": { "fillfactor": "70", "toast.autovacuum_enabled": "false" },
            "replica_identity": "index users_created",
        })
    );
    assert!(users.row_security.enabled && !users.row_security.forced);
    assert_eq!(
        json(&users.common.grants),
        serde_json::json!([
            { "grantee": "PUBLIC", "privilege": "SELECT" },
            { "grantee": "PUBLIC", "privilege": "UPDATE", "column": "name" },
        ])
    );
    let names: Vec<&str> = users.constraints.iter().filter_map(|it| it.name.as_ref()).map(AsRef::as_ref).collect();
    assert_eq!(names, ["named", "users_amount_check", "users_ci_key", "users_pkey", "users_span_excl"]);
    assert_eq!(users.constraints[0].deferrable, Deferrable::InitiallyDeferred);
    let ConstraintKind::Exclude { definition } = &users.constraints[4].kind else { panic!() };
    assert_eq!(definition.as_str(), "USING gist (span WITH &&) WHERE ((amount > (5)::numeric))");
}

fn users_indexes(users: &Table) {
    let indexes: Vec<serde_json::Value> = users
        .indexes
        .iter()
        .map(|index| {
            let mut index = index.clone();
            index.depends_on.clear();
            json(&index)
        })
        .collect();
    assert_eq!(
        serde_json::Value::Array(indexes),
        serde_json::json!([
            { "name": "users_coll", "parts": [
                { "column": "name", "opclass": "text_pattern_ops", "collation": "pg_catalog.POSIX" },
                { "expr": "lower(name)", "collation": "pg_catalog.POSIX" },
            ] },
            { "name": "users_created", "unique": true, "parts": ["created"], "clustered": true },
            { "name": "users_lower", "parts": [
                { "expr": "lower(name)", "descending": true, "nulls_first": false },
                { "expr": "(amount + (1)::numeric)" },
                "ci",
              ], "include": ["created"], "predicate": "(amount > (10)::numeric)" },
        ])
    );
    assert!(matches!(users.indexes[2].parts[0].key, IndexKey::Expr(_)));
}

fn orders(orders: &Table) {
    let (to_users, key) = orders.foreign_keys().find(|(_, key)| key.columns.len() == 1).unwrap();
    assert_eq!((key.on_delete, key.on_update), (FkAction::Cascade, FkAction::SetNull));
    assert_eq!(
        (key.references.to_string(), to_users.deferrable),
        ("shop.users".into(), Deferrable::InitiallyImmediate)
    );
    let (_, own) = orders.foreign_keys().find(|(_, key)| key.columns.len() == 2).unwrap();
    assert_eq!(own.match_type.as_deref(), Some("FULL"));
    let unvalidated: Vec<_> = orders.constraints.iter().filter(|it| !it.validated).collect();
    assert_eq!(unvalidated.len(), 1);
    let no_inherit = |kind: &ConstraintKind| matches!(kind, ConstraintKind::Check { no_inherit: true, .. });
    assert_eq!(orders.constraints.iter().filter(|it| no_inherit(&it.kind)).count(), 1);
    let unique = orders.constraints.iter().find(|it| matches!(it.kind, ConstraintKind::Unique(_))).unwrap();
    let ConstraintKind::Unique(key) = &unique.kind else { panic!() };
    assert_eq!((key.columns.len(), key.include.len()), (2, 1));
}

fn partitions(schema: &Schema) {
    let events = &schema.tables[&name("shop.events")];
    assert_eq!(events.partitioning.as_ref().unwrap().by.as_str(), "RANGE (at)");
    let part = &schema.tables[&name("shop.events_2020")];
    let place = part.partition_of.as_ref().unwrap();
    assert_eq!(place.parent, name("shop.events"));
    assert_eq!(place.bound.as_str(), "FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')");
    assert!(part.constraints.is_empty(), "the key is the parent's: {:?}", part.constraints);
    assert_eq!(part.indexes[0].partition_of, Some(name("shop.events_kind")));
    assert_eq!(schema.triggers.keys().filter(|id| id.table == name("shop.events_2020")).count(), 0);
    let child = &schema.tables[&name("shop.child")];
    assert_eq!(child.inherits, [name("shop.base")]);
    assert!(child.constraints.is_empty());
    assert!(schema.tables[&name("shop.fast")].options.unlogged);
}

fn views(schema: &Schema) {
    let v = &schema.views[&name("shop.v")];
    assert_eq!(json(&v.options), serde_json::json!({ "security_barrier": "true" }));
    assert!(v.query.as_str().starts_with("SELECT") && !v.query.as_str().ends_with(';'));
    assert_eq!(
        needs(schema, &ObjectRef::View(v.name.clone()), Strength::Hard),
        [
            "type shop.mood",
            "column shop.users.amount",
            "column shop.users.id",
            "column shop.users.mood",
            "column shop.users.name",
            "routine shop.tax(numeric)",
        ]
    );
    let v2 = &schema.views[&name("shop.v2")];
    assert_eq!(v2.columns[1].default.as_ref().unwrap().as_str(), "7");
    assert!(needs(schema, &ObjectRef::View(v2.name.clone()), Strength::Hard).contains(&"view shop.v".to_owned()));
    let m = &schema.views[&name("shop.m")];
    assert!(m.materialized && !m.populated && m.indexes[0].unique);
}

fn routines(schema: &Schema) {
    let id = |routine: &str, arguments: &str| RoutineId { name: name(routine), arguments: arguments.to_owned() };
    let tax = &schema.routines[&id("shop.tax", "numeric")];
    assert_eq!(tax.signature, "(price numeric) RETURNS numeric");
    assert_eq!(tax.common.grants, Some(Vec::new()), "nobody but its owner may use it");
    let p = &schema.routines[&id("shop.p", "integer")];
    assert!(p.tracked && p.kind == RoutineKind::Procedure);
    assert_eq!(needs(schema, &ObjectRef::Routine(p.id.clone()), Strength::Hard), ["table shop.orders"]);
    let touch = ObjectRef::Routine(id("shop.touch", ""));
    assert_eq!(needs(schema, &touch, Strength::Soft), ["table shop.orders", "view shop.m"]);
    let total = &schema.routines[&id("shop.total", "numeric")];
    assert_eq!(total.kind, RoutineKind::Aggregate);
    assert!(total.definition.as_str().contains("INITCOND = '0'"), "{}", total.definition);
}

fn hanging(schema: &Schema) {
    let users = |part: &str| PartId { table: name("shop.users"), name: part.try_into().unwrap() };
    let touch = &schema.triggers[&users("touch")];
    assert_eq!(touch.enabled, "disabled");
    assert!(touch.definition.as_str().contains("EXECUTE FUNCTION shop.touch()"));
    let policy = &schema.policies[&users("pol")];
    assert!(policy.restrictive && policy.command == "UPDATE" && policy.roles == ["PUBLIC"]);
    let kinds: Vec<(&str, &str)> = schema.objects.keys().map(|id| (id.kind.as_str(), id.name.as_str())).collect();
    let expected = [
        ("collation", "coll"),
        ("event trigger", "shop_evt"),
        ("operator", "=== (integer, integer)"),
        ("rule", "r"),
        ("statistics", "st"),
    ];
    assert_eq!(kinds, expected);
    let rule = OpaqueId {
        kind: "rule".to_owned(),
        namespace: Some("shop".try_into().unwrap()),
        table: Some(name("shop.fast")),
        name: "r".to_owned(),
    };
    assert_eq!(schema.objects[&rule].drop.as_str(), "DROP RULE \"r\" ON \"shop\".\"fast\"");
}

fn others(found: &Introspected) {
    let kinds: Vec<(&str, &str)> = found.unmanaged.iter().map(|it| (it.kind.as_str(), it.name.as_str())).collect();
    assert_eq!(kinds, [("typed table", "shop.typed")]);
    let extensions: Vec<&str> = found.schema.extensions.keys().map(AsRef::as_ref).collect();
    assert_eq!(extensions, ["citext"]);
    assert_eq!(found.schema.extensions.values().next().unwrap().common.comment, None);
    let facts = &found.facts;
    assert!(facts.sizes.contains_key(&name("shop.orders")) && !facts.is_empty(&name("shop.orders")), "not asked yet");
    assert!(facts.without_equality.contains("json") && facts.without_equality.contains("point"));
    assert!(!facts.without_equality.contains("jsonb") && !facts.without_equality.contains("character varying"));
    assert!(facts.casts.contains_key(&("bigint".to_owned(), "integer".to_owned())));
    assert!(facts.lacking.is_empty(), "{:?}", facts.lacking);
}

/// The server's own form is what normalising makes of it.
fn stays_as_it_is(schema: &Schema, major: u32) {
    let rules = dialect_for(DialectId::Postgres, [major, 0, 0]).unwrap();
    let mut once = schema.clone();
    rules.normalise(&mut once);
    assert_eq!(&once, schema);
    let snapshot = Snapshot::of(schema, &*rules).unwrap();
    let again = Snapshot::of(snapshot.schema(), &*rules).unwrap();
    assert_eq!(snapshot.root(), again.root());
    assert!(rules.check_names(schema).is_empty());
    for table in schema.tables.values() {
        for constraint in &table.constraints {
            let made_up = constraint.name.as_ref().is_some_and(|name| name.as_str() != "named");
            assert_eq!(rules.is_generated(table, constraint), made_up, "{} {:?}", table.name, constraint.name);
        }
    }
}

/// Every spelling that is made canonical without a server is what the server makes of it.
#[tokio::test]
async fn values_and_types_are_spelled_as_the_server_does() {
    let cases: &[(&str, &str)] = &[
        ("int", "5"),
        ("int", "'5'"),
        ("int", "-1"),
        ("bigint", "5"),
        ("bigint", "'5'"),
        ("bigint", "-3000000000"),
        ("bigint", "3000000000"),
        ("smallint", "'5'"),
        ("smallint", "-5"),
        ("numeric(10,2)", "0"),
        ("numeric(10,2)", "0.00"),
        ("numeric", "-1.5"),
        ("numeric", "0::numeric"),
        ("numeric", "1.5::numeric"),
        ("double precision", "1.5"),
        ("float8", "1.5::float8"),
        ("bool", "TRUE"),
        ("bool", "'true'"),
        ("text", "'it''s'"),
        ("text", "'back\\slash'"),
        ("text", "'x'::varchar"),
        ("varchar(20)", "'x'"),
        ("varchar(20)", "'x'::varchar"),
        ("varchar", "CAST('x' AS text)"),
        ("char(3)", "'abc'"),
        ("uuid", "gen_random_uuid()"),
        ("uuid", "'00000000-0000-0000-0000-000000000000'"),
        ("date", "current_date"),
        ("date", "'2020-01-28'"),
        ("timestamptz", "now()"),
        ("timestamptz(3)", "CURRENT_TIMESTAMP"),
        ("timestamp", "localtimestamp"),
        ("timestamp", "now()"),
        ("json", "'{\"a\": 1}'"),
        ("jsonb", "'{}'"),
        ("jsonb", "'[]'::jsonb"),
        ("text[]", "'{}'"),
        ("int[]", "'{}'::int[]"),
        ("int", "(5)"),
        ("int", "NULL"),
        ("text", "NULL::text"),
        ("varchar", "NULL"),
        ("varchar(20)", "NULL"),
        ("varchar(20)", "NULL::varchar"),
        ("char(3)", "NULL"),
        ("numeric(10,2)", "NULL"),
        ("timestamptz(3)", "NULL"),
        ("varbit(8)", "NULL"),
        ("interval", "'1 day'"),
        ("time(0)", "current_time"),
        ("varbit(8)", "B'101'"),
        ("float(10)", "0"),
        ("decimal(5)", "3"),
        ("bpchar", "'x'"),
        ("interval day to second(3)", "'1 day'"),
        ("\"char\"", "'x'"),
    ];
    let columns: Vec<String> =
        cases.iter().enumerate().map(|(at, (data_type, value))| format!("c{at} {data_type} DEFAULT {value}")).collect();
    let create = format!("CREATE TABLE public.t ({})", columns.join(", "));
    for server in postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let (found, _) = read(&database, &[&create], &request()).await;
        let rules = dialect_for(DialectId::Postgres, [server.version.parse().unwrap(), 0, 0]).unwrap();
        let live = &found.schema.tables[&name("public.t")];
        let mut declared = Schema::new(DialectId::Postgres);
        let mut table = Table::new(QualName::parse("public.t").unwrap());
        for (at, (data_type, value)) in cases.iter().enumerate() {
            let mut column = trueup_schema::Column::new(
                format!("c{at}").as_str().try_into().unwrap(),
                DataType::builtin(*data_type),
            );
            column.default = Some(SqlExpr::new(*value));
            table.columns.push(column);
        }
        declared.insert(table);
        rules.normalise(&mut declared);
        let table = &declared.tables[&name("public.t")];
        let mut wrong = Vec::new();
        let mut known = 0;
        for ((data_type, value), (live, own)) in cases.iter().zip(live.columns.iter().zip(&table.columns)) {
            let canonical = rules.canonical_expr(&SqlExpr::new(*value), Some(&own.data_type));
            known += usize::from(canonical.is_some());
            let default_differs = canonical.is_some() && live.default != own.default;
            if live.data_type != own.data_type || default_differs {
                wrong.push(format!("{data_type} DEFAULT {value}: {:?} {:?}", live.default, own.default));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(known > cases.len() * 3 / 4, "{known}");
    }
}
