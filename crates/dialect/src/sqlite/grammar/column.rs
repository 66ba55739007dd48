//! A column of `CREATE TABLE`.

use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, Generated, Ident, IndexPart, Key, QualName, SqlExpr,
};

use super::constraint::{conflict, deferrable, reference};
use super::{Cursor, GrammarError, Text, is_symbol};
use crate::TokenKind;
use crate::sqlite::attributes;

/// A column with the constraints that are written at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnClause {
    /// The column.
    pub column: Column,
    /// Its keys, checks and references, as constraints of the table. They have no text of their own: it is the column's.
    pub constraints: Vec<Constraint>,
}

/// Reads one column by itself.
///
/// # Errors
/// [`GrammarError`] if the text is not one column to its end.
pub fn column(sql: &str) -> Result<ColumnClause, GrammarError> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    let found = clause(&mut cursor)?;
    if cursor.is_done() { Ok(found) } else { Err(cursor.expected("the end of the column")) }
}

/// Words that end the type and begin a constraint.
const STARTS: [&str; 11] =
    ["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "AS", "DEFERRABLE"];

fn at_start(cursor: &Cursor<'_>) -> bool {
    let generated = cursor.at_word("GENERATED") && cursor.ahead(1).is_some_and(|token| token.is_word("ALWAYS"));
    generated || STARTS.iter().any(|word| cursor.at_word(word))
}

/// The column up to a comma or the end.
pub(super) fn clause(cursor: &mut Cursor<'_>) -> Result<ColumnClause, GrammarError> {
    let mark = cursor.mark();
    let name = cursor.name("a column")?;
    let kind = type_words(cursor)?;
    let mut parts = Parts { column: Column::new(name, DataType::Builtin(kind)), constraints: Vec::new() };
    while !cursor.is_done() && !cursor.at_symbol(",") {
        let mut label = None;
        while cursor.take_word("CONSTRAINT") {
            label = Some(cursor.name("the name of a constraint")?);
        }
        // A name with nothing behind it names nothing.
        if !cursor.is_done() && !cursor.at_symbol(",") {
            parts.constraint(cursor, label)?;
        }
    }
    parts.column.source = Some(cursor.since(mark).to_owned());
    Ok(ColumnClause { column: parts.column, constraints: parts.constraints })
}

fn type_words(cursor: &mut Cursor<'_>) -> Result<String, GrammarError> {
    let mark = cursor.mark();
    while let Some(token) = cursor.peek() {
        if is_symbol(token, ",") || at_start(cursor) {
            break;
        }
        if is_symbol(token, "(") && cursor.mark() > mark {
            cursor.group()?;
            break;
        }
        match token.kind {
            TokenKind::Word | TokenKind::QuotedName | TokenKind::Text => cursor.next(),
            TokenKind::Number | TokenKind::Parameter | TokenKind::Symbol | TokenKind::Space | TokenKind::Comment => {
                return Err(cursor.expected("a type or a constraint"));
            }
        };
    }
    Ok(if cursor.mark() == mark { String::new() } else { cursor.since(mark).to_owned() })
}

struct Parts {
    column: Column,
    constraints: Vec<Constraint>,
}

impl Parts {
    fn constraint(&mut self, cursor: &mut Cursor<'_>, label: Option<Ident>) -> Result<(), GrammarError> {
        if cursor.take_word("DEFAULT") {
            self.column.default = Some(default(cursor)?);
            self.label(attributes::DEFAULT_NAME, label);
        } else if cursor.take_words(&["NOT", "NULL"]) {
            self.column.not_null = true;
            self.column.not_null_clause = conflict(cursor)?;
            self.label(attributes::NOT_NULL_NAME, label);
        } else if cursor.take_word("NULL") {
            conflict(cursor)?;
        } else if cursor.take_words(&["PRIMARY", "KEY"]) {
            self.primary_key(cursor, label)?;
        } else if cursor.take_word("UNIQUE") {
            let on_conflict = conflict(cursor)?;
            self.key(ConstraintKind::Unique(self.own_key()), label, on_conflict);
        } else if cursor.take_word("CHECK") {
            let expr = cursor.group()?.rest_expr();
            let on_conflict = conflict(cursor)?;
            self.key(ConstraintKind::Check { expr, no_inherit: false, column: None }, label, on_conflict);
        } else if cursor.take_word("REFERENCES") {
            let (key, deferrable) = reference(cursor, vec![self.column.name.clone()])?;
            let mut constraint = Constraint::new(label, ConstraintKind::ForeignKey(key));
            constraint.deferrable = deferrable;
            self.constraints.push(constraint);
        } else if cursor.at_word("DEFERRABLE") || cursor.at_word("NOT") {
            // Belongs to the reference before it, wherever it stands.
            let when = deferrable(cursor)?;
            let reference =
                self.constraints.iter_mut().rev().find(|each| matches!(each.kind, ConstraintKind::ForeignKey(_)));
            match (reference, when) {
                (Some(reference), Some(when)) => reference.deferrable = when,
                _ => return Err(cursor.expected("a constraint")),
            }
        } else if cursor.take_word("COLLATE") {
            self.column.collation = Some(QualName::new(None, cursor.name("a collation")?));
            self.label(attributes::COLLATE_NAME, label);
        } else {
            self.generated(cursor)?;
            self.label(attributes::GENERATED_NAME, label);
        }
        Ok(())
    }

    fn own_key(&self) -> Key {
        key_of(vec![IndexPart::column(self.column.name.clone())])
    }

    fn label(&mut self, attribute: &str, label: Option<Ident>) {
        if let Some(label) = label {
            self.column.attributes.insert(attribute.to_owned(), label.as_str().to_owned());
        }
    }

    fn key(&mut self, kind: ConstraintKind, label: Option<Ident>, on_conflict: Option<String>) {
        let mut constraint = Constraint::new(label, kind);
        constraint.on_conflict = on_conflict;
        self.constraints.push(constraint);
    }

    /// `PRIMARY KEY [ASC | DESC] [ON CONFLICT …] [AUTOINCREMENT]`
    fn primary_key(&mut self, cursor: &mut Cursor<'_>, label: Option<Ident>) -> Result<(), GrammarError> {
        let mut key = self.own_key();
        let descending = !cursor.take_word("ASC") && cursor.take_word("DESC");
        if let Some(part) = key.columns.first_mut() {
            part.descending = descending;
        }
        let on_conflict = conflict(cursor)?;
        self.column.auto_increment = cursor.take_word("AUTOINCREMENT");
        self.key(ConstraintKind::PrimaryKey(key), label, on_conflict);
        if let (true, Some(constraint)) = (descending, self.constraints.last_mut()) {
            // `INTEGER PRIMARY KEY DESC` at the column is no alias of the rowid; the same key of the table is.
            constraint.parameters.insert(attributes::WRITTEN_AT.to_owned(), attributes::AT_COLUMN.to_owned());
        }
        Ok(())
    }

    /// `[GENERATED ALWAYS] AS (…) [VIRTUAL | STORED]`
    fn generated(&mut self, cursor: &mut Cursor<'_>) -> Result<(), GrammarError> {
        cursor.take_words(&["GENERATED", "ALWAYS"]);
        cursor.expect_word("AS").map_err(|_| cursor.expected("a constraint"))?;
        let expr = cursor.group()?.rest_expr();
        let stored = !cursor.take_word("VIRTUAL") && cursor.take_word("STORED");
        self.column.generated = Some(Generated { expr, stored });
        Ok(())
    }
}

pub(super) const fn key_of(columns: Vec<IndexPart>) -> Key {
    Key { columns, include: Vec::new(), nulls_not_distinct: false, without_overlaps: false }
}

/// What follows DEFAULT, parentheses and signs included.
fn default(cursor: &mut Cursor<'_>) -> Result<SqlExpr, GrammarError> {
    let mark = cursor.mark();
    if cursor.at_symbol("(") {
        cursor.group()?;
    } else {
        while cursor.take_symbol("+") || cursor.take_symbol("-") {}
        match cursor.peek().map(|token| token.kind) {
            Some(TokenKind::Symbol) | None => return Err(cursor.expected("a default")),
            Some(_) => cursor.next(),
        };
    }
    Ok(SqlExpr::new(cursor.since(mark)))
}
