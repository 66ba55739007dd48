//! The answers of PostgreSQL, each from the file that knows.

use trueup_plan::{Budgets, Change, Expected, Hazard, LiveFacts, TxClass};
use trueup_schema::{Column, Constraint, DataType, DialectId, Ident, ObjectRef, Partitioning, Schema, SqlExpr, Table};
use trueup_snapshot::Normalise;

use super::capabilities::{CAPABILITIES, CORRUPTS};
use super::{changes, dependents, forecast, literal, locks, names, normalize, respell, tokens, types};
use crate::{
    BadName, Capabilities, Carries, Dialect, Indexable, LockTable, NameKind, Tables, Token, TypeChange, Verdict,
};

/// PostgreSQL at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Postgres {
    version: [u32; 3],
}

impl Postgres {
    /// PostgreSQL of `version`: major, minor.
    #[must_use]
    pub const fn new(version: [u32; 3]) -> Self {
        Self { version }
    }

    /// Whether `name` is what the server chooses by itself, a number behind it included.
    #[must_use]
    pub fn is_generated_name(kind: NameKind, table: &Ident, columns: &[Ident], name: &Ident) -> bool {
        names::is_generated(kind, table, columns, name)
    }

    /// The name that the server tries first.
    #[must_use]
    pub fn chosen_name(kind: NameKind, table: &Ident, columns: &[Ident]) -> Option<Ident> {
        names::generated(kind, table, columns)
    }

    /// `sql`, which the server printed, in a spelling that it reads as what it printed.
    #[must_use]
    pub fn respell(sql: &str) -> String {
        respell::respell(sql)
    }

    /// Splits SQL text into tokens, whatever the version.
    #[must_use]
    pub fn split(sql: &str) -> Vec<Token> {
        tokens::tokens(sql)
    }

    const fn major(&self) -> u32 {
        self.version[0]
    }
}

impl Normalise for Postgres {
    fn normalise(&self, schema: &mut Schema) {
        normalize::normalise(schema);
    }

    fn is_generated(&self, table: &Table, constraint: &Constraint) -> bool {
        let Some(name) = &constraint.name else { return false };
        let (kind, columns) = normalize::name_parts(table, constraint);
        names::is_generated(kind, &table.name.name, &columns, name)
    }

    fn hashes_column_order(&self) -> bool {
        false
    }
}

impl Dialect for Postgres {
    fn id(&self) -> DialectId {
        DialectId::Postgres
    }

    fn capabilities(&self) -> &Capabilities {
        if self.major() == 14 && self.version < [14, 4, 0] { &CORRUPTS } else { &CAPABILITIES }
    }

    fn verdict(&self, change: &Change, tables: Tables<'_>) -> Verdict {
        changes::verdict(self.major(), change, tables)
    }

    fn type_change(&self, before: &Column, after: &Column, using: Option<&SqlExpr>, facts: &LiveFacts) -> TypeChange {
        types::type_change(before, after, using, facts)
    }

    fn forecast(&self, change: &Change, is_new: bool, facts: &LiveFacts) -> Vec<Hazard> {
        forecast::forecast(change, is_new, facts)
    }

    fn forecast_online(&self, change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
        forecast::forecast_online(change, facts)
    }

    /// A new label of an enum must be committed before it is used; all else goes together.
    fn tx_class(&self, change: &Change) -> TxClass {
        if matches!(change, Change::AddEnumValue { .. }) { TxClass::CommitAfter } else { TxClass::Inside }
    }

    fn budgets(&self, change: &Change, is_new: bool, hazards: &[Hazard]) -> Budgets {
        forecast::budgets(change, is_new, hazards)
    }

    fn locks(&self, change: &Change) -> u64 {
        locks::taken(change)
    }

    fn lock_table(&self, facts: &LiveFacts) -> Option<LockTable> {
        locks::table(facts)
    }

    /// A NOT NULL has a name since 18.
    fn generated_name(&self, kind: NameKind, table: &Ident, columns: &[Ident]) -> Option<Ident> {
        if kind == NameKind::NotNull && self.major() < 18 {
            return None;
        }
        names::generated(kind, table, columns)
    }

    /// Names are as they are stored: the server folds bare words when it reads them, not later.
    fn drops_columns_alone(&self, _: &Schema) -> bool {
        true
    }

    fn fold(&self, name: &Ident) -> String {
        name.as_str().to_owned()
    }

    fn check_names(&self, schema: &Schema) -> Vec<BadName> {
        names::check(schema)
    }

    fn in_the_way(&self, change: &Change, dependent: &ObjectRef) -> bool {
        dependents::in_the_way(change, dependent)
    }

    fn carries(&self, rename: &Change, dependent: &ObjectRef) -> Carries {
        dependents::carries(rename, dependent)
    }

    fn may_merge(&self, first: &Change, second: &Change) -> bool {
        forecast::may_merge(first, second)
    }

    fn indexable(&self, _: &SqlExpr) -> Indexable {
        Indexable::Always
    }

    fn has_place(&self, _: &Partitioning) -> Option<SqlExpr> {
        None
    }

    /// There is no word for it.
    fn expects(&self, _: &[&Change], _: Tables<'_>, _: bool) -> Vec<Expected> {
        Vec::new()
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

    fn canonical_expr(&self, expr: &SqlExpr, data_type: Option<&DataType>) -> Option<SqlExpr> {
        literal::canonical(expr, data_type)
    }

    fn tokens(&self, sql: &str) -> Vec<Token> {
        tokens::tokens(sql)
    }
}
