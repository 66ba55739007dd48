//! The answers of SQLite, each from the file that knows.

use trueup_plan::{Budgets, Change, Expected, Hazard, LiveFacts, TxClass};
use trueup_schema::{Column, DataType, DialectId, Ident, ObjectRef, Partitioning, Schema, SqlExpr, Table};

use super::capabilities::CAPABILITIES;
use super::texts::{self, Names};
use super::{alters, changes, names, rowid, tokens, types};
use crate::{BadName, Capabilities, Carries, Dialect, Indexable, NameKind, Tables, Token, TypeChange, Verdict};

/// SQLite at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sqlite {
    version: [u32; 3],
}

impl Sqlite {
    /// SQLite of `version`: major, minor, patch.
    #[must_use]
    pub const fn new(version: [u32; 3]) -> Self {
        Self { version }
    }
}

impl Dialect for Sqlite {
    fn id(&self) -> DialectId {
        DialectId::Sqlite
    }

    fn capabilities(&self) -> &Capabilities {
        &CAPABILITIES
    }

    fn verdict(&self, change: &Change, tables: Tables<'_>) -> Verdict {
        changes::verdict(self.version, change, tables)
    }

    fn type_change(&self, before: &Column, after: &Column, using: Option<&SqlExpr>, _: &LiveFacts) -> TypeChange {
        types::type_change(before, after, using)
    }

    fn forecast(&self, change: &Change, is_new: bool, facts: &LiveFacts) -> Vec<Hazard> {
        changes::forecast(self.version, change, is_new, facts)
    }

    fn forecast_online(&self, change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
        self.forecast(change, false, facts)
    }

    /// All DDL rolls back.
    fn tx_class(&self, _: &Change) -> TxClass {
        TxClass::Inside
    }

    /// The one lock is taken when the transaction begins; nothing in it waits.
    fn budgets(&self, _: &Change, _: bool, _: &[Hazard]) -> Budgets {
        Budgets::default()
    }

    /// SQLite names nothing by itself but hidden indexes.
    fn generated_name(&self, _: NameKind, _: &Ident, _: &[Ident]) -> Option<Ident> {
        None
    }

    fn drops_columns_alone(&self, schema: &Schema) -> bool {
        alters::leaves_others_alone(schema)
    }

    fn fold(&self, name: &Ident) -> String {
        texts::fold(name.as_str())
    }

    fn check_names(&self, schema: &Schema) -> Vec<BadName> {
        names::check_names(schema)
    }

    fn in_the_way(&self, change: &Change, dependent: &ObjectRef) -> bool {
        changes::in_the_way(change, dependent)
    }

    fn carries(&self, rename: &Change, _: &ObjectRef) -> Carries {
        changes::carries(rename)
    }

    /// An ALTER does one thing.
    fn may_merge(&self, _: &Change, _: &Change) -> bool {
        false
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

    fn demands(&self, change: &Change, tables: Tables<'_>) -> Vec<SqlExpr> {
        rowid::demands(change, tables)
    }

    /// SQLite prints what it was given. A default that is a bare word is a string there, and a name anywhere else: it has no text of
    /// its own.
    fn canonical_expr(&self, expr: &SqlExpr, data_type: Option<&DataType>) -> Option<SqlExpr> {
        let text = match data_type {
            Some(_) => texts::default(expr.as_str()),
            None => texts::expr(expr.as_str(), &Names::default()),
        };
        (data_type.is_none() || !texts::is_word_default(&text)).then_some(SqlExpr(text))
    }

    fn tokens(&self, sql: &str) -> Vec<Token> {
        tokens::tokens(sql)
    }
}
