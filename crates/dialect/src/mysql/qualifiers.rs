//! The name of a database in front of the names of its own objects.
//!
//! Servers print views, and defaults that call a sequence, with the database in front of every name. In a canonical text the name of
//! the object's own database is left out, so that the same object in two databases has one text: whoever runs such a text makes that
//! database the default one first (`USE`). Names of other databases stay.

use std::collections::BTreeSet;

use super::tokens::{Quoting, tokens_under};
use crate::{Token, TokenKind};

/// The objects of a database, for telling its name from an alias of the same name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects(BTreeSet<String>);

impl Objects {
    /// The database's tables, views, sequences and routines.
    #[must_use]
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().map(str::to_lowercase).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(&name.to_lowercase())
    }
}

/// `sql` without the name of `database` in front of its own `objects`. Of two parts the first is the database if the second is one of
/// its objects or is called as a function; of three parts the first always is.
#[must_use]
pub fn drop_qualifier(sql: &str, database: &str, objects: &Objects) -> String {
    drop_qualifier_under(sql, database, objects, Quoting::default())
}

/// The same for a text that is read under another `sql_mode`.
#[must_use]
pub fn drop_qualifier_under(sql: &str, database: &str, objects: &Objects, quoting: Quoting) -> String {
    rewrite(sql, database, objects, None, quoting)
}

/// `sql`, read under `quoting`, with `to` instead of the name of the database `from` in front of its `objects`, by the rule of
/// [`drop_qualifier`].
#[must_use]
pub fn replace_qualifier(sql: &str, from: &str, to: &str, objects: &Objects, quoting: Quoting) -> String {
    rewrite(sql, from, objects, Some(to), quoting)
}

fn rewrite(sql: &str, database: &str, objects: &Objects, to: Option<&str>, quoting: Quoting) -> String {
    let list = tokens_under(sql, quoting);
    let mut text = String::with_capacity(sql.len());
    let mut at = 0;
    while at < list.len() {
        match qualifier(&list, at, database, objects) {
            Some(next) => {
                if let Some(to) = to {
                    text.push('`');
                    text.push_str(&to.replace('`', "``"));
                    text.push_str("`.");
                }
                at = next;
            }
            None => {
                text.push_str(&list[at].text);
                at += 1;
            }
        }
    }
    text
}

/// Where the name behind the qualifier at `at` begins, if there is a qualifier.
fn qualifier(list: &[Token], at: usize, database: &str, objects: &Objects) -> Option<usize> {
    let is_ours = list[at].name().is_some_and(|name| name == database);
    if !is_ours || before(list, at).is_some_and(is_dot) {
        return None;
    }
    let dot = solid(list, at + 1).filter(|dot| is_dot(&list[*dot]))?;
    let next = solid(list, dot + 1)?;
    let name = list[next].name()?;
    let after = solid(list, next + 1).map(|after| list[after].text.as_str());
    (after == Some(".") || after == Some("(") || objects.has(&name)).then_some(next)
}

fn is_dot(token: &Token) -> bool {
    token.kind == TokenKind::Symbol && token.text == "."
}

fn solid(list: &[Token], from: usize) -> Option<usize> {
    (from..list.len()).find(|at| list[*at].is_solid())
}

fn before(list: &[Token], at: usize) -> Option<&Token> {
    list[..at].iter().rev().find(|token| token.is_solid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_database_goes() {
        let objects = Objects::new(["t", "f"]);
        let drop = |sql: &str| drop_qualifier(sql, "shop", &objects);
        assert_eq!(drop("select `shop`.`t`.`id` from `shop`.`t`"), "select `t`.`id` from `t`");
        assert_eq!(drop("select shop . T.id, other.t.x from shop.t"), "select T.id, other.t.x from t");
        assert_eq!(drop("select `shop`.`id` from `u` `shop`"), "select `shop`.`id` from `u` `shop`");
        assert_eq!(drop("`shop`.`g`(1), 'shop.t', x.shop.t"), "`g`(1), 'shop.t', x.shop.t");
        let replace = |sql: &str, quoting| replace_qualifier(sql, "shop", "s`p", &objects, quoting);
        assert_eq!(replace("select a from shop.t", Quoting::default()), "select a from `s``p`.t");
        assert_eq!(replace(r"select '\', shop.t.a", Quoting::ALL[2]), r"select '\', `s``p`.t.a");
    }
}
