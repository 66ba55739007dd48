//! How a table is spelled out where that means nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{Constraint, ConstraintKind, Ident, Index, Parameters, Table};

/// What a definition says although it goes without saying, and a server remembers that it was said (MySQL, MariaDB): only its own
/// definition of the table tells. Two tables that differ in nothing else hold the same rows under the same rules, and hash alike.
///
/// In a [`Table`] it is kept with the parts, by the names in [`SPELLED`] and [`KEY_BLOCK_SIZE`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spelling {
    /// Columns whose character set is written out.
    pub columns: BTreeSet<Ident>,
    /// What is written out of the primary key.
    pub primary_key: BTreeMap<String, String>,
    /// What is written out of indexes.
    pub indexes: BTreeMap<Ident, BTreeMap<String, String>>,
}

/// Among the parameters of an index or key: the method that is written out. Among the attributes of a column: `charset`.
pub const SPELLED: &str = "spelled";

/// Among the parameters of an index or key: a size that some engines use, and all remember.
pub const KEY_BLOCK_SIZE: &str = "key_block_size";

/// The word for a column's character set.
const CHARSET: &str = "charset";

impl Spelling {
    /// Whether nothing is written out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.primary_key.is_empty() && self.indexes.is_empty()
    }
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.columns.iter().try_for_each(|name| writeln!(f, "column {name}"))?;
        self.primary_key.iter().try_for_each(|(name, value)| writeln!(f, "primary key {name} {value}"))?;
        for (index, said) in &self.indexes {
            said.iter().try_for_each(|(name, value)| writeln!(f, "index {index} {name} {value}"))?;
        }
        Ok(())
    }
}

impl Table {
    /// What is written out, as far as it was read.
    #[must_use]
    pub fn spelling(&self) -> Spelling {
        let said = |parameters: &Parameters| {
            let said = parameters.iter().filter(|(name, _)| is_spelling(name));
            said.map(|(name, value)| (name.clone(), value.clone())).collect::<BTreeMap<_, _>>()
        };
        let key = self.constraints.iter().find(|each| matches!(each.kind, ConstraintKind::PrimaryKey(_)));
        let columns = self.columns.iter().filter(|column| column.attributes.contains_key(SPELLED));
        let indexes = self.indexes.iter().map(|index| (index.name.clone(), said(&index.parameters)));
        Spelling {
            columns: columns.map(|column| column.name.clone()).collect(),
            primary_key: key.map(|key| said(&key.parameters)).unwrap_or_default(),
            indexes: indexes.filter(|(_, said)| !said.is_empty()).collect(),
        }
    }

    /// Has it spelled out like this and no further.
    pub fn spell(&mut self, spelling: &Spelling) {
        for column in &mut self.columns {
            column.attributes.remove(SPELLED);
            if spelling.columns.contains(&column.name) {
                column.attributes.insert(SPELLED.to_owned(), CHARSET.to_owned());
            }
        }
        for constraint in &mut self.constraints {
            if matches!(constraint.kind, ConstraintKind::PrimaryKey(_)) {
                constraint.spell(Some(&spelling.primary_key));
            }
        }
        for index in &mut self.indexes {
            index.spell(spelling.indexes.get(&index.name));
        }
    }
}

impl Index {
    /// Has it spelled out like this and no further.
    pub fn spell(&mut self, said: Option<&BTreeMap<String, String>>) {
        say(&mut self.parameters, said);
    }

    /// Whether both differ in how they are spelled out.
    #[must_use]
    pub fn is_respelled(&self, other: &Self) -> bool {
        says_else(&self.parameters, &other.parameters)
    }
}

impl Constraint {
    /// Has it spelled out like this and no further.
    pub fn spell(&mut self, said: Option<&BTreeMap<String, String>>) {
        say(&mut self.parameters, said);
    }

    /// Whether both differ in how they are spelled out.
    #[must_use]
    pub fn is_respelled(&self, other: &Self) -> bool {
        says_else(&self.parameters, &other.parameters)
    }
}

fn is_spelling(name: &str) -> bool {
    matches!(name, SPELLED | KEY_BLOCK_SIZE)
}

fn says_else(one: &Parameters, other: &Parameters) -> bool {
    [SPELLED, KEY_BLOCK_SIZE].iter().any(|name| one.get(name) != other.get(name))
}

fn say(parameters: &mut Parameters, said: Option<&BTreeMap<String, String>>) {
    parameters.retain(|name, _| !is_spelling(name));
    parameters.extend(said.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
}
