//! Partitions: parts of a table here.

use trueup_dialect::{Token, TokenKind, mysql};
use trueup_schema::{Partitioning, SqlExpr};

use crate::sql::Sql;

/// `PARTITION BY …` with its partitions.
pub(super) fn scheme(partitioning: &Partitioning) -> Sql {
    let sql = Sql::new("PARTITION BY").expr(&partitioning.by);
    if partitioning.partitions.is_empty() { sql } else { list(sql, &partitioning.partitions) }
}

fn list(sql: Sql, partitions: &[SqlExpr]) -> Sql {
    sql.list(partitions.iter().map(|partition| Sql::default().expr(partition)))
}

/// The action that makes one of the other. No way loses a row: partitions are added, or their rows are spread anew, which the server
/// refuses where a row would have no place.
pub(super) fn change(before: Option<&Partitioning>, after: Option<&Partitioning>) -> Option<Sql> {
    match (before, after) {
        (before, after) if before == after => None,
        (_, None) => Some(Sql::new("REMOVE PARTITIONING")),
        (None, Some(after)) => Some(scheme(after)),
        (Some(before), Some(after)) if before.by != after.by => Some(scheme(after)),
        (Some(before), Some(after)) => Some(within(before, after).unwrap_or_else(|| scheme(after))),
    }
}

/// Partitions added behind the others, or put in front of those at the end.
fn within(before: &Partitioning, after: &Partitioning) -> Option<Sql> {
    let (old, new) = (&before.partitions, &after.partitions);
    if old.is_empty() || !is_by_value(&after.by) {
        return None;
    }
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if head == old.len() {
        return Some(list(Sql::new("ADD PARTITION"), new.get(head..)?));
    }
    let tail =
        old[head..].iter().rev().zip(new[head.min(new.len())..].iter().rev()).take_while(|(a, b)| a == b).count();
    // Only what lies between is new: the partition behind it gives its rows.
    if tail == 0 || head + tail != old.len() {
        return None;
    }
    let split = head..=head;
    let names: Vec<Sql> =
        old.get(split)?.iter().map(|partition| name(partition).map(Sql::new)).collect::<Option<_>>()?;
    let into = new.get(head..new.len() - tail + 1)?;
    Some(list(Sql::new("REORGANIZE PARTITION").series(names).words("INTO"), into))
}

/// RANGE and LIST, without subpartitions, whose partitions have values.
fn is_by_value(by: &SqlExpr) -> bool {
    let list: Vec<Token> = mysql::tokens(by.as_str()).into_iter().filter(Token::is_solid).collect();
    list.first().is_some_and(|first| first.is_word("RANGE") || first.is_word("LIST"))
}

/// The partition's name as it is written.
fn name(partition: &SqlExpr) -> Option<String> {
    let list: Vec<Token> = mysql::tokens(partition.as_str()).into_iter().filter(Token::is_solid).collect();
    let name = list.get(1).filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::QuotedName))?;
    Some(name.text.clone())
}
