//! Which values would not survive another type.
//!
//! The servers refuse in strict mode what does not fit at all; what they would round or cut without a word is asked here as well.

use trueup_dialect::{Token, TokenKind, mysql};
use trueup_schema::DataType;

use super::words::literal;

/// A condition that is true of every value that would be refused, or would come out as another one. `None` where the server refuses
/// whatever does not fit, and nothing more can be asked beforehand.
pub(super) fn violation(value: &str, from: &DataType, to: &DataType) -> Option<String> {
    let (from, to) = (Type::read(from), Type::read(to));
    match to.name.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" => Some(integer(value, &from, &to)),
        "decimal" | "numeric" | "dec" | "fixed" => Some(decimal(value, &from, &to)),
        "float" | "double" | "real" => from.is_text().then(|| format!("NOT {}", is_number(value))),
        "char" | "varchar" => to.length.map(|length| format!("CHAR_LENGTH(CAST({value} AS CHAR)) > {length}")),
        "binary" | "varbinary" => to.length.map(|length| format!("LENGTH({value}) > {length}")),
        "tinytext" | "tinyblob" => Some(format!("LENGTH({value}) > 255")),
        "text" | "blob" => Some(format!("LENGTH({value}) > 65535")),
        "mediumtext" | "mediumblob" => Some(format!("LENGTH({value}) > 16777215")),
        "date" => Some(moment(value, &from, "DATE")),
        "datetime" => Some(moment(value, &from, &with_digits("DATETIME", &to))),
        "time" => Some(moment(value, &from, &with_digits("TIME", &to))),
        "timestamp" => Some(format!(
            "{} OR CAST({value} AS DATETIME(6)) NOT BETWEEN '1970-01-01 00:00:01' AND '2038-01-19 03:14:07.999999'",
            moment(value, &from, &with_digits("DATETIME", &to))
        )),
        "year" => Some(format!("NOT ({value} = 0 OR {value} BETWEEN 1901 AND 2155)")),
        "bit" => Some(format!("CAST({value} AS UNSIGNED) >> {} > 0", to.length.unwrap_or(1).min(63))),
        "json" => (from.name != "json").then(|| format!("NOT JSON_VALID({value})")),
        "uuid" | "inet4" | "inet6" => Some(format!("({value} IS NOT NULL AND CAST({value} AS {}) IS NULL)", to.name)),
        "point" | "linestring" | "polygon" | "multipoint" | "multilinestring" | "multipolygon" => {
            Some(format!("ST_GeometryType({value}) <> '{}'", to.name.to_ascii_uppercase()))
        }
        "enum" => Some(format!("CAST({value} AS CHAR) NOT IN ({})", members(&to))),
        "set" if from.name == "set" => {
            let gone: Vec<String> = from
                .members
                .iter()
                .filter(|member| !to.members.contains(member))
                .map(|member| format!("FIND_IN_SET({}, {value}) > 0", literal(member)))
                .collect();
            (!gone.is_empty()).then(|| gone.join(" OR "))
        }
        _ => None,
    }
}

/// A type, as far as conversions depend on it.
struct Type {
    name: String,
    length: Option<u64>,
    scale: u64,
    unsigned: bool,
    members: Vec<String>,
}

impl Type {
    fn read(data_type: &DataType) -> Self {
        let list: Vec<Token> = mysql::tokens(&data_type.to_string()).into_iter().filter(Token::is_solid).collect();
        let mut numbers =
            list.iter().filter(|token| token.kind == TokenKind::Number).map(|token| token.text.parse().ok());
        Self {
            name: list.first().map(|token| token.text.to_ascii_lowercase()).unwrap_or_default(),
            length: numbers.next().flatten(),
            scale: numbers.next().flatten().unwrap_or_default(),
            unsigned: list.iter().any(|token| token.is_word("UNSIGNED") || token.is_word("ZEROFILL")),
            members: list.iter().filter_map(|token| mysql::unquoted(&token.text)).collect(),
        }
    }

    fn is_text(&self) -> bool {
        self.name.contains("char") || self.name.ends_with("text") || self.name == "enum" || self.name == "set"
    }
}

fn members(of: &Type) -> String {
    of.members.iter().map(|member| literal(member)).collect::<Vec<_>>().join(", ")
}

fn is_number(value: &str) -> String {
    format!("({value} REGEXP '^[ ]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ ]*$')")
}

fn integer(value: &str, from: &Type, to: &Type) -> String {
    let bits = match to.name.as_str() {
        "tinyint" => 8,
        "smallint" => 16,
        "mediumint" => 24,
        "bigint" => 64,
        _ => 32,
    };
    let (low, high): (i128, i128) =
        if to.unsigned { (0, (1 << bits) - 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) };
    let range = |value: &str| format!("{value} NOT BETWEEN {low} AND {high}");
    if from.is_text() {
        let number = format!("CAST({value} AS DECIMAL(65, 20))");
        return format!("NOT {} OR {} OR {number} <> ROUND({number})", is_number(value), range(&number));
    }
    match from.name.as_str() {
        "decimal" | "numeric" | "dec" | "fixed" | "float" | "double" | "real" => {
            format!("{} OR {value} <> ROUND({value})", range(value))
        }
        "bit" => range(&format!("CAST({value} AS UNSIGNED)")),
        _ => range(value),
    }
}

fn decimal(value: &str, from: &Type, to: &Type) -> String {
    let cast = |value: &str| format!("CAST({value} AS DECIMAL({}, {}))", to.length.unwrap_or(10), to.scale);
    let sign = if to.unsigned { format!(" OR {value} < 0") } else { String::new() };
    if from.is_text() {
        let number = format!("CAST({value} AS DECIMAL(65, 30))");
        return format!("NOT {} OR {} <> {number}{sign}", is_number(value), cast(value));
    }
    format!("{} <> {value}{sign}", cast(value))
}

fn with_digits(name: &str, to: &Type) -> String {
    to.length.map_or_else(|| name.to_owned(), |digits| format!("{name}({digits})"))
}

/// A text must be a moment; a moment must keep its parts.
fn moment(value: &str, from: &Type, to: &str) -> String {
    let unreadable = format!("({value} IS NOT NULL AND CAST({value} AS {to}) IS NULL)");
    if from.is_text() { unreadable } else { format!("{unreadable} OR CAST({value} AS {to}) <> {value}") }
}
