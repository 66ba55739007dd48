//! Whether rows reference what is there, before and after a rebuild.
//!
//! Foreign keys are off while a table is rebuilt. What was broken before may stay broken; nothing more may break. Only references from and
//! to the table are looked at, and only those that SQLite can check at all: one to columns that are no key is an error, not an answer.

use std::fmt::Write as _;

use trueup_plan::{Rebuild, Statement};
use trueup_schema::{Ident, QualName, Table};

use super::words::quoted;
use crate::sql::literal;

/// Remembers the references that are broken now, under a temporary name.
pub(super) fn remember(rebuild: &Rebuild, aside: &Ident) -> Statement {
    let broken = broken(&rebuild.before, &rebuild.loose);
    Statement::run(format!("CREATE TEMP TABLE {} AS {broken}", quoted(aside)))
}

/// Asks that no other reference is broken.
pub(super) fn compare(rebuild: &Rebuild, aside: &Ident) -> Statement {
    let table = &rebuild.after;
    let broken = broken(table, &rebuild.loose);
    let known = quoted(aside);
    Statement::assert(
        format!(
            "SELECT NOT EXISTS (SELECT 1 FROM ({broken}) AS now WHERE now.rows > coalesce((SELECT known.rows FROM temp.{known} AS known \
             WHERE known.child = now.child AND known.parent = now.parent COLLATE NOCASE AND known.row IS now.row), 0))"
        ),
        format!("rows from or to `{}` reference rows that are not there", table.name),
    )
}

/// Forgets them.
pub(super) fn forget(aside: &Ident) -> Statement {
    Statement::run(format!("DROP TABLE temp.{}", quoted(aside)))
}

/// Broken references by child table, row and parent.
fn broken(table: &Table, loose: &[QualName]) -> String {
    let own = collations(table);
    let table = literal(table.name.name.as_str());
    let loose: Vec<String> = loose.iter().map(|name| literal(name.name.as_str())).collect();
    let is_key = is_key(&table, &own, &loose.join(", "));
    format!(
        "WITH keys AS MATERIALIZED (\
         SELECT child.name AS child, key.id AS id, key.\"table\" AS parent, count(*) AS width, \
         group_concat(lower(key.\"to\"), '\"') AS columns \
         FROM pragma_table_list AS child CROSS JOIN (SELECT 1) \
         JOIN pragma_foreign_key_list(child.name) AS key \
         WHERE child.schema = 'main' AND child.type = 'table' GROUP BY child.name, key.id, key.\"table\"), \
         sound AS MATERIALIZED (\
         SELECT child FROM keys GROUP BY child \
         HAVING max(child = {table} COLLATE NOCASE OR parent = {table} COLLATE NOCASE) AND min({is_key})) \
         SELECT sound.child AS child, bad.rowid AS row, bad.parent AS parent, count(*) AS rows \
         FROM sound CROSS JOIN pragma_foreign_key_check(sound.child) AS bad GROUP BY 1, 2, 3"
    )
}

/// The collation of the column `part.name`, in lower case.
fn collations(table: &Table) -> String {
    let mut all = String::new();
    for column in &table.columns {
        if let Some(collation) = &column.collation {
            let (name, collation) = (literal(&column.name.as_str().to_ascii_lowercase()), &collation.name);
            // a String takes everything
            let _always = write!(all, " WHEN {name} THEN {}", literal(&collation.as_str().to_ascii_lowercase()));
        }
    }
    if all.is_empty() { "'binary'".to_owned() } else { format!("CASE lower(part.name){all} ELSE 'binary' END") }
}

/// Whether the referenced columns are a key of the parent, which may not exist at all: then every row is broken, and that is an answer.
///
/// No column named: the primary key. A row's number that has a name has no index. Else a unique index over just these columns, which
/// compares each as the column itself does; that is known of the table in hand, and of others whether each of their keys does.
fn is_key(table: &str, own: &str, loose: &str) -> String {
    let others =
        if loose.is_empty() { String::new() } else { format!(" AND keys.parent COLLATE NOCASE NOT IN ({loose})") };
    format!(
        "NOT EXISTS (SELECT 1 FROM pragma_table_info(keys.parent)) \
         OR (SELECT count(*) FROM pragma_table_info(keys.parent) AS part WHERE part.pk > 0 \
         AND (keys.columns IS NULL OR lower(part.name) = keys.columns \
         AND NOT EXISTS (SELECT 1 FROM pragma_index_list(keys.parent) AS ix WHERE ix.origin = 'pk'))) = keys.width \
         AND (SELECT count(*) FROM pragma_table_info(keys.parent) AS part WHERE part.pk > 0) = keys.width \
         OR EXISTS (SELECT 1 FROM pragma_index_list(keys.parent) AS ix WHERE ix.\"unique\" AND NOT ix.partial \
         AND (SELECT count(*) FROM pragma_index_info(ix.name)) = keys.width \
         AND (SELECT count(*) FROM pragma_index_info(ix.name) AS part \
         WHERE instr('\"' || keys.columns || '\"', '\"' || lower(part.name) || '\"') > 0) = keys.width \
         AND (keys.parent <> {table} COLLATE NOCASE{others} OR keys.parent = {table} COLLATE NOCASE AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(ix.name) AS part \
         WHERE part.key AND lower(part.coll) <> {own})))"
    )
}
