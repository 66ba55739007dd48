//! Changes of every sort, in an order in which a server takes them one after the other.

mod more;

use trueup_schema::Parameters;

use trueup_plan::{
    AttributeChange, Change, ColumnPosition, DomainChange, EnumPosition, Flavor, Object, TableColumn, TableIndex,
};
use trueup_schema::{
    Attribute, Column, Common, Constraint, ConstraintKind, DataType, Deferrable, DialectId, Domain, DomainCheck,
    Extension, FkAction, ForeignKey, Generated, Grant, Ident, Identity, Index, IndexKey, IndexPart, Key, NamedType,
    Namespace, ObjectRef, Opaque, OpaqueId, OpaquePart, PartId, PartitionOf, Partitioning, Policy, QualName, RangeType,
    Routine, RoutineId, RoutineKind, RowSecurity, Sequence, SequenceOptions, SqlExpr, Table, TableKind, Trigger,
    UserType, UserTypeKind, View, ViewColumn,
};

/// One change.
pub(super) struct Sample {
    /// What the tests call it.
    pub(super) label: &'static str,
    /// The change.
    pub(super) change: Change,
    /// The first server version that takes it; none where a bare server takes it never.
    pub(super) since: Option<u32>,
}

/// How the objects of the samples are called.
#[derive(Clone, Copy)]
pub(super) struct Names {
    suffix: &'static str,
}

impl Names {
    /// By simple words.
    pub(super) const fn plain() -> Self {
        Self { suffix: "" }
    }

    /// By words that try to break out.
    pub(super) const fn hostile() -> Self {
        Self { suffix: "\"; DROP TABLE x; --'\\\né$1" }
    }

    pub(super) fn ident(self, text: &str) -> Ident {
        Ident::new(format!("{text}{}", self.suffix)).unwrap()
    }

    pub(super) fn name(self, text: &str) -> QualName {
        QualName::new(Some(self.ident("app")), self.ident(text))
    }

    fn quoted(self, text: &str) -> String {
        self.ident(text).quoted(DialectId::Postgres)
    }

    fn full(self, text: &str) -> String {
        self.name(text).quoted(DialectId::Postgres)
    }

    pub(super) fn part(self, table: &str, name: &str) -> PartId {
        PartId { table: self.name(table), name: self.ident(name) }
    }

    fn text(self, text: &str) -> String {
        format!("{text}{}", self.suffix)
    }

    pub(super) fn column(self, name: &str, data_type: &str) -> Column {
        Column::new(self.ident(name), DataType::builtin(data_type))
    }
}

struct Samples {
    n: Names,
    list: Vec<Sample>,
}

impl Samples {
    fn add(&mut self, label: &'static str, change: Change) {
        self.since(14, label, change);
    }

    fn since(&mut self, version: u32, label: &'static str, change: Change) {
        self.list.push(Sample { label, change, since: Some(version) });
    }

    fn never(&mut self, label: &'static str, change: Change) {
        self.list.push(Sample { label, change, since: None });
    }
}

fn expr(text: impl Into<String>) -> SqlExpr {
    SqlExpr::new(text)
}

fn options(pairs: &[(&str, &str)]) -> Parameters {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn with(mut column: Column, change: impl FnOnce(&mut Column)) -> Column {
    change(&mut column);
    column
}

pub(super) fn key(n: Names, columns: &[&str]) -> Key {
    Key {
        columns: columns.iter().map(|name| IndexPart::column(n.ident(name))).collect(),
        include: Vec::new(),
        nulls_not_distinct: false,
        without_overlaps: false,
    }
}

fn foreign_key(n: Names, column: &str, references: &str) -> ForeignKey {
    ForeignKey {
        columns: vec![n.ident(column)],
        references: n.name(references),
        referenced_columns: vec![n.ident("id")],
        on_delete: FkAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: FkAction::NoAction,
        match_type: None,
        period: false,
    }
}

fn check(n: Names, name: &str, condition: &str) -> Constraint {
    let kind = ConstraintKind::Check { expr: expr(condition), no_inherit: false, column: None };
    Constraint::new(Some(n.ident(name)), kind)
}

fn create(object: Object) -> Change {
    Change::Create { object }
}

fn drop(object: Object) -> Change {
    Change::Drop { object }
}

fn comment(n: Names, text: &str) -> Common {
    Common { comment: Some(n.text(text)), ..Common::default() }
}

fn user_type(n: Names, name: &str, kind: UserTypeKind) -> UserType {
    UserType { name: n.name(name), kind, common: comment(n, "a type") }
}

fn labels(n: Names, labels: &[&str]) -> UserTypeKind {
    UserTypeKind::Enum { labels: labels.iter().map(|label| n.text(label)).collect() }
}

/// The changes in order. They share one set of objects.
pub(super) fn samples(n: Names) -> Vec<Sample> {
    let mut s = Samples { n, list: Vec::new() };
    namespaces_and_extensions(&mut s);
    types(&mut s);
    sequences_and_routines(&mut s);
    tables(&mut s);
    partitions(&mut s);
    columns(&mut s);
    generated_and_enum_columns(&mut s);
    constraints(&mut s);
    more::indexes(&mut s);
    more::views(&mut s);
    more::triggers_and_policies(&mut s);
    more::opaque(&mut s);
    more::rights(&mut s);
    more::comments(&mut s);
    more::renames(&mut s);
    more::drops(&mut s);
    s.list
}

fn namespaces_and_extensions(s: &mut Samples) {
    let n = s.n;
    let namespace = Namespace { name: n.ident("app"), options: Parameters::new(), common: comment(n, "a namespace") };
    s.add("create namespace", create(Object::Namespace(namespace.clone())));
    s.add("alter namespace", Change::AlterNamespace { before: namespace.clone(), after: namespace });
    let extension = |version: Option<&str>, namespace: &str| Extension {
        name: n.ident("uuid-ossp"),
        namespace: Some(n.ident(namespace)),
        version: version.map(ToOwned::to_owned),
        common: Common::default(),
    };
    s.never("create extension", create(Object::Extension(extension(Some("1.0"), "app"))));
    let (before, after) = (extension(Some("1.0"), "app"), extension(Some("1.1"), "other"));
    s.never("alter extension", Change::AlterExtension { before, after: after.clone() });
    s.never("drop extension", drop(Object::Extension(after)));
}

fn types(s: &mut Samples) {
    let n = s.n;
    s.add("create enum", create(Object::Type(user_type(n, "mood", labels(n, &["it's", "ok"])))));
    let add = |value: &str, position| Change::AddEnumValue { name: n.name("mood"), value: n.text(value), position };
    s.add("add enum value last", add("good", EnumPosition::Last));
    s.add("add enum value before", add("bad", EnumPosition::Before(n.text("ok"))));
    s.add("add enum value after", add("fair", EnumPosition::After(n.text("ok"))));

    let age_check = |validated| DomainCheck {
        name: n.ident("age_range"),
        expr: expr("VALUE >= 0"),
        validated,
        comment: Some("not negative".to_owned()),
        depends_on: Vec::new(),
    };
    let domain = Domain {
        base: DataType::builtin("integer"),
        not_null: true,
        default: Some(expr("0")),
        collation: None,
        checks: vec![age_check(true)],
    };
    s.add("create domain", create(Object::Type(user_type(n, "age", UserTypeKind::Domain(domain)))));
    let alter = |change| Change::AlterDomain { name: n.name("age"), change };
    s.add("set domain default", alter(DomainChange::Default { before: None, after: Some(expr("1")) }));
    s.add("drop domain default", alter(DomainChange::Default { before: Some(expr("1")), after: None }));
    s.add("drop domain not null", alter(DomainChange::NotNull(false)));
    s.add("set domain not null", alter(DomainChange::NotNull(true)));
    s.add("drop domain check", alter(DomainChange::DropCheck(age_check(true))));
    s.add("add domain check", alter(DomainChange::AddCheck(age_check(false))));
    s.add("validate domain check", alter(DomainChange::ValidateCheck(age_check(true))));

    let attribute = |name: &str, data_type: &str, collation: Option<QualName>| Attribute {
        name: n.ident(name),
        data_type: DataType::builtin(data_type),
        collation,
        comment: Some("part".to_owned()),
    };
    let c = QualName::parse("pg_catalog.C").unwrap();
    let kind = UserTypeKind::Composite { attributes: vec![attribute("street", "text", Some(c))] };
    s.add("create composite", create(Object::Type(user_type(n, "address", kind))));
    let alter = |change| Change::AlterComposite { name: n.name("address"), change };
    s.add("add attribute", alter(AttributeChange::Add(attribute("zip", "text", None))));
    let (before, after) = (attribute("zip", "text", None), attribute("zip", "integer", None));
    s.add("alter attribute type", alter(AttributeChange::SetType { before, after: after.clone() }));
    s.add("drop attribute", alter(AttributeChange::Drop(after)));

    let range = RangeType {
        subtype: DataType::builtin("double precision"),
        opclass: None,
        collation: None,
        canonical: None,
        subtype_diff: Some(QualName::parse("pg_catalog.float8mi").unwrap()),
        multirange: Some(n.name("floatmultirange")),
    };
    s.add("create range", create(Object::Type(user_type(n, "floatrange", UserTypeKind::Range(range)))));
}

fn routine(n: Names, name: &str, kind: RoutineKind, arguments: &str, definition: String) -> Routine {
    Routine {
        id: RoutineId { name: n.name(name), arguments: arguments.to_owned() },
        kind,
        definition: SqlExpr::new(definition),
        signature: String::new(),
        tracked: false,
        settings: Parameters::new(),
        common: comment(n, "a routine"),
    }
}

fn twice(n: Names, factor: u32) -> Routine {
    let name = n.full("twice");
    let text = format!(
        "CREATE OR REPLACE FUNCTION {name}(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $f$ SELECT $1 * {factor}; $f$;\n"
    );
    routine(n, "twice", RoutineKind::Function, "integer", text)
}

fn touch(n: Names) -> Routine {
    let name = n.full("touch");
    let text = format!(
        "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NEW; END $f$"
    );
    routine(n, "touch", RoutineKind::Function, "", text)
}

fn sequence(n: Names, options: SequenceOptions) -> Sequence {
    Sequence { name: n.name("ticket"), options, unlogged: false, owned_by: None, common: comment(n, "a sequence") }
}

fn sequences_and_routines(s: &mut Samples) {
    let n = s.n;
    let before = SequenceOptions {
        data_type: Some("integer".to_owned()),
        start: Some(10),
        increment: Some(5),
        min: Some(5),
        max: Some(100),
        cache: Some(2),
        cycle: true,
    };
    s.add("create sequence", create(Object::Sequence(sequence(n, before.clone()))));
    let (before, after) = (sequence(n, before), sequence(n, SequenceOptions::default()));
    s.add("alter sequence", Change::AlterSequence { before, after });
    let unlogged = Sequence { unlogged: true, ..sequence(n, SequenceOptions::default()) };
    let before = sequence(n, SequenceOptions::default());
    s.since(15, "alter sequence logging", Change::AlterSequence { before, after: unlogged });

    s.add("create function", create(Object::Routine(twice(n, 2))));
    s.add("create trigger function", create(Object::Routine(touch(n))));
    s.add("replace routine", Change::ReplaceRoutine { before: twice(n, 2), after: twice(n, 3) });
    let text = format!("CREATE OR REPLACE PROCEDURE {}() LANGUAGE sql AS $f$ SELECT 1 $f$", n.full("tidy"));
    let procedure = routine(n, "tidy", RoutineKind::Procedure, "", text);
    s.add("create procedure", create(Object::Routine(procedure.clone())));
    s.add("drop procedure", drop(Object::Routine(procedure)));
    let text =
        format!("CREATE AGGREGATE {}(*) (SFUNC = pg_catalog.int8inc, STYPE = bigint, INITCOND = '0')", n.full("rows"));
    let aggregate = routine(n, "rows", RoutineKind::Aggregate, "", text);
    s.add("create aggregate", create(Object::Routine(aggregate.clone())));
    s.add("drop aggregate", drop(Object::Routine(aggregate)));
}

/// A column of arrays.
fn moods(n: Names) -> Column {
    let many = NamedType { name: n.name("mood"), modifiers: String::new(), dimensions: 1 };
    with(Column::new(n.ident("moods"), DataType::Named(many)), |it| {
        it.default = Some(expr(format!("'{{}}'::{}[]", n.full("mood"))));
    })
}

/// A table with everything that 14 knows.
fn users(n: Names) -> Table {
    let mut table = Table::new(n.name("users"));
    let identity = Identity {
        always: true,
        options: SequenceOptions { start: Some(100), cache: Some(5), ..SequenceOptions::default() },
        sequence: Some(n.name("users_ids")),
    };
    let c = QualName::parse("pg_catalog.C").unwrap();
    let length = format!("length({})", n.quoted("email"));
    table.columns = vec![
        with(n.column("id", "bigint"), |it| (it.not_null, it.identity) = (true, Some(Box::new(identity)))),
        with(n.column("email", "character varying(200)"), |it| {
            it.not_null = true;
            it.collation = Some(c);
            it.comment = Some(n.text("where to write"));
            it.attributes = options(&[("compression", "pglz"), ("statistics", "500"), ("storage", "external")]);
        }),
        with(Column::new(n.ident("mood"), DataType::named(n.name("mood"))), |it| {
            it.default = Some(expr(format!("{}::{}", crate::sql::literal(&n.text("ok")), n.full("mood"))));
        }),
        with(n.column("length", "integer"), |it| it.generated = Some(Generated { expr: expr(length), stored: true })),
        with(n.column("ticket", "bigint"), |it| {
            it.default = Some(expr(format!("nextval({}::regclass)", crate::sql::literal(&n.full("ticket")))));
        }),
        n.column("parent", "bigint"),
        moods(n),
        n.column("during", "tsrange"),
        n.column("note", "text"),
    ];
    let mut unique = Constraint::new(Some(n.ident("users_email_key")), ConstraintKind::Unique(key(n, &["email"])));
    unique.deferrable = Deferrable::InitiallyDeferred;
    unique.comment = Some(n.text("one account each"));
    let mut primary = Constraint::new(
        Some(n.ident("users_pkey")),
        ConstraintKind::PrimaryKey(Key { include: vec![n.ident("email")], ..key(n, &["id"]) }),
    );
    primary.parameters = options(&[("fillfactor", "80")]);
    let mut parent = foreign_key(n, "parent", "users");
    parent.on_delete = FkAction::Cascade;
    parent.on_update = FkAction::SetNull;
    parent.match_type = Some("FULL".to_owned());
    let mut late = check(n, "users_late", "true");
    late.validated = false;
    let definition =
        expr(format!("USING gist ({} WITH &&) WHERE ({} IS NOT NULL)", n.quoted("during"), n.quoted("during")));
    table.constraints = vec![
        primary,
        unique,
        check(n, "users_length", &format!("{} > 3", n.quoted("length"))),
        late,
        Constraint::new(Some(n.ident("users_during")), ConstraintKind::Exclude { definition }),
        Constraint::new(Some(n.ident("users_parent_fkey")), ConstraintKind::ForeignKey(parent)),
    ];
    let mut index = Index::new(n.ident("users_note"), vec![IndexPart::column(n.ident("note"))]);
    index.comment = Some(n.text("for search"));
    table.indexes = vec![index];
    table.options.parameters = options(&[("fillfactor", "70"), ("toast.autovacuum_enabled", "false")]);
    table.options.replica_identity = Some("full".to_owned());
    table.row_security = RowSecurity { enabled: true, forced: true };
    table.common = comment(n, "people");
    table
}

fn tables(s: &mut Samples) {
    let n = s.n;
    s.add("create table", create(Object::Table(users(n))));
    let mut empty = Table::new(n.name("nothing"));
    empty.options.unlogged = true;
    s.add("create empty table", create(Object::Table(empty.clone())));
    let mut child = Table::new(n.name("child"));
    child.columns = vec![n.column("extra", "text")];
    child.inherits = vec![n.name("nothing")];
    s.add("create child table", create(Object::Table(child.clone())));
    let mut free = child.clone();
    free.inherits.clear();
    free.options.unlogged = true;
    free.options.parameters = options(&[("fillfactor", "50")]);
    free.options.replica_identity = Some("nothing".to_owned());
    s.add("alter table", Change::AlterTable { before: child.clone(), after: free.clone() });
    s.add("alter table back", Change::AlterTable { before: free, after: child.clone() });
    s.add("drop table", drop(Object::Table(child)));
    s.add("drop unlogged table", drop(Object::Table(empty)));
    let (before, after) = (users(n).row_security, RowSecurity::default());
    s.add("disable row security", Change::SetRowSecurity { table: n.name("users"), before, after });
    s.add("enable row security", Change::SetRowSecurity { table: n.name("users"), before: after, after: before });
    let mut indexed = users(n);
    indexed.options.replica_identity = Some(format!("index {}", n.ident("users_pkey").as_str()));
    s.add("alter replica identity", Change::AlterTable { before: users(n), after: indexed });

    let mut modern = Table::new(n.name("modern"));
    let half = expr(format!("{} / 2", n.quoted("a")));
    modern.columns = vec![
        with(n.column("a", "integer"), |it| {
            (it.not_null, it.not_null_clause) = (true, Some(n.ident("a_given").as_str().to_owned()));
        }),
        with(n.column("half", "integer"), |it| it.generated = Some(Generated { expr: half, stored: false })),
        with(n.column("during", "daterange"), |it| it.not_null = true),
    ];
    let mut lax = check(n, "modern_lax", &format!("{} > 0", n.quoted("a")));
    lax.enforced = false;
    lax.validated = false;
    modern.constraints = vec![lax];
    s.since(18, "create modern table", create(Object::Table(modern.clone())));
    let unique = ConstraintKind::Unique(Key { nulls_not_distinct: true, ..key(n, &["half2", "a"]) });
    s.since(
        18,
        "add column of modern table",
        Change::AddColumn {
            table: n.name("modern"),
            column: n.column("half2", "integer"),
            position: ColumnPosition::Last,
        },
    );
    let constraint = Constraint::new(Some(n.ident("modern_key")), unique);
    s.since(18, "add nulls not distinct", Change::AddConstraint { table: n.name("modern"), constraint });
    let before = with(n.column("half2", "integer"), |_| ());
    let named = with(before.clone(), |it| {
        (it.not_null, it.not_null_clause) = (true, Some(n.ident("half2_given").as_str().to_owned()));
    });
    s.since(18, "set named not null", Change::SetNotNull { table: n.name("modern"), before, after: named.clone() });
    let usual = with(named.clone(), |it| it.not_null_clause = None);
    s.since(18, "rename not null", Change::SetNotNull { table: n.name("modern"), before: named, after: usual });
    s.since(18, "drop modern table", drop(Object::Table(modern)));
}

fn partitions(s: &mut Samples) {
    let n = s.n;
    let mut log = Table::new(n.name("log"));
    log.columns =
        vec![with(n.column("at", "timestamp with time zone"), |it| it.not_null = true), n.column("words", "text")];
    log.partitioning = Some(Partitioning { by: expr(format!("RANGE ({})", n.quoted("at"))), partitions: Vec::new() });
    s.add("create partitioned table", create(Object::Table(log)));
    let of = |bound: &str| PartitionOf { parent: n.name("log"), bound: expr(bound) };
    let bound = "FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')";
    let mut part = Table::new(n.name("log_2026"));
    part.columns = vec![
        with(n.column("at", "timestamp with time zone"), |it| it.not_null = true),
        with(n.column("words", "text"), |it| it.default = Some(expr("''::text"))),
    ];
    part.constraints = vec![check(n, "log_2026_words", &format!("{} <> 'no'", n.quoted("words")))];
    part.partition_of = Some(of(bound));
    s.add("create partition", create(Object::Table(part)));
    let mut rest = Table::new(n.name("log_rest"));
    rest.partition_of = Some(of("DEFAULT"));
    s.add("create default partition", create(Object::Table(rest)));
    let detach = Change::DetachPartition { table: n.name("log_2026"), partition_of: of(bound) };
    s.add("detach partition", detach);
    s.add("attach partition", Change::AttachPartition { table: n.name("log_2026"), partition_of: of(bound) });
    let parts = || vec![IndexPart::column(n.ident("at"))];
    let mut whole = Index::new(n.ident("log_at"), parts());
    whole.only = true;
    s.add("create index on only", create(Object::Index(TableIndex { table: n.name("log"), index: whole })));
    let mut one = Index::new(n.ident("log_2026_at"), parts());
    one.partition_of = Some(n.name("log_at"));
    s.add("create partition index", create(Object::Index(TableIndex { table: n.name("log_2026"), index: one })));
    let before = Index::new(n.ident("log_rest_at"), parts());
    let mut after = before.clone();
    after.partition_of = Some(n.name("log_at"));
    let index = TableIndex { table: n.name("log_rest"), index: before.clone() };
    s.add("create index to attach", create(Object::Index(index)));
    s.add("attach partition index", Change::AlterIndex { table: n.name("log_rest"), before, after });
}

fn columns(s: &mut Samples) {
    let n = s.n;
    let table = || n.name("users");
    let plain = n.column("nick", "text");
    let added = with(plain.clone(), |it| {
        it.default = Some(expr("'none'::text"));
        it.attributes = options(&[("storage", "main")]);
        it.comment = Some(n.text("short name"));
    });
    s.add("add column", Change::AddColumn { table: table(), column: added.clone(), position: ColumnPosition::Last });
    let bare = with(added.clone(), |it| it.default = None);
    s.add("drop default", Change::SetDefault { table: table(), before: added.clone(), after: bare.clone() });
    s.add("set default", Change::SetDefault { table: table(), before: bare, after: added.clone() });
    let value = expr("'nobody' -- filled");
    s.add("backfill", Change::Backfill { table: table(), column: added.clone(), value });
    let required = with(added.clone(), |it| it.not_null = true);
    s.add("set not null", Change::SetNotNull { table: table(), before: added.clone(), after: required.clone() });
    s.add("drop not null", Change::DropNotNull { table: table(), before: required, after: added.clone() });
    let reset = with(added.clone(), |it| it.attributes = options(&[("n_distinct", "-0.5"), ("statistics", "7")]));
    s.add("set column attributes", Change::SetColumnAttributes { table: table(), before: added, after: reset.clone() });
    s.add(
        "reset column attributes",
        Change::SetColumnAttributes { table: table(), before: reset, after: plain.clone() },
    );
    let c = QualName::parse("pg_catalog.C").unwrap();
    let narrow = with(n.column("nick", "character varying(40)"), |it| it.collation = Some(c));
    s.add(
        "alter column type",
        Change::AlterColumnType { table: table(), before: plain.clone(), after: narrow.clone(), using: None },
    );
    let drop_default = with(narrow.clone(), |it| it.default = None);
    s.add(
        "drop default before type",
        Change::SetDefault { table: table(), before: narrow.clone(), after: drop_default },
    );
    let number = n.column("nick", "integer");
    let using = Some(expr(format!("length({})", n.quoted("nick"))));
    s.add(
        "alter column type using",
        Change::AlterColumnType { table: table(), before: narrow, after: number.clone(), using },
    );
    let identity = |always, increment| {
        let options = SequenceOptions { increment, ..SequenceOptions::default() };
        with(number.clone(), |it| {
            it.not_null = true;
            it.identity = Some(Box::new(Identity { always, options, sequence: None }));
        })
    };
    let given = with(number.clone(), |it| it.not_null = true);
    s.add(
        "set not null before identity",
        Change::SetNotNull { table: table(), before: number.clone(), after: given.clone() },
    );
    let set = |before, after| Change::SetIdentity { table: n.name("users"), before, after };
    s.add("add identity", set(given.clone(), identity(false, None)));
    s.add("alter identity", set(identity(false, None), identity(true, Some(2))));
    s.add("drop identity", set(identity(true, Some(2)), given.clone()));
    s.add("drop column", Change::DropColumn { table: table(), column: given });
}

fn generated_and_enum_columns(s: &mut Samples) {
    let n = s.n;
    let table = || n.name("users");
    let generated = |text: &str| {
        let expr = expr(format!("length({}) {text}", n.quoted("email")));
        with(n.column("length", "integer"), |it| it.generated = Some(Generated { expr, stored: true }))
    };
    s.since(
        17,
        "set expression",
        Change::SetGenerated { table: table(), before: generated(""), after: generated("+ 1") },
    );
    let after = n.column("length", "integer");
    s.add("drop expression", Change::SetGenerated { table: table(), before: generated("+ 1"), after });
    let mood = with(Column::new(n.ident("mood"), DataType::named(n.name("mood"))), |it| {
        it.default = Some(expr(format!("{}::{}", crate::sql::literal(&n.text("ok")), n.full("mood"))));
    });
    let columns = [mood, moods(n)].map(|column| TableColumn { table: table(), column }).to_vec();
    let before = user_type(n, "mood", labels(n, &["it's", "bad", "ok", "fair", "good"]));
    let after = user_type(n, "mood", labels(n, &["ok", "it's"]));
    s.add("rebuild enum", Change::RebuildEnum { before, after, columns });
    s.add(
        "set sequence owner",
        Change::SetSequenceOwner {
            name: n.name("ticket"),
            before: None,
            after: Some(n.part("users", "ticket")),
            resumes: false,
        },
    );
    s.add(
        "drop sequence owner",
        Change::SetSequenceOwner {
            name: n.name("ticket"),
            before: Some(n.part("users", "ticket")),
            after: None,
            resumes: false,
        },
    );
}

fn constraints(s: &mut Samples) {
    let n = s.n;
    let table = || n.name("users");
    let mut fkey = Constraint::new(
        Some(n.ident("users_again_fkey")),
        ConstraintKind::ForeignKey(ForeignKey { on_delete: FkAction::SetDefault, ..foreign_key(n, "parent", "users") }),
    );
    fkey.validated = false;
    fkey.comment = Some(n.text("again"));
    s.add("add constraint", Change::AddConstraint { table: table(), constraint: fkey.clone() });
    s.add("validate constraint", Change::ValidateConstraint { table: table(), constraint: fkey.clone() });
    let mut deferred = fkey.clone();
    deferred.deferrable = Deferrable::InitiallyImmediate;
    s.add(
        "alter constraint",
        Change::AlterConstraint { table: table(), before: fkey.clone(), after: deferred.clone() },
    );
    s.add("alter constraint back", Change::AlterConstraint { table: table(), before: deferred, after: fkey.clone() });
    let mut lax = fkey.clone();
    lax.enforced = false;
    s.since(
        18,
        "alter constraint enforced",
        Change::AlterConstraint { table: table(), before: fkey.clone(), after: lax },
    );
    s.add("drop constraint", Change::DropConstraint { table: table(), constraint: fkey });
    let some = ForeignKey {
        on_delete: FkAction::SetNull,
        on_delete_columns: vec![n.ident("parent")],
        ..foreign_key(n, "parent", "users")
    };
    let constraint = Constraint::new(Some(n.ident("users_some_fkey")), ConstraintKind::ForeignKey(some));
    s.since(15, "add set null of columns", Change::AddConstraint { table: table(), constraint });
}
