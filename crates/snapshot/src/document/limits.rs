//! How large a document may be. What is larger is an attack or a mistake.

use trueup_schema::Schema;

use super::error::{DocumentError, Position};
use super::node::{Node, Value};

/// Bytes of a document. Ten thousand tables take some 20 MiB.
const DOCUMENT: usize = 256 * 1024 * 1024;
/// Levels of nesting.
pub(super) const DEPTH: usize = 64;
/// Objects of all kinds.
const OBJECTS: usize = 500_000;
/// Columns of a table.
const COLUMNS: usize = 2_000;
/// Bytes of an expression.
const EXPRESSION: usize = 64 * 1024;
/// Bytes of a text that makes a whole object: a view's query, a routine.
const STATEMENT: usize = 1024 * 1024;

fn check(place: String, what: &'static str, found: usize, limit: usize) -> Result<(), DocumentError> {
    if found > limit { Err(DocumentError::Limit { place, what, found, limit }) } else { Ok(()) }
}

pub(super) fn check_size(text: &str) -> Result<(), DocumentError> {
    check(String::new(), "bytes of the document", text.len(), DOCUMENT)
}

/// Checks the numbers of objects and columns before anything is made of them.
pub(super) fn check_counts(root: &Node, text: &str) -> Result<(), DocumentError> {
    let Value::Object(entries) = &root.value else { return Ok(()) };
    let mut objects = 0;
    for kind in entries.iter().map(|entry| &entry.node) {
        for object in kind.items() {
            objects += 1 + object.get("indexes").map_or(0, |indexes| indexes.items().len());
            let Some(columns) = object.get("columns") else { continue };
            let place = || format!("{}: ", Position::of(text, columns.at));
            if columns.items().len() > COLUMNS {
                check(place(), "columns of one table", columns.items().len(), COLUMNS)?;
            }
        }
    }
    check(String::new(), "objects of the document", objects, OBJECTS)
}

/// Whether a schema that was read has no more objects and columns than it may.
pub(super) fn is_within(schema: &Schema) -> bool {
    let indexes = schema.tables.values().map(|table| table.indexes.len()).sum::<usize>()
        + schema.views.values().map(|view| view.indexes.len()).sum::<usize>();
    let objects = [
        schema.namespaces.len(),
        schema.extensions.len(),
        schema.types.len(),
        schema.sequences.len(),
        schema.tables.len(),
        schema.views.len(),
        schema.routines.len(),
        schema.triggers.len(),
        schema.policies.len(),
        schema.objects.len(),
        indexes,
    ];
    objects.iter().sum::<usize>() <= OBJECTS && schema.tables.values().all(|table| table.columns.len() <= COLUMNS)
}

/// Checks the lengths of all SQL texts.
pub(super) fn check_texts(schema: &Schema) -> Result<(), DocumentError> {
    let mut outcome = Ok(());
    schema.visit_exprs(&mut |site, text| {
        let (what, limit) = if site.is_definition() {
            ("bytes of one definition", STATEMENT)
        } else {
            ("bytes of one expression", EXPRESSION)
        };
        if outcome.is_ok() && text.as_str().len() > limit {
            outcome = check(format!("{site}: "), what, text.as_str().len(), limit);
        }
    });
    outcome
}
