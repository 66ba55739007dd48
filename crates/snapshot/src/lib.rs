//! Canonical form of a schema, its document format and its fingerprints.
//!
//! A [`Snapshot`] is what two schemas are compared as. The dialect brings the knowledge of how an engine spells things by
//! implementing [`Normalise`]; this crate fixes the order, the bytes and the hashes.

mod canonical;
mod document;
mod error;
mod fingerprint;
mod normalise;
mod order;
mod snapshot;

pub use document::{Document, DocumentError, DocumentFormat, Position};
pub use error::SnapshotError;
pub use fingerprint::{Fingerprint, FingerprintError};
pub use normalise::Normalise;
pub use snapshot::Snapshot;
pub use trueup_schema::fnv1a64;
