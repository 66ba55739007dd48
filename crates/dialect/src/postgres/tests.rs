//! Answers of PostgreSQL to whole changes.

use trueup_plan::{Budgets, Change, Hazard, HazardCode, LiveFacts, Object, Server, TableIndex, TableSize, TxClass};
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, Deferrable, DialectId, ForeignKey, Generated, Ident, Index,
    IndexPart, Key, ObjectRef, OpaqueId, PartId, Partitioning, QualName, RoutineId, Schema, SqlExpr, Table, View,
    ViewColumn,
};
use trueup_snapshot::Normalise;

use super::Postgres;
use crate::{Dialect, Tables, Verdict};

fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

fn column(name: &str, data_type: &str) -> Column {
    Column::new(ident(name), DataType::builtin(data_type))
}

const fn postgres(major: u32) -> Postgres {
    Postgres::new([major, 0, 0])
}

fn verdict(major: u32, change: &Change) -> Verdict {
    postgres(major).verdict(change, Tables::default())
}

fn foreign_key(deferrable: Deferrable) -> Constraint {
    let kind = ConstraintKind::ForeignKey(ForeignKey {
        columns: vec![ident("a")],
        references: name("s.parent"),
        referenced_columns: vec![ident("id")],
        on_delete: trueup_schema::FkAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: trueup_schema::FkAction::NoAction,
        match_type: None,
        period: false,
    });
    Constraint { deferrable, ..Constraint::new(Some(ident("fk")), kind) }
}

fn unique(columns: &[&str]) -> ConstraintKind {
    ConstraintKind::Unique(Key {
        columns: columns.iter().map(|name| IndexPart::column(ident(name))).collect(),
        include: Vec::new(),
        nulls_not_distinct: false,
        without_overlaps: false,
    })
}

#[test]
fn generated_columns_change_in_place_where_the_version_can() {
    let with = |expr: Option<&str>, stored| {
        let mut it = column("c", "integer");
        it.generated = expr.map(|expr| Generated { expr: SqlExpr::new(expr), stored });
        it
    };
    let change = |before, after| Change::SetGenerated { table: name("s.t"), before, after };
    let other = change(with(Some("(a)"), true), with(Some("(b)"), true));
    assert_eq!(verdict(16, &other), Verdict::Replace);
    assert_eq!(verdict(17, &other), Verdict::InPlace);
    assert_eq!(verdict(14, &change(with(Some("(a)"), true), with(None, false))), Verdict::InPlace);
    assert_eq!(verdict(18, &change(with(Some("(a)"), false), with(None, false))), Verdict::Replace);
    assert_eq!(verdict(18, &change(with(None, false), with(Some("(a)"), true))), Verdict::Replace);
    assert_eq!(verdict(18, &change(with(Some("(a)"), false), with(Some("(a)"), true))), Verdict::Replace);
}

#[test]
fn only_the_timing_of_a_foreign_key_is_altered() {
    let before = foreign_key(Deferrable::No);
    let alter = |after| Change::AlterConstraint { table: name("s.t"), before: before.clone(), after };
    assert_eq!(verdict(15, &alter(foreign_key(Deferrable::InitiallyDeferred))), Verdict::InPlace);
    let unenforced = Constraint { enforced: false, ..foreign_key(Deferrable::No) };
    assert_eq!(verdict(17, &alter(unenforced.clone())), Verdict::Replace);
    assert_eq!(verdict(18, &alter(unenforced)), Verdict::InPlace);
    let change = Change::AlterConstraint {
        table: name("s.t"),
        before: Constraint::new(Some(ident("u")), unique(&["a"])),
        after: Constraint::new(Some(ident("u")), unique(&["a", "b"])),
    };
    assert_eq!(verdict(18, &change), Verdict::Replace);
}

#[test]
fn a_view_keeps_its_columns_or_is_made_again() {
    let view = |columns: &[(&str, &str)]| {
        let mut view = View::new(name("s.v"), SqlExpr::new("SELECT 1"));
        let column = |(name, data_type): &(&str, &str)| ViewColumn {
            data_type: (*data_type).to_owned(),
            ..ViewColumn::new(ident(name))
        };
        view.columns = columns.iter().map(column).collect();
        view
    };
    let replace = |before, after| verdict(15, &Change::ReplaceView { before, after });
    let before = || view(&[("a", "integer")]);
    assert_eq!(replace(before(), view(&[("a", "integer"), ("b", "text")])), Verdict::InPlace);
    assert_eq!(replace(before(), view(&[("a", "bigint")])), Verdict::Replace);
    assert_eq!(replace(before(), view(&[("b", "integer")])), Verdict::Replace);
    let materialized = View { materialized: true, ..before() };
    assert_eq!(replace(materialized.clone(), materialized), Verdict::Replace);
}

#[test]
fn a_partition_key_holds_its_columns() {
    let mut table = Table::new(name("s.t"));
    table.partitioning = Some(Partitioning { by: SqlExpr::new("RANGE (at, lower(kind))"), partitions: Vec::new() });
    let drop = |column_name: &str| {
        let change = Change::DropColumn { table: name("s.t"), column: column(column_name, "text") };
        postgres(15).verdict(&change, Tables { before: Some(&table), after: None })
    };
    assert!(matches!(drop("kind"), Verdict::Blocked { code: "partition-key", .. }));
    assert_eq!(drop("note"), Verdict::InPlace);
}

#[test]
fn a_type_change_carries_indexes_and_meets_views() {
    let change = Change::AlterColumnType {
        table: name("s.t"),
        before: column("c", "integer"),
        after: column("c", "bigint"),
        using: None,
    };
    let part = |text: &str| PartId { table: name("s.t"), name: ident(text) };
    let opaque = |kind: &str| {
        ObjectRef::Opaque(OpaqueId { kind: kind.to_owned(), namespace: None, table: None, name: "x".to_owned() })
    };
    let routine = ObjectRef::Routine(RoutineId { name: name("s.f"), arguments: String::new() });
    let in_the_way = [
        ObjectRef::View(name("s.v")),
        ObjectRef::Policy(part("p")),
        ObjectRef::Trigger(part("t")),
        ObjectRef::Column(part("generated")),
        opaque("rule"),
        opaque("statistics"),
        routine,
    ];
    let carried = [ObjectRef::Index(part("i")), ObjectRef::Constraint(part("k"))];
    assert!(in_the_way.iter().all(|dependent| postgres(15).in_the_way(&change, dependent)));
    assert!(carried.iter().all(|dependent| !postgres(15).in_the_way(&change, dependent)));
}

fn codes(change: &Change, facts: &LiveFacts) -> Vec<HazardCode> {
    postgres(15).forecast(change, false, facts).iter().map(|hazard: &Hazard| hazard.code).collect()
}

fn facts() -> LiveFacts {
    LiveFacts::of(Server { dialect: DialectId::Postgres, version: [15, 0, 0], default_namespace: None })
}

#[test]
fn locks_rewrites_and_readings_are_foreseen() {
    use HazardCode::{Lock, Performance, Rewrite, Scan};
    let table = || name("s.t");
    let add = |default: Option<&str>| {
        let mut column = column("c", "integer");
        column.default = default.map(SqlExpr::new);
        Change::AddColumn { table: table(), column, position: trueup_plan::ColumnPosition::Last }
    };
    let alter = |from: &str, to: &str| Change::AlterColumnType {
        table: table(),
        before: column("c", from),
        after: column("c", to),
        using: None,
    };
    let constraint = |constraint| Change::AddConstraint { table: table(), constraint };
    let check = |validated| {
        let kind = ConstraintKind::Check { expr: SqlExpr::new("(a > 0)"), no_inherit: false, column: None };
        constraint(Constraint { validated, ..Constraint::new(Some(ident("k")), kind) })
    };
    let index = Index::new(ident("i"), vec![IndexPart::column(ident("c"))]);
    let create_index = Change::Create { object: Object::Index(TableIndex { table: table(), index }) };
    let facts = facts();
    for (change, expected) in [
        (add(None), vec![Lock]),
        (add(Some("5")), vec![Lock]),
        (add(Some("now()")), vec![Lock]),
        (add(Some("gen_random_uuid()")), vec![Lock, Rewrite]),
        (alter("integer", "bigint"), vec![Lock, Rewrite, Performance]),
        (alter("character varying(5)", "text"), vec![Lock, Performance]),
        (check(true), vec![Lock, Scan]),
        (check(false), vec![Lock]),
        (constraint(foreign_key(Deferrable::No)), vec![Lock, Lock, Scan]),
        (create_index.clone(), vec![Lock, Scan]),
    ] {
        assert_eq!(codes(&change, &facts), expected, "{change:?}");
        assert_eq!(postgres(15).forecast(&change, true, &facts), [], "a new table has no readers");
        // What reads and writes no rows has a short time, and is stopped if it was foreseen wrongly.
        let is_quick = !expected.contains(&Rewrite) && !expected.contains(&Scan);
        let foreseen = postgres(15).forecast(&change, false, &facts);
        let budgets = postgres(15).budgets(&change, false, &foreseen);
        assert_eq!((budgets.lock_ms, budgets.statement_ms), (Some(3_000), is_quick.then_some(10_000)), "{change:?}");
        assert_eq!(postgres(15).budgets(&change, true, &[]), Budgets::default(), "nobody waits for a new table");
    }
    let mut parent = facts.clone();
    parent.sizes.insert(name("s.parent"), TableSize::default());
    let add_key = constraint(foreign_key(Deferrable::No));
    assert_eq!(postgres(15).forecast(&add_key, true, &parent).len(), 1, "the table that it leans on has readers");
    let mut empty = facts;
    empty.sizes.insert(table(), TableSize { rows: None, bytes: 0, empty: true });
    assert_eq!(codes(&create_index, &empty), [Lock]);
}

#[test]
fn two_columns_share_an_alter_and_one_does_not() {
    let alter = |text: &str| Change::AlterColumnType {
        table: name("s.t"),
        before: column(text, "integer"),
        after: column(text, "bigint"),
        using: None,
    };
    let default =
        Change::SetDefault { table: name("s.t"), before: column("a", "integer"), after: column("a", "integer") };
    assert!(postgres(15).may_merge(&alter("a"), &alter("b")));
    assert!(!postgres(15).may_merge(&alter("a"), &alter("a")));
    assert!(!postgres(15).may_merge(&alter("a"), &default));
    let value = Change::AddEnumValue {
        name: name("s.mood"),
        value: "new".to_owned(),
        position: trueup_plan::EnumPosition::Last,
    };
    assert_eq!(postgres(15).tx_class(&value), TxClass::CommitAfter);
    assert_eq!(postgres(15).tx_class(&default), TxClass::Inside);
}

#[test]
fn declarations_take_the_servers_form() {
    let mut schema = Schema::new(DialectId::Postgres);
    let mut table = Table::new(name("shop.order"));
    table.columns = vec![column("id", "serial"), column("a", "INT"), column("b", "varchar(5)")];
    table.columns[1].default = Some(SqlExpr::new("NULL"));
    let check = ConstraintKind::Check { expr: SqlExpr::new("a > 0"), no_inherit: false, column: None };
    let both = ConstraintKind::Check { expr: SqlExpr::new("a > length(b)"), no_inherit: false, column: None };
    table.constraints = vec![
        Constraint::new(None, unique(&["a", "b"])),
        Constraint::new(None, check.clone()),
        Constraint::new(None, check),
        Constraint::new(None, both),
    ];
    let mut index = Index::new(ident("i"), vec![IndexPart::column(ident("a"))]);
    index.method = Some("BTREE".to_owned());
    index.parts[0].nulls_first = Some(false);
    table.indexes.push(index);
    schema.insert(table);
    postgres(15).normalise(&mut schema);
    let once = schema.clone();
    postgres(15).normalise(&mut schema);
    assert_eq!(schema, once);
    let table = &schema.tables[&name("shop.order")];
    assert_eq!(table.columns[0].default.as_ref().unwrap().as_str(), "nextval('shop.order_id_seq'::regclass)");
    assert!(table.columns[0].not_null && table.columns[1].default.is_none());
    assert_eq!(table.columns[1].data_type, DataType::builtin("integer"));
    let names: Vec<&str> = table.constraints.iter().filter_map(|it| it.name.as_ref()).map(AsRef::as_ref).collect();
    assert_eq!(names, ["order_a_b_key", "order_a_check", "order_a_check1", "order_check"]);
    assert!(table.constraints.iter().all(|constraint| postgres(15).is_generated(table, constraint)));
    assert_eq!(table.indexes[0].method, None);
    assert_eq!(table.indexes[0].parts[0], IndexPart::column(ident("a")));
    let sequence = &schema.sequences[&name("shop.order_id_seq")];
    assert_eq!(sequence.options.data_type.as_deref(), Some("integer"));
    assert_eq!(sequence.owned_by.as_ref().unwrap().to_string(), "shop.order.id");
}
