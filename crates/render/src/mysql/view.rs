//! Views.

use trueup_dialect::{Token, TokenKind, mysql};
use trueup_schema::View;

use super::flavour::Flavour;
use super::words::{Rendered, ident, quoted, run, unsupported, use_namespace, word};
use crate::RenderError;
use crate::sql::Sql;

/// The view; `replace` keeps what hangs on it.
pub(super) fn create(flavour: &Flavour, view: &View, replace: bool) -> Rendered {
    if view.materialized {
        return Err(unsupported(flavour, &view.name, "there are no materialized views"));
    }
    let mut sql = Sql::new(if replace { "CREATE OR REPLACE" } else { "CREATE" });
    let option = |name: &str| view.options.get(name);
    if let Some(algorithm) = option("algorithm") {
        sql = sql.words(format!("ALGORITHM={}", word(flavour, algorithm)?.to_ascii_uppercase()));
    }
    if let Some(definer) = option("definer") {
        sql = sql.words(format!("DEFINER={}", account(flavour, definer)?));
    }
    if let Some(security) = option("sql_security") {
        sql = sql.words(format!("SQL SECURITY {}", word(flavour, security)?.to_ascii_uppercase()));
    }
    sql = sql.words("VIEW").qualified(&view.name);
    if !says_columns(view) {
        sql = sql.names(view.columns.iter().map(|column| &column.name));
    }
    sql = sql.words("AS").expr(&view.query);
    if let Some(option) = option("check_option") {
        sql = sql.words(format!("WITH {} CHECK OPTION", word(flavour, option)?.to_ascii_uppercase()));
    }
    let mut statements = use_namespace(view.name.namespace.as_ref());
    statements.push(run(&sql));
    Ok(statements)
}

pub(super) fn drop(view: &View) -> Rendered {
    Ok(vec![run(&Sql::new("DROP VIEW").qualified(&view.name))])
}

/// `user@host`, each part in backquotes or not. Words such as `CURRENT_USER` are no accounts.
fn account(flavour: &Flavour, text: &str) -> Result<String, RenderError> {
    let list: Vec<Token> = mysql::tokens(text);
    if let [user, host] = list.as_slice()
        && user.kind == TokenKind::QuotedName
        && host.text.starts_with("@`")
        && host.text.ends_with('`')
    {
        return Ok(text.to_owned());
    }
    if let [user] = list.as_slice()
        && user.kind == TokenKind::QuotedName
    {
        return Ok(text.to_owned());
    }
    match text.rsplit_once('@') {
        Some((user, host)) => Ok(format!("{}@{}", quoted(&ident(flavour, user)?), quoted(&ident(flavour, host)?))),
        None => Ok(quoted(&ident(flavour, text)?)),
    }
}

/// Whether the query itself gives its columns the names that the view has, so that no list of them is needed.
fn says_columns(view: &View) -> bool {
    if view.columns.is_empty() {
        return true;
    }
    let list: Vec<Token> = mysql::tokens(view.query.as_str()).into_iter().filter(Token::is_solid).collect();
    let names = aliases(&list);
    names.len() == view.columns.len()
        && names
            .iter()
            .zip(&view.columns)
            .all(|(name, column)| name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(column.name.as_str())))
}

/// The names that the first SELECT gives its columns; none where it gives none.
fn aliases(list: &[Token]) -> Vec<Option<String>> {
    let Some(select) = first_select(list) else { return Vec::new() };
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut last: [Option<&Token>; 2] = [None, None];
    for token in &list[select + 1..] {
        let ends = depth == 0 && (token.is_word("FROM") || token.is_word("UNION") || token.text == ")");
        if ends {
            break;
        }
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => {
                names.push(alias(last));
                last = [None, None];
                continue;
            }
            _ => {}
        }
        last = [last[1], Some(token)];
    }
    names.push(alias(last));
    names
}

/// `AS name`, or a name that stands alone or behind a dot.
fn alias([before, last]: [Option<&Token>; 2]) -> Option<String> {
    let last = last?;
    let follows = before.is_none_or(|before| before.is_word("AS") || before.text == "." || before.is_word("DISTINCT"));
    follows.then(|| last.name()).flatten()
}

/// The SELECT whose columns are the view's: behind the common table expressions, within parentheses where the query begins with some.
fn first_select(list: &[Token]) -> Option<usize> {
    let start = list.iter().position(|token| token.text != "(")?;
    if list.get(start)?.is_word("SELECT") {
        return Some(start);
    }
    let mut depth = 0_usize;
    for (at, token) in list.iter().enumerate().skip(start) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ if depth == 0 && token.is_word("SELECT") => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sql: &str) -> Vec<Option<String>> {
        aliases(&mysql::tokens(sql).into_iter().filter(Token::is_solid).collect::<Vec<_>>())
    }

    #[test]
    fn the_query_says_its_columns_or_does_not() {
        let some = |list: &[&str]| list.iter().map(|name| Some((*name).to_owned())).collect::<Vec<_>>();
        assert_eq!(names("select `t`.`a` AS `a`,count(0) AS `n` from `t`"), some(&["a", "n"]));
        assert_eq!(names("(select 1 AS `x`) union select 2"), some(&["x"]));
        assert_eq!(names("with c as (select 1 AS `q`) select distinct `c`.`q` AS `r` from c"), some(&["r"]));
        assert_eq!(names("select (select max(b) from u) AS `m`, a from t"), some(&["m", "a"]));
        assert_eq!(names("select 1, a + 1 from t"), [None, None]);
    }

    #[test]
    fn accounts_are_quoted_once() {
        let account = |text: &str| account(&super::super::MYSQL, text).unwrap();
        assert_eq!(account("`root`@`%`"), "`root`@`%`");
        assert_eq!(account("root@%"), "`root`@`%`");
        assert_eq!(
            account("`a` SQL SECURITY INVOKER VIEW x AS SELECT 1; --@`b`"),
            "```a`` SQL SECURITY INVOKER VIEW x AS SELECT 1; --`@```b```"
        );
    }
}
