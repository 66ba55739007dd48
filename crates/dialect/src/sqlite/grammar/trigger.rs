//! `CREATE TRIGGER`.

use trueup_schema::{Ident, PartId, QualName, SqlExpr, Trigger};

use super::{Cursor, GrammarError, Text, table};

/// Reads a statement that makes a trigger.
///
/// # Errors
/// [`GrammarError`] if the text does not say what it is on.
pub fn trigger(sql: &str) -> Result<Trigger, GrammarError> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    let name = head(&mut cursor)?;
    // Between the name and ON stand keywords and columns, none of which is a bare `on`.
    while !cursor.at_word("ON") {
        if cursor.next().is_none() {
            return Err(cursor.expected("ON"));
        }
    }
    cursor.expect_word("ON")?;
    let on = cursor.qualified("a table")?;
    if !std::iter::from_fn(|| cursor.next()).any(|token| token.is_word("BEGIN")) {
        return Err(cursor.expected("BEGIN"));
    }
    Ok(Trigger {
        id: PartId { table: QualName::new(None, on), name },
        definition: SqlExpr::new(sql),
        enabled: "origin".to_owned(),
        settings: trueup_schema::Parameters::new(),
        comment: None,
        depends_on: Vec::new(),
        source: Some(sql.to_owned()),
    })
}

/// What sets the trigger off: `INSERT`, `DELETE` or `UPDATE`, and the first column of `UPDATE OF`. None where `sql` makes no trigger.
#[must_use]
pub fn trigger_event(sql: &str) -> Option<(&'static str, Option<Ident>)> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    head(&mut cursor).ok()?;
    let _when = cursor.take_word("BEFORE") || cursor.take_word("AFTER") || cursor.take_words(&["INSTEAD", "OF"]);
    let event = ["INSERT", "DELETE", "UPDATE"].into_iter().find(|event| cursor.take_word(event))?;
    let column = if cursor.take_word("OF") { cursor.name("a column").ok() } else { None };
    Some((event, column))
}

/// What follows the trigger's name; none where `sql` makes no trigger.
pub(crate) fn trigger_body(sql: &str) -> Option<&str> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    head(&mut cursor).ok()?;
    let start = cursor.offset()?;
    sql.get(start..start + cursor.rest().len())
}

/// `CREATE [TEMP] TRIGGER [IF NOT EXISTS] [schema.]name`
fn head(cursor: &mut Cursor<'_>) -> Result<Ident, GrammarError> {
    cursor.expect_word("CREATE")?;
    let _temporary = cursor.take_word("TEMP") || cursor.take_word("TEMPORARY");
    cursor.expect_word("TRIGGER")?;
    table::name(cursor)
}
