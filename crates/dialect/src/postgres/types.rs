//! What becomes of values under another type.

use trueup_plan::{CastContext, LiveFacts};
use trueup_schema::{Column, DataType, DialectId, SqlExpr};

use super::spelling::{Spelled, spelled};
use crate::TypeChange;

const KEEPS: TypeChange = TypeChange::Keeps { rewrite: false };
const WRITES: TypeChange = TypeChange::Keeps { rewrite: true };
const ASKS: TypeChange = TypeChange::Guarded { rewrite: true };

/// What becomes of the column's values.
pub(super) fn type_change(before: &Column, after: &Column, using: Option<&SqlExpr>, facts: &LiveFacts) -> TypeChange {
    // Generated values are computed anew.
    if after.generated.is_some() && before.generated.is_some() {
        return if before.data_type == after.data_type { KEEPS } else { WRITES };
    }
    if using.is_some() {
        return ASKS;
    }
    if before.data_type == after.data_type {
        return KEEPS;
    }
    match (&before.data_type, &after.data_type) {
        (DataType::Builtin(from), DataType::Builtin(to)) => match (spelled(from), spelled(to)) {
            (Some(from), Some(to)) => builtin(&from, &to, after, facts),
            (None, _) | (_, None) => by_cast(from, to, after, facts),
        },
        // Labels and whatever else prints itself can be assigned to a text.
        (DataType::Named(from), DataType::Builtin(to)) if from.dimensions == 0 && is_open_text(to) => WRITES,
        (from, to) => by_cast(&family_of(from), &family_of(to), after, facts),
    }
}

/// A text type without a limit.
fn is_open_text(text: &str) -> bool {
    matches!(text, "text" | "character varying")
}

fn is_text(family: &str) -> bool {
    matches!(family, "text" | "character varying" | "character" | "bpchar" | "name" | "\"char\"")
}

/// The type as casts are known by.
fn family_of(data_type: &DataType) -> String {
    match data_type {
        DataType::Builtin(text) => spelled(text).map_or_else(|| text.clone(), |it| it.family()),
        DataType::Named(named) => {
            let array = if named.dimensions > 0 { "[]" } else { "" };
            format!("{}{array}", named.name)
        }
    }
}

fn builtin(from: &Spelled, to: &Spelled, after: &Column, facts: &LiveFacts) -> TypeChange {
    if from.is_array != to.is_array {
        return by_cast(&from.text(), &to.text(), after, facts);
    }
    let change = if from.family() == to.family() {
        parameters(from, to)
    } else {
        match families(from, to) {
            Some(change) => change,
            None if from.is_array => return needs_using(&from.text(), &to.text(), after),
            None => return by_cast(&from.family(), &to.family(), after, facts),
        }
    };
    // An array is converted element by element, whatever the elements need.
    if from.is_array && matches!(change, TypeChange::Keeps { .. }) { WRITES } else { change }
}

/// The same type with other parameters.
fn parameters(from: &Spelled, to: &Spelled) -> TypeChange {
    match from.base.as_str() {
        "character varying" | "bit varying" => grows(from.number(0), to.number(0), KEEPS),
        // Padding is written.
        "character" => grows(from.number(0), to.number(0), WRITES),
        "bit" => ASKS,
        "numeric" => numeric(from, to),
        "timestamp" | "time" | "interval" => grows(from.number(0).or(Some(6)), to.number(0).or(Some(6)), KEEPS),
        _ => ASKS,
    }
}

/// `change` if the limit is at least what it was; none is no limit.
fn grows(from: Option<i64>, to: Option<i64>, change: TypeChange) -> TypeChange {
    match (from, to) {
        (_, None) => change,
        (Some(from), Some(to)) if to >= from => change,
        _ => ASKS,
    }
}

fn numeric(from: &Spelled, to: &Spelled) -> TypeChange {
    let digits = |it: &Spelled| it.number(0).zip(it.number(1));
    match (digits(from), digits(to)) {
        (_, None) => KEEPS,
        (Some((p, s)), Some((q, t))) if s == t && q >= p => KEEPS,
        (Some((p, s)), Some((q, t))) if t >= s && q - t >= p - s => WRITES,
        _ => ASKS,
    }
}

/// Types that the server converts by itself. `None` where the catalog of casts must tell.
fn families(from: &Spelled, to: &Spelled) -> Option<TypeChange> {
    let (source, target) = (from.family(), to.family());
    Some(match (source.as_str(), target.as_str()) {
        ("character varying" | "text", "text") => KEEPS,
        ("text", "character varying") => grows(None, to.number(0), KEEPS),
        // Blanks at the end, which mean nothing to the old type, are cut off.
        ("character" | "bpchar", "text") => WRITES,
        ("character" | "bpchar", "character varying") => grows(from.number(0), to.number(0), WRITES),
        ("text" | "character varying" | "character" | "bpchar", "character") => ASKS,
        ("smallint", "integer" | "bigint" | "real" | "double precision")
        | ("integer", "bigint" | "double precision")
        | ("real", "double precision")
        | ("date", "timestamp without time zone" | "timestamp with time zone")
        | ("jsonb", "json") => WRITES,
        ("smallint" | "integer" | "bigint", "numeric") => whole_as_numeric(&source, to),
        ("cidr", "inet") => KEEPS,
        // Sessions run under UTC, so that the stored numbers are the same.
        ("timestamp without time zone", "timestamp with time zone")
        | ("timestamp with time zone", "timestamp without time zone") => {
            grows(from.number(0).or(Some(6)), to.number(0).or(Some(6)), KEEPS)
        }
        (
            "timestamp without time zone" | "timestamp with time zone",
            "time without time zone" | "time with time zone",
        ) => TypeChange::Lossy { what: "the date".to_owned(), rewrite: true },
        ("timestamp without time zone" | "timestamp with time zone", "date") => ASKS,
        ("json", "jsonb") => ASKS,
        // Every type prints itself where a text is assigned.
        (other, "text") if !is_text(other) => WRITES,
        (other, "character varying") if !is_text(other) => grows(None, to.number(0), WRITES),
        (other, "character") if !is_text(other) => ASKS,
        _ => return None,
    })
}

fn whole_as_numeric(source: &str, to: &Spelled) -> TypeChange {
    let needs = match source {
        "smallint" => 5,
        "integer" => 10,
        _ => 19,
    };
    match to.number(0).zip(to.number(1)) {
        None => WRITES,
        Some((digits, behind)) if digits - behind >= needs => WRITES,
        Some(_) => ASKS,
    }
}

fn by_cast(from: &str, to: &str, after: &Column, facts: &LiveFacts) -> TypeChange {
    match facts.casts.get(&(from.to_owned(), to.to_owned())) {
        Some(CastContext::Implicit | CastContext::Assignment) => ASKS,
        Some(CastContext::Explicit) => needs_using(from, to, after),
        None if facts.casts.is_empty() && assigned_anyway(from, to) => ASKS,
        None => needs_using(from, to, after),
    }
}

/// Numbers among each other, where nobody read the casts.
fn assigned_anyway(from: &str, to: &str) -> bool {
    let is_number =
        |text: &str| matches!(text, "smallint" | "integer" | "bigint" | "numeric" | "real" | "double precision");
    is_number(from) && is_number(to)
}

fn needs_using(from: &str, to: &str, after: &Column) -> TypeChange {
    let column = after.name.quoted(DialectId::Postgres);
    let target = after.data_type.sql(DialectId::Postgres);
    let was_array = from.ends_with("[]");
    let suggestion = if to.ends_with("[]") && !was_array {
        format!("ARRAY[{column}]::{target}")
    } else if is_text(from) || (!from.contains('.') && !was_array && !to.contains('.')) {
        format!("{column}::{target}")
    } else {
        format!("{column}::text::{target}")
    };
    TypeChange::NeedsUsing {
        why: format!("PostgreSQL does not turn {from} into {to} by itself"),
        suggestion: Some(suggestion),
    }
}

#[cfg(test)]
mod tests {
    use trueup_plan::Server;
    use trueup_schema::{Ident, QualName};

    use super::*;

    fn change(from: DataType, to: DataType) -> TypeChange {
        let mut facts =
            LiveFacts::of(Server { dialect: DialectId::Postgres, version: [15, 0, 0], default_namespace: None });
        let casts = [
            ("bigint", "integer", CastContext::Assignment),
            ("integer", "boolean", CastContext::Explicit),
            ("double precision", "numeric", CastContext::Assignment),
        ];
        for (from, to, how) in casts {
            facts.casts.insert((from.to_owned(), to.to_owned()), how);
        }
        let column = |data_type| Column::new(Ident::new("c").unwrap(), data_type);
        type_change(&column(from), &column(to), None, &facts)
    }

    fn of(from: &str, to: &str) -> TypeChange {
        change(DataType::builtin(from), DataType::builtin(to))
    }

    #[test]
    fn growth_is_free_and_shrinking_is_asked() {
        for (from, to) in [
            ("character varying(10)", "character varying(20)"),
            ("character varying(10)", "text"),
            ("character varying(10)", "character varying"),
            ("text", "character varying"),
            ("numeric(10,2)", "numeric(12,2)"),
            ("numeric(10,2)", "numeric"),
            ("timestamp(3) with time zone", "timestamp(6) with time zone"),
            ("timestamp(3) with time zone", "timestamp with time zone"),
            ("cidr", "inet"),
            ("timestamp without time zone", "timestamp with time zone"),
        ] {
            assert_eq!(of(from, to), KEEPS, "{from} {to}");
        }
        for (from, to) in [
            ("character varying(20)", "character varying(10)"),
            ("text", "character varying(10)"),
            ("numeric(10,2)", "numeric(8,2)"),
            ("numeric(10,2)", "numeric(10,1)"),
            ("numeric", "numeric(10,2)"),
            ("bigint", "integer"),
            ("timestamp with time zone", "timestamp(0) with time zone"),
            ("double precision", "numeric"),
            ("timestamp without time zone", "date"),
        ] {
            assert_eq!(of(from, to), ASKS, "{from} {to}");
        }
    }

    #[test]
    fn some_keep_every_value_but_write_the_table() {
        for (from, to) in [
            ("integer", "bigint"),
            ("integer", "text"),
            ("integer", "numeric"),
            ("integer", "numeric(12,2)"),
            ("numeric(10,2)", "numeric(12,4)"),
            ("character varying(5)[]", "text[]"),
            ("integer[]", "bigint[]"),
            ("date", "timestamp with time zone"),
        ] {
            assert_eq!(of(from, to), WRITES, "{from} {to}");
        }
    }

    #[test]
    fn what_the_server_does_not_do_by_itself_needs_words() {
        let suggestion = |change| {
            let TypeChange::NeedsUsing { suggestion: Some(suggestion), .. } = change else { panic!("{change:?}") };
            suggestion
        };
        assert_eq!(suggestion(of("text", "integer")), "\"c\"::integer");
        assert_eq!(suggestion(of("integer", "boolean")), "\"c\"::boolean");
        assert_eq!(suggestion(of("integer", "integer[]")), "ARRAY[\"c\"]::integer[]");
        let mood = || DataType::named(QualName::parse("shop.mood").unwrap());
        let level = DataType::named(QualName::parse("shop.level").unwrap());
        assert_eq!(suggestion(change(DataType::builtin("text"), mood())), "\"c\"::\"shop\".\"mood\"");
        assert_eq!(suggestion(change(mood(), level)), "\"c\"::text::\"shop\".\"level\"");
        assert_eq!(change(mood(), DataType::builtin("text")), WRITES);
    }
}
