//! Expressions over columns, by family.

use crate::dice::Dice;
use crate::world::{Family, Part};

/// Something that is true or false.
pub(crate) fn condition(dice: &mut Dice, columns: &[(String, Family)]) -> String {
    let one = |dice: &mut Dice| match dice.pick(columns).cloned() {
        Some((name, family)) => simple(dice, &name, family),
        None => "true".to_owned(),
    };
    let first = one(dice);
    match dice.below(8) {
        0 => format!("{first} AND {}", one(dice)),
        1 => format!("({first} OR {})", one(dice)),
        2 => format!("NOT ({first})"),
        3 => format!("CASE WHEN {first} THEN true ELSE false END"),
        _ => first,
    }
}

fn simple(dice: &mut Dice, name: &str, family: Family) -> String {
    let forms: &[&str] = match family {
        Family::Int => &[
            "# > 0",
            "# BETWEEN 1 AND 1000",
            "# IN (1, 2, 3)",
            "mod(#, 7) <> 5",
            "# IS NOT NULL",
            "abs(#)<100",
            "#>=-1",
        ],
        Family::Real => &["# >= 0.5", "# < 1e6", "# IS NOT NULL", "-# <> 3.25"],
        Family::Text => &[
            "length(#) < 50",
            "# <> ''",
            "# LIKE 'v%'",
            "lower(#) = #",
            "# ~ '^[a-z]'",
            "# IN ('v1', 'it''s', 'v3')",
            "# || 'x' <> 'yx'",
            "char_length(#) > 0",
        ],
        Family::Time => &["# > '2000-01-01'", "# IS NOT NULL", "# <> '1999-12-31'"],
        Family::Bool => &["#", "NOT #", "# IS TRUE", "# IS NOT NULL"],
        Family::Other => &["# IS NOT NULL", "# IS NULL"],
    };
    dice.word(forms).replace('#', name)
}

/// A value computed from columns without state, and its family.
pub(crate) fn value(dice: &mut Dice, columns: &[(String, Family)]) -> (String, Family) {
    let Some((name, family)) = dice.pick(columns).cloned() else { return ("1".to_owned(), Family::Int) };
    let forms: &[(&str, Family)] = match family {
        Family::Int => &[("# + 1", Family::Int), ("abs(#)", Family::Int), ("# * 2", Family::Int), ("-#", Family::Int)],
        Family::Real => &[("# * 1.5", Family::Real), ("# / 2", Family::Real)],
        Family::Text => &[
            ("lower(#)", Family::Text),
            ("# || '!'", Family::Text),
            ("length(#)", Family::Int),
            ("\"substring\"(#, 1, 3)", Family::Text),
        ],
        Family::Time => &[("# IS NULL", Family::Bool)],
        Family::Bool => &[("NOT #", Family::Bool), ("#::integer", Family::Int)],
        Family::Other => &[("# IS NULL", Family::Bool)],
    };
    let (form, family) = dice.pick(forms).copied().unwrap_or(("#", family));
    (form.replace('#', &name), family)
}

/// What a column may be if nobody says.
pub(crate) fn default(dice: &mut Dice, family: Family) -> &'static str {
    let forms: &[&'static str] = match family {
        Family::Int => &["0", "1", "-5", "(1 + 2)", "NULL", "abs(-3)"],
        Family::Real => &["0.5", "1e3", "-1.25", "random()", "NULL"],
        Family::Text => &["'x'", "''", "'it''s'", "lower('AB')", "'a;b'", "CURRENT_USER", "'a' || 'b'"],
        Family::Time => &["CURRENT_TIMESTAMP", "now()", "'2024-01-01'", "now() + '1 day'::interval"],
        Family::Bool => &["true", "false", "NULL"],
        Family::Other => &["NULL"],
    };
    dice.word(forms)
}

/// Columns as expressions name them.
pub(crate) fn named(columns: &[&Part], prefix: &str) -> Vec<(String, Family)> {
    columns.iter().map(|column| (format!("{prefix}{}", super::names::quote(&column.name)), column.family)).collect()
}
