//! Canonical form of a schema, its document format and its fingerprints.
