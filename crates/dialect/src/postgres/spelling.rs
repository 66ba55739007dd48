//! Types in the server's own spelling.

use trueup_schema::{DataType, NamedType};

use super::tokens::tokens;
use crate::{Token, TokenKind};

/// A type of the server, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelled {
    /// The words, those behind the parameters left out: `timestamp`, `character varying`.
    pub(super) base: String,
    /// The parameters as numbers, where they are.
    pub(super) parameters: Vec<String>,
    /// The words behind the parameters: `with time zone`.
    pub(super) suffix: String,
    pub(super) is_array: bool,
}

impl Spelled {
    /// The type without parameters, as casts are known by: `timestamp with time zone`.
    pub(super) fn family(&self) -> String {
        if self.suffix.is_empty() { self.base.clone() } else { format!("{} {}", self.base, self.suffix) }
    }

    /// The parameter at `at`, if it is a number.
    pub(super) fn number(&self, at: usize) -> Option<i64> {
        self.parameters.get(at)?.parse().ok()
    }

    /// The whole type.
    pub(super) fn text(&self) -> String {
        let mut text = self.base.clone();
        if !self.parameters.is_empty() {
            // The fields of an interval come before its precision, everything else has its parameters without a blank.
            text = format!("{text}({})", self.parameters.join(","));
        }
        if !self.suffix.is_empty() {
            text = format!("{text} {}", self.suffix);
        }
        if self.is_array {
            text.push_str("[]");
        }
        text
    }
}

/// Takes a type apart, in the server's spelling. `None` for what is not understood, which then stays as it is.
pub(super) fn spelled(text: &str) -> Option<Spelled> {
    let solid: Vec<Token> = tokens(text).into_iter().filter(Token::is_solid).collect();
    let mut words = Vec::new();
    let (mut parameters, mut is_array) = (Vec::new(), false);
    let mut rest = solid.as_slice();
    while let [first, after @ ..] = rest {
        match first.kind {
            TokenKind::Word if first.is_word("array") => {
                is_array = true;
                rest = after;
            }
            TokenKind::Word => {
                words.push((first.text.to_lowercase(), !parameters.is_empty()));
                rest = after;
            }
            TokenKind::QuotedName => {
                words.push((first.text.clone(), false));
                rest = after;
            }
            TokenKind::Symbol if first.text == "(" && parameters.is_empty() => {
                let close = after.iter().position(|token| token.text == ")")?;
                let inner: String = after[..close].iter().map(|token| token.text.as_str()).collect();
                parameters = inner.split(',').map(str::to_owned).collect();
                rest = &after[close + 1..];
            }
            TokenKind::Symbol if first.text == "[" => {
                is_array = true;
                let close = after.iter().position(|token| token.text == "]")?;
                rest = &after[close + 1..];
            }
            // The server's own namespace says nothing.
            TokenKind::Symbol if first.text == "." && words.last().is_some_and(|(word, _)| word == "pg_catalog") => {
                words.pop();
                rest = after;
            }
            TokenKind::Symbol
            | TokenKind::Text
            | TokenKind::Number
            | TokenKind::Parameter
            | TokenKind::Space
            | TokenKind::Comment => return None,
        }
    }
    let before: Vec<&str> = words.iter().filter(|(_, behind)| !behind).map(|(word, _)| word.as_str()).collect();
    let behind: Vec<&str> = words.iter().filter(|(_, behind)| *behind).map(|(word, _)| word.as_str()).collect();
    (!before.is_empty()).then(|| named(&before.join(" "), &behind.join(" "), parameters, is_array))
}

/// Gives a type its proper name.
fn named(base: &str, suffix: &str, parameters: Vec<String>, is_array: bool) -> Spelled {
    let own = |base: &str, suffix: &str, parameters: Vec<String>| Spelled {
        base: base.to_owned(),
        parameters,
        suffix: suffix.to_owned(),
        is_array,
    };
    match (base, suffix) {
        ("int" | "int4" | "integer", "") => own("integer", "", parameters),
        ("int8", "") => own("bigint", "", parameters),
        ("int2", "") => own("smallint", "", parameters),
        ("bool", "") => own("boolean", "", parameters),
        ("float4", "") => own("real", "", parameters),
        ("float8", "") => own("double precision", "", parameters),
        ("float", "") => {
            let digits: u32 = parameters.first().and_then(|text| text.parse().ok()).unwrap_or(53);
            own(if digits <= 24 { "real" } else { "double precision" }, "", Vec::new())
        }
        ("decimal" | "dec" | "numeric", "") => {
            let mut parameters = parameters;
            if parameters.len() == 1 {
                parameters.push("0".to_owned());
            }
            own("numeric", "", parameters)
        }
        ("varchar" | "char varying" | "character varying" | "national character varying" | "nchar varying", "") => {
            own("character varying", "", parameters)
        }
        ("char" | "character" | "nchar" | "national character" | "national char", "") => {
            own("character", "", if parameters.is_empty() { vec!["1".to_owned()] } else { parameters })
        }
        ("bpchar", "") if !parameters.is_empty() => own("character", "", parameters),
        ("varbit", "") => own("bit varying", "", parameters),
        ("bit", "") => own("bit", "", if parameters.is_empty() { vec!["1".to_owned()] } else { parameters }),
        ("timestamptz" | "timestamp with time zone", "") | ("timestamp", "with time zone") => {
            own("timestamp", "with time zone", parameters)
        }
        ("timestamp" | "timestamp without time zone", "") | ("timestamp", "without time zone") => {
            own("timestamp", "without time zone", parameters)
        }
        ("timetz" | "time with time zone", "") | ("time", "with time zone") => {
            own("time", "with time zone", parameters)
        }
        ("time" | "time without time zone", "") | ("time", "without time zone") => {
            own("time", "without time zone", parameters)
        }
        _ => own(base, suffix, parameters),
    }
}

/// The type as the server prints it.
pub(super) fn canonical(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Builtin(text) => spelled(text).map_or_else(|| data_type.clone(), |it| DataType::Builtin(it.text())),
        DataType::Named(NamedType { name, modifiers, dimensions }) => {
            if name.namespace.as_ref().is_some_and(|namespace| namespace.as_str() == "pg_catalog") {
                let text = format!("{}{modifiers}", name.name.path_part());
                let array = if *dimensions > 0 { "[]" } else { "" };
                return canonical(&DataType::Builtin(format!("{text}{array}")));
            }
            // However many dimensions are declared, the server keeps that it is an array.
            let modifiers = modifiers.split_whitespace().collect::<Vec<_>>().join("");
            DataType::Named(NamedType { name: name.clone(), modifiers, dimensions: (*dimensions).min(1) })
        }
    }
}

/// What the pseudo-type of a counting column stands for.
pub(super) fn serial(data_type: &DataType) -> Option<&'static str> {
    let DataType::Builtin(text) = data_type else { return None };
    match text.trim().to_lowercase().as_str() {
        "smallserial" | "serial2" => Some("smallint"),
        "serial" | "serial4" => Some("integer"),
        "bigserial" | "serial8" => Some("bigint"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_as_the_server_does() {
        for (declared, printed) in [
            ("int", "integer"),
            ("INT4", "integer"),
            ("int8", "bigint"),
            ("varchar(20)", "character varying(20)"),
            ("varchar", "character varying"),
            ("char", "character(1)"),
            ("\"char\"", "\"char\""),
            ("bpchar", "bpchar"),
            ("char(3)", "character(3)"),
            ("decimal(10, 2)", "numeric(10,2)"),
            ("numeric(5)", "numeric(5,0)"),
            ("numeric", "numeric"),
            ("timestamptz", "timestamp with time zone"),
            ("timestamptz(3)", "timestamp(3) with time zone"),
            ("timestamp (3)  with time zone", "timestamp(3) with time zone"),
            ("timestamp", "timestamp without time zone"),
            ("timestamp without time zone", "timestamp without time zone"),
            ("time(0)", "time(0) without time zone"),
            ("timetz", "time with time zone"),
            ("float", "double precision"),
            ("float(10)", "real"),
            ("double precision", "double precision"),
            ("bool", "boolean"),
            ("varbit(8)", "bit varying(8)"),
            ("bit", "bit(1)"),
            ("int[3][3]", "integer[]"),
            ("text array", "text[]"),
            ("varchar(5)[]", "character varying(5)[]"),
            ("pg_catalog.int4", "integer"),
            ("interval", "interval"),
            ("interval day to second (3)", "interval day to second(3)"),
            ("jsonb", "jsonb"),
            ("name", "name"),
        ] {
            let DataType::Builtin(found) = canonical(&DataType::builtin(declared)) else { panic!("{declared}") };
            assert_eq!(found, printed, "{declared}");
            assert_eq!(canonical(&DataType::builtin(printed)), DataType::builtin(printed), "{printed}");
        }
    }

    #[test]
    fn counting_columns_have_a_type_of_their_own() {
        assert_eq!(serial(&DataType::builtin("BIGSERIAL")), Some("bigint"));
        assert_eq!(serial(&DataType::builtin("bigint")), None);
    }
}
