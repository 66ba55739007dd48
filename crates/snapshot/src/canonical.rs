//! The bytes of an object that are hashed.
//!
//! They are the compact JSON of the object with everything taken out that says nothing about what it is: dependencies, source
//! texts, hints, state, names that the engine made up, whatever follows from another field. A new field that is left out of
//! JSON when it has its default keeps every fingerprint.

use serde::Serialize;
use serde_json::Error;
use trueup_schema::{
    Column, Common, Constraint, Extension, Index, Namespace, Opaque, Policy, Routine, Sequence, Spelling, SqlExpr,
    Table, TableKind, Trigger, UserType, UserTypeKind, View,
};

use crate::Normalise;

/// An object in canonical bytes.
pub(crate) trait Canonical {
    fn canonical(&self, rules: &dyn Normalise) -> Result<Vec<u8>, Error>;
}

fn bytes(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value)
}

fn strip(common: &mut Common) {
    common.depends_on.clear();
    common.renamed_from = None;
}

impl Canonical for Namespace {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        object.options.sort();
        bytes(&object)
    }
}

impl Canonical for Extension {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        bytes(&object)
    }
}

impl Canonical for UserType {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        if let UserTypeKind::Domain(domain) = &mut object.kind {
            for check in &mut domain.checks {
                check.depends_on.clear();
            }
        }
        bytes(&object)
    }
}

impl Canonical for Sequence {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        bytes(&object)
    }
}

impl Canonical for Table {
    /// The table with its columns and constraints; its indexes are objects of their own.
    fn canonical(&self, rules: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = Self {
            name: self.name.clone(),
            kind: self.kind.clone(),
            columns: self.columns.clone(),
            constraints: self.constraints.clone(),
            indexes: Vec::new(),
            options: self.options.clone(),
            inherits: self.inherits.clone(),
            partitioning: self.partitioning.clone(),
            partition_of: self.partition_of.clone(),
            row_security: self.row_security,
            spelled: false,
            common: self.common.clone(),
            source: None,
        };
        strip(&mut object.common);
        object.spell(&Spelling::default());
        object.options.parameters.remove("auto_increment");
        object.options.parameters.sort();
        if let TableKind::Foreign { options, .. } = &mut object.kind {
            options.sort();
        }
        object.columns.iter_mut().for_each(strip_column);
        if !rules.hashes_column_order() {
            object.columns.sort_by(|a, b| a.name.cmp(&b.name));
        }
        for constraint in &mut object.constraints {
            if rules.is_generated(self, constraint) {
                constraint.name = None;
            }
            strip_constraint(constraint);
        }
        let mut keyed = Vec::new();
        for constraint in std::mem::take(&mut object.constraints) {
            keyed.push((bytes(&constraint)?, constraint));
        }
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        object.constraints = keyed.into_iter().map(|(_, constraint)| constraint).collect();
        bytes(&object)
    }
}

fn strip_column(column: &mut Column) {
    column.depends_on.clear();
    column.source = None;
    column.renamed_from = None;
    column.using = None;
    column.backfill = None;
    column.attributes.sort();
}

fn strip_constraint(constraint: &mut Constraint) {
    constraint.depends_on.clear();
    constraint.source = None;
    constraint.parameters.sort();
}

impl Canonical for Index {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        object.depends_on.clear();
        object.source = None;
        object.renamed_from = None;
        object.spell(None);
        object.parameters.sort();
        bytes(&object)
    }
}

impl Canonical for View {
    /// The view without its indexes, its state and the types of its columns, which follow from the query.
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        object.source = None;
        object.indexes.clear();
        object.populated = true;
        for column in &mut object.columns {
            column.data_type.clear();
        }
        object.options.sort();
        bytes(&object)
    }
}

impl Canonical for Routine {
    /// The routine without what follows from its definition.
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        object.signature.clear();
        object.tracked = false;
        object.settings.sort();
        bytes(&object)
    }
}

impl Canonical for Trigger {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        object.depends_on.clear();
        object.source = None;
        object.settings.sort();
        bytes(&object)
    }
}

impl Canonical for Policy {
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        object.depends_on.clear();
        bytes(&object)
    }
}

impl Canonical for Opaque {
    /// The object without the statements that drop it and its parts, the target of its comment and the roles, which follow from the rest.
    fn canonical(&self, _: &dyn Normalise) -> Result<Vec<u8>, Error> {
        let mut object = self.clone();
        strip(&mut object.common);
        object.drop = SqlExpr::new("");
        object.comment_target = None;
        object.roles.clear();
        object.parts.iter_mut().for_each(|part| part.unset = SqlExpr::new(""));
        bytes(&object)
    }
}
