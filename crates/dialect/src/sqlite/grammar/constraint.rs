//! Constraints of a table, and what those of a column share with them.

use trueup_schema::{Constraint, ConstraintKind, Deferrable, FkAction, ForeignKey, Ident, QualName, Table};

use super::column::key_of;
use super::{Cursor, GrammarError, Text, key};
use crate::sqlite::attributes;

/// Reads one constraint of a table by itself.
///
/// # Errors
/// [`GrammarError`] if the text is not one constraint to its end.
pub fn constraint(sql: &str) -> Result<Constraint, GrammarError> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    let mut nowhere = Table::new(QualName::new(None, placeholder()?));
    let found = clause(&mut cursor, &mut nowhere)?;
    match found {
        Some(found) if cursor.is_done() => Ok(found),
        Some(_) | None => Err(cursor.expected("the end of the constraint")),
    }
}

fn placeholder() -> Result<Ident, GrammarError> {
    Ident::new("t").map_err(|source| GrammarError::Name { at: 0, source })
}

/// Whether a constraint follows rather than a column: these words are no names.
pub(super) fn starts(cursor: &Cursor<'_>) -> bool {
    ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].iter().any(|word| cursor.at_word(word))
}

/// One constraint of `table`; none where only a name is left. AUTOINCREMENT is put at the column.
pub(super) fn clause(cursor: &mut Cursor<'_>, table: &mut Table) -> Result<Option<Constraint>, GrammarError> {
    let mark = cursor.mark();
    let mut name = None;
    while cursor.take_word("CONSTRAINT") {
        name = Some(cursor.name("the name of a constraint")?);
    }
    if name.is_some() && (cursor.is_done() || cursor.at_symbol(",")) {
        return Ok(None);
    }
    let mut constraint = body(cursor, table, name)?;
    constraint.source = Some(cursor.since(mark).to_owned());
    Ok(Some(constraint))
}

fn body(cursor: &mut Cursor<'_>, table: &mut Table, name: Option<Ident>) -> Result<Constraint, GrammarError> {
    if cursor.take_words(&["PRIMARY", "KEY"]) {
        return primary_key(cursor, table, name);
    }
    if cursor.take_word("UNIQUE") {
        let key = key_of(key::parts(&mut cursor.group()?)?);
        let mut constraint = Constraint::new(name, ConstraintKind::Unique(key));
        constraint.on_conflict = conflict(cursor)?;
        return Ok(constraint);
    }
    if cursor.take_word("CHECK") {
        let expr = cursor.group()?.rest_expr();
        let mut constraint = Constraint::new(name, ConstraintKind::Check { expr, no_inherit: false, column: None });
        constraint.on_conflict = conflict(cursor)?;
        return Ok(constraint);
    }
    if cursor.take_words(&["FOREIGN", "KEY"]) {
        let columns = names(&mut cursor.group()?)?;
        cursor.expect_word("REFERENCES")?;
        let (key, deferrable) = reference(cursor, columns)?;
        let mut constraint = Constraint::new(name, ConstraintKind::ForeignKey(key));
        constraint.deferrable = deferrable;
        return Ok(constraint);
    }
    Err(cursor.expected("a constraint"))
}

/// `PRIMARY KEY (… [AUTOINCREMENT]) [ON CONFLICT …]`
fn primary_key(cursor: &mut Cursor<'_>, table: &mut Table, name: Option<Ident>) -> Result<Constraint, GrammarError> {
    let mut inside = cursor.group()?;
    let mut last = inside;
    let auto_increment = std::iter::from_fn(|| last.next()).last().is_some_and(|token| token.is_word("AUTOINCREMENT"));
    if auto_increment && inside.len() > 1 {
        inside = inside.without_last(1);
    }
    let key = key_of(key::parts(&mut inside)?);
    let column = key.columns.first().and_then(|part| part.column_name()).cloned();
    let mut constraint = Constraint::new(name, ConstraintKind::PrimaryKey(key));
    constraint.on_conflict = conflict(cursor)?;
    if auto_increment {
        let same = |name: &Ident| column.as_ref().is_some_and(|it| it.as_str().eq_ignore_ascii_case(name.as_str()));
        if let Some(column) = table.columns.iter_mut().find(|column| same(&column.name)) {
            column.auto_increment = true;
        }
        constraint.parameters.insert(attributes::WRITTEN_AT.to_owned(), attributes::AT_TABLE.to_owned());
    }
    Ok(constraint)
}

fn names(inside: &mut Cursor<'_>) -> Result<Vec<Ident>, GrammarError> {
    let mut found = Vec::new();
    loop {
        found.push(inside.name("a column")?);
        if inside.is_done() {
            return Ok(found);
        }
        if !inside.take_symbol(",") {
            return Err(inside.expected("a comma"));
        }
    }
}

/// `[ON CONFLICT …]`, upper case; none for ABORT, which is the default.
pub(super) fn conflict(cursor: &mut Cursor<'_>) -> Result<Option<String>, GrammarError> {
    if !cursor.take_words(&["ON", "CONFLICT"]) {
        return Ok(None);
    }
    let word = cursor.word("a way to resolve the conflict")?.to_ascii_uppercase();
    Ok((word != "ABORT").then_some(word))
}

/// What follows REFERENCES.
pub(super) fn reference(
    cursor: &mut Cursor<'_>,
    columns: Vec<Ident>,
) -> Result<(ForeignKey, Deferrable), GrammarError> {
    let references = QualName::new(None, cursor.name("the referenced table")?);
    let referenced_columns = if cursor.at_symbol("(") { names(&mut cursor.group()?)? } else { Vec::new() };
    let mut key = ForeignKey {
        columns,
        references,
        referenced_columns,
        on_delete: FkAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: FkAction::NoAction,
        match_type: None,
        period: false,
    };
    loop {
        if cursor.take_words(&["ON", "DELETE"]) {
            key.on_delete = action(cursor)?;
        } else if cursor.take_words(&["ON", "UPDATE"]) {
            key.on_update = action(cursor)?;
        } else if cursor.take_words(&["ON", "INSERT"]) {
            // Taken by the grammar, kept by nothing.
            action(cursor)?;
        } else if cursor.take_word("MATCH") {
            key.match_type = Some(cursor.name("the kind of match")?.as_str().to_ascii_uppercase());
        } else {
            break;
        }
    }
    let when = deferrable(cursor)?.unwrap_or_default();
    Ok((key, when))
}

fn action(cursor: &mut Cursor<'_>) -> Result<FkAction, GrammarError> {
    let actions = [
        (&["SET", "NULL"][..], FkAction::SetNull),
        (&["SET", "DEFAULT"][..], FkAction::SetDefault),
        (&["CASCADE"][..], FkAction::Cascade),
        (&["RESTRICT"][..], FkAction::Restrict),
        (&["NO", "ACTION"][..], FkAction::NoAction),
    ];
    let found = actions.iter().find(|(words, _)| cursor.take_words(words));
    found.map(|(_, action)| *action).ok_or_else(|| cursor.expected("an action"))
}

/// `[[NOT] DEFERRABLE [INITIALLY …]]`
pub(super) fn deferrable(cursor: &mut Cursor<'_>) -> Result<Option<Deferrable>, GrammarError> {
    let never = cursor.take_words(&["NOT", "DEFERRABLE"]);
    if !never && !cursor.take_word("DEFERRABLE") {
        return Ok(None);
    }
    let mut deferred = false;
    if cursor.take_word("INITIALLY") {
        deferred = cursor.take_word("DEFERRED");
        if !deferred && !cursor.take_word("IMMEDIATE") {
            return Err(cursor.expected("DEFERRED or IMMEDIATE"));
        }
    }
    Ok(Some(match (never, deferred) {
        (true, _) => Deferrable::No,
        (false, true) => Deferrable::InitiallyDeferred,
        (false, false) => Deferrable::InitiallyImmediate,
    }))
}
