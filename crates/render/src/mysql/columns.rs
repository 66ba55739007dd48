//! What an ALTER does to columns: which are added, moved, renamed or said anew, and where they go.

use std::collections::{BTreeMap, BTreeSet};

use trueup_schema::{Ident, Table};

use super::column;
use super::flavour::Flavour;
use super::words::unsupported;
use crate::RenderError;
use crate::sql::Sql;

/// Columns by what happens to them, all by the names that they will have.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) added: BTreeSet<Ident>,
    pub(super) moved: BTreeSet<Ident>,
    pub(super) restated: BTreeSet<Ident>,
    /// The old name of each.
    pub(super) renamed: BTreeMap<Ident, Ident>,
}

impl Columns {
    /// One action a column, in the order of the table: a place is behind a column that has its own by then.
    pub(super) fn actions(&self, flavour: &Flavour, after: &Table) -> Result<Vec<Sql>, RenderError> {
        let mut actions = Vec::new();
        let named = self.added.iter().chain(&self.moved).chain(&self.restated).chain(self.renamed.keys());
        if let Some(missing) = named.clone().find(|name| after.column(name).is_none()) {
            return Err(unsupported(flavour, missing, "the step's table has no such column"));
        }
        for (at, it) in after.columns.iter().enumerate() {
            let place = || match at.checked_sub(1).and_then(|at| after.columns.get(at)) {
                Some(previous) => Sql::new("AFTER").name(&previous.name),
                None => Sql::new("FIRST"),
            };
            let is_moved = self.moved.contains(&it.name);
            let with_place = |sql: Sql, placed: bool| if placed { sql.then(place()) } else { sql };
            if self.added.contains(&it.name) {
                let is_last = after.columns[at..].iter().all(|each| self.added.contains(&each.name));
                let sql = Sql::new("ADD COLUMN").then(column::definition(flavour, after, it)?);
                actions.push(with_place(sql, !is_last));
            } else if is_moved || self.restated.contains(&it.name) {
                let head = match self.renamed.get(&it.name) {
                    Some(old) => Sql::new("CHANGE COLUMN").name(old),
                    None => Sql::new("MODIFY COLUMN"),
                };
                actions.push(with_place(head.then(column::definition(flavour, after, it)?), is_moved));
            } else if let Some(old) = self.renamed.get(&it.name) {
                actions.push(Sql::new("RENAME COLUMN").name(old).words("TO").name(&it.name));
            }
        }
        Ok(actions)
    }
}
