//! The answers of MySQL and MariaDB, each from the file that knows.

use std::collections::BTreeMap;

use trueup_plan::{Budgets, Change, Expected, Hazard, LiveFacts, TxClass};
use trueup_schema::{Column, Constraint, DataType, DialectId, Ident, ObjectRef, Partitioning, Schema, SqlExpr, Table};
use trueup_snapshot::Normalise;

use super::algorithm::{Algorithm, Lock, Prediction};
use super::flavour::{Flavour, MYSQL, Server};
use super::types::Type;
use super::{
    conversions, defaults, definition, demands, dependents, forecast, multivalued, names, normalize, partitions, tokens,
};
use crate::{BadName, Capabilities, Carries, Dialect, Indexable, NameKind, Tables, Token, TypeChange, Verdict};

/// A server of this family at one version, with the settings that change how it thinks.
#[derive(Debug, Clone)]
pub struct Engine {
    flavour: &'static Flavour,
    server: Server,
}

impl Engine {
    /// MySQL of `version`: major, minor, patch. `settings` are those of the live facts; what they lack has the server's own default.
    #[must_use]
    pub fn mysql(version: [u32; 3], settings: &BTreeMap<String, String>) -> Self {
        Self::new(&MYSQL, version, settings)
    }

    pub(crate) fn new(flavour: &'static Flavour, version: [u32; 3], settings: &BTreeMap<String, String>) -> Self {
        Self { flavour, server: Server::new(version, settings) }
    }

    /// The algorithm and lock that one ALTER of an existing table takes for all of `changes`, which is what the statement asserts. `None`
    /// where it is not known; then it asserts nothing.
    #[must_use]
    pub fn algorithm(&self, changes: &[&Change], tables: Tables<'_>) -> Option<Prediction> {
        (self.flavour.predict)(self.server.version, changes, tables)
    }
}

impl Normalise for Engine {
    fn normalise(&self, schema: &mut Schema) {
        normalize::normalise(self.flavour, &self.server, schema);
    }

    fn is_generated(&self, table: &Table, constraint: &Constraint) -> bool {
        names::is_generated(table, constraint, self.flavour.check_stem)
    }

    fn hashes_column_order(&self) -> bool {
        true
    }
}

impl Dialect for Engine {
    fn id(&self) -> DialectId {
        self.flavour.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.flavour.capabilities
    }

    fn verdict(&self, change: &Change, tables: Tables<'_>) -> Verdict {
        (self.flavour.verdict)(change, tables)
    }

    fn type_change(&self, before: &Column, after: &Column, using: Option<&SqlExpr>, _: &LiveFacts) -> TypeChange {
        conversions::type_change(before, after, using)
    }

    fn forecast(&self, change: &Change, is_new: bool, facts: &LiveFacts) -> Vec<Hazard> {
        forecast::forecast(self.flavour, self.server.version, change, is_new, facts)
    }

    fn forecast_online(&self, change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
        self.forecast(change, false, facts)
    }

    /// Every DDL statement commits by itself. Rows are filled in a transaction.
    fn tx_class(&self, change: &Change) -> TxClass {
        if matches!(change, Change::Backfill { .. }) { TxClass::Inside } else { TxClass::Outside }
    }

    fn budgets(&self, change: &Change, is_new: bool, _: &[Hazard]) -> Budgets {
        forecast::budgets(change, is_new)
    }

    fn generated_name(&self, kind: NameKind, table: &Ident, columns: &[Ident]) -> Option<Ident> {
        names::generated(kind, table, columns, self.flavour.check_stem)
    }

    fn drops_columns_alone(&self, _: &Schema) -> bool {
        true
    }

    fn fold(&self, name: &Ident) -> String {
        self.server.fold(name)
    }

    fn check_names(&self, schema: &Schema) -> Vec<BadName> {
        let fold = |name: &Ident| self.server.fold(name);
        let checks_per_namespace = self.flavour.capabilities.check_names_per_namespace;
        names::check(schema, &names::Rules { fold: &fold, checks_per_namespace })
    }

    fn in_the_way(&self, change: &Change, dependent: &ObjectRef) -> bool {
        dependents::in_the_way(change, dependent)
    }

    fn carries(&self, rename: &Change, dependent: &ObjectRef) -> Carries {
        (self.flavour.carries)(rename, dependent)
    }

    fn may_merge(&self, first: &Change, second: &Change) -> bool {
        forecast::may_merge(self.flavour, self.server.version, first, second)
    }

    fn indexable(&self, expr: &SqlExpr) -> Indexable {
        multivalued::indexable(expr)
    }

    fn has_place(&self, partitioning: &Partitioning) -> Option<SqlExpr> {
        partitions::condition(partitioning)
    }

    fn expects(&self, changes: &[&Change], tables: Tables<'_>, is_empty: bool) -> Vec<Expected> {
        let words = |algorithm: &str, lock: Option<&str>| Expected {
            algorithm: algorithm.to_owned(),
            lock: lock.map(str::to_owned),
        };
        let Some(taken) = self.algorithm(changes, tables) else { return Vec::new() };
        if !self.flavour.partitions_assert && changes.iter().any(|change| partitions::stand_apart(change)) {
            return Vec::new();
        }
        let lock = self.flavour.locks_instants || taken.algorithm > Algorithm::Instant;
        let mut expects = vec![words(taken.algorithm.sql(), lock.then(|| taken.lock.sql()))];
        // A table takes so many instant changes and no more; the next one writes its rows anew, while everybody goes on.
        if taken.algorithm == Algorithm::Instant {
            expects.push(words(Algorithm::InPlace.sql(), Some(Lock::None.sql())));
        }
        if is_empty {
            expects.push(words("DEFAULT", Some("DEFAULT")));
        }
        expects
    }

    fn misread(&self, table: &Table, own: &str, shown: &str) -> Option<String> {
        let collation_of = |charset: &str| self.server.collation_of(self.flavour, charset);
        definition::Reading { table, collation_of: &collation_of }.difference(own, shown)
    }

    fn unread(&self, table: &Table, own: &str, shown: &str) -> Option<String> {
        let collation_of = |charset: &str| self.server.collation_of(self.flavour, charset);
        definition::Reading { table, collation_of: &collation_of }.unread(own, shown)
    }

    fn demands(&self, change: &Change, _: Tables<'_>) -> Vec<SqlExpr> {
        demands::demands(change)
    }

    fn canonical_expr(&self, expr: &SqlExpr, data_type: Option<&DataType>) -> Option<SqlExpr> {
        let read = data_type.map(|data_type| Type::read(&data_type.to_string()));
        defaults::canonical(expr.as_str(), read.as_ref(), self.flavour.words).map(SqlExpr)
    }

    fn meaning(&self, sql: &str) -> Vec<Token> {
        tokens::meaning(sql)
    }

    fn tokens(&self, sql: &str) -> Vec<Token> {
        tokens::tokens(sql)
    }
}
