//! Which rows have a place in a partition.

use trueup_schema::{Partitioning, SqlExpr};

use super::tokens::tokens;
use crate::Token;

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
}
