//! Character sets whose default collation moved.

/// The default changed to the newer rules of comparison in this version.
const UCA1400: [u32; 3] = [11, 5, 0];

/// The collation that a character set has by itself at `version`.
pub(super) fn own_collation(version: [u32; 3], charset: &str) -> Option<&'static str> {
    let newer = version >= UCA1400;
    match charset {
        "utf8mb4" if newer => Some("utf8mb4_uca1400_ai_ci"),
        "utf8mb3" if newer => Some("utf8mb3_uca1400_ai_ci"),
        "ucs2" if newer => Some("ucs2_uca1400_ai_ci"),
        "utf16" if newer => Some("utf16_uca1400_ai_ci"),
        "utf32" if newer => Some("utf32_uca1400_ai_ci"),
        "utf8mb4" => Some("utf8mb4_general_ci"),
        _ => None,
    }
}
