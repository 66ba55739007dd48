//! Character sets and collations.

/// The character set of a collation by its full name.
#[must_use]
pub fn charset_of(collation: &str) -> &str {
    collation.split_once('_').map_or(collation, |(charset, _)| charset)
}

/// The servers' own spelling: `utf8` is `utf8mb3`, names are in lower case.
pub(crate) fn canonical(name: &str) -> String {
    let name = name.trim_matches(['\'', '"', '`']).to_ascii_lowercase();
    match name.strip_prefix("utf8") {
        Some("") => "utf8mb3".to_owned(),
        Some(rest) if rest.starts_with('_') => format!("utf8mb3{rest}"),
        Some(_) | None => name,
    }
}

/// The collation that a character set has by itself, where every server of the family agrees.
pub(crate) fn shared_default(charset: &str) -> Option<&'static str> {
    Some(match charset {
        "latin1" => "latin1_swedish_ci",
        "utf8mb3" => "utf8mb3_general_ci",
        "ascii" => "ascii_general_ci",
        "binary" => "binary",
        "ucs2" => "ucs2_general_ci",
        "utf16" => "utf16_general_ci",
        "utf16le" => "utf16le_general_ci",
        "utf32" => "utf32_general_ci",
        "latin2" => "latin2_general_ci",
        "latin5" => "latin5_turkish_ci",
        "latin7" => "latin7_general_ci",
        "cp1250" => "cp1250_general_ci",
        "cp1251" => "cp1251_general_ci",
        "cp1256" => "cp1256_general_ci",
        "cp1257" => "cp1257_general_ci",
        "cp850" => "cp850_general_ci",
        "cp852" => "cp852_general_ci",
        "cp866" => "cp866_general_ci",
        "koi8r" => "koi8r_general_ci",
        "koi8u" => "koi8u_general_ci",
        "greek" => "greek_general_ci",
        "hebrew" => "hebrew_general_ci",
        "big5" => "big5_chinese_ci",
        "gbk" => "gbk_chinese_ci",
        "gb2312" => "gb2312_chinese_ci",
        "gb18030" => "gb18030_chinese_ci",
        "sjis" => "sjis_japanese_ci",
        "cp932" => "cp932_japanese_ci",
        "ujis" => "ujis_japanese_ci",
        "eucjpms" => "eucjpms_japanese_ci",
        "euckr" => "euckr_korean_ci",
        "tis620" => "tis620_thai_ci",
        _ => return None,
    })
}

/// Most bytes that a character takes.
pub(crate) fn bytes_per_char(charset: &str) -> u64 {
    match charset {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => 4,
        "utf8mb3" | "ujis" | "eucjpms" => 3,
        "ucs2" | "big5" | "gbk" | "gb2312" | "sjis" | "cp932" | "euckr" => 2,
        _ => 1,
    }
}

/// Whether every text in `small` is one in `big`, too.
pub(crate) fn is_superset(big: &str, small: &str) -> bool {
    match big {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030" => small != "binary",
        "utf8mb3" | "ucs2" => !matches!(small, "binary" | "utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030"),
        _ => small == "ascii" && big != "binary",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_has_one_name() {
        assert_eq!(canonical("UTF8"), "utf8mb3");
        assert_eq!(canonical("utf8_bin"), "utf8mb3_bin");
        assert_eq!(canonical("utf8mb4_bin"), "utf8mb4_bin");
        assert_eq!(charset_of("utf8mb4_uca1400_ai_ci"), "utf8mb4");
        assert_eq!(charset_of("binary"), "binary");
    }
}
