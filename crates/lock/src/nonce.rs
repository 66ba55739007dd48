//! Ids that nobody has used before.

/// Sixteen random hexadecimal digits.
#[must_use]
pub fn nonce() -> String {
    format!("{:016x}", rand::random::<u64>())
}
