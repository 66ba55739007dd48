//! Indexes over every element of a JSON array, which the server refuses to make where an element is of another type.

use super::literals::quoted;
use super::tokens::tokens;
use crate::{Indexable, Token};
use trueup_schema::SqlExpr;

/// What rows must hold for an index over `expr`.
pub(super) fn indexable(expr: &SqlExpr) -> Indexable {
    let list = tokens(expr.as_str());
    let Some((value, element)) = cast_to_array(&list) else { return Indexable::Always };
    match items(&element) {
        Some(items) => {
            let schema = format!(r#"{{"anyOf":[{{"type":"array","items":{items}}},{items}]}}"#);
            Indexable::If(SqlExpr::new(format!("json_schema_valid({}, {value})", quoted(&schema))))
        }
        None => Indexable::Unknown,
    }
}

/// The value and the words of the type in `cast(value as type array)`, where the whole is that.
fn cast_to_array(list: &[Token]) -> Option<(String, Vec<&Token>)> {
    let solid: Vec<usize> = (0..list.len()).filter(|at| list[*at].is_solid()).collect();
    let [cast, open, .., array, close] = solid.as_slice() else { return None };
    let is_cast = list[*cast].is_word("CAST") && list[*open].text == "(" && list[*close].text == ")";
    if !is_cast || !list[*array].is_word("ARRAY") {
        return None;
    }
    let mut depth = 0_usize;
    let mut word = None;
    for (at, token) in list.iter().enumerate().take(*array).skip(open + 1) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ if depth == 0 && token.is_word("AS") => word = Some(at),
            _ => {}
        }
    }
    let word = word?;
    let value: String = list[open + 1..word].iter().map(|token| token.text.as_str()).collect();
    let element = list[word + 1..*array].iter().filter(|token| token.is_solid()).collect();
    Some((value.trim().to_owned(), element))
}

/// The JSON schema of elements that surely fit; narrower than what the server takes, which reads numbers in texts as well.
fn items(element: &[&Token]) -> Option<String> {
    let [first, rest @ ..] = element else { return None };
    let length = rest.iter().find_map(|token| token.text.parse::<u32>().ok());
    if first.is_word("UNSIGNED") {
        Some(format!(r#"{{"type":"integer","minimum":0,"maximum":{}}}"#, u64::MAX))
    } else if first.is_word("SIGNED") {
        Some(format!(r#"{{"type":"integer","minimum":{},"maximum":{}}}"#, i64::MIN, i64::MAX))
    } else if first.is_word("CHAR") {
        let length = length?;
        // Another character set may not have every character.
        rest.iter()
            .all(|token| matches!(token.text.as_str(), "(" | ")") || token.text.parse::<u32>().is_ok())
            .then(|| format!(r#"{{"type":"string","maxLength":{length}}}"#))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        match indexable(&SqlExpr::new(text)) {
            Indexable::Always => "always".to_owned(),
            Indexable::If(condition) => condition.as_str().to_owned(),
            Indexable::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn elements_must_fit_the_type() {
        assert_eq!(words("lower(`a`)"), "always");
        assert_eq!(words("cast(`a` as unsigned)"), "always");
        assert_eq!(
            words("cast(json_extract(`a`,_utf8mb4'$ as x') as char(3) array)"),
            r#"json_schema_valid('{"anyOf":[{"type":"array","items":{"type":"string","maxLength":3}},{"type":"string","maxLength":3}]}', json_extract(`a`,_utf8mb4'$ as x'))"#
        );
        assert!(words("cast(`a` as unsigned array)").contains(r#""minimum":0"#));
        assert!(words("CAST(`a` AS signed ARRAY)").contains("-9223372036854775808"));
        assert_eq!(words("cast(`a` as date array)"), "unknown");
        assert_eq!(words("cast(`a` as char(3) charset latin1 array)"), "unknown");
    }
}
