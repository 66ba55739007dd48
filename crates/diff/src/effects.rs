//! What can be seen of a change before, after and in the middle of it.

use trueup_plan::{AttributeChange, Change, ColumnAspect, DomainChange, DomainState, Effects, Object, Predicate};
use trueup_schema::{Column, Constraint, ObjectRef, PartId, QualName, Table};

/// The effects of `change`. Of those that looking at a schema cannot tell, both sides are [`Predicate::Undecidable`].
#[must_use]
pub fn effects(change: &Change) -> Effects {
    let (pre, post) = sides(change);
    Effects { pre, post, partial: partial(change) }
}

/// Half-way states of changes that take more than one statement.
fn partial(change: &Change) -> Option<Predicate> {
    if let Change::Create { object: Object::Table(table) } = change
        && !table.indexes.is_empty()
    {
        let present = Predicate::Present(ObjectRef::Table(table.name.clone()));
        let whole = Predicate::Object(Box::new(Object::Table(table.clone())));
        return Some(Predicate::All(vec![present, not(whole)]));
    }
    None
}

fn not(predicate: Predicate) -> Predicate {
    Predicate::Not(Box::new(predicate))
}

fn object(object: Object) -> Predicate {
    Predicate::Object(Box::new(object))
}

fn sides(change: &Change) -> (Predicate, Predicate) {
    match change {
        Change::Create { object: made } => absent_then(made.reference(), object(made.clone())),
        Change::Drop { object: dropped } => present_then_absent(dropped.reference()),
        Change::Rename { from, to, .. } => {
            let is = |object: &ObjectRef| Predicate::Present(object.clone());
            let before = Predicate::All(vec![is(from), not(is(to))]);
            (before, Predicate::All(vec![not(is(from)), is(to)]))
        }
        Change::Adopt { .. } | Change::Backfill { .. } => (Predicate::Undecidable, Predicate::Undecidable),
        Change::AlterNamespace { before, after } => both(before, after, Object::Namespace),
        Change::AlterExtension { before, after } => both(before, after, Object::Extension),
        Change::AddEnumValue { name, value, .. } => {
            let has = Predicate::EnumValue { name: name.clone(), value: value.clone() };
            (not(has.clone()), has)
        }
        Change::RebuildEnum { before, after, .. } => both(before, after, Object::Type),
        Change::AlterDomain { name, change } => domain(name, change),
        Change::AlterComposite { name, change } => composite(name, change),
        Change::AlterSequence { before, after } => both(before, after, Object::Sequence),
        Change::SetSequenceOwner { name, before, after, .. } => {
            let owned = |owner: &Option<PartId>| Predicate::SequenceOwner { name: name.clone(), owner: owner.clone() };
            (owned(before), owned(after))
        }
        Change::AlterTable { before, after } => {
            (object(Object::Table(without_parts(before))), object(Object::Table(without_parts(after))))
        }
        Change::AttachPartition { table, partition_of } => {
            let placed = |place| Predicate::PartitionOf { table: table.clone(), place };
            (placed(None), placed(Some(partition_of.clone())))
        }
        Change::DetachPartition { table, partition_of } => {
            let placed = |place| Predicate::PartitionOf { table: table.clone(), place };
            (placed(Some(partition_of.clone())), placed(None))
        }
        Change::SetRowSecurity { table, before, after } => {
            let switched = |value| Predicate::RowSecurity { table: table.clone(), value };
            (switched(*before), switched(*after))
        }
        Change::AddColumn { table, column, .. } => absent_then(column_ref(table, column), whole(table, column)),
        Change::DropColumn { table, column } => present_then_absent(column_ref(table, column)),
        Change::AlterColumnType { table, before, after, .. } => aspect(table, before, after, ColumnAspect::Type),
        Change::SetDefault { table, before, after } => aspect(table, before, after, ColumnAspect::Default),
        Change::SetNotNull { table, before, after } | Change::DropNotNull { table, before, after } => {
            aspect(table, before, after, ColumnAspect::NotNull)
        }
        Change::SetIdentity { table, before, after } => aspect(table, before, after, ColumnAspect::Identity),
        Change::SetGenerated { table, before, after } => aspect(table, before, after, ColumnAspect::Generated),
        Change::SetColumnAttributes { table, before, after } => aspect(table, before, after, ColumnAspect::Attributes),
        Change::MoveColumn { table, column, position } => {
            let (table, column, position) = (table.clone(), column.name.clone(), position.clone());
            let stands = Predicate::Position { table, column, position };
            (not(stands.clone()), stands)
        }
        Change::AddConstraint { table, constraint } => {
            let has = has_constraint(table, constraint);
            match constraint_ref(table, constraint) {
                Some(reference) => absent_then(reference, has),
                None => (not(has.clone()), has),
            }
        }
        Change::DropConstraint { table, constraint } => match constraint_ref(table, constraint) {
            Some(reference) => present_then_absent(reference),
            None => (has_constraint(table, constraint), not(has_constraint(table, constraint))),
        },
        Change::ValidateConstraint { table, constraint } => {
            let state = |validated| has_constraint(table, &Constraint { validated, ..constraint.clone() });
            (state(false), state(true))
        }
        Change::AlterConstraint { table, before, after } => {
            (has_constraint(table, before), has_constraint(table, after))
        }
        Change::AlterIndex { table, before, after } => {
            let has = |index| Predicate::Index { table: table.clone(), index: Box::new(index) };
            (has(before.clone()), has(after.clone()))
        }
        Change::ReplaceView { before, after } | Change::AlterView { before, after } => {
            both(before, after, Object::View)
        }
        Change::ReplaceRoutine { before, after } => both(before, after, Object::Routine),
        Change::SetTriggerEnabled { before, after } => both(before, after, Object::Trigger),
        Change::AlterPolicy { before, after } => both(before, after, Object::Policy),
        Change::AlterOpaque { before, after } => both(before, after, Object::Opaque),
        Change::SetComment { on, before, after, .. } => {
            let says = |text: &Option<String>| Predicate::Comment { on: on.clone(), text: text.clone() };
            (says(before), says(after))
        }
        Change::SetGrants { on, before, after, .. } => {
            let are = |grants: &Option<Vec<_>>| Predicate::Grants { on: on.clone(), grants: grants.clone() };
            (are(before), are(after))
        }
        Change::SetOwner { on, before, after, .. } => {
            let belongs = |owner| Predicate::Owner { on: on.clone(), owner };
            (belongs(before.clone()), belongs(Some(after.clone())))
        }
    }
}

fn absent_then(reference: ObjectRef, post: Predicate) -> (Predicate, Predicate) {
    (not(Predicate::Present(reference)), post)
}

fn present_then_absent(reference: ObjectRef) -> (Predicate, Predicate) {
    (Predicate::Present(reference.clone()), not(Predicate::Present(reference)))
}

fn both<T: Clone>(before: &T, after: &T, of: fn(T) -> Object) -> (Predicate, Predicate) {
    (object(of(before.clone())), object(of(after.clone())))
}

fn without_parts(table: &Table) -> Table {
    Table { columns: Vec::new(), constraints: Vec::new(), indexes: Vec::new(), ..table.clone() }
}

fn column_ref(table: &QualName, column: &Column) -> ObjectRef {
    ObjectRef::Column(PartId { table: table.clone(), name: column.name.clone() })
}

fn constraint_ref(table: &QualName, constraint: &Constraint) -> Option<ObjectRef> {
    let name = constraint.name.clone()?;
    Some(ObjectRef::Constraint(PartId { table: table.clone(), name }))
}

fn has_constraint(table: &QualName, constraint: &Constraint) -> Predicate {
    Predicate::Constraint { table: table.clone(), constraint: Box::new(constraint.clone()) }
}

fn whole(table: &QualName, column: &Column) -> Predicate {
    let aspects = vec![
        ColumnAspect::Type,
        ColumnAspect::Default,
        ColumnAspect::NotNull,
        ColumnAspect::Identity,
        ColumnAspect::Generated,
        ColumnAspect::Attributes,
    ];
    Predicate::Column { table: table.clone(), column: Box::new(column.clone()), aspects }
}

fn aspect(table: &QualName, before: &Column, after: &Column, aspect: ColumnAspect) -> (Predicate, Predicate) {
    let looks = |column: &Column| Predicate::Column {
        table: table.clone(),
        column: Box::new(column.clone()),
        aspects: vec![aspect],
    };
    (looks(before), looks(after))
}

fn domain(name: &QualName, change: &DomainChange) -> (Predicate, Predicate) {
    let is = |state| Predicate::Domain { name: name.clone(), state };
    let check =
        |check: &trueup_schema::DomainCheck, validated| is(DomainState::Check { name: check.name.clone(), validated });
    match change {
        DomainChange::Default { before, after } => {
            (is(DomainState::Default(before.clone())), is(DomainState::Default(after.clone())))
        }
        DomainChange::NotNull(value) => (is(DomainState::NotNull(!value)), is(DomainState::NotNull(*value))),
        DomainChange::AddCheck(added) => (not(check(added, None)), check(added, None)),
        DomainChange::DropCheck(dropped) => (check(dropped, None), not(check(dropped, None))),
        DomainChange::ValidateCheck(seen) => (check(seen, Some(false)), check(seen, Some(true))),
    }
}

fn composite(name: &QualName, change: &AttributeChange) -> (Predicate, Predicate) {
    let has = |attribute: &trueup_schema::Attribute| Predicate::Attribute {
        name: name.clone(),
        attribute: Box::new(attribute.clone()),
    };
    let reference = |attribute: &trueup_schema::Attribute| {
        ObjectRef::Column(PartId { table: name.clone(), name: attribute.name.clone() })
    };
    match change {
        AttributeChange::Add(attribute) => absent_then(reference(attribute), has(attribute)),
        AttributeChange::Drop(attribute) => present_then_absent(reference(attribute)),
        AttributeChange::SetType { before, after } => (has(before), has(after)),
    }
}
