//! Whether a table says of itself what was read of it.
//!
//! The server prints a table's definition; what was read is said in the same words. Neither the order of what is said of a column or
//! key counts, nor what goes without saying; anything else that one says and the other does not is something that was not understood.

use std::collections::BTreeSet;

use trueup_schema::{Ident, Table};

use super::charsets::canonical;
use super::literals::{quoted, unquoted};
use super::tokens::tokens;
use crate::{Token, TokenKind};

/// How a text is read: what the table is, and the collation that a character set has by itself.
pub(super) struct Reading<'a> {
    pub(super) table: &'a Table,
    pub(super) collation_of: &'a dyn Fn(&str) -> String,
}

/// A definition, its parts in no order.
struct Definition {
    parts: BTreeSet<String>,
}

impl Reading<'_> {
    /// The first thing that only one of the two says, if there is one: what the server prints, and what was read.
    pub(super) fn difference(&self, own: &str, shown: &str) -> Option<String> {
        let (Some(own), Some(shown)) = (self.definition(own), self.definition(shown)) else {
            return Some("the server's words for it are not those of a table".to_owned());
        };
        let only = |a: &Definition, b: &Definition| a.parts.difference(&b.parts).next().cloned();
        match (only(&shown, &own), only(&own, &shown)) {
            (None, None) => None,
            (Some(shown), Some(own)) => Some(format!("the server says {shown}, and what was read is {own}")),
            (Some(shown), None) => Some(format!("the server says {shown}, which was not read")),
            (None, Some(own)) => Some(format!("{own} was read, which the server does not say")),
        }
    }

    /// The first thing that the server prints and that no like part of what was read says.
    pub(super) fn unread(&self, own: &str, shown: &str) -> Option<String> {
        let (Some(own), Some(shown)) = (self.definition(own), self.definition(shown)) else {
            return Some("the server's words for it are not those of a table".to_owned());
        };
        let words = |part: &str| -> BTreeSet<String> { part.split(' ').map(str::to_owned).collect() };
        let is_said = |part: &&String| own.parts.iter().any(|other| words(part).is_subset(&words(other)));
        let unread = shown.parts.iter().find(|part| !is_said(part))?;
        Some(format!("the server says {unread}, and not all of that was read"))
    }

    fn definition(&self, text: &str) -> Option<Definition> {
        let list: Vec<Token> = tokens(text).into_iter().filter(|token| token.is_solid() && !is_mark(token)).collect();
        let open = list.iter().position(|token| token.text == "(")?;
        let close = closing(&list, open)?;
        let by = list.windows(2).skip(close).position(|two| two[0].is_word("PARTITION") && two[1].is_word("BY"));
        let (options, partitions) = list[close + 1..].split_at(by.map_or(list.len() - close - 1, |at| at - 1));
        let collation = self.options_collation(options);
        let mut parts: BTreeSet<String> =
            split(&list[open + 1..close]).into_iter().map(|item| self.item(item, &collation)).collect();
        parts.insert(self.options(options, &collation));
        if !partitions.is_empty() {
            parts.insert(self.words(partitions).join(" "));
        }
        Some(Definition { parts })
    }

    /// A column, key or rule: what it is called, and then what is said of it, sorted.
    fn item(&self, item: &[Token], table_collation: &str) -> String {
        let name = item.first().filter(|token| token.kind == TokenKind::QuotedName).and_then(Token::name);
        let mut words = self.words(item);
        drop_pair(&mut words, "USING", "BTREE");
        if let Some(name) = name {
            spell_json_out(&mut words);
            drop_pair(&mut words, "DEFAULT", "NULL");
            let is_not = |at: usize, words: &[String]| at > 0 && words[at - 1] == "NOT";
            if let Some(at) = (0..words.len()).find(|at| words[*at] == "NULL" && !is_not(*at, &words)) {
                words.remove(at);
            }
            let is_text = Ident::new(name)
                .ok()
                .and_then(|name| self.table.column(&name))
                .is_some_and(|column| column.collation.is_some());
            let said = self.take_collation(&mut words);
            words.extend(said.or_else(|| is_text.then(|| table_collation.to_owned())));
        }
        if let Some((_, rest)) = words.split_first_mut() {
            rest.sort();
        }
        words.join(" ")
    }

    /// Takes character set and collation out, and gives the collation back that they come to.
    fn take_collation(&self, words: &mut Vec<String>) -> Option<String> {
        let mut take = |first: &str, second: &str| {
            let at = words.windows(2).position(|two| two[0] == first && (second.is_empty() || two[1] == second))?;
            let end = if second.is_empty() { at + 2 } else { at + 3 };
            let taken: Vec<String> = words.drain(at..end.min(words.len())).collect();
            taken.last().map(|name| canonical(name))
        };
        let collation = take("COLLATE", "");
        let charset = take("CHARACTER", "SET");
        collation.or_else(|| charset.map(|charset| (self.collation_of)(&charset)))
    }

    fn options_collation(&self, options: &[Token]) -> String {
        let value = |name: &str| {
            let at = options.iter().position(|token| token.is_word(name))?;
            let value = options.get(at + 1..)?.iter().find(|token| token.text != "=")?;
            Some(canonical(&value.text))
        };
        value("COLLATE").or_else(|| value("CHARSET").map(|charset| (self.collation_of)(&charset))).unwrap_or_default()
    }

    /// The options, sorted. A counter is not a part of the definition.
    fn options(&self, options: &[Token], collation: &str) -> String {
        let mut said = BTreeSet::from([format!("COLLATE {collation}")]);
        let mut at = 0;
        while let Some(token) = options.get(at) {
            let equals = options.get(at + 1).is_some_and(|next| next.text == "=");
            if !equals {
                if !token.is_word("DEFAULT") {
                    said.insert(self.words(&options[at..=at]).concat());
                }
                at += 1;
                continue;
            }
            let value = options.get(at + 2..at + 3).unwrap_or_default();
            let name = token.name().unwrap_or_default().to_ascii_uppercase();
            if !matches!(name.as_str(), "AUTO_INCREMENT" | "CHARSET" | "COLLATE") {
                let value = self.words(value).concat();
                let option = format!("{name} {}", value.trim_matches('\'').to_ascii_uppercase());
                // Aria says it of every table.
                if option != "PAGE_CHECKSUM 1" {
                    said.insert(option);
                }
            }
            at += 3;
        }
        said.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The tokens as words: what is in parentheses is one, the names of the table's own database are left out.
    fn words(&self, list: &[Token]) -> Vec<String> {
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(token) = list.get(at) {
            if token.text == "("
                && let Some(close) = closing(list, at)
            {
                words.push(format!("({})", self.inside(&list[at + 1..close])));
                at = close + 1;
            } else if self.is_own_database(&list[at..]) {
                at += 2;
            } else {
                // MariaDB quotes the names of options that an engine brings along.
                let is_option = list.get(at + 1).is_some_and(|next| next.text == "=");
                let name = token.name().filter(|_| is_option && token.kind == TokenKind::QuotedName);
                words.push(name.map_or_else(|| word(token), |name| name.to_ascii_uppercase()));
                at += 1;
            }
        }
        words
    }

    /// What is in parentheses, without others that are all around it.
    fn inside(&self, list: &[Token]) -> String {
        match list.first() {
            Some(first) if first.text == "(" && closing(list, 0) == Some(list.len() - 1) => {
                self.inside(&list[1..list.len() - 1])
            }
            Some(_) | None => self.words(list).join(" "),
        }
    }

    fn is_own_database(&self, list: &[Token]) -> bool {
        let [name, dot, _, ..] = list else { return false };
        let own = self.table.name.namespace.as_ref().map(Ident::as_str);
        dot.text == "." && name.kind == TokenKind::QuotedName && name.name().as_deref() == own
    }
}

/// Versions in comments are the server's own way to say it to others; to itself it is all code.
fn is_mark(token: &Token) -> bool {
    token.kind == TokenKind::Symbol && (token.text.starts_with("/*") || token.text == "*/")
}

fn word(token: &Token) -> String {
    match token.kind {
        TokenKind::Word => token.text.to_ascii_uppercase(),
        TokenKind::QuotedName => token.name().map_or_else(String::new, |name| format!("`{name}`")),
        TokenKind::Text => unquoted(&token.text).map_or_else(|| token.text.clone(), |text| quoted(&text)),
        TokenKind::Number | TokenKind::Parameter | TokenKind::Symbol | TokenKind::Space | TokenKind::Comment => {
            token.text.clone()
        }
    }
}

/// What JSON is short for on MariaDB. Where it is a type of its own, both say so.
fn spell_json_out(words: &mut Vec<String>) {
    if let [name, json, ..] = words.as_slice()
        && json == "JSON"
    {
        let check = format!("(JSON_VALID ({name}))");
        let long = ["LONGTEXT", "COLLATE", "utf8mb4_bin", "CHECK", &check].map(str::to_owned);
        words.splice(1..2, long);
    }
}

fn drop_pair(words: &mut Vec<String>, first: &str, second: &str) {
    if let Some(at) = words.windows(2).position(|two| two[0] == first && two[1] == second) {
        words.drain(at..at + 2);
    }
}

fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(at),
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The items between commas outside of parentheses.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0_usize;
    tokens
        .split(|token| {
            match token.text.as_str() {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.text == ","
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use trueup_schema::{Column, DataType, QualName};

    use super::*;

    fn difference(own: &str, shown: &str) -> Option<String> {
        reading(|reading| reading.difference(own, shown))
    }

    fn reading<T>(ask: impl FnOnce(&Reading<'_>) -> T) -> T {
        let mut table = Table::new(QualName::parse("s.t").unwrap());
        for (name, words) in [("a", "int"), ("v", "varchar(5)")] {
            let mut column = Column::new(Ident::new(name).unwrap(), DataType::builtin(words));
            column.collation = (name == "v").then(|| QualName::new(None, Ident::new("utf8mb4_bin").unwrap()));
            table.columns.push(column);
        }
        let collation_of = |charset: &str| format!("{charset}_own");
        ask(&Reading { table: &table, collation_of: &collation_of })
    }

    #[test]
    fn what_was_read_and_is_not_printed_is_nothing_unread() {
        let text = |column: &str, options: &str| format!("CREATE TABLE `t` (`a` int{column}) ENGINE=Aria{options}");
        let unread = |own: &str, shown: &str| reading(|reading| reading.unread(own, shown));
        assert_eq!(unread(&text("", " TRANSACTIONAL=1"), &text("", "")), None);
        assert_eq!(unread(&text(" COMMENT 'c'", ""), &text("", "")), None);
        assert!(unread(&text("", ""), &text("", " TRANSACTIONAL=1")).is_some());
        assert!(unread(&text("", ""), &text(" STORAGE DISK", "")).unwrap().contains("STORAGE"));
        assert!(unread(&text("", ""), &text("", " PARTITION BY KEY ()")).is_some());
    }

    #[test]
    fn what_goes_without_saying_is_no_difference() {
        let own = "CREATE TABLE `s`.`t` (`a` int INVISIBLE COMMENT 'it''s', `v` varchar(5) DEFAULT 'x', \
                   KEY `k` (`a`) INVISIBLE COMMENT 'c', KEY `f` ((lower(`v`))), \
                   CONSTRAINT `r` FOREIGN KEY (`a`) REFERENCES `s`.`p` (`id`) ON DELETE CASCADE) \
                   ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_own ENCRYPTION='N' PARTITION BY HASH (`a`) PARTITIONS 2";
        let shown = "CREATE TABLE `t` (\n  `a` int DEFAULT NULL COMMENT 'it\\'s' /*!80023 INVISIBLE */,\n  \
                     `v` varchar(5) CHARACTER SET utf8mb4 DEFAULT 'x',\n  \
                     KEY `f` ((lower(`v`))),\n  KEY `k` (`a`) USING BTREE COMMENT 'c' /*!80000 INVISIBLE */,\n  \
                     CONSTRAINT `r` FOREIGN KEY (`a`) REFERENCES `p` (`id`) ON DELETE CASCADE\n) \
                     ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 /*!80016 ENCRYPTION='N' */\n\
                     /*!50100 PARTITION BY HASH (`a`)\nPARTITIONS 2 */";
        assert_eq!(difference(own, shown), None);
    }

    #[test]
    fn what_only_one_says_is_told() {
        let own =
            "CREATE TABLE `s`.`t` (`a` int, `v` varchar(5)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";
        let shown = |columns: &str, rest: &str| {
            difference(
                own,
                &format!(
                    "CREATE TABLE `t` ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin{rest}"
                ),
            )
        };
        let plain = "`a` int DEFAULT NULL, `v` varchar(5) DEFAULT NULL";
        assert_eq!(shown(plain, ""), None);
        let said = shown("`a` int /*!50606 STORAGE DISK */ DEFAULT NULL, `v` varchar(5) DEFAULT NULL", "").unwrap();
        assert_eq!(said, "the server says `a` DISK INT STORAGE, and what was read is `a` INT");
        for (columns, rest) in [
            ("`a` int NOT NULL, `v` varchar(5) DEFAULT NULL", ""),
            ("`a` int DEFAULT NULL, `v` varchar(5) CHARACTER SET latin1 DEFAULT NULL", ""),
            (plain, " STATS_PERSISTENT=1"),
            (plain, " PARTITION BY KEY ()"),
        ] {
            assert!(shown(columns, rest).is_some(), "{columns}{rest}");
        }
        assert!(shown(&format!("{plain}, KEY `k` (`a`)"), "").unwrap().ends_with("which was not read"));
    }
}
