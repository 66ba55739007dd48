//! The one hash of the project.

use std::hash::Hasher as _;

/// FNV-1a 64 of `bytes`. Stored values depend on it: it never changes.
///
/// ```
/// assert_eq!(trueup_schema::fnv1a64(b"foobar"), 0x8594_4171_f739_67e8);
/// ```
#[must_use]
pub fn fnv1a64(bytes: &[u8]) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
