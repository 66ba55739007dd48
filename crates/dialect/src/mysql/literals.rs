//! Strings as SQL.

/// `text` as a string in single quotes, the way the servers print it.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut sql = String::with_capacity(text.len() + 2);
    sql.push('\'');
    for c in text.chars() {
        match c {
            '\\' => sql.push_str("\\\\"),
            '\0' => sql.push_str("\\0"),
            '\n' => sql.push_str("\\n"),
            '\r' => sql.push_str("\\r"),
            '\'' => sql.push_str("''"),
            other => sql.push(other),
        }
    }
    sql.push('\'');
    sql
}

/// The text that a string in quotes stands for; `None` if it is no such string.
#[must_use]
pub fn unquoted(sql: &str) -> Option<String> {
    let quote = sql.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = sql.get(1..)?.strip_suffix(quote)?;
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.next()? {
                '0' => text.push('\0'),
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'b' => text.push('\x08'),
                'Z' => text.push('\x1a'),
                other => text.push(other),
            }
        } else if c == quote {
            chars.next().filter(|next| *next == quote)?;
            text.push(quote);
        } else {
            text.push(c);
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_a_round_trip() {
        for text in ["", "it's", "a\\b", "new\nline\r\0", "ä😀\"", "%_"] {
            assert_eq!(unquoted(&quoted(text)).as_deref(), Some(text));
        }
        assert_eq!(unquoted("\"a\"\"b\\'c\"").as_deref(), Some("a\"b'c"));
        assert_eq!(unquoted("'a'b'"), None);
        assert_eq!(unquoted("5"), None);
    }
}
