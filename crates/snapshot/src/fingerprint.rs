//! FNV-1a 64 and the fingerprints made of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use trueup_schema::fnv1a64;

/// The algorithm and the revision of what is hashed. Another id never compares equal.
const ALGORITHM: &str = "fnv1a64-1";

/// The hash of canonical bytes. Written and stored with the id of its algorithm: `fnv1a64-1:85944171f73967e8`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(u64);

/// Why a stored text is not a fingerprint that this binary can compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FingerprintError {
    /// It was made by another algorithm, or over other bytes.
    #[error("fingerprint `{0}` was not made by `{ALGORITHM}`, the only algorithm that this binary knows")]
    Algorithm(String),
    /// It has not 16 lower-case hexadecimal digits.
    #[error("fingerprint `{0}` has not 16 lower-case hexadecimal digits")]
    Digits(String),
}

impl Fingerprint {
    /// The fingerprint of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(fnv1a64(bytes))
    }

    /// Its 16 hexadecimal digits, without the algorithm.
    #[must_use]
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }

    /// The hash as a number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}:{:016x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = FingerprintError;
    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let digits = text
            .strip_prefix(ALGORITHM)
            .and_then(|rest| rest.strip_prefix(':'))
            .ok_or_else(|| FingerprintError::Algorithm(text.to_owned()))?;
        let plain = digits.len() == 16 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !plain {
            return Err(FingerprintError::Digits(text.to_owned()));
        }
        u64::from_str_radix(digits, 16).map(Self).map_err(|_| FingerprintError::Digits(text.to_owned()))
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = FingerprintError;
    fn try_from(text: String) -> Result<Self, FingerprintError> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
            ("chongo was here!\n", 0x4681_0940_eff5_f915),
        ] {
            assert_eq!(fnv1a64(text.as_bytes()), hash, "{text:?}");
        }
    }

    #[test]
    fn a_fingerprint_survives_its_text() {
        let print = Fingerprint::of(b"");
        assert_eq!(print.to_string(), "fnv1a64-1:cbf29ce484222325");
        assert_eq!(print.hex(), "cbf29ce484222325");
        assert_eq!(print.to_string().parse(), Ok(print));
    }

    #[test]
    fn texts_of_another_algorithm_are_refused() {
        let refused = |text: &str| text.parse::<Fingerprint>().unwrap_err();
        assert!(matches!(refused("cbf29ce484222325"), FingerprintError::Algorithm(_)));
        assert!(matches!(refused("fnv1a64-2:cbf29ce484222325"), FingerprintError::Algorithm(_)));
        assert!(matches!(refused("fnv1a64-1:cbf29ce48422232"), FingerprintError::Digits(_)));
        assert!(matches!(refused("fnv1a64-1:+bf29ce484222325"), FingerprintError::Digits(_)));
        assert!(matches!(refused("fnv1a64-1:CBF29CE484222325"), FingerprintError::Digits(_)));
    }
}
