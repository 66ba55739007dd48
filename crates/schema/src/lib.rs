//! Schema values with their dependencies as data, checked identifiers and the builder.
//!
//! A [`Schema`] is plain data: what a person declared, or what a server said. It is compared only as a canonical snapshot
//! (crate `trueup-snapshot`). Names are [`Ident`]s: checked once, quoted in one place.
//!
//! Start at [`Schema`], then [`Table`].

mod dialect_id;
mod expr;
mod ident;
mod object;
mod routine;
mod schema;
mod table;
mod types;
mod validate;
mod view;
mod visit;
mod wire;

pub use dialect_id::DialectId;
pub use expr::{DataType, Form, NamedType, SqlExpr};
pub use ident::{Ident, IdentError, PathError, QualName, split_path};
pub use object::{Common, Dependency, Grant, ObjectRef, OpaqueId, PartId, RoutineId, Strength};
pub use routine::{Opaque, Policy, Routine, RoutineKind, Trigger};
pub use schema::{Keyed, Schema};
pub use table::{
    Column, Constraint, ConstraintKind, Deferrable, FkAction, ForeignKey, Generated, Identity, Index, IndexKey,
    IndexPart, Key, PartitionOf, Partitioning, RowSecurity, Table, TableKind, TableOptions,
};
pub use types::{
    Attribute, Domain, DomainCheck, Extension, Namespace, RangeType, Sequence, SequenceOptions, UserType, UserTypeKind,
};
pub use validate::{Invalid, Problem, validate};
pub use view::{View, ViewColumn};
pub use visit::{ExprSite, ExprSlot, Mention, PartKind, RenameError};
