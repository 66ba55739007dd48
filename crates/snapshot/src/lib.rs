//! Canonical form of a schema, its document format and its fingerprints.
//!
//! A snapshot is what two schemas are compared as. The dialect brings the knowledge of how an engine
//! spells things by implementing [`Normalise`]; this crate fixes the order, the bytes and the hashes.

mod fingerprint;
mod normalise;

pub use fingerprint::{Fingerprint, FingerprintError, fnv1a64};
pub use normalise::Normalise;

mod provisional;
pub use provisional::Snapshot;
