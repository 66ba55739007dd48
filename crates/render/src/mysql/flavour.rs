//! What the two servers say differently.

use trueup_schema::{Column, DialectId, FkAction, SPELLED, Sequence, Table};

use super::words::{Rendered, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// One server's words where they are not both servers'.
#[derive(Debug)]
pub(crate) struct Flavour {
    /// The engine.
    pub(crate) id: DialectId,
    /// An index that is kept up but not used, and one that is used again.
    pub(crate) unused_index: [&'static str; 2],
    /// How a check is dropped.
    pub(crate) drop_check: &'static str,
    /// Whether a check can be there without being enforced.
    pub(crate) not_enforced: bool,
    /// What a foreign key does that says nothing.
    pub(crate) silent_action: FkAction,
    /// What stands in front of the number of a spatial reference system.
    pub(crate) srid: &'static str,
    /// Whether a routine can be replaced.
    pub(crate) replaces_routines: bool,
    /// How an attribute of a column is said that the server alone has; none if it has no such attribute.
    pub(crate) attribute: fn(name: &str, value: &str) -> Option<Attribute>,
    /// Clauses between the columns of a table, and behind them, for periods and system versioning.
    pub(crate) versioning: fn(&Table) -> Halves,
    /// Actions from one versioning to another, and those of a second ALTER.
    pub(crate) set_versioning: fn(before: &Table, after: &Table) -> Halves,
    /// Whether a table keeps its history, and lets itself be altered only by who says that history is altered along.
    pub(crate) is_versioned: fn(&Table) -> bool,
    /// Makes, changes or drops a sequence.
    pub(crate) sequence: fn(SequenceChange<'_>) -> Rendered,
}

/// Clauses that go to two places.
pub(crate) type Halves = Result<[Vec<Sql>; 2], RenderError>;

/// An attribute of a column, by its place.
#[derive(Debug)]
pub(crate) enum Attribute {
    /// Right behind the type.
    OfType(String),
    /// Instead of NOT NULL, default and the like.
    Whole(&'static str),
    /// Behind NOT NULL.
    Plain(&'static str),
}

/// What happens to a sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SequenceChange<'a> {
    /// It is made.
    Create(&'a Sequence),
    /// It gets other options.
    Alter(&'a Sequence, &'a Sequence),
    /// It goes.
    Drop(&'a Sequence),
}

impl SequenceChange<'_> {
    /// The sequence as it will be, or was.
    pub(crate) const fn sequence(&self) -> &Sequence {
        match self {
            Self::Create(it) | Self::Alter(_, it) | Self::Drop(it) => it,
        }
    }
}

/// MySQL's words.
pub(crate) static MYSQL: Flavour = Flavour {
    id: DialectId::MySql,
    unused_index: ["INVISIBLE", "VISIBLE"],
    drop_check: "DROP CHECK",
    not_enforced: true,
    silent_action: FkAction::NoAction,
    srid: "SRID ",
    replaces_routines: false,
    attribute: |name, value| match (name, value) {
        ("extra", "NOT SECONDARY") => Some(Attribute::Plain("NOT SECONDARY")),
        _ => None,
    },
    versioning: |table| no_versioning(table).map(|()| [Vec::new(), Vec::new()]),
    set_versioning: |_, after| no_versioning(after).map(|()| [Vec::new(), Vec::new()]),
    is_versioned: |_| false,
    sequence: |change| Err(unsupported(&MYSQL, &change.sequence().name, "there are no sequences")),
};

fn no_versioning(table: &Table) -> Result<(), RenderError> {
    match table.options.versioning {
        Some(_) => Err(unsupported(&MYSQL, &table.name, "there is no system versioning and there are no periods")),
        None => Ok(()),
    }
}

impl Flavour {
    /// The attributes that `column` has, beyond those of both servers.
    pub(super) fn attributes(&self, column: &Column) -> Result<Vec<Attribute>, RenderError> {
        const SHARED: [&str; 5] = ["charset", "invisible", "on_update", SPELLED, "srid"];
        let own = column.attributes.iter().filter(|(name, _)| !SHARED.contains(&name.as_str()));
        own.map(|(name, value)| {
            let unknown = || unsupported(self, format!("{}: {name}", column.name), "columns have no such attribute");
            (self.attribute)(name, value).ok_or_else(unknown)
        })
        .collect()
    }
}
