//! Builders of constraints.

use super::ToIdent;
use super::name::Shared;
use crate::{Constraint, ConstraintKind, Deferrable, Dependency, FkAction, ForeignKey, Key, ObjectRef};

/// What every constraint may carry.
macro_rules! constraint_methods {
    () => {
        /// Its name. Without one the engine's rule gives it.
        pub fn named(self, name: impl ToIdent) -> Self {
            let name = self.shared.ident(name, || self.place.clone());
            self.constraint.name = Some(name);
            self
        }

        /// When it is checked.
        pub fn deferrable(self, when: Deferrable) -> Self {
            self.constraint.deferrable = when;
            self
        }

        /// Does not look at the rows that are there (NOT VALID).
        pub fn not_validated(self) -> Self {
            self.constraint.validated = false;
            self
        }

        /// Its comment.
        pub fn comment(self, text: impl Into<String>) -> Self {
            self.constraint.comment = Some(text.into());
            self
        }

        /// Says that it needs `object`, which its SQL text mentions.
        pub fn depends_on(self, object: ObjectRef) -> Self {
            self.constraint.depends_on.push(Dependency::hard(object));
            self
        }
    };
}

/// Goes on with a key or check.
#[derive(Debug)]
pub struct ConstraintBuilder<'b> {
    constraint: &'b mut Constraint,
    shared: &'b mut Shared,
    place: String,
}

impl<'b> ConstraintBuilder<'b> {
    pub(super) const fn new(constraint: &'b mut Constraint, shared: &'b mut Shared, place: String) -> Self {
        Self { constraint, shared, place }
    }

    constraint_methods!();

    fn key(&mut self) -> Option<&mut Key> {
        match &mut self.constraint.kind {
            ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => Some(key),
            ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) | ConstraintKind::Exclude { .. } => None,
        }
    }

    /// Lets NULL equal NULL in a unique key. A check knows nothing of it.
    pub fn nulls_not_distinct(mut self) -> Self {
        if let Some(key) = self.key() {
            key.nulls_not_distinct = true;
        }
        self
    }

    /// Columns that the key's index stores without their being keys. A check knows nothing of it.
    pub fn include<N: ToIdent>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        for column in columns {
            let name = self.shared.ident(column, || self.place.clone());
            if let Some(key) = self.key() {
                key.include.push(name);
            }
        }
        self
    }
}

/// Goes on with a foreign key.
#[derive(Debug)]
pub struct ForeignKeyBuilder<'b> {
    constraint: &'b mut Constraint,
    shared: &'b mut Shared,
    place: String,
}

impl<'b> ForeignKeyBuilder<'b> {
    pub(super) const fn new(constraint: &'b mut Constraint, shared: &'b mut Shared, place: String) -> Self {
        Self { constraint, shared, place }
    }

    constraint_methods!();

    fn change(self, change: impl FnOnce(&mut ForeignKey)) -> Self {
        match &mut self.constraint.kind {
            ConstraintKind::ForeignKey(key) => change(key),
            ConstraintKind::PrimaryKey(_)
            | ConstraintKind::Unique(_)
            | ConstraintKind::Check { .. }
            | ConstraintKind::Exclude { .. } => {}
        }
        self
    }

    /// What happens to its rows when the referenced row goes.
    pub fn on_delete(self, action: FkAction) -> Self {
        self.change(|key| key.on_delete = action)
    }

    /// What happens to its rows when the referenced key changes.
    pub fn on_update(self, action: FkAction) -> Self {
        self.change(|key| key.on_update = action)
    }

    /// Wants all of its columns NULL or none (MATCH FULL).
    pub fn match_full(self) -> Self {
        self.change(|key| key.match_type = Some("FULL".to_owned()))
    }
}
