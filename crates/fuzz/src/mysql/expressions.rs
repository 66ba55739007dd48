//! Expressions over columns, by family.

use crate::dice::Dice;
use crate::world::{Family, Part};

/// Something that is true or false.
pub(crate) fn condition(dice: &mut Dice, columns: &[(String, Family)]) -> String {
    let one = |dice: &mut Dice| match dice.pick(columns).cloned() {
        Some((name, family)) => simple(dice, &name, family),
        None => "1 = 1".to_owned(),
    };
    let first = one(dice);
    match dice.below(7) {
        0 => format!("{first} AND {}", one(dice)),
        1 => format!("({first} OR {})", one(dice)),
        2 => format!("NOT ({first})"),
        _ => first,
    }
}

fn simple(dice: &mut Dice, name: &str, family: Family) -> String {
    let forms: &[&str] = match family {
        Family::Int | Family::Bool => {
            &["# > 0", "# BETWEEN 1 AND 1000", "# IN (1, 2, 3)", "# % 7 <> 5", "# IS NOT NULL", "abs(#)<100"]
        }
        Family::Real => &["# >= 0.5", "# < 1e6", "# IS NOT NULL"],
        Family::Text => &[
            "char_length(#) < 50",
            "# <> ''",
            "# LIKE 'v%'",
            "# IN ('v1', 'it''s', 'v3')",
            "# <> 'a;b'",
            "# IS NOT NULL",
        ],
        Family::Time => &["# > '2000-01-01'", "# IS NOT NULL"],
        Family::Other => &["# IS NOT NULL"],
    };
    dice.word(forms).replace('#', name)
}

/// A value computed from columns, and its family.
pub(crate) fn value(dice: &mut Dice, columns: &[(String, Family)]) -> (String, Family) {
    let Some((name, family)) = dice.pick(columns).cloned() else { return ("1".to_owned(), Family::Int) };
    let forms: &[(&str, Family)] = match family {
        Family::Int | Family::Bool => &[("# + 1", Family::Int), ("# * 2", Family::Int), ("abs(#)", Family::Int)],
        Family::Real => &[("# * 1.5", Family::Real), ("# / 2", Family::Real)],
        Family::Text => &[
            ("lower(#)", Family::Text),
            ("concat(#, '!')", Family::Text),
            ("char_length(#)", Family::Int),
            ("substr(#, 1, 3)", Family::Text),
        ],
        Family::Time => &[("year(#)", Family::Int)],
        Family::Other => &[("# IS NULL", Family::Int)],
    };
    let (form, family) = dice.pick(forms).copied().unwrap_or(("#", family));
    (form.replace('#', &name), family)
}

/// What a column may be if nobody says.
pub(crate) fn default(dice: &mut Dice, data_type: &str, family: Family) -> &'static str {
    let forms: &[&'static str] = match family {
        _ if data_type.starts_with("timestamp") => {
            &["CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"]
        }
        _ if data_type.starts_with("datetime") => &["CURRENT_TIMESTAMP", "'2024-01-01 00:00:00'", "NULL"],
        _ if data_type.starts_with("enum") || data_type.starts_with("set") => &["'new'", "NULL"],
        Family::Int | Family::Bool => &["0", "1", "'7'", "NULL", "(1 + 2)"],
        Family::Real => &["0.5", "1", "NULL"],
        Family::Text => &["'x'", "''", "'it''s'", "'a;b'", "NULL"],
        Family::Time => &["'2024-01-01'", "NULL"],
        Family::Other => &["NULL"],
    };
    dice.word(forms)
}

/// Columns as expressions name them.
pub(crate) fn named(columns: &[&Part], prefix: &str) -> Vec<(String, Family)> {
    columns.iter().map(|column| (format!("{prefix}{}", quote(&column.name)), column.family)).collect()
}

/// A name in the quotes that it needs.
pub(crate) fn quote(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
