//! Character sets and collations.

/// The character set of a collation by its full name.
#[must_use]
pub fn charset_of(collation: &str) -> &str {
    collation.split_once('_').map_or(collation, |(charset, _)| charset)
}
