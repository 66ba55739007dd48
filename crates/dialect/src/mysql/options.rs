//! Options of tables as the catalog lists them.

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
