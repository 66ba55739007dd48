//! System versioning and periods.
//!
//! The option is a list of clauses between commas: `PERIOD FOR …` stands between the columns of a table, `WITH SYSTEM VERSIONING`
//! behind them.

use trueup_dialect::{Token, mysql};
use trueup_schema::Table;

use crate::RenderError;
use crate::mysql::unsupported;
use crate::sql::Sql;

/// Clauses between the columns and behind them.
pub(super) fn clauses(table: &Table) -> Result<[Vec<Sql>; 2], RenderError> {
    let (periods, rest): (Vec<_>, Vec<_>) = list(table).into_iter().partition(|clause| is_period(clause));
    if let Some(odd) = rest.iter().find(|clause| !is_versioning(clause)) {
        return Err(unsupported(&super::MARIADB, odd, "it is neither a period nor system versioning"));
    }
    let sql = |clauses: Vec<String>| clauses.into_iter().map(Sql::new).collect();
    Ok([sql(periods), sql(rest)])
}

/// Actions from the versioning of one to that of the other, and those that only a second ALTER can take: a period that goes and one of
/// its name that comes.
pub(super) fn actions(before: &Table, after: &Table) -> Result<[Vec<Sql>; 2], RenderError> {
    clauses(after)?;
    let (old, new) = (list(before), list(after));
    let (mut actions, mut later) = (Vec::new(), Vec::new());
    for clause in old.iter().filter(|clause| !new.contains(clause)) {
        actions.push(match period(clause) {
            Some(name) => Sql::new(format!("DROP PERIOD FOR {name}")),
            None => Sql::new("DROP SYSTEM VERSIONING"),
        });
    }
    for clause in new.iter().filter(|clause| !old.contains(clause)) {
        let added = if is_period(clause) { clause.clone() } else { "SYSTEM VERSIONING".to_owned() };
        let name = period(clause);
        let is_taken = name.is_some() && old.iter().any(|clause| period(clause) == name);
        if is_taken { &mut later } else { &mut actions }.push(Sql::new(format!("ADD {added}")));
    }
    Ok([actions, later])
}

/// Whether the table keeps the rows that it held before.
pub(crate) fn is_versioned(table: &Table) -> bool {
    list(table).iter().any(|clause| is_versioning(clause))
}

fn list(table: &Table) -> Vec<String> {
    let Some(text) = &table.options.versioning else { return Vec::new() };
    let mut clauses = vec![String::new()];
    let mut depth = 0_usize;
    for token in mysql::tokens(text.as_str()) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                clauses.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = clauses.last_mut() {
            last.push_str(&token.text);
        }
    }
    clauses.into_iter().map(|clause| clause.trim().to_owned()).filter(|clause| !clause.is_empty()).collect()
}

fn is_versioning(clause: &str) -> bool {
    clause.split_whitespace().map(str::to_ascii_uppercase).eq(["WITH", "SYSTEM", "VERSIONING"])
}

fn is_period(clause: &str) -> bool {
    period(clause).is_some()
}

/// The name of the period, as it is written.
fn period(clause: &str) -> Option<String> {
    let list: Vec<Token> = mysql::tokens(clause).into_iter().filter(Token::is_solid).collect();
    let [first, second, name, ..] = list.as_slice() else { return None };
    (first.is_word("PERIOD") && second.is_word("FOR")).then(|| name.text.clone())
}
