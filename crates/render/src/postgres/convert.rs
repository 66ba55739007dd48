//! Which values survive a change of type, as conditions that cannot fail themselves.

use trueup_schema::{DataType, DialectId};

/// How to ask the rows about a conversion.
pub(super) enum Conversion {
    /// This condition is true of every value that does not survive.
    Violates(String),
    /// Only trying tells: the expression fails on a value that does not convert.
    Try(String),
}

/// How `value`, of type `from` where that is known, becomes `to`.
pub(super) fn conversion(value: &str, from: Option<&DataType>, to: &DataType) -> Conversion {
    let attempt = || Conversion::Try(format!("({value})::{}", to.sql(DialectId::Postgres)));
    let DataType::Builtin(words) = to else { return attempt() };
    let to = Words::of(words);
    let from = match from {
        Some(DataType::Builtin(words)) => Some(Words::of(words)),
        Some(DataType::Named(_)) | None => None,
    };
    if to.array || from.as_ref().is_some_and(|from| from.array) {
        return attempt();
    }
    let condition = match to.name.as_str() {
        "character varying" => to.first().map(|length| format!("length(({value})::text) > {length}")),
        "character" => {
            let length = to.first().unwrap_or(1);
            Some(format!("length(rtrim(({value})::text, ' ')) > {length}"))
        }
        _ => from.and_then(|from| between(value, &from, &to, words)),
    };
    condition.map_or_else(attempt, Conversion::Violates)
}

/// Conditions that need to know both types.
fn between(value: &str, from: &Words, to: &Words, target: &str) -> Option<String> {
    let integers = ["smallint", "integer", "bigint"];
    let numbers = ["numeric", "real", "double precision"];
    let name = from.name.as_str();
    match to.name.as_str() {
        "smallint" | "integer" | "bigint" => {
            let range = range_of(&to.name)?;
            if integers.contains(&name) {
                Some(format!("{value} NOT BETWEEN {range}"))
            } else if numbers.contains(&name) {
                Some(format!("{value} NOT BETWEEN {range} OR {value} <> trunc({value})"))
            } else {
                None
            }
        }
        "numeric" if integers.contains(&name) || numbers.contains(&name) => numeric(value, to),
        "timestamp without time zone"
        | "timestamp with time zone"
        | "time without time zone"
        | "time with time zone"
        | "interval"
            if from.name == to.name =>
        {
            Some(format!("{value} <> {value}::{target}"))
        }
        "date" if name == "timestamp without time zone" => Some(format!("{value} <> {value}::date")),
        "bit" if name == "bit" => Some(format!("length({value}) <> {}", to.first().unwrap_or(1))),
        "bit varying" if matches!(name, "bit" | "bit varying") => {
            to.first().map(|length| format!("length({value}) > {length}"))
        }
        _ => None,
    }
}

/// With more digits behind the point than it keeps, or more before it than it holds. NaN always fits, infinity never.
fn numeric(value: &str, to: &Words) -> Option<String> {
    let precision = to.first()?;
    let scale = to.parameters.get(1).copied().unwrap_or(0);
    let number = format!("({value})::numeric");
    let digits = precision - scale;
    Some(format!(
        "{number} <> 'NaN' AND (round({number}, {scale}) <> {number} OR abs(round({number}, {scale})) >= 10::numeric ^ ({digits}))"
    ))
}

fn range_of(name: &str) -> Option<&'static str> {
    match name {
        "smallint" => Some("-32768 AND 32767"),
        "integer" => Some("-2147483648 AND 2147483647"),
        "bigint" => Some("-9223372036854775808 AND 9223372036854775807"),
        _ => None,
    }
}

/// A type's words: `timestamp(3) without time zone` is `timestamp without time zone` with the parameter 3.
struct Words {
    name: String,
    parameters: Vec<i64>,
    array: bool,
}

impl Words {
    fn of(text: &str) -> Self {
        let array = text.ends_with("[]");
        let (name, parameters) = match (text.find('('), text.find(')')) {
            (Some(open), Some(close)) if open < close => {
                let parameters = text[open + 1..close].split(',').filter_map(|it| it.trim().parse().ok()).collect();
                (format!("{}{}", text[..open].trim_end(), &text[close + 1..]), parameters)
            }
            _ => (text.to_owned(), Vec::new()),
        };
        Self { name: name.trim().to_owned(), parameters, array }
    }

    fn first(&self) -> Option<i64> {
        self.parameters.first().copied()
    }
}
