//! Expressions over columns, by family.

use crate::dice::Dice;
use crate::world::{Family, Part};

/// Something that is true or false.
pub(crate) fn condition(dice: &mut Dice, columns: &[(String, Family)]) -> String {
    let one = |dice: &mut Dice| match dice.pick(columns).cloned() {
        Some((name, family)) => simple(dice, &name, family),
        None => "1".to_owned(),
    };
    let first = one(dice);
    match dice.below(8) {
        0 => format!("{first} AND {}", one(dice)),
        1 => format!("({first} OR {})", one(dice)),
        2 => format!("NOT ({first})"),
        3 => format!("CASE WHEN {first} THEN 1 ELSE 0 END = 1"),
        _ => first,
    }
}

fn simple(dice: &mut Dice, name: &str, family: Family) -> String {
    let forms: &[&str] = match family {
        Family::Int | Family::Bool => {
            &["# > 0", "# BETWEEN 1 AND 1000", "# IN (1, 2, 3)", "# % 7 <> 5", "# IS NOT NULL", "abs(#)<100", "#>=-1"]
        }
        Family::Real => &["# >= 0.5", "# < 1e6", "round(#, 2) = #", "# IS NOT NULL", "-# <> 3.25"],
        Family::Text | Family::Time => &[
            "length(#) < 50",
            "# <> ''",
            "# LIKE 'v%'",
            "lower(#) = #",
            "# NOT GLOB '*;*'",
            "# IN ('v1', 'it''s', 'v3')",
            "# COLLATE NOCASE <> 'x'",
            "# || 'x' <> 'yx'",
        ],
        Family::Other => &["# IS NOT NULL", "typeof(#) <> 'real'", "coalesce(#, 1) IS NOT 0"],
    };
    dice.word(forms).replace('#', name)
}

/// A value computed from columns, and its family.
pub(crate) fn value(dice: &mut Dice, columns: &[(String, Family)]) -> (String, Family) {
    let Some((name, family)) = dice.pick(columns).cloned() else { return ("1".to_owned(), Family::Int) };
    let forms: &[&str] = match family {
        Family::Int | Family::Bool => &["# + 1", "# * 2", "-#", "abs(#)", "# % 10", "(# + 3) * 2", "# << 1"],
        Family::Real => &["# * 1.5", "round(#)", "# / 2"],
        Family::Text | Family::Time => &["lower(#)", "# || '!'", "trim(#)", "substr(#, 1, 3)", "upper(#)", "# || ';'"],
        Family::Other => &["coalesce(#, 0)", "typeof(#)", "# IS NULL"],
    };
    (dice.word(forms).replace('#', &name), family)
}

/// What a column may be if nobody says.
pub(crate) fn default(dice: &mut Dice, family: Family) -> &'static str {
    let forms: &[&'static str] = match family {
        Family::Int | Family::Bool => &["0", "1", "-5", "+7", "(1 + 2)", "NULL", "0x10", "TRUE", "(abs(-3))"],
        Family::Real => &["0.5", "1e3", "-1.25", "(1.0 / 3)", "NULL"],
        Family::Text => &["'x'", "''", "'it''s'", "(lower('AB'))", "'a;b'", "NULL", "('a' || 'b')", "\"dq\""],
        Family::Time => &["CURRENT_TIMESTAMP", "CURRENT_DATE", "(datetime('now'))", "'2024-01-01'", "current_time"],
        Family::Other => &["x'00ff'", "NULL", "1", "'any'", "(NULL)"],
    };
    dice.word(forms)
}

/// Columns as expressions name them.
pub(crate) fn named(columns: &[&Part], prefix: &str) -> Vec<(String, Family)> {
    columns.iter().map(|column| (format!("{prefix}{}", super::names::quote(&column.name)), column.family)).collect()
}
