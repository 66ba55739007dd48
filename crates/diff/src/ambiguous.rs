//! Drops and adds of like things, which may have been meant as renames.

use std::collections::BTreeMap;

use trueup_plan::{Change, Class, LiveFacts, Object};
use trueup_schema::{Column, QualName, Table};

use crate::draft::Draft;
use crate::project::Renames;

/// The reason's stable word.
pub(crate) const CODE: &str = "ambiguous-rename";

/// What is new in the plan.
#[derive(Default)]
struct New {
    columns: BTreeMap<QualName, Vec<Column>>,
    tables: Vec<Table>,
}

/// Blocks every drop of a column or table that has a like one added, until a person says what is meant. Without rows it does not
/// matter, which is noted.
pub(crate) fn block(drafts: &mut [Draft], facts: &LiveFacts, renames: &Renames) {
    let new = New::of(drafts);
    for draft in drafts.iter_mut().filter(|draft| !draft.is_blocked()) {
        let (table, candidates) = if let Change::DropColumn { table, column } = &draft.change {
            (table.clone(), new.like_column(table, column))
        } else if let Change::Drop { object: Object::Table(table) } = &draft.change {
            (table.name.clone(), new.like_table(table))
        } else {
            continue;
        };
        if candidates.is_empty() {
            continue;
        }
        if facts.is_empty(&renames.table(&table)) {
            let known = format!("table `{table}` holds no row, so that it does not matter whether this is a rename");
            draft.provenance = Some(known);
            continue;
        }
        draft.class = blocked(draft, &candidates);
    }
}

impl New {
    fn of(drafts: &[Draft]) -> Self {
        let mut new = Self::default();
        let drops_tables = drafts.iter().any(|draft| matches!(draft.change, Change::Drop { object: Object::Table(_) }));
        for draft in drafts {
            if let Change::AddColumn { table, column, .. } = &draft.change {
                new.columns.entry(table.clone()).or_default().push(column.clone());
            } else if let (true, Change::Create { object: Object::Table(table) }) = (drops_tables, &draft.change) {
                new.tables.push(table.clone());
            }
        }
        new
    }

    /// New columns of the table that have the dropped one's type.
    fn like_column(&self, table: &QualName, dropped: &Column) -> Vec<String> {
        let is_like = |column: &&Column| {
            let is_computed = column.generated.is_some() || dropped.generated.is_some();
            column.data_type == dropped.data_type && !is_computed
        };
        let added = self.columns.get(table).map_or(&[][..], Vec::as_slice);
        // The same name again is the column made anew.
        if added.iter().any(|column| column.name == dropped.name) {
            return Vec::new();
        }
        added.iter().filter(is_like).map(|column| column.name.to_string()).collect()
    }

    /// New tables of the same kind and namespace that share half of the columns with the dropped one.
    fn like_table(&self, dropped: &Table) -> Vec<String> {
        let is_like = |table: &&Table| {
            let same =
                |column: &&Column| dropped.column(&column.name).is_some_and(|old| old.data_type == column.data_type);
            let shared = table.columns.iter().filter(same).count();
            let most = table.columns.len().max(dropped.columns.len());
            let same_kind = std::mem::discriminant(&table.kind) == std::mem::discriminant(&dropped.kind);
            let same_place = table.name.namespace == dropped.name.namespace && table.name != dropped.name;
            same_kind && same_place && shared > 0 && shared * 2 >= most
        };
        self.tables.iter().filter(is_like).map(|table| table.name.name.to_string()).collect()
    }
}

fn blocked(draft: &Draft, candidates: &[String]) -> Class {
    let object = draft.change.object();
    let (kind, names) = (object.kind(), candidates.join("`, `"));
    let directive = |to: &String| format!("-- trueup: rename {kind} {object} to {to}");
    let directives: Vec<_> = candidates.iter().map(directive).collect();
    Class::Blocked {
        code: CODE.to_owned(),
        why: format!("{kind} `{object}` goes while `{names}` comes, which is like it: this may be a rename"),
        fix: format!("say so: {} — or say that it is none: --no-renames", directives.join(" or ")),
    }
}
