//! Which `sql_mode` a statement is read under, as far as it says what quotes mean.
//!
//! Scripts set it, dumps save it in a variable and put it back. The loader asks the server whether what is concluded here is so.

use std::collections::BTreeMap;

use trueup_dialect::mysql::{self, Quoting};
use trueup_dialect::{Token, TokenKind};

use crate::screen::Verdict;
use crate::screen_mysql::{assignments, screen};

/// The mode, statement by statement.
#[derive(Debug)]
pub(crate) struct Modes {
    first: Quoting,
    now: Quoting,
    /// Modes that were saved, by variable.
    saved: BTreeMap<String, Quoting>,
}

impl Modes {
    /// The mode that the server has.
    pub(crate) const fn new(first: Quoting) -> Self {
        Self { first, now: first, saved: BTreeMap::new() }
    }

    pub(crate) const fn now(&self) -> Quoting {
        self.now
    }

    /// Takes notice of what a statement sets, unless it is left out.
    pub(crate) fn after(&mut self, statement: &str) {
        let list: Vec<Token> = mysql::tokens_under(statement, self.now).into_iter().filter(is_code).collect();
        if !list.first().is_some_and(|first| first.is_word("SET")) {
            return;
        }
        if screen(statement, self.now) != Some(Verdict::Load) {
            return;
        }
        for (target, value) in assignments(&list[1..]) {
            let Some(mode) = self.value(value) else { continue };
            if target == "sql_mode" {
                self.now = mode;
            } else if target.starts_with('@') {
                self.saved.insert(target, mode);
            }
        }
    }

    /// The mode that a value stands for. `None` for one that is no mode.
    fn value(&self, value: &[Token]) -> Option<Quoting> {
        let modes: Vec<Quoting> = value.iter().filter_map(|token| self.part(token)).collect();
        let any = |of: fn(&Quoting) -> bool| modes.iter().any(of);
        let both = Quoting {
            ansi_quotes: any(|mode| mode.ansi_quotes),
            no_backslash_escapes: any(|mode| mode.no_backslash_escapes),
        };
        (!modes.is_empty()).then_some(both)
    }

    fn part(&self, token: &Token) -> Option<Quoting> {
        let name = token.text.to_ascii_lowercase();
        if token.kind == TokenKind::Parameter {
            return match name.as_str() {
                "@@sql_mode" | "@@session.sql_mode" | "@@local.sql_mode" => Some(self.now),
                "@@global.sql_mode" => Some(self.first),
                other => self.saved.get(other).copied(),
            };
        }
        if name == "default" {
            return Some(self.first);
        }
        mysql::unquoted(&token.text).or_else(|| token.name()).map(|text| Quoting::of(&text))
    }
}

/// Not blank, no comment, no mark of code for certain servers.
pub(crate) fn is_code(token: &Token) -> bool {
    token.is_solid() && !token.text.starts_with("/*") && token.text != "*/"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_saved_and_put_back_is_known() {
        let [plain, ansi, bare, both] = Quoting::ALL;
        let mut modes = Modes::new(bare);
        for (statement, now) in [
            ("create table t (a int)", bare),
            ("SET @saved_sql_mode = @@sql_mode", bare),
            ("/*!50003 SET sql_mode = 'STRICT_TRANS_TABLES,ANSI_QUOTES' */", ansi),
            ("set @@session.sql_mode = @saved_sql_mode", bare),
            ("/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */", plain),
            ("SET sql_mode = CONCAT(@old_sql_mode, ',ANSI_QUOTES')", both),
            ("SET sql_mode = \"STRICT_ALL_TABLES\"", plain),
            ("SET SESSION sql_mode = DEFAULT", bare),
            ("SET sql_mode = ''", plain),
            ("SET NAMES utf8mb4, sql_mode = 'ANSI_QUOTES'", plain),
        ] {
            modes.after(statement);
            assert_eq!(modes.now(), now, "{statement}");
        }
    }
}
