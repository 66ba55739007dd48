//! How SQLite carries out changes.

use trueup_plan::{Change, Hazard, HazardCode, LiveFacts, Object};
use trueup_schema::{Column, Constraint, ConstraintKind, ObjectRef, QualName, Table, TableKind};

use super::grammar::{Text, name_of};
use super::texts::fold;
use crate::{Carries, Tables, Verdict};

/// `ALTER TABLE … DROP COLUMN` exists since this version.
const DROP_COLUMN: [u32; 3] = [3, 35, 0];

pub(crate) fn verdict(version: [u32; 3], change: &Change, tables: Tables<'_>) -> Verdict {
    match change {
        Change::Create { object } | Change::Drop { object } => standalone(object),
        Change::Rename { from, .. } => rename(from),
        Change::Adopt { .. } | Change::Backfill { .. } => Verdict::InPlace,
        Change::AlterTable { before, after } => {
            let ordinary = before.kind == TableKind::Ordinary && after.kind == TableKind::Ordinary;
            if ordinary { Verdict::Rebuild } else { Verdict::Replace }
        }
        Change::AddColumn { column, .. } if can_add(column, tables.after) => Verdict::InPlace,
        Change::DropColumn { column, .. } if version >= DROP_COLUMN && can_drop(column, tables.before) => {
            Verdict::InPlace
        }
        Change::AddColumn { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. } => Verdict::Rebuild,
        // Two constraints of one table: the rebuild leaves the one out and puts the other in.
        Change::AlterConstraint { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. } => Verdict::Replace,
        Change::AlterNamespace { .. } => missing("namespaces"),
        Change::AlterExtension { .. } => missing("extensions"),
        Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. } => missing("named types"),
        Change::AlterSequence { .. } | Change::SetSequenceOwner { .. } => missing("sequences"),
        Change::AttachPartition { .. } | Change::DetachPartition { .. } => missing("partitions"),
        Change::SetRowSecurity { .. } | Change::AlterPolicy { .. } => missing("row security"),
        Change::ReplaceRoutine { .. } => missing("stored routines"),
        Change::AlterOpaque { .. } => missing("objects of this kind"),
        Change::SetTriggerEnabled { .. } => missing("disabled triggers"),
        Change::SetComment { .. } => missing("comments"),
        Change::SetGrants { .. } | Change::SetOwner { .. } => missing("privileges"),
    }
}

fn missing(what: &str) -> Verdict {
    Verdict::Blocked {
        code: "not-in-sqlite",
        why: format!("SQLite has no {what}"),
        fix: "leave it out of the declaration".to_owned(),
    }
}

fn standalone(object: &Object) -> Verdict {
    match object {
        Object::Table(_) | Object::View(_) | Object::Index(_) | Object::Trigger(_) => Verdict::InPlace,
        Object::Namespace(_) => missing("namespaces"),
        Object::Extension(_) => missing("extensions"),
        Object::Type(_) => missing("named types"),
        Object::Sequence(_) => missing("sequences"),
        Object::Routine(_) => missing("stored routines"),
        Object::Policy(_) => missing("row security"),
        Object::Opaque(_) => missing("objects of this kind"),
    }
}

fn rename(from: &ObjectRef) -> Verdict {
    match from {
        ObjectRef::Table(_) | ObjectRef::Column(_) => Verdict::InPlace,
        ObjectRef::Constraint(_) => Verdict::Rebuild,
        ObjectRef::View(_) | ObjectRef::Index(_) | ObjectRef::Trigger(_) => Verdict::Replace,
        ObjectRef::Namespace(_) => missing("namespaces"),
        ObjectRef::Extension(_) => missing("extensions"),
        ObjectRef::Type(_) => missing("named types"),
        ObjectRef::Sequence(_) => missing("sequences"),
        ObjectRef::Routine(_) => missing("stored routines"),
        ObjectRef::Policy(_) => missing("row security"),
        ObjectRef::Opaque(_) => missing("objects of this kind"),
    }
}

/// Whether ADD COLUMN takes the column, whatever rows there are. Constraints over it are changes of their own, which ask for a rebuild.
fn can_add(column: &Column, after: Option<&Table>) -> bool {
    let stored = column.generated.as_ref().is_some_and(|generated| generated.stored);
    let default = column.default.as_ref().map(|default| Default::of(default.as_str()));
    let has_value = default == Some(Default::Constant);
    let needs_value = column.not_null && column.generated.is_none();
    let has_key = after.is_some_and(|table| table.constraints.iter().any(|each| is_key_with(each, column)));
    !stored
        && !column.auto_increment
        && default != Some(Default::Computed)
        && (!needs_value || has_value)
        && column.backfill.is_none()
        && !has_key
}

/// What a default is to ADD COLUMN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Default {
    Null,
    Constant,
    /// In parentheses, or the current time: refused where there are rows.
    Computed,
}

impl Default {
    fn of(sql: &str) -> Self {
        let text = Text::new(sql);
        let mut cursor = text.cursor();
        match cursor.next() {
            Some(token) if token.is_word("NULL") => Self::Null,
            Some(token)
                if ["CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"].iter().any(|word| token.is_word(word)) =>
            {
                Self::Computed
            }
            Some(token) if token.text == "(" => Self::Computed,
            Some(_) | None => Self::Constant,
        }
    }
}

fn is_key_with(constraint: &Constraint, column: &Column) -> bool {
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
            key.columns.iter().filter_map(|part| part.column_name()).any(|name| same(name.as_str(), column))
        }
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) | ConstraintKind::Exclude { .. } => false,
    }
}

fn same(name: &str, column: &Column) -> bool {
    fold(name) == fold(column.name.as_str())
}

/// Whether DROP COLUMN takes it: nothing of the table itself may use it. Indexes over it are dropped before.
fn can_drop(column: &Column, before: Option<&Table>) -> bool {
    let Some(table) = before else { return false };
    let in_constraint = table.constraints.iter().any(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) => is_key_with(constraint, column),
        ConstraintKind::Check { expr, .. } => mentions(expr.as_str(), column),
        ConstraintKind::ForeignKey(key) => key.columns.iter().any(|name| same(name.as_str(), column)),
        ConstraintKind::Exclude { .. } => true,
    });
    let in_generated = table
        .columns
        .iter()
        .filter(|other| other.name != column.name)
        .any(|other| other.generated.as_ref().is_some_and(|generated| mentions(generated.expr.as_str(), column)));
    table.kind == TableKind::Ordinary && table.columns.len() > 1 && !in_constraint && !in_generated
}

/// Whether `sql` holds the column's name.
fn mentions(sql: &str, column: &Column) -> bool {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    std::iter::from_fn(|| cursor.next()).any(|token| name_of(token).is_some_and(|name| same(&name, column)))
}

/// SQLite looks names up late: most dependents do not notice what happens in between. Dropping a column is refused while a view or
/// trigger names it; what hangs on a table or view goes with it.
pub(crate) fn in_the_way(change: &Change, dependent: &ObjectRef) -> bool {
    match change {
        Change::DropColumn { .. } => {
            matches!(dependent, ObjectRef::View(_) | ObjectRef::Trigger(_) | ObjectRef::Index(_))
        }
        Change::Drop { object } => hangs_on(dependent, object.reference()),
        Change::Rename { from: ObjectRef::View(view), .. } => hangs_on(dependent, ObjectRef::View(view.clone())),
        Change::ReplaceView { before, .. } | Change::AlterView { before, .. } => {
            hangs_on(dependent, ObjectRef::View(before.name.clone()))
        }
        Change::AlterTable { before, after }
            if before.kind != TableKind::Ordinary || after.kind != TableKind::Ordinary =>
        {
            hangs_on(dependent, ObjectRef::Table(before.name.clone()))
        }
        Change::Create { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AlterTable { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::AddColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterConstraint { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => false,
    }
}

/// Whether `dependent` is a part of the dropped table or view and vanishes with it.
fn hangs_on(dependent: &ObjectRef, dropped: ObjectRef) -> bool {
    let owner: &QualName = match &dropped {
        ObjectRef::Table(name) | ObjectRef::View(name) => name,
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => return false,
    };
    match dependent {
        ObjectRef::Trigger(part) | ObjectRef::Index(part) => {
            fold(part.table.name.as_str()) == fold(owner.name.as_str())
        }
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => false,
    }
}

/// RENAME of a table or column rewrites every text that names it. Anything else is dropped and made again.
pub(crate) const fn carries(rename: &Change) -> Carries {
    let rewrites = matches!(rename, Change::Rename { from: ObjectRef::Table(_) | ObjectRef::Column(_), .. });
    if rewrites { Carries::Carried } else { Carries::Not }
}

fn hazard(code: HazardCode, message: impl Into<String>) -> Hazard {
    Hazard { code, message: message.into() }
}

/// What a change costs others. Writers wait for every change to end, as for any transaction.
pub(crate) fn forecast(version: [u32; 3], change: &Change, is_new: bool, facts: &LiveFacts) -> Vec<Hazard> {
    let table = change.table();
    let is_small = is_new || table.as_ref().is_some_and(|table| facts.is_empty(table));
    let mut found = Vec::new();
    if let Change::Drop { object: Object::Trigger(trigger) } = change {
        found.push(hazard(HazardCode::RemovesProtection, format!("trigger `{}` no longer runs", trigger.id.name)));
    }
    if is_small {
        return found;
    }
    let rewrites =
        verdict(version, change, Tables::default()) == Verdict::Rebuild && !matches!(change, Change::DropColumn { .. });
    let copies = matches!(change, Change::DropColumn { .. });
    if rewrites || copies {
        found.push(hazard(HazardCode::Lock, "nobody else writes to the database until the table is copied"));
        found.push(hazard(HazardCode::Rewrite, "the table is written anew"));
    } else if matches!(change, Change::Create { object: Object::Index(_) } | Change::Backfill { .. }) {
        found.push(hazard(HazardCode::Lock, "nobody else writes to the database until the table is read"));
        found.push(hazard(HazardCode::Scan, "the whole table is read"));
    }
    found
}
