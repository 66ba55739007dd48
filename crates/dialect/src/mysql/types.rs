//! Types of columns, read and spelled.

use super::literals::{quoted, unquoted};
use super::tokens::tokens;
use crate::{Token, TokenKind};

/// A type taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Its name in lower case, in the server's own spelling: `int`, `varchar`, `enum`.
    pub name: String,
    /// What stands in parentheses: numbers, or the members of an enum or set without their quotes.
    pub args: Vec<String>,
    /// Whether it holds no negative numbers.
    pub unsigned: bool,
    /// Whether numbers are printed with leading zeros.
    pub zerofill: bool,
    /// Whether it was asked for by a word that brings its own character set, `utf8mb3`.
    pub national: bool,
    /// Whatever else was said.
    pub rest: String,
}

/// How a server spells types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// Whether every integer shows a width (MariaDB), rather than `tinyint(1)` and zero-filled ones alone.
    pub(crate) widths: bool,
    /// What it calls a collection of geometries.
    pub(crate) collection: &'static str,
    /// Whether a year shows its width.
    pub(crate) year_width: bool,
}

impl Type {
    /// Reads a type as a person or a server writes it. Aliases are resolved, as far as they need no character set.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let list: Vec<Token> = tokens(text).into_iter().filter(Token::is_solid).collect();
        let open = list.iter().position(|token| token.text == "(");
        let close =
            list.iter().rposition(|token| token.text == ")").filter(|close| open.is_some_and(|open| open < *close));
        let head = &list[..open.unwrap_or(list.len())];
        let args = match (open, close) {
            (Some(open), Some(close)) => {
                list[open + 1..close].iter().filter(|token| token.text != ",").map(argument).collect()
            }
            _ => Vec::new(),
        };
        let tail = close.map(|close| &list[close + 1..]).unwrap_or_default();
        let mut flags: Vec<String> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (at, token) in head.iter().chain(tail).enumerate() {
            let word = token.text.to_ascii_lowercase();
            let is_name = at < head.len() && !matches!(word.as_str(), "unsigned" | "signed" | "zerofill");
            if is_name { names.push(word) } else { flags.push(word) }
        }
        let mut take = |word: &str| {
            let place = flags.iter().position(|flag| flag == word);
            place.map(|at| flags.remove(at)).is_some()
        };
        let zerofill = take("zerofill");
        let unsigned = take("unsigned") || zerofill;
        take("signed");
        let mut read = Self { name: names.join(" "), args, unsigned, zerofill, national: false, rest: flags.join(" ") };
        read.resolve();
        read
    }

    fn set(&mut self, name: &str, args: &[&str]) {
        name.clone_into(&mut self.name);
        if self.args.is_empty() {
            self.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        }
    }

    fn resolve(&mut self) {
        let name = self.name.clone();
        let plain =
            name.strip_prefix("national ").or_else(|| name.strip_prefix('n').filter(|rest| rest.contains("char")));
        self.national = plain.is_some();
        match plain.unwrap_or(&name) {
            "bool" | "boolean" => self.set("tinyint", &["1"]),
            "integer" | "int4" => self.set("int", &[]),
            "int1" => self.set("tinyint", &[]),
            "int2" => self.set("smallint", &[]),
            "int3" | "middleint" => self.set("mediumint", &[]),
            "int8" => self.set("bigint", &[]),
            "dec" | "numeric" | "fixed" | "decimal" => self.set("decimal", &["10", "0"]),
            "float4" => self.set("float", &[]),
            "float8" | "double precision" | "real" => self.set("double", &[]),
            "character" | "char" => self.set("char", &["1"]),
            "binary" | "char byte" => self.set("binary", &["1"]),
            "varchar" | "character varying" | "char varying" | "varcharacter" | "char varchar" => {
                self.set("varchar", &[])
            }
            "binary varying" => self.set("varbinary", &[]),
            "long" | "long varchar" | "long char varying" => self.set("mediumtext", &[]),
            "long varbinary" => self.set("mediumblob", &[]),
            "bit" => self.set("bit", &["1"]),
            "geomcollection" => self.set("geometrycollection", &[]),
            "vector" => self.set("vector", &["2048"]),
            _ => {}
        }
        if self.name == "decimal" && self.args.len() == 1 {
            self.args.push("0".to_owned());
        }
        if matches!(self.name.as_str(), "datetime" | "timestamp" | "time") && self.args == ["0"] {
            self.args.clear();
        }
        if let ("float", [digits]) = (self.name.as_str(), self.args.as_slice()) {
            if digits.parse::<u32>().is_ok_and(|digits| digits > 24) {
                "double".clone_into(&mut self.name);
            }
            self.args.clear();
        }
    }

    /// The type as the server prints it.
    pub(crate) fn spell(&self, spelling: Spelling) -> String {
        let name = match self.name.as_str() {
            "geometrycollection" => spelling.collection,
            other => other,
        };
        let args = self.shown_args(spelling);
        let mut text = name.to_owned();
        if !args.is_empty() {
            text = format!("{text}({})", args.join(","));
        }
        for (flag, word) in
            [(self.unsigned, "unsigned"), (self.zerofill, "zerofill"), (!self.rest.is_empty(), self.rest.as_str())]
        {
            if flag {
                text = format!("{text} {word}");
            }
        }
        text
    }

    fn shown_args(&self, spelling: Spelling) -> Vec<String> {
        if self.has_members() {
            return self.args.iter().map(|member| quoted(member)).collect();
        }
        if self.name == "year" {
            return if spelling.year_width { vec!["4".to_owned()] } else { Vec::new() };
        }
        let Some(width) = self.default_width() else { return self.args.clone() };
        let given = self.args.first().cloned();
        if spelling.widths || self.zerofill {
            return vec![given.unwrap_or_else(|| width.to_string())];
        }
        let is_flag = self.name == "tinyint" && given.as_deref() == Some("1") && !self.unsigned;
        if is_flag { vec!["1".to_owned()] } else { Vec::new() }
    }

    /// The width that an integer is shown with where none is given.
    fn default_width(&self) -> Option<u32> {
        let (signed, unsigned) = match self.name.as_str() {
            "tinyint" => (4, 3),
            "smallint" => (6, 5),
            "mediumint" => (9, 8),
            "int" => (11, 10),
            "bigint" => (20, 20),
            _ => return None,
        };
        Some(if self.unsigned { unsigned } else { signed })
    }

    /// Whether its arguments are members.
    #[must_use]
    pub fn has_members(&self) -> bool {
        matches!(self.name.as_str(), "enum" | "set")
    }

    /// Whether its values are texts with a character set.
    #[must_use]
    pub fn has_charset(&self) -> bool {
        matches!(self.name.as_str(), "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext")
            || self.has_members()
    }

    /// The number in its parentheses.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.args.first().and_then(|arg| arg.parse().ok())
    }
}

fn argument(token: &Token) -> String {
    match token.kind {
        TokenKind::Text => unquoted(&token.text).unwrap_or_else(|| token.text.clone()),
        TokenKind::Word
        | TokenKind::QuotedName
        | TokenKind::Number
        | TokenKind::Parameter
        | TokenKind::Symbol
        | TokenKind::Space
        | TokenKind::Comment => token.text.clone(),
    }
}

/// MySQL's own spelling.
pub(crate) const SPELLING: Spelling = Spelling { widths: false, collection: "geomcollection", year_width: false };

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Spelling = Spelling { widths: true, collection: "geometrycollection", year_width: true };

    #[test]
    fn aliases_become_what_the_server_prints() {
        for (given, narrow, wide) in [
            ("BOOL", "tinyint(1)", "tinyint(1)"),
            ("INTEGER", "int", "int(11)"),
            ("int(5) zerofill", "int(5) unsigned zerofill", "int(5) unsigned zerofill"),
            ("INT UNSIGNED ZEROFILL", "int(10) unsigned zerofill", "int(10) unsigned zerofill"),
            ("tinyint(1) unsigned", "tinyint unsigned", "tinyint(1) unsigned"),
            ("bigint(20)", "bigint", "bigint(20)"),
            ("NUMERIC", "decimal(10,0)", "decimal(10,0)"),
            ("dec(5)", "decimal(5,0)", "decimal(5,0)"),
            ("Decimal(5, 2) unsigned", "decimal(5,2) unsigned", "decimal(5,2) unsigned"),
            ("double precision", "double", "double"),
            ("float(30)", "double", "double"),
            ("float(7,4)", "float(7,4)", "float(7,4)"),
            ("char", "char(1)", "char(1)"),
            ("character varying(20)", "varchar(20)", "varchar(20)"),
            ("datetime(0)", "datetime", "datetime"),
            ("timestamp(6)", "timestamp(6)", "timestamp(6)"),
            ("ENUM ('a', \"it's\", 'B\\\\c')", "enum('a','it''s','B\\\\c')", "enum('a','it''s','B\\\\c')"),
            ("year", "year", "year(4)"),
            ("geomcollection", "geomcollection", "geometrycollection"),
            ("json", "json", "json"),
            ("bit", "bit(1)", "bit(1)"),
            ("nvarchar(5)", "varchar(5)", "varchar(5)"),
            ("NATIONAL CHAR VARYING(5)", "varchar(5)", "varchar(5)"),
            ("nchar", "char(1)", "char(1)"),
        ] {
            let read = Type::read(given);
            assert_eq!(read.spell(SPELLING), narrow, "{given}");
            assert_eq!(read.spell(WIDE), wide, "{given}");
            assert_eq!(Type::read(&read.spell(WIDE)).spell(WIDE), wide, "{given}");
        }
    }
}
