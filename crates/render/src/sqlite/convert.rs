//! Which values would not survive another type.

use trueup_dialect::sqlite::Affinity;
use trueup_schema::{DataType, TableOptions};

/// A condition that is true of every value that would be refused, or would come out as another one. `None` where none can.
///
/// A text counts as a number where SQLite itself would take it for one. `chosen` says that a person wrote the conversion: then only what
/// the new column would hold is asked, not whether it looks like the old value.
pub(super) fn violation(value: &str, to: &DataType, options: &TableOptions, chosen: bool) -> Option<String> {
    let words = to.to_string().to_ascii_uppercase();
    if options.strict && words == "ANY" {
        return None;
    }
    let mut conditions = Vec::new();
    match Affinity::of(to) {
        Affinity::Blob => {
            if options.strict {
                conditions.push(format!("typeof({value}) <> 'blob'"));
            }
        }
        Affinity::Text => {
            if options.strict {
                conditions.push(format!("typeof({value}) = 'blob'"));
            }
            if !chosen {
                conditions.push(format!("typeof({value}) = 'real' AND CAST(CAST({value} AS TEXT) AS REAL) <> {value}"));
            }
        }
        Affinity::Integer => {
            conditions.extend(not_a_number(value, options.strict));
            conditions
                .push(format!("typeof({0}) IN ('real', 'text') AND {0} + 0.0 <> CAST({0} + 0.0 AS INTEGER)", value));
            conditions.extend(looks_otherwise(value).filter(|_| !chosen));
        }
        Affinity::Real => {
            conditions.extend(not_a_number(value, options.strict));
            if !chosen {
                conditions
                    .push(format!("typeof({value}) = 'integer' AND CAST(CAST({value} AS REAL) AS INTEGER) <> {value}"));
            }
            conditions.extend(looks_otherwise(value).filter(|_| !chosen));
        }
        Affinity::Numeric => conditions.extend(looks_otherwise(value).filter(|_| !chosen)),
    }
    if conditions.is_empty() {
        return None;
    }
    let any = conditions.into_iter().map(|condition| format!("({condition})")).collect::<Vec<_>>().join(" OR ");
    Some(format!("{value} IS NOT NULL AND ({any})"))
}

/// Texts that are no numbers; bytes as well where the table is strict. Compared with a number, a text that is one counts as one.
fn not_a_number(value: &str, strict: bool) -> Vec<String> {
    let mut conditions = vec![format!("typeof({value}) = 'text' AND CAST({value} AS NUMERIC) <> {value}")];
    if strict {
        conditions.push(format!("typeof({value}) = 'blob'"));
    }
    conditions
}

/// Texts that are numbers, but whose form says more than the number: leading zeros, blanks, more digits than a number keeps.
fn looks_otherwise(value: &str) -> Option<String> {
    Some(format!(
        "typeof({value}) = 'text' AND CAST({value} AS NUMERIC) = {value} AND ({value} <> trim({value}) OR {value} GLOB '0[0-9]*' \
         OR {value} GLOB '[-+]0[0-9]*' OR {value} GLOB '+*' OR (length({value}) > 16 AND CAST(CAST({value} AS NUMERIC) AS TEXT) <> {value}))"
    ))
}
