//! An engine for tests that knows just enough: its answers are PostgreSQL's or, on request, those of an engine that writes tables anew.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test engine answers in broad strokes")]

use trueup_dialect::{
    BadName, Capabilities, Carries, Dialect, Indexable, LockTable, NameKind, Tables, Token, TokenKind, TypeChange,
    Verdict,
};
use trueup_plan::{Budgets, Change, DomainChange, Expected, Hazard, HazardCode, LiveFacts, Object, TxClass};
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, DialectId, Ident, Key, ObjectRef, Schema, SqlExpr, Table,
};
use trueup_snapshot::Normalise;

/// The engine.
#[derive(Debug, Clone)]
pub(crate) struct TestDialect {
    pub(crate) id: DialectId,
    pub(crate) capabilities: Capabilities,
    /// Takes several changes of one table in one ALTER.
    pub(crate) merges: bool,
}

impl TestDialect {
    /// Alters in place.
    pub(crate) const fn altering() -> Self {
        let capabilities = Capabilities {
            transactional_ddl: true,
            namespaces: true,
            fk_needs_target: true,
            alter_constraints: true,
            rebuilds_tables: false,
            column_order: false,
            comments: true,
            whole_definitions: false,
            grants: true,
            materialized_views: true,
            lists_view_columns: false,
            replace_view: true,
            index_names_per_namespace: true,
            fk_names_per_namespace: false,
            check_names_per_namespace: false,
            trigger_names_per_namespace: false,
            rename_constraint: true,
            rename_under_expressions: true,
            rename_index: true,
            not_valid: true,
            max_name_bytes: 63,
            max_name_chars: 63,
            truncates_names: true,
            unchecked_bodies: true,
            stores_as_computed: true,
            names_not_null: false,
            online: trueup_dialect::Online::Same,
        };
        Self { id: DialectId::Postgres, capabilities, merges: false }
    }

    /// Alters in place, several things of one table at once, outside of transactions.
    pub(crate) const fn merging() -> Self {
        let mut dialect = Self::altering();
        dialect.id = DialectId::MySql;
        dialect.capabilities.transactional_ddl = false;
        dialect.capabilities.column_order = true;
        dialect.capabilities.whole_definitions = true;
        dialect.capabilities.materialized_views = false;
        dialect.capabilities.index_names_per_namespace = false;
        dialect.capabilities.fk_names_per_namespace = true;
        dialect.capabilities.trigger_names_per_namespace = true;
        dialect.merges = true;
        dialect
    }

    /// Writes tables anew for whatever it cannot alter.
    pub(crate) const fn rebuilding() -> Self {
        let mut dialect = Self::altering();
        dialect.id = DialectId::Sqlite;
        dialect.capabilities.namespaces = false;
        dialect.capabilities.fk_needs_target = false;
        dialect.capabilities.alter_constraints = false;
        dialect.capabilities.rebuilds_tables = true;
        dialect.capabilities.comments = false;
        dialect.capabilities.grants = false;
        dialect.capabilities.materialized_views = false;
        dialect.capabilities.replace_view = false;
        dialect.capabilities.rename_constraint = false;
        dialect.capabilities.rename_index = false;
        dialect.capabilities.not_valid = false;
        dialect
    }

    const fn in_place_or_rebuild(&self) -> Verdict {
        if self.capabilities.rebuilds_tables { Verdict::Rebuild } else { Verdict::InPlace }
    }

    fn constraint_verdict(&self, before: &Constraint, after: &Constraint) -> Verdict {
        let mut same = before.clone();
        same.deferrable = after.deferrable;
        same.depends_on.clone_from(&after.depends_on);
        if self.capabilities.rebuilds_tables {
            Verdict::Rebuild
        } else if same == *after && matches!(after.kind, ConstraintKind::ForeignKey(_)) {
            Verdict::InPlace
        } else {
            Verdict::Replace
        }
    }
}

impl Normalise for TestDialect {
    fn normalise(&self, _: &mut Schema) {}

    fn is_generated(&self, table: &Table, constraint: &Constraint) -> bool {
        let columns = |key: &Key| key.columns.iter().filter_map(|part| part.column_name().cloned()).collect::<Vec<_>>();
        let generated = match &constraint.kind {
            ConstraintKind::PrimaryKey(_) => self.generated_name(NameKind::PrimaryKey, &table.name.name, &[]),
            ConstraintKind::Unique(key) => self.generated_name(NameKind::Unique, &table.name.name, &columns(key)),
            ConstraintKind::Check { .. } => self.generated_name(NameKind::Check, &table.name.name, &[]),
            ConstraintKind::ForeignKey(key) => {
                self.generated_name(NameKind::ForeignKey, &table.name.name, &key.columns)
            }
            ConstraintKind::Exclude { .. } => None,
        };
        constraint.name.is_some() && generated == constraint.name
    }

    fn hashes_column_order(&self) -> bool {
        self.capabilities.column_order
    }
}

impl Dialect for TestDialect {
    fn id(&self) -> DialectId {
        self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn drops_columns_alone(&self, _: &Schema) -> bool {
        true
    }

    fn locks(&self, _: &Change) -> u64 {
        1
    }

    fn lock_table(&self, facts: &LiveFacts) -> Option<LockTable> {
        let entries = facts.settings.get("locks")?.parse().ok()?;
        Some(LockTable { entries, setting: "locks" })
    }

    fn verdict(&self, change: &Change, _: Tables<'_>) -> Verdict {
        match change {
            Change::ReplaceView { before, after } => {
                let kept = after.columns.get(..before.columns.len()).unwrap_or_default();
                let keeps = before.columns.iter().zip(kept).all(|(a, b)| a.name == b.name)
                    && after.columns.len() >= before.columns.len();
                let in_place = self.capabilities.replace_view && !after.materialized && keeps;
                if in_place { Verdict::InPlace } else { Verdict::Replace }
            }
            Change::ReplaceRoutine { before, after } if before.signature != after.signature => Verdict::Replace,
            Change::AlterConstraint { before, after, .. } => self.constraint_verdict(before, after),
            Change::AlterIndex { before, after, .. } => {
                let mut same = before.clone();
                same.parameters.clone_from(&after.parameters);
                if same == *after { Verdict::InPlace } else { Verdict::Replace }
            }
            Change::SetGenerated { after, .. } => match (after.generated.is_none(), self.in_place_or_rebuild()) {
                (_, Verdict::Rebuild) => Verdict::Rebuild,
                (true, _) => Verdict::InPlace,
                (false, _) => Verdict::Replace,
            },
            Change::AlterPolicy { before, after } => {
                let dropped = (before.using.is_some() && after.using.is_none())
                    || (before.check.is_some() && after.check.is_none());
                if dropped { Verdict::Replace } else { Verdict::InPlace }
            }
            Change::AlterTable { before, after } if before.partitioning != after.partitioning => Verdict::Blocked {
                code: "partitioning",
                why: format!("table `{}` cannot change how it is partitioned", after.name),
                fix: "move the rows to a new table".to_owned(),
            },
            Change::AddColumn { column, .. } if column.not_null && column.default.is_none() => {
                self.in_place_or_rebuild()
            }
            Change::AlterColumnType { .. }
            | Change::SetDefault { .. }
            | Change::SetNotNull { .. }
            | Change::DropNotNull { .. }
            | Change::SetIdentity { .. }
            | Change::SetColumnAttributes { .. }
            | Change::MoveColumn { .. }
            | Change::AddConstraint { .. }
            | Change::DropConstraint { .. }
            | Change::AlterTable { .. }
            | Change::ValidateConstraint { .. } => self.in_place_or_rebuild(),
            Change::AlterDomain { change: DomainChange::NotNull(_) | DomainChange::Default { .. }, .. }
            | Change::AlterDomain {
                change: DomainChange::AddCheck(_) | DomainChange::DropCheck(_) | DomainChange::ValidateCheck(_),
                ..
            }
            | Change::Create { .. }
            | Change::Drop { .. }
            | Change::Rename { .. }
            | Change::Adopt { .. }
            | Change::AlterNamespace { .. }
            | Change::AlterExtension { .. }
            | Change::AddEnumValue { .. }
            | Change::RebuildEnum { .. }
            | Change::AlterComposite { .. }
            | Change::AlterSequence { .. }
            | Change::SetSequenceOwner { .. }
            | Change::AttachPartition { .. }
            | Change::DetachPartition { .. }
            | Change::SetRowSecurity { .. }
            | Change::AddColumn { .. }
            | Change::DropColumn { .. }
            | Change::Backfill { .. }
            | Change::AlterView { .. }
            | Change::ReplaceRoutine { .. }
            | Change::SetTriggerEnabled { .. }
            | Change::SetComment { .. }
            | Change::SetGrants { .. }
            | Change::AlterOpaque { .. }
            | Change::SetOwner { .. } => Verdict::InPlace,
        }
    }

    fn type_change(&self, before: &Column, after: &Column, using: Option<&SqlExpr>, _: &LiveFacts) -> TypeChange {
        let (from, to) = (before.data_type.to_string(), after.data_type.to_string());
        match (from.as_str(), to.as_str()) {
            ("integer", "bigint") | ("smallint", "integer" | "bigint") => TypeChange::Keeps { rewrite: true },
            (_, "text") => TypeChange::Keeps { rewrite: false },
            _ if using.is_some() => TypeChange::Guarded { rewrite: true },
            ("text", "integer") => TypeChange::NeedsUsing {
                why: "there is no cast from text to integer that is done by itself".to_owned(),
                suggestion: Some(format!("{}::integer", after.name.quoted(self.id))),
            },
            ("timestamp", "date") => TypeChange::Lossy { what: "the time of day".to_owned(), rewrite: true },
            (from, to) if from == to => TypeChange::Keeps { rewrite: false },
            _ => TypeChange::Guarded { rewrite: true },
        }
    }

    fn forecast(&self, change: &Change, is_new: bool, _: &LiveFacts) -> Vec<Hazard> {
        match change {
            Change::AlterColumnType { .. } if !is_new => vec![Hazard {
                code: HazardCode::Rewrite,
                message: format!("writes table `{}` anew", change.table().map_or_else(String::new, |t| t.to_string())),
            }],
            _ => Vec::new(),
        }
    }

    fn forecast_online(&self, change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
        self.forecast(change, false, facts)
    }

    fn tx_class(&self, change: &Change) -> TxClass {
        match change {
            _ if !self.capabilities.transactional_ddl => TxClass::Outside,
            Change::AddEnumValue { .. } => TxClass::CommitAfter,
            _ => TxClass::Inside,
        }
    }

    fn budgets(&self, _: &Change, _: bool, _: &[Hazard]) -> Budgets {
        Budgets::default()
    }

    fn generated_name(&self, kind: NameKind, table: &Ident, columns: &[Ident]) -> Option<Ident> {
        let suffix = match kind {
            NameKind::PrimaryKey => "pkey",
            NameKind::Unique => "key",
            NameKind::Check => "check",
            NameKind::ForeignKey => "fkey",
            NameKind::Exclude => "excl",
            NameKind::Index => "idx",
            NameKind::Sequence => "seq",
            NameKind::NotNull => return None,
        };
        let mut parts = vec![table.as_str()];
        parts.extend(columns.iter().map(Ident::as_str));
        parts.push(suffix);
        if self.capabilities.rename_constraint { Ident::new(parts.join("_")).ok() } else { None }
    }

    fn fold(&self, name: &Ident) -> String {
        match self.capabilities.namespaces {
            true => name.as_str().to_owned(),
            false => name.as_str().to_ascii_lowercase(),
        }
    }

    fn check_names(&self, schema: &Schema) -> Vec<BadName> {
        let long = |object: &ObjectRef| object.to_string().len() > 2 * self.capabilities.max_name_bytes;
        schema
            .object_refs()
            .into_iter()
            .filter(long)
            .map(|object| BadName { why: format!("name `{object}` is too long"), object })
            .collect()
    }

    fn in_the_way(&self, change: &Change, dependent: &ObjectRef) -> bool {
        let is_view = matches!(dependent, ObjectRef::View(_));
        match change {
            Change::Drop { object: Object::Table(_) | Object::View(_) | Object::Type(_) | Object::Routine(_) }
            | Change::DropColumn { .. } => true,
            Change::AlterColumnType { .. } => is_view || matches!(dependent, ObjectRef::Policy(_)),
            Change::DropConstraint { .. } => {
                self.capabilities.fk_needs_target && matches!(dependent, ObjectRef::Constraint(_))
            }
            _ => false,
        }
    }

    fn carries(&self, _: &Change, dependent: &ObjectRef) -> Carries {
        match dependent {
            ObjectRef::Constraint(_) => Carries::CarriedBut("name"),
            ObjectRef::View(_) if !self.capabilities.replace_view => Carries::Not,
            _ => Carries::Carried,
        }
    }

    fn may_merge(&self, _: &Change, _: &Change) -> bool {
        self.merges
    }

    fn indexable(&self, _: &SqlExpr) -> Indexable {
        Indexable::Always
    }

    fn has_place(&self, _: &trueup_schema::Partitioning) -> Option<SqlExpr> {
        None
    }

    fn expects(&self, _: &[&Change], _: Tables<'_>, _: bool) -> Vec<Expected> {
        self.merges.then(|| Expected { algorithm: "QUICK".to_owned(), lock: None }).into_iter().collect()
    }

    fn misread(&self, _: &Table, _: &str, _: &str) -> Option<String> {
        None
    }

    fn unread(&self, _: &Table, _: &str, _: &str) -> Option<String> {
        None
    }

    fn demands(&self, _: &Change, _: Tables<'_>) -> Vec<SqlExpr> {
        Vec::new()
    }

    fn canonical_expr(&self, expr: &SqlExpr, _: Option<&DataType>) -> Option<SqlExpr> {
        let text = expr.as_str().trim();
        let literal = text.parse::<i64>().is_ok()
            || (text.len() > 1 && text.starts_with('\'') && text.ends_with('\''))
            || text.eq_ignore_ascii_case("null");
        literal.then(|| SqlExpr::new(text.to_ascii_lowercase()))
    }

    fn tokens(&self, sql: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut rest = sql;
        while let Some(first) = rest.chars().next() {
            let (kind, length) = lex(rest, first);
            let (text, after) = rest.split_at(length);
            tokens.push(Token { kind, text: text.to_owned() });
            rest = after;
        }
        tokens
    }
}

fn lex(rest: &str, first: char) -> (TokenKind, usize) {
    let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    let quoted = |quote: char| {
        let skip = quote.len_utf8();
        rest[skip..].find(quote).map_or(rest.len(), |end| end + 2 * skip)
    };
    match first {
        '\'' => (TokenKind::Text, quoted('\'')),
        '"' | '`' => (TokenKind::QuotedName, quoted(first)),
        c if c.is_whitespace() => (TokenKind::Space, run(char::is_whitespace)),
        c if c.is_ascii_digit() => (TokenKind::Number, run(|c| c.is_ascii_digit() || c == '.')),
        c if c.is_alphabetic() || c == '_' => (TokenKind::Word, run(|c| c.is_alphanumeric() || c == '_')),
        c => (TokenKind::Symbol, c.len_utf8()),
    }
}
