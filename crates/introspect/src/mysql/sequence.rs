//! MariaDB's sequences, as SHOW CREATE SEQUENCE prints them.

use trueup_dialect::{Token, mysql};
use trueup_schema::SequenceOptions;

/// The options in the text, those left out that the server would choose by itself.
pub(super) fn options(shown: &str) -> Option<SequenceOptions> {
    let list: Vec<Token> = mysql::tokens(shown).into_iter().filter(Token::is_solid).collect();
    let number = |word: &str| {
        let at = list.iter().position(|token| token.is_word(word))? + 1;
        let at = at + usize::from(list.get(at).is_some_and(|token| token.is_word("WITH") || token.is_word("BY")));
        let (sign, at) = if list.get(at)?.text == "-" { ("-", at + 1) } else { ("", at) };
        format!("{sign}{}", list.get(at)?.text).parse::<i64>().ok()
    };
    let increment = number("INCREMENT")?;
    let data_type = data_type(&list);
    let (low, high) = bounds(data_type.as_deref(), increment > 0);
    let (min, max, start) = (number("MINVALUE"), number("MAXVALUE"), number("START"));
    let first = if increment > 0 { min } else { max };
    Some(SequenceOptions {
        data_type,
        start: start.filter(|_| start != first),
        increment: Some(increment).filter(|by| *by != 1),
        min: min.filter(|value| *value != low),
        max: max.filter(|value| *value != high),
        cache: if list.iter().any(|token| token.is_word("NOCACHE")) {
            Some(0)
        } else {
            number("CACHE").filter(|size| *size != 1000)
        },
        cycle: list.iter().any(|token| token.is_word("CYCLE")),
    })
}

/// The type that follows AS, where it is not the default.
fn data_type(list: &[Token]) -> Option<String> {
    let from = list.iter().position(|token| token.is_word("AS"))? + 1;
    let end = list[from..].iter().position(|token| token.is_word("START"))?;
    let mut text = String::new();
    for token in &list[from..from + end] {
        if token.is_word("UNSIGNED") {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    let words = text.split_once('(').map_or(text.clone(), |(name, rest)| {
        let after = rest.split_once(')').map(|(_, after)| after).unwrap_or_default();
        format!("{name}{after}")
    });
    Some(words).filter(|words| words != "bigint")
}

/// Least and greatest value by default. The type's own extremes are kept for "exhausted".
fn bounds(data_type: Option<&str>, ascending: bool) -> (i64, i64) {
    let (low, high): (i64, i64) = match data_type {
        Some("tinyint") => (-127, 126),
        Some("tinyint unsigned") => (1, 254),
        Some("smallint") => (-32_767, 32_766),
        Some("smallint unsigned") => (1, 65_534),
        Some("mediumint") => (-8_388_607, 8_388_606),
        Some("mediumint unsigned") => (1, 16_777_214),
        Some("int") => (-2_147_483_647, 2_147_483_646),
        Some("int unsigned") => (1, 4_294_967_294),
        _ => (-9_223_372_036_854_775_807, 9_223_372_036_854_775_806),
    };
    if ascending { (1, high) } else { (low.min(-1), -1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_chooses_is_left_out() {
        let plain = "CREATE SEQUENCE `s` start with 1 minvalue 1 maxvalue 9223372036854775806 increment by 1 cache 1000 nocycle ENGINE=InnoDB";
        assert_eq!(options(plain), Some(SequenceOptions::default()));
        let odd = "CREATE SEQUENCE `s` as int(11) start with 5 minvalue -7 maxvalue 100 increment by -2 cache 10 cycle ENGINE=InnoDB";
        let odd = options(odd).unwrap();
        assert_eq!(
            (odd.start, odd.min, odd.max, odd.increment, odd.cache),
            (Some(5), Some(-7), Some(100), Some(-2), Some(10))
        );
        assert!(odd.cycle);
        let uncached =
            "CREATE SEQUENCE `s` start with 1 minvalue 1 maxvalue 9 increment by 1 nocache nocycle ENGINE=InnoDB";
        assert_eq!(options(uncached).unwrap().cache, Some(0));
        assert_eq!(odd.data_type.as_deref(), Some("int"));
    }
}
