//! Which object a statement makes, read from its first words.

use trueup_dialect::mysql::Quoting;
use trueup_schema::{DialectId, Ident, ObjectRef, PartId, QualName};

use crate::lex::{Piece, first_piece};
use crate::split::SqlStatement;

/// The object that a CREATE statement makes, as far as its first words tell. Used for messages, and for which namespaces are declared.
pub(crate) fn declared_object(
    dialect: DialectId,
    statement: &SqlStatement,
    default_namespace: Option<&Ident>,
) -> Option<ObjectRef> {
    let mut words = Words { dialect, quoting: statement.quoting, rest: &statement.text };
    if !words.next()?.eq_ignore_ascii_case("create") {
        return None;
    }
    let kind = loop {
        let word = words.next()?.to_ascii_uppercase();
        match word.as_str() {
            "SCHEMA" | "TABLE" | "VIEW" | "TYPE" | "DOMAIN" | "SEQUENCE" | "INDEX" | "TRIGGER" | "EXTENSION" => {
                break word;
            }
            "OR" | "REPLACE" | "UNIQUE" | "UNLOGGED" | "MATERIALIZED" | "RECURSIVE" | "FOREIGN" | "VIRTUAL"
            | "CONSTRAINT" | "FULLTEXT" | "SPATIAL" => {}
            // Whatever stands before, but for what has a body in which anything may follow.
            "PROCEDURE" | "FUNCTION" | "EVENT" | "DATABASE" => return None,
            _ if matches!(dialect, DialectId::MySql | DialectId::MariaDb) => {}
            _ => return None,
        }
    };
    let first = loop {
        let word = words.next()?;
        if !["if", "not", "exists", "concurrently"].iter().any(|skip| word.eq_ignore_ascii_case(skip)) {
            break word;
        }
    };
    let name = words.path(first, dialect)?;
    let qualified = |mut names: Vec<Ident>| {
        let name = names.pop()?;
        Some(QualName::new(names.pop().or_else(|| default_namespace.cloned()), name))
    };
    match kind.as_str() {
        "SCHEMA" => name.first().cloned().map(ObjectRef::Namespace),
        "EXTENSION" => name.first().cloned().map(ObjectRef::Extension),
        "TABLE" => qualified(name).map(ObjectRef::Table),
        "VIEW" => qualified(name).map(ObjectRef::View),
        "TYPE" | "DOMAIN" => qualified(name).map(ObjectRef::Type),
        "SEQUENCE" => qualified(name).map(ObjectRef::Sequence),
        "INDEX" | "TRIGGER" => {
            let part = name.last()?.clone();
            let table = loop {
                if words.next()?.eq_ignore_ascii_case("on") {
                    let mut first = words.next()?;
                    if first.eq_ignore_ascii_case("only") {
                        first = words.next()?;
                    }
                    break qualified(words.path(first, dialect)?)?;
                }
            };
            let id = PartId { table, name: part };
            Some(if kind == "INDEX" { ObjectRef::Index(id) } else { ObjectRef::Trigger(id) })
        }
        _ => None,
    }
}

/// Words, quoted names and symbols of a text; blanks and comments left out.
struct Words<'a> {
    dialect: DialectId,
    quoting: Quoting,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let (piece, length) = first_piece(self.dialect, self.quoting, self.rest).ok()?;
            let (text, rest) = self.rest.split_at(length);
            self.rest = rest;
            let is_mark = text.starts_with("/*") || text == "*" && self.rest.starts_with('/');
            if is_mark && text == "*" {
                self.rest = &self.rest[1..];
            }
            if !matches!(piece, Piece::Space | Piece::Comment) && !is_mark {
                return Some(text);
            }
        }
    }

    /// The dotted path that begins with `first`.
    fn path(&mut self, first: &str, dialect: DialectId) -> Option<Vec<Ident>> {
        let mut names = vec![name(first, dialect)?];
        while self.rest.trim_start().starts_with('.') {
            self.next()?;
            names.push(name(self.next()?, dialect)?);
        }
        Some(names)
    }
}

/// The name that a word or quoted name stands for.
fn name(text: &str, dialect: DialectId) -> Option<Ident> {
    let open = text.chars().next()?;
    let close = match open {
        '"' | '`' => open,
        '[' => ']',
        _ if dialect == DialectId::Postgres => return Ident::new(text.to_lowercase()).ok(),
        _ => return Ident::new(text).ok(),
    };
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    Ident::new(inner.replace(&format!("{close}{close}"), &close.to_string())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::split;
    use crate::{Source, SourceKind};

    #[test]
    fn created_objects_are_named() {
        for (sql, expected) in [
            ("CREATE TABLE IF NOT EXISTS Shop.\"My Users\" (id int)", Some("shop.\"My Users\"")),
            ("create unique index concurrently i on only t (a)", Some("public.t.i")),
            ("CREATE OR REPLACE VIEW v AS SELECT 1", Some("public.v")),
            ("create schema shop", Some("shop")),
            ("alter table t add a int", None),
            ("create function f() returns int language sql return 1", None),
        ] {
            let source = Source { name: "t.sql".to_owned(), kind: SourceKind::Sql, text: sql.to_owned() };
            let script = split(DialectId::Postgres, &source).unwrap();
            let public = Ident::new("public").unwrap();
            let object = declared_object(DialectId::Postgres, &script.statements[0], Some(&public));
            assert_eq!(object.map(|object| object.to_string()).as_deref(), expected, "{sql}");
        }
    }
}
