//! `CREATE INDEX`.

use trueup_schema::{Ident, Index};

use super::{GrammarError, Text, agree, key, table};

/// Reads a statement that makes an index: the table's name and the index.
///
/// # Errors
/// [`GrammarError`] if the text is not understood to its end.
pub fn index(sql: &str) -> Result<(Ident, Index), GrammarError> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    cursor.expect_word("CREATE")?;
    let unique = cursor.take_word("UNIQUE");
    cursor.expect_word("INDEX")?;
    let name = table::name(&mut cursor)?;
    cursor.expect_word("ON")?;
    let on = cursor.name("a table")?;
    let mut index = Index::new(name, key::parts(&mut cursor.group()?)?);
    index.unique = unique;
    if cursor.take_word("WHERE") {
        index.predicate = Some(cursor.rest_expr());
    }
    if !cursor.is_done() {
        return Err(cursor.expected("WHERE"));
    }
    index.source = Some(sql.to_owned());
    agree::parts(sql, index.parts.len())?;
    Ok((on, index))
}
