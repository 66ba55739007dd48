//! Partitions: which rows have a place in one, and how one scheme becomes another.

use trueup_plan::Change;
use trueup_schema::{Partitioning, SqlExpr};

use super::tokens::tokens;
use crate::{Token, TokenKind};

/// How an ALTER makes one scheme of the other. No way loses a row: where one would have no place, the server refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartitionChange<'a> {
    /// The table has partitions no more.
    Removed,
    /// Every row is given its place anew.
    Scheme(&'a Partitioning),
    /// Partitions behind the others; no row moves.
    Added(&'a [SqlExpr]),
    /// The rows of some partitions that lie side by side, given to others.
    Reorganized {
        /// Their names, as they are written.
        from: Vec<String>,
        /// What takes their place.
        into: &'a [SqlExpr],
    },
}

/// The cheapest way from one to the other; `None` if both are the same.
#[must_use]
pub fn partition_change<'a>(
    before: Option<&'a Partitioning>,
    after: Option<&'a Partitioning>,
) -> Option<PartitionChange<'a>> {
    match (before, after) {
        (before, after) if before == after => None,
        (_, None) => Some(PartitionChange::Removed),
        (Some(before), Some(after)) if before.by == after.by => {
            Some(within(before, after).unwrap_or(PartitionChange::Scheme(after)))
        }
        (_, Some(after)) => Some(PartitionChange::Scheme(after)),
    }
}

/// Whether single partitions are changed, by clauses with a grammar of their own.
pub(crate) fn stand_apart(change: &Change) -> bool {
    let Change::AlterTable { before, after } = change else { return false };
    let way = partition_change(before.partitioning.as_ref(), after.partitioning.as_ref());
    matches!(way, Some(PartitionChange::Added(_) | PartitionChange::Reorganized { .. }))
}

/// Only what lies between the partitions that stay is made anew. Ranges must end where they ended (MySQL manual, "Management of RANGE and
/// LIST Partitions"): if they do not, the partition behind them takes part.
fn within<'a>(before: &'a Partitioning, after: &'a Partitioning) -> Option<PartitionChange<'a>> {
    let by = solid(before.by.as_str());
    let is_range = by.first()?.is_word("RANGE");
    let (old, new) = (before.partitions.as_slice(), after.partitions.as_slice());
    if old.is_empty() || new.is_empty() || !(is_range || by.first()?.is_word("LIST")) {
        return None;
    }
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if head == old.len() {
        return Some(PartitionChange::Added(new.get(head..)?));
    }
    let (old, new) = (old.get(head..)?, new.get(head..)?);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |list: &'a [SqlExpr], tail: usize| list.get(..list.len() - tail);
    let fits = |from: &[SqlExpr], into: &[SqlExpr]| match (from.last(), into.last()) {
        (Some(was), Some(is)) => !is_range || bound(was).is_some_and(|was| bound(is) == Some(was)),
        _ => false,
    };
    let (from, into) = std::iter::once(tail)
        .chain(tail.checked_sub(1))
        .map(|tail| Some((middle(old, tail)?, middle(new, tail)?)))
        .find_map(|pair| pair.filter(|(from, into)| fits(from, into)))?;
    let from = from.iter().map(name).collect::<Option<_>>()?;
    Some(PartitionChange::Reorganized { from, into })
}

/// The partition's name as it is written.
fn name(partition: &SqlExpr) -> Option<String> {
    let list = solid(partition.as_str());
    let name = list.iter().filter(|token| token.is_solid()).nth(1)?;
    matches!(name.kind, TokenKind::Word | TokenKind::QuotedName).then(|| name.text.clone())
}

/// Where the range ends.
fn bound(partition: &SqlExpr) -> Option<String> {
    let list = solid(partition.as_str());
    let from = position(&list, "THAN")? + 1;
    if list.get(from..)?.iter().find(|token| token.is_solid())?.is_word("MAXVALUE") {
        return Some("MAXVALUE".to_owned());
    }
    Some(in_parentheses(&list, from)?.0)
}

/// The condition under which a row has a place. None where every row has one, or where that cannot be asked.
pub(super) fn condition(partitioning: &Partitioning) -> Option<SqlExpr> {
    let by = solid(partitioning.by.as_str());
    let (value, is_row) = in_parentheses(&by, 0)?;
    let is_first = |word: &str| by.first().is_some_and(|first| first.is_word(word));
    let partitions: Vec<Vec<Token>> =
        partitioning.partitions.iter().map(|partition| solid(partition.as_str())).collect();
    if is_first("RANGE") && !is_row {
        let last = partitions.last()?;
        let (bound, _) = in_parentheses(last, position(last, "THAN")?)?;
        return (!bound.eq_ignore_ascii_case("MAXVALUE")).then(|| SqlExpr::new(format!("({value}) < ({bound})")));
    }
    if is_first("LIST") {
        let lists = partitions.iter().map(|partition| Some(in_parentheses(partition, position(partition, "IN")?)?.0));
        let lists = lists.collect::<Option<Vec<String>>>()?.join(", ");
        if tokens(&lists).iter().any(|token| token.is_word("DEFAULT")) {
            return None;
        }
        let takes_null = !is_row && tokens(&lists).iter().any(|token| token.is_word("NULL"));
        let null = if takes_null { format!(" OR ({value}) IS NULL") } else { String::new() };
        return Some(SqlExpr::new(format!("(({value}) IN ({lists})) IS TRUE{null}")));
    }
    None
}

fn solid(text: &str) -> Vec<Token> {
    tokens(text).into_iter().filter(|token| !token.text.starts_with("/*") && token.text != "*/").collect()
}

fn position(list: &[Token], word: &str) -> Option<usize> {
    list.iter().position(|token| token.is_word(word))
}

/// The text inside the first parentheses from `from` on, and whether it is several values.
fn in_parentheses(list: &[Token], from: usize) -> Option<(String, bool)> {
    let open = from + list.get(from..)?.iter().position(|token| token.text == "(")?;
    let (mut depth, mut is_row, mut text) = (0_usize, false, String::new());
    for token in list.get(open..)? {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 1 => is_row = true,
            _ => {}
        }
        if depth == 0 {
            return Some((text.split_off(1), is_row));
        }
        text.push_str(&token.text);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(by: &str, partitions: &[&str]) -> Option<String> {
        let partitions = partitions.iter().map(|text| SqlExpr::new(format!("PARTITION {text}"))).collect();
        condition(&Partitioning { by: SqlExpr::new(by), partitions }).map(|text| text.as_str().to_owned())
    }

    #[test]
    fn a_row_has_a_place_or_not() {
        let range = "RANGE (year(`at`))";
        let last = asked(range, &["a VALUES LESS THAN (2020) ENGINE = InnoDB", "b VALUES LESS THAN (2022)"]);
        assert_eq!(last.as_deref(), Some("(year(`at`)) < (2022)"));
        assert_eq!(asked(range, &["a VALUES LESS THAN MAXVALUE ENGINE = InnoDB"]), None);
        assert_eq!(asked("RANGE  COLUMNS(`a`)", &["a VALUES LESS THAN (MAXVALUE)"]), None);
        assert_eq!(asked("RANGE  COLUMNS(`a`,`b`)", &["a VALUES LESS THAN (1,2)"]), None, "rows are not asked");
        let list = asked("LIST  COLUMNS(`a`)", &["a VALUES IN (1,2)", "b VALUES IN (NULL)"]);
        assert_eq!(list.as_deref(), Some("((`a`) IN (1,2, NULL)) IS TRUE OR (`a`) IS NULL"));
        let rows = asked("LIST  COLUMNS(`a`,`b`)", &["a VALUES IN ((1,2))"]);
        assert_eq!(rows.as_deref(), Some("((`a`,`b`) IN ((1,2))) IS TRUE"));
        assert_eq!(asked("LIST (`a`)", &["a VALUES IN (1)", "d DEFAULT"]), None);
        assert_eq!(asked("HASH (`a`) PARTITIONS 4", &[]), None);
    }

    fn scheme(by: &str, partitions: &[&str]) -> Partitioning {
        let partitions =
            partitions.iter().map(|text| SqlExpr::new(format!("PARTITION {text} ENGINE = InnoDB"))).collect();
        Partitioning { by: SqlExpr::new(by), partitions }
    }

    /// How the partitions of one table by ranges become others.
    fn way(by: &str, before: &[&str], after: &[&str]) -> String {
        let (before, after) = (scheme(by, before), scheme(by, after));
        match partition_change(Some(&before), Some(&after)) {
            None => "nothing".to_owned(),
            Some(PartitionChange::Added(list)) => format!("{} more", list.len()),
            Some(PartitionChange::Reorganized { from, into }) => format!("{} into {}", from.join(" "), into.len()),
            Some(PartitionChange::Scheme(_)) => "anew".to_owned(),
            Some(PartitionChange::Removed) => "none".to_owned(),
        }
    }

    #[test]
    fn partitions_that_stay_are_left_alone() {
        let [a, b, c] = ["`a` VALUES LESS THAN (10)", "`b` VALUES LESS THAN (20)", "c VALUES LESS THAN (30)"];
        let [b_later, rest] = ["`b` VALUES LESS THAN (25)", "z VALUES LESS THAN MAXVALUE"];
        let range = |before: &[&str], after: &[&str]| way("RANGE (`n`)", before, after);
        assert_eq!(range(&[a, b], &[a, b]), "nothing");
        assert_eq!(range(&[a], &[a, b, c]), "2 more");
        assert_eq!(range(&[a, rest], &[a, b, c, rest]), "z into 3", "a partition is split");
        assert_eq!(range(&[a, c], &[a, b, c]), "c into 2");
        assert_eq!(range(&[a, b, c], &[b, c]), "`a` `b` into 1", "the rows of the oldest go to the next");
        assert_eq!(range(&[a, b, c], &[a, c]), "`b` c into 1");
        assert_eq!(range(&[a, b, c], &[a, b_later, c]), "`b` c into 2", "the next one begins elsewhere");
        assert_eq!(range(&[a, b, c], &[a, b]), "anew", "the last bound cannot come nearer");
        assert_eq!(range(&[a, b], &[a, b_later]), "anew");
        let [one, two, both] = ["a VALUES IN (1)", "b VALUES IN (2)", "a VALUES IN (1,2)"];
        let list = |before: &[&str], after: &[&str]| way("LIST (`n`)", before, after);
        assert_eq!(list(&[one], &[one, two]), "1 more");
        assert_eq!(list(&[one, two], &[both]), "a b into 1");
        assert_eq!(list(&[one, two], &[two]), "a b into 1");
        assert_eq!(list(&[one, two], &[one]), "anew");
        assert_eq!(way("HASH (`n`)", &["a", "b"], &["a", "b", "c"]), "anew");
        assert_eq!(
            partition_change(Some(&scheme("HASH (`n`) PARTITIONS 4", &[])), None),
            Some(PartitionChange::Removed)
        );
    }
}
