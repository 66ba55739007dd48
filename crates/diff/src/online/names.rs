//! Names of what is there for the time of a run only.

use trueup_schema::{Constraint, ConstraintKind, Ident, IdentError, Index, QualName, Table};
use trueup_snapshot::fnv1a64;

use crate::graph::key_columns;

const PREFIX: &str = "trueup_online_";

/// The name of what stands in for `name` of `table`, of those that `is_taken` says are not.
pub(super) fn temporary(
    table: &QualName,
    name: &Ident,
    is_taken: impl Fn(&Ident) -> bool,
) -> Result<Ident, IdentError> {
    let mut salt = String::new();
    loop {
        let aside = Ident::new(format!("{PREFIX}{:016x}", fnv1a64(format!("{table}\n{name}{salt}").as_bytes())))?;
        if !is_taken(&aside) {
            return Ok(aside);
        }
        salt.push('+');
    }
}

/// Whether something of this name was made for the time of a run, and is left of one that was cut off.
pub(crate) fn is_own_name(name: &Ident) -> bool {
    name.as_str().strip_prefix(PREFIX).is_some_and(|hash| {
        hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

/// Whether a live index that `declared` lacks was built for it by a run that was cut off: under a name for the time, or for a key that
/// was to take it over.
pub(crate) fn is_leftover(index: &Index, declared: &[Constraint]) -> bool {
    let becomes = |constraint: &Constraint| {
        constraint.name.as_ref() == Some(&index.name)
            && matches!(&constraint.kind, ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key)
                if key_columns(&key.columns) == key_columns(&index.parts))
    };
    is_own_name(&index.name) || (index.unique && index.predicate.is_none() && declared.iter().any(becomes))
}

/// The index that a key can take over.
pub(super) fn index_of(constraint: &Constraint, key: &trueup_schema::Key, name: Ident) -> Index {
    let mut index = Index::new(name, key.columns.clone());
    index.unique = true;
    index.include.clone_from(&key.include);
    index.nulls_not_distinct = key.nulls_not_distinct;
    index.parameters.clone_from(&constraint.parameters);
    index
}

/// Whether something of a table has the name.
pub(super) fn holds(table: &Table, name: &Ident) -> bool {
    table.index(name).is_some() || table.constraint(name).is_some()
}
