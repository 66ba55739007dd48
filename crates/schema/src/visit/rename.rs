//! Renames that every structured mention follows. SQL texts stay as they are.

use std::collections::BTreeSet;

use super::{Mention, PartKind};
use crate::{Ident, ObjectRef, PartId, QualName, Schema};

/// Why a rename is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// There is nothing of that name.
    #[error("{kind} `{object}` does not exist", kind = .0.kind(), object = .0)]
    Missing(Box<ObjectRef>),
    /// The new name is taken.
    #[error("{kind} `{object}` exists already", kind = .0.kind(), object = .0)]
    Taken(Box<ObjectRef>),
}

/// Refuses a rename of something that is not there or to a name that is.
fn check(exists: bool, from: ObjectRef, taken: bool, to: ObjectRef) -> Result<(), RenameError> {
    if !exists {
        return Err(RenameError::Missing(Box::new(from)));
    }
    if taken && from != to {
        return Err(RenameError::Taken(Box::new(to)));
    }
    Ok(())
}

fn replace<T: PartialEq + Clone>(name: &mut T, from: &T, to: &T) {
    if name == from {
        *name = to.clone();
    }
}

impl Schema {
    /// Renames a namespace and moves everything in it along.
    ///
    /// # Errors
    /// [`RenameError`] if nothing is called `from`, or something is in a namespace `to`.
    pub fn rename_namespace(&mut self, from: &Ident, to: &Ident) -> Result<(), RenameError> {
        let objects = self.object_refs();
        let uses = |name: &Ident| {
            self.namespaces.contains_key(name) || objects.iter().any(|object| object.namespace() == Some(name))
        };
        check(uses(from), ObjectRef::Namespace(from.clone()), uses(to), ObjectRef::Namespace(to.clone()))?;
        self.visit_names_mut(&mut |mention| match mention {
            Mention::Namespace(name) => replace(name, from, to),
            Mention::Relation(name)
            | Mention::Type(name)
            | Mention::Sequence(name)
            | Mention::Routine(name)
            | Mention::Index(name)
            | Mention::Outside(name) => {
                if let Some(namespace) = &mut name.namespace {
                    replace(namespace, from, to);
                }
            }
            Mention::Part { .. } => {}
        });
        Ok(())
    }

    /// Renames a table, its row type included. It may move to another namespace; what has a name of its own there (indexes, owned
    /// sequences) stays under its name.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such table, or a table or view is called `to`.
    pub fn rename_table(&mut self, from: &QualName, to: &QualName) -> Result<(), RenameError> {
        let taken = self.has_relation(to);
        let exists = self.tables.contains_key(from);
        check(exists, ObjectRef::Table(from.clone()), taken, ObjectRef::Table(to.clone()))?;
        self.rename_relation(from, to);
        Ok(())
    }

    /// Renames a view or materialized view.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such view, or a table or view is called `to`.
    pub fn rename_view(&mut self, from: &QualName, to: &QualName) -> Result<(), RenameError> {
        let taken = self.has_relation(to);
        let exists = self.views.contains_key(from);
        check(exists, ObjectRef::View(from.clone()), taken, ObjectRef::View(to.clone()))?;
        self.rename_relation(from, to);
        Ok(())
    }

    fn has_relation(&self, name: &QualName) -> bool {
        self.tables.contains_key(name) || self.views.contains_key(name)
    }

    fn rename_relation(&mut self, from: &QualName, to: &QualName) {
        self.visit_names_mut(&mut |mention| match mention {
            Mention::Relation(name) | Mention::Type(name) => replace(name, from, to),
            Mention::Namespace(_)
            | Mention::Sequence(_)
            | Mention::Routine(_)
            | Mention::Index(_)
            | Mention::Outside(_)
            | Mention::Part { .. } => {}
        });
    }

    /// Renames a type.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such type, or one is called `to`.
    pub fn rename_type(&mut self, from: &QualName, to: &QualName) -> Result<(), RenameError> {
        let taken = self.types.contains_key(to);
        let exists = self.types.contains_key(from);
        check(exists, ObjectRef::Type(from.clone()), taken, ObjectRef::Type(to.clone()))?;
        self.visit_names_mut(&mut |mention| {
            if let Mention::Type(name) = mention {
                replace(name, from, to);
            }
        });
        Ok(())
    }

    /// Renames a sequence.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such sequence, or one is called `to`.
    pub fn rename_sequence(&mut self, from: &QualName, to: &QualName) -> Result<(), RenameError> {
        let taken = self.sequences.contains_key(to);
        let exists = self.sequences.contains_key(from);
        check(exists, ObjectRef::Sequence(from.clone()), taken, ObjectRef::Sequence(to.clone()))?;
        self.visit_names_mut(&mut |mention| {
            if let Mention::Sequence(name) = mention {
                replace(name, from, to);
            }
        });
        Ok(())
    }

    /// Renames a column of a table, and with it the same column of its partitions and of tables that inherit from it.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such column, or one of these tables has a column `to`.
    pub fn rename_column(&mut self, table: &QualName, from: &Ident, to: &Ident) -> Result<(), RenameError> {
        let column =
            |table: &QualName, name: &Ident| ObjectRef::Column(PartId { table: table.clone(), name: name.clone() });
        let has =
            |table: &QualName, name: &Ident| self.tables.get(table).is_some_and(|each| each.column(name).is_some());
        let family = self.family(table);
        check(has(table, from), column(table, from), false, column(table, to))?;
        for member in &family {
            check(true, column(member, from), has(member, to), column(member, to))?;
        }
        self.rename_parts(PartKind::Column, &family, from, to);
        Ok(())
    }

    /// Renames an index of a table or materialized view.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such index, or one of that table is called `to`.
    pub fn rename_index(&mut self, table: &QualName, from: &Ident, to: &Ident) -> Result<(), RenameError> {
        let object = |name: &Ident| ObjectRef::Index(PartId { table: table.clone(), name: name.clone() });
        let objects = self.object_refs();
        check(objects.contains(&object(from)), object(from), objects.contains(&object(to)), object(to))?;
        self.rename_parts(PartKind::Index, &BTreeSet::from([table.clone()]), from, to);
        let (from, to) = (table.sibling(from.clone()), table.sibling(to.clone()));
        self.visit_names_mut(&mut |mention| {
            if let Mention::Index(name) = mention {
                replace(name, &from, &to);
            }
        });
        Ok(())
    }

    /// Renames a constraint of a table.
    ///
    /// # Errors
    /// [`RenameError`] if there is no such constraint, or one of that table is called `to`.
    pub fn rename_constraint(&mut self, table: &QualName, from: &Ident, to: &Ident) -> Result<(), RenameError> {
        let object = |name: &Ident| ObjectRef::Constraint(PartId { table: table.clone(), name: name.clone() });
        let has = |name: &Ident| self.tables.get(table).is_some_and(|each| each.constraint(name).is_some());
        check(has(from), object(from), has(to), object(to))?;
        self.rename_parts(PartKind::Constraint, &BTreeSet::from([table.clone()]), from, to);
        Ok(())
    }

    fn rename_parts(&mut self, what: PartKind, tables: &BTreeSet<QualName>, from: &Ident, to: &Ident) {
        self.visit_names_mut(&mut |mention| match mention {
            Mention::Part { kind, table, name } if kind == what && tables.contains(table) => replace(name, from, to),
            Mention::Part { .. }
            | Mention::Namespace(_)
            | Mention::Relation(_)
            | Mention::Type(_)
            | Mention::Sequence(_)
            | Mention::Routine(_)
            | Mention::Index(_)
            | Mention::Outside(_) => {}
        });
    }

    /// A table with everything that has its columns from it.
    fn family(&self, table: &QualName) -> BTreeSet<QualName> {
        let mut family = BTreeSet::from([table.clone()]);
        loop {
            let size = family.len();
            for each in self.tables.values() {
                let of_partitioned = each.partition_of.as_ref().is_some_and(|place| family.contains(&place.parent));
                if of_partitioned || each.inherits.iter().any(|parent| family.contains(parent)) {
                    family.insert(each.name.clone());
                }
            }
            if family.len() == size {
                return family;
            }
        }
    }
}

#[cfg(test)]
mod tests;
