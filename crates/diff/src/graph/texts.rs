//! SQL texts inside a change.

use trueup_plan::{Change, DomainChange, Object};
use trueup_schema::{
    Column, Constraint, ConstraintKind, Index, IndexKey, IndexPart, Opaque, SqlExpr, Table, UserTypeKind,
};

/// Whether some SQL text that `change` brings in holds the string `label`.
pub(super) fn mentions_label(change: &Change, label: &str) -> bool {
    let literal = format!("'{}'", label.replace('\'', "''"));
    let mut texts = Vec::new();
    of_change(change, &mut texts);
    texts.iter().any(|text| text.as_str().contains(&literal))
}

fn of_change<'c>(change: &'c Change, texts: &mut Vec<&'c SqlExpr>) {
    match change {
        Change::Create { object } => of_object(object, texts),
        Change::AlterDomain { change, .. } => match change {
            DomainChange::Default { after, .. } => texts.extend(after),
            DomainChange::AddCheck(check) | DomainChange::ValidateCheck(check) => texts.push(&check.expr),
            DomainChange::NotNull(_) | DomainChange::DropCheck(_) => {}
        },
        Change::AttachPartition { partition_of, .. } => texts.push(&partition_of.bound),
        Change::AddColumn { column, .. } => of_column(column, texts),
        Change::AlterColumnType { using, .. } => texts.extend(using),
        Change::SetDefault { after, .. } => texts.extend(&after.default),
        Change::SetGenerated { after, .. } => texts.extend(after.generated.iter().map(|generated| &generated.expr)),
        Change::Backfill { value, .. } => texts.push(value),
        Change::AddConstraint { constraint, .. } | Change::ValidateConstraint { constraint, .. } => {
            of_constraint(constraint, texts);
        }
        Change::AlterConstraint { after, .. } => of_constraint(after, texts),
        Change::AlterIndex { after, .. } => of_index(after, texts),
        Change::ReplaceView { after, .. } | Change::AlterView { after, .. } => texts.push(&after.query),
        Change::ReplaceRoutine { after, .. } => texts.push(&after.definition),
        Change::AlterPolicy { after, .. } => texts.extend(after.using.iter().chain(&after.check)),
        Change::AlterOpaque { after, .. } => of_opaque(after, texts),
        Change::RebuildEnum { columns, .. } => {
            columns.iter().for_each(|each| of_column(&each.column, texts));
        }
        Change::Drop { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AlterTable { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::DropColumn { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::DropConstraint { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => {}
    }
}

fn of_object<'c>(object: &'c Object, texts: &mut Vec<&'c SqlExpr>) {
    match object {
        Object::Type(user_type) => match &user_type.kind {
            UserTypeKind::Domain(domain) => {
                texts.extend(&domain.default);
                texts.extend(domain.checks.iter().map(|check| &check.expr));
            }
            UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => {}
        },
        Object::Table(table) => of_table(table, texts),
        Object::View(view) => {
            texts.push(&view.query);
            view.indexes.iter().for_each(|index| of_index(index, texts));
        }
        Object::Index(index) => of_index(&index.index, texts),
        Object::Routine(routine) => texts.push(&routine.definition),
        Object::Trigger(trigger) => texts.push(&trigger.definition),
        Object::Policy(policy) => texts.extend(policy.using.iter().chain(&policy.check)),
        Object::Opaque(opaque) => of_opaque(opaque, texts),
        Object::Namespace(_) | Object::Extension(_) | Object::Sequence(_) => {}
    }
}

fn of_table<'c>(table: &'c Table, texts: &mut Vec<&'c SqlExpr>) {
    table.columns.iter().for_each(|column| of_column(column, texts));
    table.constraints.iter().for_each(|constraint| of_constraint(constraint, texts));
    table.indexes.iter().for_each(|index| of_index(index, texts));
    texts.extend(table.partition_of.iter().map(|place| &place.bound));
}

fn of_column<'c>(column: &'c Column, texts: &mut Vec<&'c SqlExpr>) {
    texts.extend(&column.default);
    texts.extend(column.generated.iter().map(|generated| &generated.expr));
}

fn of_parts<'c>(parts: &'c [IndexPart], texts: &mut Vec<&'c SqlExpr>) {
    for part in parts {
        match &part.key {
            IndexKey::Expr(expr) => texts.push(expr),
            IndexKey::Column(_) => {}
        }
    }
}

fn of_index<'c>(index: &'c Index, texts: &mut Vec<&'c SqlExpr>) {
    of_parts(&index.parts, texts);
    texts.extend(&index.predicate);
}

fn of_constraint<'c>(constraint: &'c Constraint, texts: &mut Vec<&'c SqlExpr>) {
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => of_parts(&key.columns, texts),
        ConstraintKind::Check { expr, .. } | ConstraintKind::Exclude { definition: expr } => texts.push(expr),
        ConstraintKind::ForeignKey(_) => {}
    }
}

fn of_opaque<'a>(opaque: &'a Opaque, texts: &mut Vec<&'a SqlExpr>) {
    texts.extend(&opaque.create);
    texts.extend(opaque.parts.iter().map(|part| &part.set));
}
