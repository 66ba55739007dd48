//! What a statement says about databases.

use trueup_dialect::Token;
use trueup_dialect::mysql::{self, Quoting};
use trueup_schema::Ident;

use crate::modes::is_code;
use crate::split::SqlStatement;

/// The tokens that matter, marks of executable comments left out.
pub(super) fn solid(text: &str, quoting: Quoting) -> Vec<Token> {
    mysql::tokens_under(text, quoting).into_iter().filter(is_code).collect()
}

/// Whether it sets something.
pub(super) fn sets(statement: &SqlStatement) -> bool {
    solid(&statement.text, statement.quoting).first().is_some_and(|first| first.is_word("SET"))
}

/// The database that a USE makes the default one.
pub(in crate::dev) fn used(statement: &SqlStatement) -> Option<Ident> {
    let list = solid(&statement.text, statement.quoting);
    match list.as_slice() {
        [first, name, ..] if first.is_word("USE") => Ident::new(name.name()?).ok(),
        _ => None,
    }
}

/// The database that a CREATE DATABASE makes, and its place among the tokens that matter.
pub(super) fn created(statement: &SqlStatement) -> Option<Ident> {
    let list = solid(&statement.text, statement.quoting);
    let mut words = list.iter();
    if !words.next()?.is_word("CREATE") {
        return None;
    }
    let mut word = words.next()?;
    for skipped in ["OR", "REPLACE"] {
        if word.is_word(skipped) {
            word = words.next()?;
        }
    }
    if !(word.is_word("DATABASE") || word.is_word("SCHEMA")) {
        return None;
    }
    let mut name = words.next()?;
    for skipped in ["IF", "NOT", "EXISTS"] {
        if name.is_word(skipped) {
            name = words.next()?;
        }
    }
    Ident::new(name.name()?).ok()
}

/// The options of a CREATE DATABASE: what follows its name.
pub(super) fn database_options(statement: &SqlStatement, name: &Ident) -> String {
    let list = solid(&statement.text, statement.quoting);
    let place = list.iter().position(|token| token.name().is_some_and(|text| text == name.as_str()));
    let rest = place.and_then(|place| list.get(place + 1..)).unwrap_or_default();
    rest.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> SqlStatement {
        SqlStatement {
            text: text.to_owned(),
            file: "f".to_owned(),
            line: 1,
            head: Vec::new(),
            quoting: Quoting::default(),
        }
    }

    #[test]
    fn databases_are_named() {
        let name = |text: &str| created(&statement(text)).map(|name| name.to_string());
        assert_eq!(
            name("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `a b` DEFAULT CHARSET latin1").as_deref(),
            Some("\"a b\"")
        );
        assert_eq!(name("create schema if not exists shop").as_deref(), Some("shop"));
        assert_eq!(name("CREATE TABLE database (a int)"), None);
        assert_eq!(used(&statement("USE `x`")).map(|name| name.to_string()).as_deref(), Some("x"));
        let sql = statement("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `d` /*!40100 DEFAULT CHARACTER SET latin1 */");
        assert_eq!(database_options(&sql, &Ident::new("d").unwrap()), "DEFAULT CHARACTER SET latin1");
    }
}
