//! `CREATE VIEW`.

use trueup_schema::{Ident, QualName, View, ViewColumn};

use super::{Cursor, GrammarError, Text, table};

/// Reads a statement that makes a view. Its columns are those that the statement lists: what a query without a list gives follows from
/// its tables and changes with them.
///
/// # Errors
/// [`GrammarError`] if the text is not understood to its end.
pub fn view(sql: &str) -> Result<View, GrammarError> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    cursor.expect_word("CREATE")?;
    let _temporary = cursor.take_word("TEMP") || cursor.take_word("TEMPORARY");
    cursor.expect_word("VIEW")?;
    let name = table::name(&mut cursor)?;
    let columns = if cursor.at_symbol("(") { columns(&mut cursor.group()?)? } else { Vec::new() };
    cursor.expect_word("AS")?;
    if cursor.is_done() {
        return Err(cursor.expected("a query"));
    }
    let mut view = View::new(QualName::new(None, name), cursor.rest_expr());
    view.columns = columns.into_iter().map(listed).collect();
    view.source = Some(sql.to_owned());
    Ok(view)
}

const fn listed(name: Ident) -> ViewColumn {
    ViewColumn::new(name)
}

fn columns(inside: &mut Cursor<'_>) -> Result<Vec<Ident>, GrammarError> {
    let mut found = Vec::new();
    loop {
        let mut part = inside.until_comma();
        found.push(part.name("a column")?);
        if inside.is_done() {
            return Ok(found);
        }
        if !inside.take_symbol(",") {
            return Err(inside.expected("a comma"));
        }
    }
}
