//! What can be observed of an operation's effect.

use serde::{Deserialize, Serialize};
use trueup_schema::{
    Attribute, Column, Constraint, Ident, Index, ObjectRef, PartId, PartitionOf, QualName, RowSecurity, SqlExpr,
};

use crate::{ColumnPosition, Object};

/// A statement about a schema, as data. Evaluated by [`crate::Predicate::holds`] on an observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicate {
    /// Looking at the schema cannot tell: a backfill, a swap of names.
    Undecidable,
    /// All of them hold.
    All(Vec<Self>),
    /// At least one of them holds.
    Any(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// The object is there, whatever it looks like.
    Present(ObjectRef),
    /// The object is defined like this: every hashed property, parts of a table that were not folded into it left aside.
    Object(Box<Object>),
    /// The column looks like this in the given respects.
    Column {
        /// Its table.
        table: QualName,
        /// The column.
        column: Box<Column>,
        /// What to compare.
        aspects: Vec<ColumnAspect>,
    },
    /// The table has this constraint, by name or, where it has none, by definition.
    Constraint {
        /// Its table.
        table: QualName,
        /// The constraint.
        constraint: Box<Constraint>,
    },
    /// The table has this index.
    Index {
        /// Its table or materialized view.
        table: QualName,
        /// The index.
        index: Box<Index>,
    },
    /// The comment on the object is this.
    Comment {
        /// On what.
        on: ObjectRef,
        /// The text.
        text: Option<String>,
    },
    /// The object's privileges are these.
    Grants {
        /// On what.
        on: ObjectRef,
        /// The privileges.
        grants: Option<Vec<trueup_schema::Grant>>,
    },
    /// The enum has this label.
    EnumValue {
        /// The enum.
        name: QualName,
        /// The label.
        value: String,
    },
    /// The domain is like this in one respect.
    Domain {
        /// The domain.
        name: QualName,
        /// The respect.
        state: DomainState,
    },
    /// The composite type has this attribute with this type.
    Attribute {
        /// The type.
        name: QualName,
        /// The attribute.
        attribute: Box<Attribute>,
    },
    /// The sequence belongs to this column, or to none.
    SequenceOwner {
        /// The sequence.
        name: QualName,
        /// The column.
        owner: Option<PartId>,
    },
    /// The object belongs to this role.
    Owner {
        /// What.
        on: ObjectRef,
        /// The role; `None` where owners are not read.
        owner: Option<Ident>,
    },
    /// The table has this place under a partitioned table, or none.
    PartitionOf {
        /// The table.
        table: QualName,
        /// Parent and bound.
        place: Option<PartitionOf>,
    },
    /// Row security of the table is switched like this.
    RowSecurity {
        /// The table.
        table: QualName,
        /// The switches.
        value: RowSecurity,
    },
    /// The column stands here in its table.
    Position {
        /// Its table.
        table: QualName,
        /// The column.
        column: Ident,
        /// Where.
        position: ColumnPosition,
    },
}

/// One respect of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainState {
    /// Its default.
    Default(Option<SqlExpr>),
    /// Whether it refuses NULL.
    NotNull(bool),
    /// It has a check of this name; `validated` says whether every value was seen.
    Check {
        /// The check.
        name: Ident,
        /// Whether every value was seen, where that is asked.
        validated: Option<bool>,
    },
}

/// Respects in which a column is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnAspect {
    /// Type and collation.
    Type,
    /// Default.
    Default,
    /// NOT NULL.
    NotNull,
    /// Identity or auto increment.
    Identity,
    /// Generation expression.
    Generated,
    /// Other attributes.
    Attributes,
}
