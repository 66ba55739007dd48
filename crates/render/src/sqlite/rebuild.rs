//! Writes a table anew.
//!
//! The order matters. Foreign keys are off before the transaction begins, or DROP TABLE would empty the tables that reference this one;
//! the new table takes the old one's name and not the other way round, or those would reference the wrong one; renaming is told not to
//! look into views, which name the table that is not there for a moment; row numbers and the counter of AUTOINCREMENT stay.

use std::collections::BTreeMap;

use trueup_plan::{Change, Rebuild, Statement};
use trueup_schema::{Ident, ObjectRef, Trigger};

use super::object::{create_trigger, rename_column};
use super::words::{Rendered, ident, quoted, relation, run};
use super::{references, rows, table};
use crate::RenderError;
use crate::sql::{Sql, literal};

/// The statements of a rebuild that carries `changes` out.
pub(super) fn statements(rebuild: &Rebuild, changes: &[&Change]) -> Rendered {
    let mut all = vec![references::remember(rebuild, &aside(rebuild)?)];
    all.extend(rebuild.triggers.iter().chain(&rebuild.other_triggers).map(drop_trigger));
    let renamed = rename_columns(&mut all, rebuild, changes);
    all.push(Statement::run(table::create_sql(&rebuild.after, &rebuild.temporary)?));
    all.push(rows::copy(rebuild, &renamed));
    all.push(same_count(rebuild));
    all.extend(keep_counter(rebuild));
    all.push(run(&Sql::new("DROP TABLE").qualified(&rebuild.before.name)));
    all.push(Statement::run("PRAGMA legacy_alter_table = ON"));
    let rename = Sql::new("ALTER TABLE").name(&rebuild.temporary);
    all.push(run(&rename.words("RENAME TO").name(&rebuild.after.name.name)));
    all.push(Statement::run("PRAGMA legacy_alter_table = OFF"));
    all.extend(rebuild.after.indexes.iter().map(|index| table::create_index(&rebuild.after.name, index)));
    all.extend(rebuild.triggers.iter().chain(&rebuild.other_triggers).map(create_trigger));
    Ok(all)
}

/// Where the references that were broken before are remembered until the end.
pub(super) fn aside(rebuild: &Rebuild) -> Result<Ident, RenderError> {
    ident(&format!("{}_references", rebuild.temporary.as_str()))
}

fn drop_trigger(trigger: &Trigger) -> Statement {
    run(&Sql::new("DROP TRIGGER IF EXISTS").name(&trigger.id.name))
}

/// Renames columns in place first, so that views and other tables follow. Gives the new names by the old ones.
fn rename_columns(all: &mut Vec<Statement>, rebuild: &Rebuild, changes: &[&Change]) -> BTreeMap<Ident, Ident> {
    let mut renamed = BTreeMap::<Ident, Ident>::new();
    for change in changes {
        let Change::Rename { from: ObjectRef::Column(from), to: ObjectRef::Column(to), .. } = change else { continue };
        all.push(rename_column(&rebuild.before.name, &from.name, &to.name));
        match renamed.values_mut().find(|now| **now == from.name) {
            Some(now) => *now = to.name.clone(),
            None => drop(renamed.insert(from.name.clone(), to.name.clone())),
        }
    }
    renamed
}

fn same_count(rebuild: &Rebuild) -> Statement {
    let (temporary, table) = (quoted(&rebuild.temporary), relation(&rebuild.before.name));
    Statement::assert(
        format!("SELECT (SELECT count(*) FROM {temporary}) = (SELECT count(*) FROM {table})"),
        format!("not every row of `{}` was copied", rebuild.before.name),
    )
}

/// The counter of AUTOINCREMENT never goes back: ids of rows that are gone are not given again.
fn keep_counter(rebuild: &Rebuild) -> Vec<Statement> {
    let counts = |table: &trueup_schema::Table| table.columns.iter().any(|column| column.auto_increment);
    if !counts(&rebuild.before) || !counts(&rebuild.after) {
        return Vec::new();
    }
    let temporary = literal(rebuild.temporary.as_str());
    let table = literal(rebuild.before.name.name.as_str());
    let old = format!("(SELECT max(seq) FROM sqlite_sequence WHERE name = {table} COLLATE NOCASE)");
    vec![
        Statement::run(format!(
            "INSERT INTO sqlite_sequence (name, seq) SELECT {temporary}, 0 \
             WHERE {old} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = {temporary})"
        )),
        Statement::run(format!(
            "UPDATE sqlite_sequence SET seq = max(seq, coalesce({old}, 0)) WHERE name = {temporary}"
        )),
    ]
}
