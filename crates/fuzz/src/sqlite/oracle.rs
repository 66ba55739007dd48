//! What SQLite itself says of a schema: the texts of `sqlite_schema`, clause by clause.

use std::collections::BTreeSet;

use trueup::session::{DbError, Session};

use super::clauses::table_lines;
use super::tokens::{Token, group_end, split_commas, text_of, tokens};

/// One line for each clause of a table, sorted; indexes, triggers and views as tokens. Not compared: the order of columns,
/// spaces, comments, letter case of bare words, and what is the default anyway.
pub(super) async fn dump(session: &mut dyn Session) -> Result<String, DbError> {
    let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1, 2";
    let objects: Vec<[String; 4]> = session
        .query(sql, &[])
        .await?
        .iter()
        .map(|row| {
            Ok([row.text(0)?.to_owned(), row.text(1)?.to_owned(), row.text(2)?.to_owned(), row.text(3)?.to_owned()])
        })
        .collect::<Result<_, DbError>>()?;
    let mut names: BTreeSet<String> = BTreeSet::new();
    for [kind, name, _, _] in &objects {
        names.insert(name.to_lowercase());
        if matches!(kind.as_str(), "table" | "view")
            && let Ok(columns) = session.query("SELECT name FROM pragma_table_xinfo(?)", &[name.as_str().into()]).await
        {
            for column in &columns {
                names.insert(column.text(0)?.to_lowercase());
            }
        }
    }
    let known = |name: &str| names.contains(name);
    let mut out = Vec::new();
    for [kind, name, table, sql] in &objects {
        let hidden = |name: &str| name.starts_with("_trueup_") || name.starts_with("sqlite_");
        if hidden(name) || hidden(table) {
            continue;
        }
        match kind.as_str() {
            "table" => out.extend(of_table(session, name, sql, &known).await?),
            "index" => out.push(format!("index {name} {}", index_text(sql, &known))),
            kind => out.push(format!("{kind} {name} {}", text_of(after_name(&tokens(sql, &known), kind)))),
        }
        if kind == "view" {
            let columns = session.query("SELECT name FROM pragma_table_xinfo(?)", &[name.as_str().into()]).await;
            let columns = columns.unwrap_or_default();
            out.push(format!(
                "  columns {}",
                columns.iter().filter_map(|row| row.text(0).ok()).collect::<Vec<_>>().join(" ")
            ));
        }
    }
    Ok(out.join("\n"))
}

async fn of_table(
    session: &mut dyn Session,
    name: &str,
    sql: &str,
    known: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Vec<String>, DbError> {
    let list = "SELECT type, wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?";
    let rows = session.query(list, &[name.into()]).await?;
    let Some(row) = rows.first() else { return Ok(vec![format!("table {name} is not listed")]) };
    match row.text(0)? {
        "shadow" => Ok(Vec::new()),
        "virtual" => Ok(vec![format!("virtual {name} {}", text_of(after_name(&tokens(sql, known), "table")))]),
        _ => {
            let mut lines = table_lines(sql, known);
            lines.sort();
            let head = format!("table {name} without_rowid={} strict={}", row.int(1)?, row.int(2)?);
            Ok(std::iter::once(head).chain(lines.into_iter().map(|line| format!("  {name}: {line}"))).collect())
        }
    }
}

/// What follows `CREATE … kind [IF NOT EXISTS] [schema.]name`.
fn after_name<'a>(tokens: &'a [Token], kind: &str) -> &'a [Token] {
    let mut at = tokens.iter().position(|token| token.is_word(&[kind])).map_or(0, |at| at + 1);
    if tokens.get(at).is_some_and(|token| token.is_word(&["if"])) {
        at += 3;
    }
    at += 1;
    if tokens.get(at).is_some_and(|token| token.is_sign(".")) {
        at += 2;
    }
    tokens.get(at..).unwrap_or_default()
}

fn index_text(sql: &str, known: &(dyn Fn(&str) -> bool + Sync)) -> String {
    let all = tokens(sql, known);
    let unique = if all.get(1).is_some_and(|token| token.is_word(&["unique"])) { "unique " } else { "" };
    let rest = after_name(&all, "index");
    let opens = rest.iter().position(|token| token.is_sign("(")).unwrap_or(0);
    let end = group_end(rest, opens);
    format!("{unique}{} {} {}", text_of(&rest[..opens]), key_list(&rest[opens..end]), text_of(&rest[end..]))
}

/// `(a, b DESC)` without what is the default.
pub(crate) fn key_list(group: &[Token]) -> String {
    let inner = group.get(1..group.len().saturating_sub(1)).unwrap_or_default();
    let parts: Vec<String> = split_commas(inner).into_iter().map(|part| text_of(&bare(plain(part)))).collect();
    format!("({})", parts.join(", "))
}

/// Without `ASC` and `COLLATE BINARY`.
fn plain(tokens: &[Token]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let binary = rest.peek().is_some_and(|next| next.raw.eq_ignore_ascii_case("binary"));
        if token.is_word(&["collate"]) && binary {
            rest.next();
        } else if !token.is_word(&["asc"]) {
            out.push(token.clone());
        }
    }
    out
}

/// Without parentheses around the whole of a part, or around all that its COLLATE is about.
fn bare(mut tokens: Vec<Token>) -> Vec<Token> {
    loop {
        let end = group_end(&tokens, 0);
        let opens = tokens.first().is_some_and(|token| token.is_sign("("));
        let ends = tokens.get(end).is_none_or(|token| token.is_word(&["collate", "desc"]));
        if !opens || !ends {
            return tokens;
        }
        tokens.remove(end - 1);
        tokens.remove(0);
    }
}
