//! What is the same for every engine.

/// The format of the control tables that this binary writes. A higher one is refused.
pub(crate) const FORMAT: i64 = 1;
