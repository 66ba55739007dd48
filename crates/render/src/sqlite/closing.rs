//! What is asked once every table is written anew, when everything that uses them is there again.

use std::collections::BTreeMap;

use trueup_dialect::sqlite::grammar;
use trueup_plan::{Change, Object, Plan, Rebuild, Statement, StepForm};
use trueup_schema::{Column, Ident, PartId, QualName, Table, Trigger, View};

use super::words::{Rendered, quoted, relation};
use super::{rebuild, references};

/// No reference is broken that was not before; views and triggers over the new tables work.
pub(super) fn statements(plan: &Plan) -> Rendered {
    let steps = plan.segments.iter().flat_map(|segment| &segment.steps);
    let rebuilds: Vec<&Rebuild> = steps
        .filter_map(|step| match &step.form {
            StepForm::Rebuild(rebuild) => Some(rebuild.as_ref()),
            StepForm::Statements | StepForm::Merged { .. } | StepForm::Concurrently | StepForm::UsingIndex { .. } => {
                None
            }
        })
        .collect();
    let mut all = Vec::new();
    for rebuild in &rebuilds {
        let aside = rebuild::aside(rebuild)?;
        all.push(references::compare(rebuild, &aside));
        all.push(references::forget(&aside));
    }
    let there = There::of(plan, &rebuilds);
    all.extend(there.views.keys().map(|view| {
        let sql = format!("SELECT count(*) = 0 FROM (SELECT * FROM {} LIMIT 0)", relation(view));
        Statement::assert(sql, format!("view `{view}` does not work on the new tables"))
    }));
    for trigger in there.triggers.values() {
        if let Some(sql) = sets_off(trigger, &rebuilds)
            && !all.iter().any(|other| other.sql == sql)
        {
            all.push(Statement::run(sql));
        }
    }
    Ok(all)
}

/// Views and triggers over tables that are written anew, and that stay as they are. What the plan makes is as declared, even if it does
/// not work: SQLite takes it.
#[derive(Default)]
struct There<'a> {
    views: BTreeMap<&'a QualName, &'a View>,
    triggers: BTreeMap<&'a PartId, &'a Trigger>,
}

impl<'a> There<'a> {
    fn of(plan: &'a Plan, rebuilds: &[&'a Rebuild]) -> Self {
        let mut there = Self::default();
        for rebuild in rebuilds {
            there.views.extend(rebuild.views.iter().map(|view| (&view.name, view)));
            let triggers = rebuild.triggers.iter().chain(&rebuild.other_triggers);
            there.triggers.extend(triggers.map(|trigger| (&trigger.id, trigger)));
        }
        if rebuilds.is_empty() {
            return there;
        }
        let done = plan.segments.iter().flat_map(|segment| &segment.steps).flat_map(|step| &step.operations);
        for operation in done.filter_map(|id| plan.operation(id)) {
            there.follow(&operation.change);
        }
        there
    }

    fn follow(&mut self, change: &'a Change) {
        if let Change::Drop { object: Object::View(view) } = change {
            self.views.remove(&view.name);
        } else if let Change::Drop { object: Object::Trigger(trigger) } = change {
            self.triggers.remove(&trigger.id);
        } else if let Change::Drop { object: Object::Table(table) } = change {
            self.triggers.retain(|id, _| id.table != table.name);
        }
    }
}

/// A statement that would set the trigger off, explained. SQLite does not look into a trigger when it is made; it does for this.
fn sets_off(trigger: &Trigger, rebuilds: &[&Rebuild]) -> Option<String> {
    let on = relation(&trigger.id.table);
    let (event, column) = grammar::trigger_event(trigger.definition.as_str())?;
    match event {
        "INSERT" => return Some(format!("EXPLAIN INSERT INTO {on} DEFAULT VALUES")),
        "DELETE" => return Some(format!("EXPLAIN DELETE FROM {on}")),
        _ => {}
    }
    let table = rebuilds.iter().find(|rebuild| rebuild.after.name == trigger.id.table).map(|rebuild| &rebuild.after);
    let is_given = |column: &&Column| column.generated.is_none();
    let column = match column {
        // nothing can set a computed column, and nothing sets the trigger off
        Some(named) if table.is_some_and(|table| is_computed(table, &named)) => return None,
        Some(named) => named,
        None => table?.columns.iter().find(is_given).map(|column| column.name.clone())?,
    };
    Some(format!("EXPLAIN UPDATE {on} SET {0} = {0}", quoted(&column)))
}

fn is_computed(table: &Table, name: &Ident) -> bool {
    let mut columns = table.columns.iter();
    columns.any(|column| column.name.as_str().eq_ignore_ascii_case(name.as_str()) && column.generated.is_some())
}
