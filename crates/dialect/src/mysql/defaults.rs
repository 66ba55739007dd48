//! Defaults as the server prints them.

use super::literals::{quoted, unquoted};
use super::tokens::tokens;
use super::types::Type;
use crate::{Token, TokenKind};

/// How a server spells defaults.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    /// What it calls the current time.
    pub(crate) now: &'static str,
    /// Every word for it that is printed as that one.
    pub(crate) nows: &'static [&'static str],
    /// What follows that word where there is no precision.
    pub(crate) now_end: &'static str,
    /// Puts a number into the form in which it stands as a default.
    pub(crate) number: fn(&str) -> String,
}

/// MySQL's own: numbers are printed as texts.
pub(crate) const WORDS: Words = Words {
    now: "CURRENT_TIMESTAMP",
    nows: &["CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"],
    now_end: "",
    number: quoted,
};

/// The default as the server prints it, where that needs no server. `None` for what only a server can tell.
pub(crate) fn canonical(sql: &str, of: Option<&Type>, words: Words) -> Option<String> {
    let list: Vec<Token> = tokens(sql).into_iter().filter(Token::is_solid).collect();
    if let Some(now) = now(&list, words) {
        return Some(now);
    }
    let (sign, rest) = match list.split_first()? {
        (first, rest) if matches!(first.text.as_str(), "-" | "+") => (first.text.trim_start_matches('+'), rest),
        _ => ("", list.as_slice()),
    };
    let [one] = rest else { return None };
    match one.kind {
        TokenKind::Word if sign.is_empty() => match one.text.to_ascii_uppercase().as_str() {
            "NULL" => Some("NULL".to_owned()),
            "TRUE" => value("1", of, words),
            "FALSE" => value("0", of, words),
            _ => None,
        },
        TokenKind::Number if !one.text.starts_with("0x") && !one.text.starts_with("0b") => {
            value(&format!("{sign}{}", one.text), of, words)
        }
        TokenKind::Text if sign.is_empty() => text(&one.text, of, words),
        TokenKind::Number
        | TokenKind::Text
        | TokenKind::Word
        | TokenKind::QuotedName
        | TokenKind::Parameter
        | TokenKind::Symbol
        | TokenKind::Space
        | TokenKind::Comment => None,
    }
}

/// The current time in any of its spellings.
pub(crate) fn now(list: &[Token], words: Words) -> Option<String> {
    let (first, rest) = list.split_first()?;
    let is_now = words.nows.iter().any(|word| first.is_word(word));
    let texts: Vec<&str> = rest.iter().map(|token| token.text.as_str()).collect();
    match texts.as_slice() {
        _ if !is_now => None,
        [] | ["(", ")"] | ["(", "0", ")"] => Some(format!("{}{}", words.now, words.now_end)),
        ["(", digits, ")"] if digits.parse::<u8>().is_ok() => Some(format!("{}({digits})", words.now)),
        _ => None,
    }
}

fn text(sql: &str, of: Option<&Type>, words: Words) -> Option<String> {
    if sql.starts_with(['x', 'X', 'n', 'N']) {
        return None;
    }
    if let Some(bits) = sql.strip_prefix(['b', 'B']) {
        return bits_of(bits.trim_matches('\''));
    }
    value(&unquoted(sql)?, of, words)
}

fn bits_of(digits: &str) -> Option<String> {
    let short = digits.trim_start_matches('0');
    digits.chars().all(|c| matches!(c, '0' | '1')).then(|| format!("b'{}'", if short.is_empty() { "0" } else { short }))
}

/// A constant as the default of a column of type `of`.
fn value(text: &str, of: Option<&Type>, words: Words) -> Option<String> {
    let Some(of) = of else { return Some(quoted(text)) };
    match of.name.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => {
            let number = whole(text)?;
            let width =
                of.length().filter(|_| of.zerofill).and_then(|width| usize::try_from(width).ok()).unwrap_or_default();
            Some((words.number)(&format!("{number:0>width$}")))
        }
        "decimal" => {
            let scale = of.args.get(1).and_then(|scale| scale.parse().ok()).unwrap_or_default();
            Some((words.number)(&fixed(text, scale)?))
        }
        "float" | "double" if of.args.is_empty() => {
            // Small whole numbers are printed alike everywhere; others are the server's business.
            let number = whole(text).filter(|digits| digits.len() < 7)?;
            Some((words.number)(&number))
        }
        "bit" => text.parse::<u64>().ok().map(|number| format!("b'{number:b}'")),
        "datetime" | "timestamp" => moment(text, of.length().unwrap_or_default()).map(|text| quoted(&text)),
        "char" | "varchar" | "enum" | "set" | "date" | "tinytext" | "text" | "mediumtext" | "longtext" | "json"
        | "uuid" => Some(quoted(text)),
        _ => None,
    }
}

/// A whole number without a plus sign, leading zeros or a fraction of zeros.
fn whole(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let is_number =
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) && fraction.chars().all(|c| c == '0');
    let short = digits.trim_start_matches('0');
    is_number.then(|| if short.is_empty() { "0".to_owned() } else { format!("{sign}{short}") })
}

/// A number with exactly `scale` digits behind the point; none where that would cut some off.
fn fixed(text: &str, scale: usize) -> Option<String> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number = match integer {
        "" | "-" => "0".to_owned(),
        other => whole(other)?,
    };
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > scale || !fraction.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let sign = if integer.starts_with('-') && number == "0" && !fraction.is_empty() { "-" } else { "" };
    Some(if scale == 0 { number } else { format!("{sign}{number}.{fraction:0<scale$}") })
}

/// A date, or date and time, in full.
fn moment(text: &str, precision: u64) -> Option<String> {
    let (date, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    let is_like = |text: &str, like: &str| {
        text.len() == like.len()
            && text.chars().zip(like.chars()).all(|(c, l)| if l == '0' { c.is_ascii_digit() } else { c == l })
    };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let precision = usize::try_from(precision).ok()?;
    let fraction = fraction.trim_end_matches('0');
    if !is_like(date, "0000-00-00") || !is_like(clock, "00:00:00") || fraction.len() > precision {
        return None;
    }
    Some(if precision == 0 { format!("{date} {clock}") } else { format!("{date} {clock}.{fraction:0<precision$}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_become_what_the_server_prints() {
        const BARE: Words = Words { now: "current_timestamp", now_end: "()", number: str::to_owned, ..WORDS };
        for (given, of, quoted, bare) in [
            ("5", "int", "'5'", "5"),
            ("'05'", "int", "'5'", "5"),
            ("+5.0", "int", "'5'", "5"),
            ("-1", "int", "'-1'", "-1"),
            ("7", "int(5) zerofill", "'00007'", "00007"),
            ("TRUE", "bool", "'1'", "1"),
            ("1.5", "decimal(10,2)", "'1.50'", "1.50"),
            ("-.5", "decimal(10,2)", "'-0.50'", "-0.50"),
            ("0", "decimal(10,0)", "'0'", "0"),
            ("1", "double", "'1'", "1"),
            ("\"it's\"", "varchar(9)", "'it''s'", "'it''s'"),
            ("5", "varchar(9)", "'5'", "'5'"),
            ("b'0101'", "bit(4)", "b'101'", "b'101'"),
            ("5", "bit(4)", "b'101'", "b'101'"),
            ("now()", "datetime", "CURRENT_TIMESTAMP", "current_timestamp()"),
            ("CURRENT_TIMESTAMP(3)", "datetime(3)", "CURRENT_TIMESTAMP(3)", "current_timestamp(3)"),
            ("LocalTime", "timestamp", "CURRENT_TIMESTAMP", "current_timestamp()"),
            ("'2020-01-01'", "datetime(3)", "'2020-01-01 00:00:00.000'", "'2020-01-01 00:00:00.000'"),
            ("null", "int", "NULL", "NULL"),
        ] {
            let of = Type::read(of);
            assert_eq!(canonical(given, Some(&of), WORDS).as_deref(), Some(quoted), "{given}");
            assert_eq!(canonical(given, Some(&of), BARE).as_deref(), Some(bare), "{given}");
            assert_eq!(canonical(quoted, Some(&of), WORDS).as_deref(), Some(quoted), "{given}");
            assert_eq!(canonical(bare, Some(&of), BARE).as_deref(), Some(bare), "{given}");
        }
        for (given, of) in [
            ("(1 + 2)", "int"),
            ("uuid()", "char(36)"),
            ("x'00'", "binary(1)"),
            ("1.5e3", "float"),
            ("1.005", "decimal(5,2)"),
        ] {
            assert_eq!(canonical(given, Some(&Type::read(of)), WORDS), None, "{given}");
        }
    }
}
