//! Values that the server prints one way, whatever way they were written.

use trueup_schema::{DataType, SqlExpr};

use super::quoting::name_part;
use super::spelling::{self, spelled};
use super::tokens::tokens;
use crate::{Token, TokenKind};

/// The text as the server prints it where it is assigned to `data_type`. `None` where only the server knows.
pub(super) fn canonical(expr: &SqlExpr, data_type: Option<&DataType>) -> Option<SqlExpr> {
    let solid: Vec<Token> = tokens(expr.as_str()).into_iter().filter(Token::is_solid).collect();
    let text = constant(&solid, data_type).or_else(|| cast(&solid)).or_else(|| counter(&solid))?;
    Some(SqlExpr(text))
}

/// What is left of a default: one of NULL is none, unless the server cuts values of the type to a length, which it then does to NULL as
/// well. A domain keeps whatever is said.
pub(super) fn default(default: SqlExpr, data_type: &DataType) -> Option<SqlExpr> {
    let solid: Vec<Token> = tokens(default.as_str()).into_iter().filter(Token::is_solid).collect();
    let is_null = match solid.as_slice() {
        [word] => word.is_word("null"),
        [word, colons, ..] => word.is_word("null") && colons.text == "::",
        [] => false,
    };
    match data_type {
        DataType::Builtin(text) if is_null => {
            let target = spelled(text)?;
            (!target.parameters.is_empty()).then(|| SqlExpr(format!("NULL::{}", cast_name(&target.family()))))
        }
        DataType::Builtin(_) | DataType::Named(_) => Some(canonical(&default, Some(data_type)).unwrap_or(default)),
    }
}

fn constant(solid: &[Token], data_type: Option<&DataType>) -> Option<String> {
    match solid {
        [word] if word.kind == TokenKind::Word => keyword(&word.text.to_lowercase()),
        [number] if number.kind == TokenKind::Number => plain_number(&number.text),
        [minus, number] if minus.text == "-" && number.kind == TokenKind::Number => negative(&number.text),
        [text] if text.kind == TokenKind::Text => assigned(&text.text, data_type?),
        [function, open, close] if open.text == "(" && close.text == ")" && function.kind == TokenKind::Word => {
            call(&function.text.to_lowercase())
        }
        [open, inner @ .., close] if open.text == "(" && close.text == ")" && !inner.is_empty() => {
            // One value in parentheses is that value.
            inner.iter().all(|token| token.text != "(" && token.text != ")").then(|| constant(inner, data_type))?
        }
        _ => None,
    }
}

fn keyword(word: &str) -> Option<String> {
    Some(match word {
        "true" | "false" => word.to_owned(),
        "null" => "NULL".to_owned(),
        "current_timestamp" | "current_date" | "current_time" | "localtime" | "localtimestamp" | "current_user"
        | "session_user" | "current_role" | "user" | "current_catalog" | "current_schema" => word.to_uppercase(),
        _ => return None,
    })
}

/// Functions of the server without arguments, which it prints as they are.
fn call(function: &str) -> Option<String> {
    let known = [
        "now",
        "clock_timestamp",
        "statement_timestamp",
        "transaction_timestamp",
        "gen_random_uuid",
        "random",
        "uuidv7",
        "uuidv4",
        "pg_backend_pid",
        "txid_current",
        "pg_current_xact_id",
        "timeofday",
    ];
    known.contains(&function).then(|| format!("{function}()"))
}

/// Digits and one point, small enough to be what they look like.
fn plain_number(text: &str) -> Option<String> {
    let digits = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !digits || text.starts_with('.') || text.ends_with('.') {
        return None;
    }
    if text.contains('.') {
        return (!text.starts_with("00")).then(|| text.to_owned());
    }
    match text.parse::<i64>() {
        Ok(number) if i32::try_from(number).is_ok() => Some(number.to_string()),
        Ok(number) => Some(format!("'{number}'::bigint")),
        Err(_) => None,
    }
}

/// The sign belongs to the value, and the value then needs its type.
fn negative(text: &str) -> Option<String> {
    let number = plain_number(text)?;
    Some(match number.strip_suffix("::bigint") {
        Some(quoted) => format!("'-{}'::bigint", quoted.trim_matches('\'')),
        None if number.contains('.') => format!("'-{number}'::numeric"),
        None if number == "0" => "0".to_owned(),
        None => format!("'-{number}'::integer"),
    })
}

/// A literal that takes the type of its column.
fn assigned(literal: &str, data_type: &DataType) -> Option<String> {
    let value = plain_text(literal)?;
    let DataType::Builtin(text) = spelling::canonical(data_type) else { return None };
    let target = spelled(&text)?;
    if target.is_array {
        return (value == "{}").then(|| format!("'{{}}'::{}[]", cast_name(&target.family())));
    }
    typed(&value, &target.family())
}

/// A value of a type of the server. What the server may print otherwise than it was written is left to it.
fn typed(value: &str, family: &str) -> Option<String> {
    let quoted = value.replace('\'', "''");
    let quoted = format!("'{quoted}'");
    let same = match family {
        "text" | "character varying" | "character" | "bpchar" => true,
        "json" => true,
        "jsonb" => matches!(value, "{}" | "[]" | "null" | "true" | "false"),
        "uuid" => value.len() == 36 && value.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f' | '-')),
        "date" => is_date(value),
        "smallint" | "integer" | "bigint" => return whole(value, family),
        "boolean" => return matches!(value, "true" | "false").then(|| value.to_owned()),
        _ => false,
    };
    same.then(|| format!("{quoted}::{}", cast_name(family)))
}

fn whole(value: &str, family: &str) -> Option<String> {
    let number: i64 = value.parse().ok()?;
    let plain = number.to_string() == value;
    plain.then(|| if family == "integer" && number >= 0 { value.to_owned() } else { format!("'{value}'::{family}") })
}

/// `2020-01-31`, which every server prints alike.
fn is_date(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let number = |text: &str, length: usize| (text.len() == length).then(|| text.parse::<u32>().ok()).flatten();
    match parts.as_slice() {
        [year, month, day] => {
            let valid = |from: u32, to: u32, found: Option<u32>| found.is_some_and(|it| (from..=to).contains(&it));
            valid(1000, 9999, number(year, 4)) && valid(1, 12, number(month, 2)) && valid(1, 28, number(day, 2))
        }
        _ => false,
    }
}

/// What a constant of the type is labelled with.
fn cast_name(family: &str) -> &str {
    if family == "character" { "bpchar" } else { family }
}

/// The value of a plain literal.
fn plain_text(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace("''", "'"))
}

/// `'x'::text`, `CAST('x' AS text)`: a constant of that very type.
fn cast(solid: &[Token]) -> Option<String> {
    let (value, target) = match solid {
        [value, colons, target @ ..] if colons.text == "::" => (value, target),
        [cast, open, value, word, target @ .., close]
            if cast.is_word("cast") && open.text == "(" && word.is_word("as") && close.text == ")" =>
        {
            (value, target)
        }
        _ => return None,
    };
    let written: String = target.iter().map(|token| format!("{} ", token.text)).collect();
    let named = qualified(target);
    match (value.kind, named) {
        (TokenKind::Text, Some(named)) => {
            // An enum's label, a domain's value: as the server prints its own.
            plain_text(&value.text)?;
            Some(format!("{}::{named}", value.text))
        }
        (TokenKind::Text, None) => {
            let target = spelled(&written)?;
            let value = plain_text(&value.text)?;
            if target.is_array {
                return (value == "{}" && target.parameters.is_empty())
                    .then(|| format!("'{{}}'::{}[]", cast_name(&target.family())));
            }
            let known = spelled_alone(&target) && target.parameters.is_empty();
            known.then(|| typed(&value, &target.family()))?
        }
        (TokenKind::Word, None) if value.is_word("null") => {
            let target = spelled(&written)?;
            Some(format!("NULL::{}", cast_name(&target.text())))
        }
        (TokenKind::Number, None) => {
            let (number, target) = (plain_number(&value.text)?, spelled(&written)?);
            let fits = number == value.text && target.parameters.is_empty() && !target.is_array;
            let own = if number.contains('.') { "numeric" } else { "integer" };
            fits.then(|| if target.family() == own { number } else { format!("({number})::{}", target.family()) })
        }
        _ => None,
    }
}

/// A type without parameters whose constants keep their text.
fn spelled_alone(target: &super::spelling::Spelled) -> bool {
    !target.base.contains('"') && target.family() != "character"
}

/// A type with a namespace, as the server prints it.
fn qualified(target: &[Token]) -> Option<String> {
    let [namespace, dot, name] = target else { return None };
    (dot.text == "." && !namespace.is_word("pg_catalog")).then_some(())?;
    let folded = |token: &Token| {
        let name = token.name()?;
        Some(if token.kind == TokenKind::Word { name.to_lowercase() } else { name })
    };
    Some(format!("{}.{}", name_part(&folded(namespace)?), name_part(&folded(name)?)))
}

/// `nextval('shop.users_id_seq'::regclass)`, with a name that says its namespace.
fn counter(solid: &[Token]) -> Option<String> {
    let (function, name) = match solid {
        [function, open, name, close] if open.text == "(" && close.text == ")" => (function, name),
        [function, open, name, colons, class, close]
            if open.text == "(" && close.text == ")" && colons.text == "::" && class.is_word("regclass") =>
        {
            (function, name)
        }
        _ => return None,
    };
    let path = plain_text(&name.text)?;
    let parsed = trueup_schema::QualName::parse(&path).ok()?;
    let known = function.is_word("nextval") && parsed.namespace.is_some();
    known.then(|| format!("nextval('{}'::regclass)", path.replace('\'', "''")))
}

/// The default of a counting column.
pub(super) fn nextval(sequence: &trueup_schema::QualName) -> SqlExpr {
    let name = super::quoting::qualified(sequence).replace('\'', "''");
    SqlExpr(format!("nextval('{name}'::regclass)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, data_type: &str) -> Option<String> {
        canonical(&SqlExpr::new(text), Some(&DataType::builtin(data_type))).map(|expr| expr.0)
    }

    #[test]
    fn values_print_as_on_the_server() {
        for (declared, data_type, printed) in [
            ("5", "integer", "5"),
            ("05", "integer", "5"),
            ("-1", "integer", "'-1'::integer"),
            ("0.00", "numeric(10,2)", "0.00"),
            ("-1.5", "numeric", "'-1.5'::numeric"),
            ("3000000000", "bigint", "'3000000000'::bigint"),
            ("'5'", "integer", "5"),
            ("'5'", "bigint", "'5'::bigint"),
            ("'x'", "text", "'x'::text"),
            ("'it''s'", "varchar(20)", "'it''s'::character varying"),
            ("'x'", "char(3)", "'x'::bpchar"),
            ("('x')", "text", "'x'::text"),
            ("TRUE", "boolean", "true"),
            ("'{}'", "jsonb", "'{}'::jsonb"),
            ("'{}'", "text[]", "'{}'::text[]"),
            ("current_timestamp", "timestamptz", "CURRENT_TIMESTAMP"),
            ("NOW()", "timestamptz", "now()"),
            ("'x'::varchar", "varchar(9)", "'x'::character varying"),
            ("CAST('x' AS text)", "text", "'x'::text"),
            ("0::numeric", "numeric", "(0)::numeric"),
            ("'sad'::shop.mood", "text", "'sad'::shop.mood"),
            ("null", "text", "NULL"),
            ("nextval('s.q')", "bigint", "nextval('s.q'::regclass)"),
            ("'2020-01-28'", "date", "'2020-01-28'::date"),
        ] {
            assert_eq!(of(declared, data_type).as_deref(), Some(printed), "{declared}");
        }
    }

    #[test]
    fn the_servers_own_text_stays() {
        for (text, data_type) in [
            ("'x'::text", "text"),
            ("'x'::character varying", "character varying(20)"),
            ("5", "integer"),
            ("now()", "timestamp with time zone"),
            ("CURRENT_TIMESTAMP", "timestamp with time zone"),
            ("'{}'::text[]", "text[]"),
            ("nextval('shop.users_id_seq'::regclass)", "bigint"),
            ("'{}'::jsonb", "jsonb"),
        ] {
            assert_eq!(of(text, data_type).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_only_the_server_knows_is_left_to_it() {
        for (text, data_type) in [
            ("a + b", "integer"),
            ("'1 day'", "interval"),
            ("lower('X')", "text"),
            ("'1.50'", "numeric"),
            ("nextval('q')", "bigint"),
            ("'x'::varchar(3)", "text"),
            ("uuid_generate_v4()", "uuid"),
            // Not every month has it.
            ("'2020-01-31'", "date"),
        ] {
            assert_eq!(of(text, data_type), None, "{text}");
        }
    }
}
