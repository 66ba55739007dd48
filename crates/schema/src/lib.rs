//! Schema values with their dependencies as data, checked identifiers and the builder.
//!
//! A [`Schema`] is plain data: what a person declared, or what a server said. It is compared only as a canonical snapshot
//! (crate `trueup-snapshot`). Names are [`Ident`]s: checked once, quoted in one place.
//!
//! Start at [`Schema`], then [`Table`]. Whoever writes a schema in Rust starts at [`Schema::build`]:
//!
//! ```
//! use trueup_schema::builder::{bigint, desc, named, now, text, timestamptz, varchar};
//! use trueup_schema::{DialectId, FkAction, Schema};
//!
//! let mut shop = Schema::build(DialectId::Postgres);
//! shop.default_namespace("shop");
//! shop.namespace("shop");
//! shop.enumeration("plan", ["free", "paid"]);
//!
//! let mut users = shop.table("users").comment("whoever signed up");
//! users.column("id", bigint()).identity_always().primary_key();
//! users.column("email", varchar(320)).not_null().unique().renamed_from("email_address");
//! users.column("plan", named("plan")).not_null().default("free").backfill("paid");
//!
//! let mut posts = shop.table("posts");
//! posts.column("id", bigint()).identity_always().primary_key();
//! posts.column("author", bigint()).not_null().references("users", "id", FkAction::Cascade);
//! posts.column("body", text()).not_null();
//! posts.column("written", timestamptz()).not_null().default(now());
//! posts.check("body <> ''").named("posts_body");
//! posts.index("posts_newest", [desc("written")]).predicate("author > 0");
//!
//! let schema = shop.finish()?;
//! assert_eq!(schema.tables.len(), 2);
//!
//! // A bad name never panics; every mistake comes back together.
//! let mut broken = Schema::build(DialectId::Sqlite);
//! broken.table("posts").column("", text()).references("nowhere", "id", FkAction::NoAction);
//! assert!(broken.finish().is_err());
//! # Ok::<(), trueup_schema::builder::BuildErrors>(())
//! ```

pub mod builder;
mod dialect_id;
mod expr;
mod hash;
mod ident;
mod object;
mod parameters;
mod routine;
mod schema;
mod spelling;
mod table;
mod types;
mod validate;
mod view;
mod visit;
mod wire;

pub use dialect_id::DialectId;
pub use expr::{DataType, Form, NamedType, SqlExpr};
pub use hash::fnv1a64;
pub use ident::{Ident, IdentError, PathError, QualName, split_path};
pub use object::{Common, Dependency, Grant, ObjectRef, OpaqueId, PartId, RoutineId, Strength};
pub use parameters::Parameters;
pub use routine::{Opaque, OpaquePart, Policy, Routine, RoutineKind, Trigger};
pub use schema::{Keyed, Schema};
pub use spelling::{KEY_BLOCK_SIZE, SPELLED, Spelling};
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
