//! One change of every sort, for tests of whatever must handle all of them.
#![expect(clippy::expect_used, reason = "fixed names in test data")]

use trueup_schema::{
    Attribute, Column, Common, Constraint, ConstraintKind, DataType, Deferrable, DialectId, Domain, DomainCheck,
    Extension, FkAction, ForeignKey, Generated, Grant, Ident, Identity, Index, IndexPart, Key, Namespace, ObjectRef,
    Opaque, OpaqueId, OpaquePart, PartId, PartitionOf, Policy, QualName, RangeType, Routine, RoutineId, RoutineKind,
    RowSecurity, Schema, Sequence, SequenceOptions, SqlExpr, Table, Trigger, UserType, UserTypeKind, View, ViewColumn,
};

use crate::{
    AttributeChange, Change, ColumnPosition, DomainChange, EnumPosition, Flavor, Object, TableColumn, TableIndex,
};

macro_rules! variants {
    ($($name:ident)*) => {
        /// The names of all variants of [`Change`].
        pub const VARIANTS: &[&str] = &[$(stringify!($name)),*];

        /// The name of the variant. A variant that is missing in the list does not compile.
        #[must_use]
        pub const fn variant(change: &Change) -> &'static str {
            match change {
                $(Change::$name { .. } => stringify!($name),)*
            }
        }
    };
}

variants! {
    Create Drop Rename Adopt
    AlterNamespace AlterExtension AddEnumValue RebuildEnum AlterDomain AlterComposite AlterSequence SetSequenceOwner
    AlterTable AttachPartition DetachPartition SetRowSecurity
    AddColumn DropColumn AlterColumnType SetDefault SetNotNull DropNotNull SetIdentity SetGenerated SetColumnAttributes
    MoveColumn Backfill
    AddConstraint DropConstraint ValidateConstraint AlterConstraint AlterIndex
    ReplaceView AlterView ReplaceRoutine SetTriggerEnabled AlterPolicy AlterOpaque
    SetComment SetGrants SetOwner
}

fn ident(text: &str) -> Ident {
    Ident::new(text).expect("a name")
}

fn name(text: &str) -> QualName {
    QualName::new(Some(ident("shop")), ident(text))
}

fn part(table: &str, part: &str) -> PartId {
    PartId { table: name(table), name: ident(part) }
}

fn sql(text: &str) -> SqlExpr {
    SqlExpr::new(text)
}

fn column(text: &str, data_type: &str) -> Column {
    Column::new(ident(text), DataType::builtin(data_type))
}

fn key(columns: &[&str]) -> Key {
    Key {
        columns: columns.iter().map(|each| IndexPart::column(ident(each))).collect(),
        include: Vec::new(),
        nulls_not_distinct: false,
        without_overlaps: false,
    }
}

fn constraint(text: &str, kind: ConstraintKind) -> Constraint {
    Constraint::new(Some(ident(text)), kind)
}

fn check(text: &str, expr: &str) -> Constraint {
    constraint(text, ConstraintKind::Check { expr: sql(expr), no_inherit: false, column: None })
}

fn foreign_key() -> Constraint {
    let kind = ForeignKey {
        columns: vec![ident("team")],
        references: name("teams"),
        referenced_columns: vec![ident("id")],
        on_delete: FkAction::Cascade,
        on_delete_columns: Vec::new(),
        on_update: FkAction::NoAction,
        match_type: None,
        period: false,
    };
    constraint("users_team_fkey", ConstraintKind::ForeignKey(kind))
}

fn users() -> Table {
    let mut table = Table::new(name("users"));
    let mut id = column("id", "integer");
    id.not_null = true;
    id.identity = Some(Box::new(Identity { always: true, options: SequenceOptions::default(), sequence: None }));
    let mut email = column("email", "text");
    email.not_null = true;
    let mut total = column("total", "integer");
    total.generated = Some(Generated { expr: sql("age + 1"), stored: true });
    let mut state = Column::new(ident("state"), DataType::named(name("mood")));
    state.default = Some(sql("'sad'"));
    table.columns = vec![id, email, column("age", "integer"), column("team", "integer"), total, state];
    let mut unseen = check("users_email_check", "email <> ''");
    unseen.validated = false;
    table.constraints = vec![
        constraint("users_pkey", ConstraintKind::PrimaryKey(key(&["id"]))),
        check("users_age_check", "age > 0"),
        unseen,
        foreign_key(),
    ];
    table.indexes = vec![Index::new(ident("users_age_idx"), vec![IndexPart::column(ident("age"))])];
    table
}

fn teams() -> Table {
    let mut table = Table::new(name("teams"));
    table.columns = vec![column("id", "integer")];
    table.constraints = vec![constraint("teams_pkey", ConstraintKind::PrimaryKey(key(&["id"])))];
    table
}

fn view(query: &str) -> View {
    let mut view = View::new(name("adults"), sql(query));
    view.columns = vec![ViewColumn { data_type: "integer".to_owned(), ..ViewColumn::new(ident("id")) }];
    view
}

fn routine(body: &str) -> Routine {
    Routine {
        id: RoutineId { name: name("twice"), arguments: "integer".to_owned() },
        kind: RoutineKind::Function,
        definition: sql(body),
        signature: "a integer".to_owned(),
        tracked: false,
        settings: trueup_schema::Parameters::new(),
        common: Common::default(),
    }
}

fn trigger(enabled: &str) -> Trigger {
    Trigger {
        id: part("users", "watch"),
        definition: sql("CREATE TRIGGER watch AFTER INSERT ON shop.users EXECUTE FUNCTION shop.twice()"),
        enabled: enabled.to_owned(),
        source: None,
        settings: trueup_schema::Parameters::new(),
        comment: None,
        depends_on: Vec::new(),
    }
}

fn policy(using: &str) -> Policy {
    Policy {
        id: part("users", "own"),
        restrictive: false,
        command: "ALL".to_owned(),
        roles: vec!["PUBLIC".to_owned()],
        using: Some(sql(using)),
        check: None,
        comment: None,
        depends_on: Vec::new(),
    }
}

fn opaque() -> Opaque {
    let table = Some(name("users"));
    Opaque {
        id: OpaqueId { kind: "rule".to_owned(), namespace: Some(ident("shop")), table, name: "quiet".to_owned() },
        create: vec![sql("CREATE RULE quiet AS ON DELETE TO shop.users DO INSTEAD NOTHING")],
        drop: sql("DROP RULE quiet ON shop.users"),
        comment_target: None,
        parts: Vec::new(),
        roles: Vec::new(),
        common: Common::default(),
    }
}

fn publication(tables: &[&str]) -> Opaque {
    let part = |table: &&str| OpaquePart {
        set: sql(&format!("ALTER PUBLICATION feed ADD TABLE shop.{table}")),
        unset: sql(&format!("ALTER PUBLICATION feed DROP TABLE shop.{table}")),
    };
    Opaque {
        id: OpaqueId { kind: "publication".to_owned(), namespace: None, table: None, name: "feed".to_owned() },
        create: vec![sql("CREATE PUBLICATION feed")],
        drop: sql("DROP PUBLICATION feed"),
        parts: tables.iter().map(part).collect(),
        ..opaque()
    }
}

fn user_type(text: &str, kind: UserTypeKind) -> UserType {
    UserType { name: name(text), kind, common: Common::default() }
}

fn labels(labels: &[&str]) -> UserType {
    user_type("mood", UserTypeKind::Enum { labels: labels.iter().map(|each| (*each).to_owned()).collect() })
}

fn domain_check(text: &str, validated: bool) -> DomainCheck {
    DomainCheck { name: ident(text), expr: sql("VALUE > 0"), validated, comment: None, depends_on: Vec::new() }
}

fn domain() -> UserType {
    let domain = Domain {
        base: DataType::builtin("integer"),
        not_null: false,
        default: None,
        collation: None,
        checks: vec![domain_check("positive", false)],
    };
    user_type("amount", UserTypeKind::Domain(domain))
}

fn attribute(text: &str, data_type: &str) -> Attribute {
    Attribute { name: ident(text), data_type: DataType::builtin(data_type), collation: None, comment: None }
}

fn composite() -> UserType {
    user_type("address", UserTypeKind::Composite { attributes: vec![attribute("street", "text")] })
}

fn range() -> UserType {
    let kind = RangeType {
        subtype: DataType::builtin("integer"),
        opclass: None,
        collation: None,
        canonical: None,
        subtype_diff: None,
        multirange: None,
    };
    user_type("span", UserTypeKind::Range(kind))
}

fn sequence(increment: Option<i64>) -> Sequence {
    Sequence {
        name: name("numbers"),
        options: SequenceOptions { increment, ..SequenceOptions::default() },
        unlogged: false,
        owned_by: None,
        common: Common::default(),
    }
}

fn namespace(text: &str, collation: Option<&str>) -> Namespace {
    let options = collation.map(|collation| ("collation".to_owned(), collation.to_owned()));
    Namespace { name: ident(text), options: options.into_iter().collect(), common: Common::default() }
}

fn extension(text: &str, version: Option<&str>) -> Extension {
    Extension {
        name: ident(text),
        namespace: Some(ident("shop")),
        version: version.map(ToOwned::to_owned),
        common: Common::default(),
    }
}

fn place() -> PartitionOf {
    PartitionOf { parent: name("events"), bound: sql("DEFAULT") }
}

fn partition(placed: bool) -> Table {
    let mut table = Table::new(name(if placed { "events_old" } else { "events_new" }));
    table.columns = vec![column("id", "integer")];
    table.partition_of = placed.then(place);
    table
}

/// A schema that every change of [`sample_changes`] applies to, each by itself.
#[must_use]
pub fn sample_schema() -> Schema {
    let mut schema = Schema::new(DialectId::Postgres);
    schema.insert(namespace("shop", None));
    schema.insert(extension("citext", Some("1.0")));
    for user_type in [labels(&["sad", "happy"]), domain(), composite(), range()] {
        schema.insert(user_type);
    }
    schema.insert(sequence(None));
    let mut events = Table::new(name("events"));
    events.columns = vec![column("id", "integer")];
    for table in [users(), teams(), events, partition(true), partition(false)] {
        schema.insert(table);
    }
    schema.insert(view("select id from shop.users"));
    schema.insert(routine("select 2 * a"));
    schema.insert(trigger("origin"));
    schema.insert(policy("true"));
    schema.insert(opaque());
    schema.insert(publication(&["users"]));
    schema
}

/// One change of every variant, more where a variant has sorts of its own.
#[must_use]
pub fn sample_changes() -> Vec<Change> {
    let mut changes = standalone();
    changes.extend(renames());
    changes.extend(types());
    changes.extend(tables());
    changes.extend(columns());
    changes.extend(constraints());
    changes.extend(others());
    changes
}

fn standalone() -> Vec<Change> {
    let mut fresh = users();
    fresh.name = name("customers");
    fresh.constraints.truncate(2);
    let mut other_view = view("select 1");
    other_view.name = name("other");
    let mut other_routine = routine("select 3 * a");
    other_routine.id.name = name("thrice");
    let mut other_trigger = trigger("origin");
    other_trigger.id = part("users", "other");
    let mut other_policy = policy("true");
    other_policy.id = part("users", "other");
    let mut other_opaque = opaque();
    other_opaque.id.name = "loud".to_owned();
    let mut other_type = labels(&["a"]);
    other_type.name = name("letter");
    let mut other_sequence = sequence(Some(2));
    other_sequence.name = name("evens");
    let index = |text: &str| TableIndex {
        table: name("users"),
        index: Index::new(ident(text), vec![IndexPart::column(ident("age"))]),
    };
    let created = [
        Object::Namespace(namespace("depot", None)),
        Object::Extension(extension("hstore", None)),
        Object::Type(other_type),
        Object::Sequence(other_sequence),
        Object::Table(fresh),
        Object::View(other_view),
        Object::Index(index("users_other_idx")),
        Object::Routine(other_routine),
        Object::Trigger(other_trigger),
        Object::Policy(other_policy),
        Object::Opaque(other_opaque),
    ];
    let dropped = [
        Object::Namespace(namespace("shop", None)),
        Object::Extension(extension("citext", Some("1.0"))),
        Object::Type(range()),
        Object::Sequence(sequence(None)),
        Object::Table(users()),
        Object::View(view("select id from shop.users")),
        Object::Index(index("users_age_idx")),
        Object::Routine(routine("select 2 * a")),
        Object::Trigger(trigger("origin")),
        Object::Policy(policy("true")),
        Object::Opaque(opaque()),
    ];
    let mut changes: Vec<Change> = created.into_iter().map(|object| Change::Create { object }).collect();
    changes.extend(dropped.into_iter().map(|object| Change::Drop { object }));
    changes.push(Change::Adopt { object: ObjectRef::Table(name("users")) });
    changes
}

fn renames() -> Vec<Change> {
    let pairs = [
        (ObjectRef::Table(name("users")), ObjectRef::Table(name("people")), Flavor::Plain),
        (ObjectRef::View(name("adults")), ObjectRef::View(name("elders")), Flavor::Plain),
        (ObjectRef::Column(part("users", "age")), ObjectRef::Column(part("users", "years")), Flavor::Plain),
        (
            ObjectRef::Constraint(part("users", "users_age_check")),
            ObjectRef::Constraint(part("users", "age_ok")),
            Flavor::Plain,
        ),
        (ObjectRef::Index(part("users", "users_age_idx")), ObjectRef::Index(part("users", "by_age")), Flavor::Plain),
        (ObjectRef::Sequence(name("numbers")), ObjectRef::Sequence(name("counts")), Flavor::Plain),
        (ObjectRef::Type(name("amount")), ObjectRef::Type(name("sum")), Flavor::Domain),
        (ObjectRef::Trigger(part("users", "watch")), ObjectRef::Trigger(part("users", "look")), Flavor::Plain),
        (ObjectRef::Policy(part("users", "own")), ObjectRef::Policy(part("users", "mine")), Flavor::Plain),
    ];
    pairs.into_iter().map(|(from, to, flavor)| Change::Rename { from, to, flavor }).collect()
}

fn types() -> Vec<Change> {
    let domain = |change| Change::AlterDomain { name: name("amount"), change };
    let composite = |change| Change::AlterComposite { name: name("address"), change };
    let mut state = users().columns.pop().expect("a last column");
    state.default = None;
    vec![
        Change::AlterNamespace { before: namespace("shop", None), after: namespace("shop", Some("binary")) },
        Change::AlterExtension { before: extension("citext", Some("1.0")), after: extension("citext", Some("1.6")) },
        Change::AddEnumValue {
            name: name("mood"),
            value: "calm".to_owned(),
            position: EnumPosition::Before("happy".to_owned()),
        },
        Change::RebuildEnum {
            before: labels(&["sad", "happy"]),
            after: labels(&["happy"]),
            columns: vec![TableColumn { table: name("users"), column: state }],
        },
        domain(DomainChange::Default { before: None, after: Some(sql("1")) }),
        domain(DomainChange::NotNull(true)),
        domain(DomainChange::AddCheck(domain_check("small", true))),
        domain(DomainChange::DropCheck(domain_check("positive", false))),
        domain(DomainChange::ValidateCheck(domain_check("positive", true))),
        composite(AttributeChange::Add(attribute("city", "text"))),
        composite(AttributeChange::Drop(attribute("street", "text"))),
        composite(AttributeChange::SetType {
            before: attribute("street", "text"),
            after: attribute("street", "character varying(80)"),
        }),
        Change::AlterSequence { before: sequence(None), after: sequence(Some(10)) },
        Change::SetSequenceOwner {
            name: name("numbers"),
            before: None,
            after: Some(part("users", "age")),
            resumes: false,
        },
    ]
}

fn tables() -> Vec<Change> {
    let mut after = users();
    after.options.unlogged = true;
    vec![
        Change::AlterTable { before: users(), after },
        Change::AttachPartition { table: name("events_new"), partition_of: place() },
        Change::DetachPartition { table: name("events_old"), partition_of: place() },
        Change::SetRowSecurity {
            table: name("users"),
            before: RowSecurity::default(),
            after: RowSecurity { enabled: true, forced: false },
        },
    ]
}

fn columns() -> Vec<Change> {
    let table = || name("users");
    let there = |text: &str| users().column(&ident(text)).expect("a column of the sample").clone();
    let altered = |text: &str, alter: fn(&mut Column)| {
        let before = there(text);
        let mut after = before.clone();
        alter(&mut after);
        (before, after)
    };
    let (age, bigger) = altered("age", |column| column.data_type = DataType::builtin("bigint"));
    let (_, zero) = altered("age", |column| column.default = Some(sql("0")));
    let (_, strict) = altered("age", |column| column.not_null = true);
    let (_, stored) = altered("age", |column| drop(column.attributes.insert("statistics".to_owned(), "9".to_owned())));
    let (email, loose) = altered("email", |column| column.not_null = false);
    let (id, plain) = altered("id", |column| column.identity = None);
    let (total, kept) = altered("total", |column| column.generated = None);
    let (state, free) = altered("state", |column| column.default = None);
    vec![
        Change::AddColumn {
            table: table(),
            column: column("city", "text"),
            position: ColumnPosition::After(ident("email")),
        },
        Change::DropColumn { table: table(), column: email.clone() },
        Change::AlterColumnType { table: table(), before: age.clone(), after: bigger, using: Some(sql("age::bigint")) },
        Change::SetDefault { table: table(), before: age.clone(), after: zero },
        Change::SetDefault { table: table(), before: state, after: free },
        Change::SetNotNull { table: table(), before: age.clone(), after: strict },
        Change::DropNotNull { table: table(), before: email, after: loose },
        Change::SetIdentity { table: table(), before: id, after: plain },
        Change::SetGenerated { table: table(), before: total, after: kept },
        Change::SetColumnAttributes { table: table(), before: age.clone(), after: stored },
        Change::MoveColumn { table: table(), column: age.clone(), position: ColumnPosition::First },
        Change::Backfill { table: table(), column: age, value: sql("0") },
    ]
}

fn constraints() -> Vec<Change> {
    let table = || name("users");
    let mut later = foreign_key();
    later.deferrable = Deferrable::InitiallyDeferred;
    let seen = check("users_email_check", "email <> ''");
    let index = Index::new(ident("users_age_idx"), vec![IndexPart::column(ident("age"))]);
    let mut filled = index.clone();
    filled.parameters.insert("fillfactor".to_owned(), "70".to_owned());
    let nameless = Constraint { name: None, ..constraint("x", ConstraintKind::Unique(key(&["age"]))) };
    vec![
        Change::AddConstraint {
            table: table(),
            constraint: constraint("users_email_key", ConstraintKind::Unique(key(&["email"]))),
        },
        Change::AddConstraint { table: table(), constraint: nameless },
        Change::AddConstraint { table: table(), constraint: check("users_id_check", "id > 0") },
        Change::DropConstraint { table: table(), constraint: check("users_age_check", "age > 0") },
        Change::ValidateConstraint { table: table(), constraint: seen },
        Change::AlterConstraint { table: table(), before: foreign_key(), after: later },
        Change::AlterIndex { table: table(), before: index, after: filled },
    ]
}

fn others() -> Vec<Change> {
    let before = view("select id from shop.users");
    let mut barrier = before.clone();
    barrier.options.insert("security_barrier".to_owned(), "true".to_owned());
    let on = || ObjectRef::Table(name("users"));
    let grant = Grant { grantee: "reader".to_owned(), privilege: "SELECT".to_owned(), column: None, grantable: false };
    vec![
        Change::ReplaceView { before: before.clone(), after: view("select id from shop.users where age > 17") },
        Change::AlterView { before, after: barrier },
        Change::ReplaceRoutine { before: routine("select 2 * a"), after: routine("select a + a") },
        Change::SetTriggerEnabled { before: trigger("origin"), after: trigger("disabled") },
        Change::AlterPolicy { before: policy("true"), after: policy("id > 0") },
        Change::AlterOpaque { before: publication(&["users"]), after: publication(&["users", "orders"]) },
        Change::SetComment { on: on(), flavor: Flavor::Plain, before: None, after: Some("People".to_owned()) },
        Change::SetGrants { on: on(), flavor: Flavor::Plain, before: None, after: Some(vec![grant]), owner: None },
        Change::SetOwner { on: on(), flavor: Flavor::Plain, before: None, after: ident("boss") },
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{VARIANTS, sample_changes, variant};

    #[test]
    fn every_variant_has_a_sample() {
        let seen: BTreeSet<&str> = sample_changes().iter().map(variant).collect();
        let missing: Vec<_> = VARIANTS.iter().filter(|name| !seen.contains(*name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn ids_tell_samples_apart() {
        let ids: BTreeSet<_> = sample_changes().iter().map(crate::OpId::of).collect();
        assert_eq!(ids.len(), sample_changes().len());
    }
}
