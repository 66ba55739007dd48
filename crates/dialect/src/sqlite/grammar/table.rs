//! `CREATE TABLE` and `CREATE VIRTUAL TABLE`.

use trueup_schema::{Ident, QualName, SqlExpr, Table, TableKind};

use super::{ColumnClause, Cursor, GrammarError, Text, agree, column, constraint};

/// Reads a statement that makes a table.
///
/// Constraints that are written at a column come out like those of the table. Indexes are not part of the statement.
///
/// # Errors
/// [`GrammarError`] if the text is not understood to its end.
pub fn table(sql: &str) -> Result<Table, GrammarError> {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    cursor.expect_word("CREATE")?;
    let is_virtual = cursor.take_word("VIRTUAL");
    let _temporary = cursor.take_word("TEMP") || cursor.take_word("TEMPORARY");
    cursor.expect_word("TABLE")?;
    let name = name(&mut cursor)?;
    let mut table = Table::new(QualName::new(None, name));
    table.source = Some(sql.to_owned());
    if is_virtual {
        if !cursor.at_word("USING") {
            return Err(cursor.expected("USING"));
        }
        table.kind = TableKind::Virtual { using: SqlExpr::new(cursor.rest()) };
        return Ok(table);
    }
    let mut inside = cursor.group()?;
    clauses(&mut inside, &mut table)?;
    options(&mut cursor, &mut table)?;
    agree::table(sql, &table)?;
    Ok(table)
}

/// `[IF NOT EXISTS] [schema.]name`
pub(super) fn name(cursor: &mut Cursor<'_>) -> Result<Ident, GrammarError> {
    // A table may be called `if`: only the three words together are the clause.
    cursor.take_words(&["IF", "NOT", "EXISTS"]);
    cursor.qualified("a name")
}

fn clauses(inside: &mut Cursor<'_>, table: &mut Table) -> Result<(), GrammarError> {
    while !inside.is_done() {
        if constraint::starts(inside) {
            // Commas between constraints may be left out.
            while !inside.is_done() && !inside.at_symbol(",") {
                if let Some(found) = constraint::clause(inside, table)? {
                    table.constraints.push(found);
                }
            }
        } else {
            let ColumnClause { column, constraints } = column::clause(inside)?;
            table.columns.push(column);
            table.constraints.extend(constraints);
        }
        if !inside.is_done() && !inside.take_symbol(",") {
            return Err(inside.expected("a comma"));
        }
    }
    Ok(())
}

/// `WITHOUT ROWID` and `STRICT`, in any order.
fn options(cursor: &mut Cursor<'_>, table: &mut Table) -> Result<(), GrammarError> {
    while !cursor.is_done() {
        if cursor.take_words(&["WITHOUT", "ROWID"]) {
            table.options.without_rowid = true;
        } else if cursor.take_word("STRICT") {
            table.options.strict = true;
        } else {
            return Err(cursor.expected("WITHOUT ROWID or STRICT"));
        }
        if !cursor.is_done() && !cursor.take_symbol(",") {
            return Err(cursor.expected("a comma"));
        }
    }
    Ok(())
}
