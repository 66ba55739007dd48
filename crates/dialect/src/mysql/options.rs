//! Options of tables as the catalog lists them.

use trueup_schema::Parameters;

use super::literals::unquoted;
use super::tokens::tokens;
use crate::{Token, TokenKind};

/// The options in `CREATE_OPTIONS`, names in lower case, values without quotes. That a table has partitions is no option.
#[must_use]
pub fn create_options(text: &str) -> Vec<(String, String)> {
    let list = tokens(text);
    list.split(|token| token.kind == TokenKind::Space).filter_map(option).collect()
}

fn option(item: &[Token]) -> Option<(String, String)> {
    let equals = item.iter().position(|token| token.text == "=")?;
    let name: String = item[..equals].iter().map(|token| token.name().unwrap_or_default()).collect();
    let value = match &item[equals + 1..] {
        [one] if one.kind == TokenKind::Text => unquoted(&one.text)?,
        [one] if one.kind == TokenKind::QuotedName => one.name()?,
        rest => rest.iter().map(|token| token.text.as_str()).collect(),
    };
    Some((name.to_ascii_lowercase(), value))
}

/// Engines as the servers spell them.
const ENGINES: [&str; 11] = [
    "InnoDB",
    "MyISAM",
    "MEMORY",
    "Aria",
    "CSV",
    "ARCHIVE",
    "MRG_MyISAM",
    "BLACKHOLE",
    "FEDERATED",
    "CONNECT",
    "ROCKSDB",
];

/// The method of an index that names none, in lower case.
#[must_use]
pub const fn default_method(engine: &str) -> &'static str {
    if engine.eq_ignore_ascii_case("memory") { "hash" } else { "btree" }
}

/// Options that say no more than their absence.
const DEFAULTS: [(&str, &str); 9] = [
    ("row_format", "DEFAULT"),
    ("stats_persistent", "DEFAULT"),
    ("stats_auto_recalc", "DEFAULT"),
    ("pack_keys", "DEFAULT"),
    ("checksum", "0"),
    ("delay_key_write", "0"),
    ("key_block_size", "0"),
    ("stats_sample_pages", "0"),
    ("min_rows", "0"),
];

/// One spelling for the options of a table; what a new table has by itself is filled in or left out, as the catalog does.
pub(crate) fn canonical(parameters: &mut Parameters, engine: &str) {
    let given = std::mem::take(parameters);
    for (name, mut value) in given {
        let name = name.to_ascii_lowercase();
        if name == "row_format" {
            value.make_ascii_uppercase();
        }
        if name != "auto_increment" && !DEFAULTS.contains(&(name.as_str(), value.as_str())) {
            parameters.insert(name, value);
        }
    }
    let engine = parameters.remove("engine").unwrap_or_else(|| engine.to_owned());
    // An Aria table has it unsaid, and says it of itself once it was altered.
    let is_unsaid = engine.eq_ignore_ascii_case("aria") && parameters.get("page_checksum").is_some_and(|on| on == "1");
    if is_unsaid {
        parameters.remove("page_checksum");
    }
    let known = ENGINES.iter().find(|known| known.eq_ignore_ascii_case(&engine));
    parameters.insert("engine".to_owned(), known.map_or(engine, |known| (*known).to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_with_and_without_quotes() {
        let text = "row_format=DYNAMIC partitioned `page_compressed`=1 COMPRESSION=\"zlib\" KEY_BLOCK_SIZE=8 stats_persistent=0";
        let list: Vec<String> =
            create_options(text).into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
        assert_eq!(
            list,
            ["row_format:DYNAMIC", "page_compressed:1", "compression:zlib", "key_block_size:8", "stats_persistent:0"]
        );
    }
}
