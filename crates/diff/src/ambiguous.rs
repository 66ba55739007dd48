//! Drops and adds of like things, which may have been meant as renames.

use trueup_plan::{Change, Class, LiveFacts, Object};
use trueup_schema::{Column, QualName, Table};

use crate::draft::Draft;
use crate::project::Renames;

/// Blocks every drop of a column or table that has a like one added, until a person says what is meant. Without rows it does not
/// matter, which is noted.
pub(crate) fn block(drafts: &mut [Draft], facts: &LiveFacts, renames: &Renames) {
    let changes: Vec<Change> = drafts.iter().map(|draft| draft.change.clone()).collect();
    for draft in drafts.iter_mut().filter(|draft| !draft.is_blocked()) {
        let (table, candidates) = match &draft.change {
            Change::DropColumn { table, column } => (table.clone(), like_columns(&changes, table, column)),
            Change::Drop { object: Object::Table(table) } => (table.name.clone(), like_tables(&changes, table)),
            _ => continue,
        };
        if candidates.is_empty() {
            continue;
        }
        if facts.is_empty(&renames.table(&table)) {
            draft.provenance =
                Some(format!("table `{table}` holds no row, so that nothing depends on whether it is a rename"));
            continue;
        }
        draft.class = blocked(draft, &candidates);
    }
}

/// New columns of the table that have the dropped one's type.
fn like_columns(changes: &[Change], table: &QualName, dropped: &Column) -> Vec<String> {
    let mut names = Vec::new();
    for change in changes {
        if let Change::AddColumn { table: of, column, .. } = change {
            let is_computed = column.generated.is_some() || dropped.generated.is_some();
            let is_like = column.data_type == dropped.data_type && !is_computed;
            if of == table && is_like && column.name != dropped.name {
                names.push(column.name.to_string());
            }
        }
    }
    names
}

/// New tables of the same kind that share half of the columns with the dropped one.
fn like_tables(changes: &[Change], dropped: &Table) -> Vec<String> {
    let mut names = Vec::new();
    for change in changes {
        if let Change::Create { object: Object::Table(table) } = change {
            let same =
                |column: &&Column| dropped.column(&column.name).is_some_and(|old| old.data_type == column.data_type);
            let shared = table.columns.iter().filter(same).count();
            let most = table.columns.len().max(dropped.columns.len());
            let same_kind = std::mem::discriminant(&table.kind) == std::mem::discriminant(&dropped.kind);
            let same_place = table.name.namespace == dropped.name.namespace && table.name != dropped.name;
            if same_kind && same_place && shared > 0 && shared * 2 >= most {
                names.push(table.name.name.to_string());
            }
        }
    }
    names
}

fn blocked(draft: &Draft, candidates: &[String]) -> Class {
    let object = draft.change.object();
    let kind = object.kind();
    let directives: Vec<_> = candidates.iter().map(|to| format!("-- trueup: rename {kind} {object} to {to}")).collect();
    Class::Blocked {
        code: "ambiguous-rename".to_owned(),
        why: format!(
            "{kind} `{object}` goes while `{}` comes, which is like it: this may be a rename",
            candidates.join("`, `")
        ),
        fix: format!("say so: {} — or say that it is none: --no-renames", directives.join(" or ")),
    }
}
