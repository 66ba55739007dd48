//! Affinities, and what becomes of values under another one.

use trueup_schema::{Column, DataType, SqlExpr};

use crate::TypeChange;

/// What a column does to the values that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Affinity {
    /// Keeps texts, makes texts of numbers.
    Text,
    /// Makes integers of texts and reals where nothing is lost.
    Integer,
    /// Makes reals of texts and integers.
    Real,
    /// Makes numbers of texts where nothing is lost.
    Numeric,
    /// Keeps everything.
    Blob,
}

impl Affinity {
    /// The affinity that SQLite derives from a declared type. In a STRICT table `ANY` is none of these: it keeps everything, which only
    /// the table can tell.
    #[must_use]
    pub fn of(data_type: &DataType) -> Self {
        let words = data_type.to_string().to_ascii_uppercase();
        let any = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        if any(&["INT"]) {
            Self::Integer
        } else if any(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if words.is_empty() || any(&["BLOB"]) {
            Self::Blob
        } else if any(&["REAL", "FLOA", "DOUB"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }

    /// The word for it in a CAST.
    #[must_use]
    pub const fn cast_type(self) -> &'static str {
        match self {
            Self::Text => "TEXT",
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Numeric => "NUMERIC",
            Self::Blob => "BLOB",
        }
    }
}

/// What becomes of the values. A table is always written anew; values convert as if they were inserted.
pub(crate) fn type_change(before: &Column, after: &Column, using: Option<&SqlExpr>) -> TypeChange {
    let (from, to) = (Affinity::of(&before.data_type), Affinity::of(&after.data_type));
    let keeps =
        using.is_none() && (from == to || to == Affinity::Blob) && !may_be_strict(&before.data_type, &after.data_type);
    if keeps { TypeChange::Keeps { rewrite: true } } else { TypeChange::Guarded { rewrite: true } }
}

/// Whether the new type could refuse values that the old one held: STRICT tables know six types, and any of them may stand in an
/// ordinary table as well.
fn may_be_strict(before: &DataType, after: &DataType) -> bool {
    let words = |data_type: &DataType| data_type.to_string().to_ascii_uppercase();
    let family = |words: &str| match words {
        "INT" | "INTEGER" => Some("INTEGER"),
        "REAL" => Some("REAL"),
        "TEXT" => Some("TEXT"),
        "BLOB" => Some("BLOB"),
        _ => None,
    };
    let after = words(after);
    family(&after).is_some() && family(&after) != family(&words(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: &str, to: &str) -> TypeChange {
        let column = |words: &str| Column::new(trueup_schema::Ident::new("a").unwrap(), DataType::builtin(words));
        type_change(&column(from), &column(to), None)
    }

    #[test]
    fn affinities_follow_the_documented_order() {
        for (words, affinity) in [
            ("INT", Affinity::Integer),
            ("CHARINT", Affinity::Integer),
            ("varchar(20)", Affinity::Text),
            ("", Affinity::Blob),
            ("BLOB", Affinity::Blob),
            ("double precision", Affinity::Real),
            ("FLOATING POINT", Affinity::Integer),
            ("STRING", Affinity::Numeric),
            ("DATETIME", Affinity::Numeric),
        ] {
            assert_eq!(Affinity::of(&DataType::builtin(words)), affinity, "{words}");
        }
    }

    #[test]
    fn only_another_affinity_touches_values() {
        assert_eq!(change("VARCHAR(20)", "VARCHAR(40)"), TypeChange::Keeps { rewrite: true });
        assert_eq!(change("INT", "INTEGER"), TypeChange::Keeps { rewrite: true });
        assert_eq!(change("TEXT", ""), TypeChange::Keeps { rewrite: true });
        assert_eq!(change("TEXT", "INTEGER"), TypeChange::Guarded { rewrite: true });
        assert_eq!(change("VARCHAR(20)", "TEXT"), TypeChange::Guarded { rewrite: true });
    }
}
