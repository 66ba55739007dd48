//! Predicates evaluated on a schema.

use trueup_schema::{
    Column, Common, Constraint, Domain, Index, ObjectRef, PartId, QualName, Schema, Spelling, SqlExpr, Table, UserType,
    UserTypeKind, View,
};

use crate::{ColumnAspect, ColumnPosition, DomainState, Object, Predicate};

impl Predicate {
    /// Whether it holds of `schema`; `None` if that cannot be told.
    ///
    /// Two definitions that differ in nothing but SQL text cannot be told apart: the server may print a text in another way than it
    /// was given.
    #[must_use]
    pub fn holds(&self, schema: &Schema) -> Option<bool> {
        match self {
            Self::Undecidable => None,
            Self::All(all) => all.iter().try_fold_kleene(true, |each| each.holds(schema)),
            Self::Any(any) => any.iter().try_fold_kleene(false, |each| each.holds(schema)),
            Self::Not(not) => not.holds(schema).map(|holds| !holds),
            Self::Present(object) => Some(is_present(schema, object)),
            Self::Object(object) => is_defined(schema, object),
            Self::Column { table, column, aspects } => {
                let Some(found) = schema.tables.get(table).and_then(|found| found.column(&column.name)) else {
                    return Some(false);
                };
                same_tables(schema, &of_column(table, found, aspects), &of_column(table, column, aspects))
            }
            Self::Constraint { table, constraint } => match schema.tables.get(table) {
                Some(found) => has_constraint(schema, found, constraint),
                None => Some(false),
            },
            Self::Index { table, index } => match find_index(schema, table, index) {
                Some(found) => same_tables(schema, &of_index(table, found), &of_index(table, index)),
                None => Some(false),
            },
            Self::Comment { on, text } => {
                Some(is_present(schema, on) && comment(schema, on).as_deref() == text.as_deref())
            }
            Self::Grants { on, grants } => Some(common(schema, on).is_some_and(|common| common.grants == *grants)),
            Self::EnumValue { name, value } => Some(match schema.types.get(name).map(|found| &found.kind) {
                Some(UserTypeKind::Enum { labels }) => labels.contains(value),
                Some(UserTypeKind::Domain(_) | UserTypeKind::Composite { .. } | UserTypeKind::Range(_)) | None => false,
            }),
            Self::Domain { name, state } => domain(schema, name).map_or(Some(false), |found| has_state(found, state)),
            Self::Attribute { name, attribute } => {
                let mut attributes = attributes(schema, name).iter();
                let same = |each: &&trueup_schema::Attribute| {
                    each.name == attribute.name
                        && each.data_type == attribute.data_type
                        && each.collation == attribute.collation
                };
                Some(attributes.any(|each| same(&each)))
            }
            Self::SequenceOwner { name, owner } => {
                Some(schema.sequences.get(name).is_some_and(|found| found.owned_by == *owner))
            }
            Self::Owner { on, owner } => {
                let found = common(schema, on)?;
                match (&found.owner, owner) {
                    (Some(found), Some(owner)) => Some(found == owner),
                    (None, _) | (_, None) => None,
                }
            }
            Self::PartitionOf { table, place } => {
                Some(schema.tables.get(table).is_some_and(|found| found.partition_of == *place))
            }
            Self::RowSecurity { table, value } => {
                Some(schema.tables.get(table).is_some_and(|found| found.row_security == *value))
            }
            Self::Position { table, column, position } => {
                let found = schema.tables.get(table);
                Some(found.is_some_and(|found| stands(found, column, position)))
            }
        }
    }
}

/// Conjunction and disjunction where some parts are unknown.
trait Kleene<'p>: Iterator<Item = &'p Predicate> + Sized {
    /// `neutral` is what an empty list holds; its opposite decides at once.
    fn try_fold_kleene(self, neutral: bool, mut holds: impl FnMut(&'p Predicate) -> Option<bool>) -> Option<bool> {
        let mut known = true;
        for each in self {
            match holds(each) {
                Some(value) if value != neutral => return Some(!neutral),
                Some(_) => {}
                None => known = false,
            }
        }
        known.then_some(neutral)
    }
}

impl<'p, I: Iterator<Item = &'p Predicate>> Kleene<'p> for I {}

fn is_present(schema: &Schema, object: &ObjectRef) -> bool {
    match object {
        ObjectRef::Namespace(name) => schema.namespaces.contains_key(name),
        ObjectRef::Extension(name) => schema.extensions.contains_key(name),
        ObjectRef::Type(name) => schema.types.contains_key(name),
        ObjectRef::Sequence(name) => schema.sequences.contains_key(name),
        ObjectRef::Table(name) => schema.tables.contains_key(name),
        ObjectRef::View(name) => schema.views.contains_key(name),
        ObjectRef::Routine(id) => schema.routines.contains_key(id),
        ObjectRef::Trigger(id) => schema.triggers.contains_key(id),
        ObjectRef::Policy(id) => schema.policies.contains_key(id),
        ObjectRef::Opaque(id) => schema.objects.contains_key(id),
        ObjectRef::Column(part) => is_column(schema, part),
        ObjectRef::Constraint(part) => {
            schema.tables.get(&part.table).is_some_and(|table| table.constraint(&part.name).is_some())
                || domain(schema, &part.table)
                    .is_some_and(|domain| domain.checks.iter().any(|check| check.name == part.name))
        }
        ObjectRef::Index(part) => {
            schema.tables.get(&part.table).is_some_and(|table| table.index(&part.name).is_some())
                || schema
                    .views
                    .get(&part.table)
                    .is_some_and(|view| view.indexes.iter().any(|index| index.name == part.name))
        }
    }
}

/// A column of a table or view, or an attribute of a composite type.
fn is_column(schema: &Schema, part: &PartId) -> bool {
    schema.tables.get(&part.table).is_some_and(|table| table.column(&part.name).is_some())
        || schema.views.get(&part.table).is_some_and(|view| view.columns.iter().any(|each| each.name == part.name))
        || attributes(schema, &part.table).iter().any(|each| each.name == part.name)
}

fn attributes<'s>(schema: &'s Schema, name: &QualName) -> &'s [trueup_schema::Attribute] {
    match schema.types.get(name).map(|found| &found.kind) {
        Some(UserTypeKind::Composite { attributes }) => attributes,
        Some(UserTypeKind::Enum { .. } | UserTypeKind::Domain(_) | UserTypeKind::Range(_)) | None => &[],
    }
}

fn domain<'s>(schema: &'s Schema, name: &QualName) -> Option<&'s Domain> {
    match &schema.types.get(name)?.kind {
        UserTypeKind::Domain(domain) => Some(domain),
        UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => None,
    }
}

fn has_state(domain: &Domain, state: &DomainState) -> Option<bool> {
    match state {
        DomainState::Default(wanted) => match (&domain.default, wanted) {
            (Some(found), Some(wanted)) if found == wanted => Some(true),
            (Some(_), Some(_)) => None,
            (None, None) => Some(true),
            (None, Some(_)) | (Some(_), None) => Some(false),
        },
        DomainState::NotNull(wanted) => Some(domain.not_null == *wanted),
        DomainState::Check { name, validated } => {
            let found = domain.checks.iter().find(|check| check.name == *name);
            Some(found.is_some_and(|check| validated.is_none_or(|wanted| check.validated == wanted)))
        }
    }
}

fn stands(table: &Table, column: &trueup_schema::Ident, position: &ColumnPosition) -> bool {
    let at = table.columns.iter().position(|each| each.name == *column);
    let before = at.map(|at| at.checked_sub(1).and_then(|before| table.columns.get(before)));
    match (position, before) {
        (_, None) => false,
        (ColumnPosition::First, Some(before)) => before.is_none(),
        (ColumnPosition::After(name), Some(before)) => before.is_some_and(|each| each.name == *name),
        (ColumnPosition::Last, Some(_)) => table.columns.last().is_some_and(|each| each.name == *column),
    }
}

fn common<'s>(schema: &'s Schema, object: &ObjectRef) -> Option<&'s Common> {
    match object {
        ObjectRef::Namespace(name) => schema.namespaces.get(name).map(|found| &found.common),
        ObjectRef::Extension(name) => schema.extensions.get(name).map(|found| &found.common),
        ObjectRef::Type(name) => schema.types.get(name).map(|found| &found.common),
        ObjectRef::Sequence(name) => schema.sequences.get(name).map(|found| &found.common),
        ObjectRef::Table(name) => schema.tables.get(name).map(|found| &found.common),
        ObjectRef::View(name) => schema.views.get(name).map(|found| &found.common),
        ObjectRef::Routine(id) => schema.routines.get(id).map(|found| &found.common),
        ObjectRef::Opaque(id) => schema.objects.get(id).map(|found| &found.common),
        ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_) => None,
    }
}

fn comment(schema: &Schema, object: &ObjectRef) -> Option<String> {
    match object {
        ObjectRef::Column(part) => {
            let table = schema.tables.get(&part.table).and_then(|table| table.column(&part.name)?.comment.clone());
            let view = || {
                let view = schema.views.get(&part.table)?;
                view.columns.iter().find(|each| each.name == part.name)?.comment.clone()
            };
            let attribute =
                || attributes(schema, &part.table).iter().find(|each| each.name == part.name)?.comment.clone();
            table.or_else(view).or_else(attribute)
        }
        ObjectRef::Constraint(part) => {
            let table = schema.tables.get(&part.table).and_then(|table| table.constraint(&part.name)?.comment.clone());
            table.or_else(|| {
                domain(schema, &part.table)?.checks.iter().find(|check| check.name == part.name)?.comment.clone()
            })
        }
        ObjectRef::Index(part) => {
            let table = schema.tables.get(&part.table).and_then(|table| table.index(&part.name)?.comment.clone());
            table.or_else(|| {
                let view = schema.views.get(&part.table)?;
                view.indexes.iter().find(|index| index.name == part.name)?.comment.clone()
            })
        }
        ObjectRef::Trigger(id) => schema.triggers.get(id)?.comment.clone(),
        ObjectRef::Policy(id) => schema.policies.get(id)?.comment.clone(),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Opaque(_) => common(schema, object)?.comment.clone(),
    }
}

/// Whether `object` is there as defined. Comments, privileges, owners, dependencies and source texts are left aside.
fn is_defined(schema: &Schema, object: &Object) -> Option<bool> {
    let mut found = Schema::new(schema.dialect);
    let mut wanted = Schema::new(schema.dialect);
    /// Puts both sides into schemas of their own.
    macro_rules! both {
        ($map:ident, $value:expr, $key:expr) => {{
            let Some(there) = schema.$map.get($key) else { return Some(false) };
            found.insert(there.clone());
            wanted.insert($value.clone());
        }};
    }
    match object {
        Object::Namespace(value) => both!(namespaces, value, &value.name),
        Object::Extension(value) => both!(extensions, value, &value.name),
        Object::Type(value) => both!(types, value, &value.name),
        Object::Sequence(value) => both!(sequences, value, &value.name),
        Object::Table(value) => {
            let Some(there) = schema.tables.get(&value.name) else { return Some(false) };
            found.insert(parts_of(there, value));
            wanted.insert(parts_of(value, value));
        }
        Object::View(value) => both!(views, value, &value.name),
        Object::Index(value) => {
            return Predicate::Index { table: value.table.clone(), index: Box::new(value.index.clone()) }.holds(schema);
        }
        Object::Routine(value) => both!(routines, value, &value.id),
        Object::Trigger(value) => both!(triggers, value, &value.id),
        Object::Policy(value) => both!(policies, value, &value.id),
        Object::Opaque(value) => both!(objects, value, &value.id),
    }
    same(found, wanted)
}

/// The table with only those parts that `wanted` has as well, in its order; constraints without a name by their definition.
fn parts_of(table: &Table, wanted: &Table) -> Table {
    let mut part = table.clone();
    part.columns = wanted.columns.iter().filter_map(|each| table.column(&each.name).cloned()).collect();
    part.indexes = wanted.indexes.iter().filter_map(|each| table.index(&each.name).cloned()).collect();
    part.constraints = wanted.constraints.iter().filter_map(|each| find_constraint(table, each)).collect();
    part
}

/// The constraint of `table` that `wanted` means; nameless if `wanted` is.
fn find_constraint(table: &Table, wanted: &Constraint) -> Option<Constraint> {
    match &wanted.name {
        Some(name) => table.constraint(name).cloned(),
        None => {
            let found = table.constraints.iter().find(|each| each.kind == wanted.kind)?;
            Some(Constraint { name: None, ..found.clone() })
        }
    }
}

fn has_constraint(schema: &Schema, table: &Table, wanted: &Constraint) -> Option<bool> {
    let Some(found) = find_constraint(table, wanted) else { return Some(false) };
    let alone = |constraint: Constraint| {
        let mut alone = Table::new(table.name.clone());
        alone.constraints.push(constraint);
        alone
    };
    same_tables(schema, &alone(found), &alone(wanted.clone()))
}

fn find_index<'s>(schema: &'s Schema, owner: &QualName, index: &Index) -> Option<&'s Index> {
    match (schema.tables.get(owner), schema.views.get(owner)) {
        (Some(table), _) => table.index(&index.name),
        (None, Some(view)) => view.indexes.iter().find(|each| each.name == index.name),
        (None, None) => None,
    }
}

fn of_index(table: &QualName, index: &Index) -> Table {
    let mut alone = Table::new(table.clone());
    alone.indexes.push(index.clone());
    alone
}

/// A table of nothing but the column in the given respects.
fn of_column(table: &QualName, column: &Column, aspects: &[ColumnAspect]) -> Table {
    let mut part = Column::new(column.name.clone(), trueup_schema::DataType::builtin(""));
    for aspect in aspects {
        match aspect {
            ColumnAspect::Type => part.take_type(column),
            ColumnAspect::Default => part.default.clone_from(&column.default),
            ColumnAspect::NotNull => part.not_null = column.not_null,
            ColumnAspect::Identity => {
                part.identity.clone_from(&column.identity);
                part.auto_increment = column.auto_increment;
            }
            ColumnAspect::Generated => part.generated.clone_from(&column.generated),
            ColumnAspect::Attributes => part.attributes.clone_from(&column.attributes),
        }
    }
    let mut alone = Table::new(table.clone());
    alone.columns.push(part);
    alone
}

fn same_tables(schema: &Schema, found: &Table, wanted: &Table) -> Option<bool> {
    let alone = |table: &Table| {
        let mut alone = Schema::new(schema.dialect);
        alone.insert(table.clone());
        alone
    };
    same(alone(found), alone(wanted))
}

/// Equal, different, or different in SQL text alone, which says nothing.
fn same(mut found: Schema, mut wanted: Schema) -> Option<bool> {
    bare(&mut found);
    bare(&mut wanted);
    if found == wanted {
        return Some(true);
    }
    let blank = |schema: &mut Schema| schema.visit_exprs_mut(&mut |_, text: &mut SqlExpr| text.0.clear());
    blank(&mut found);
    blank(&mut wanted);
    if found == wanted { None } else { Some(false) }
}

/// Takes away what is not the definition itself.
fn bare(schema: &mut Schema) {
    schema.namespaces.values_mut().for_each(|each| each.common = Common::default());
    schema.extensions.values_mut().for_each(|each| each.common = Common::default());
    schema.types.values_mut().for_each(bare_type);
    for sequence in schema.sequences.values_mut() {
        sequence.common = Common::default();
        sequence.owned_by = None;
    }
    schema.tables.values_mut().for_each(bare_table);
    schema.views.values_mut().for_each(bare_view);
    for routine in schema.routines.values_mut() {
        routine.common = Common::default();
        routine.signature.clear();
        routine.tracked = false;
    }
    for trigger in schema.triggers.values_mut() {
        trigger.comment = None;
        trigger.source = None;
        trigger.depends_on.clear();
    }
    for policy in schema.policies.values_mut() {
        policy.comment = None;
        policy.depends_on.clear();
    }
    for opaque in schema.objects.values_mut() {
        opaque.common = Common::default();
        opaque.drop = SqlExpr::new("");
        opaque.comment_target = None;
        opaque.roles.clear();
        opaque.parts.iter_mut().for_each(|part| part.unset = SqlExpr::new(""));
    }
}

fn bare_type(user_type: &mut UserType) {
    user_type.common = Common::default();
    match &mut user_type.kind {
        UserTypeKind::Domain(domain) => {
            for check in &mut domain.checks {
                check.comment = None;
                check.depends_on.clear();
            }
        }
        UserTypeKind::Composite { attributes } => attributes.iter_mut().for_each(|each| each.comment = None),
        UserTypeKind::Enum { .. } | UserTypeKind::Range(_) => {}
    }
}

fn bare_table(table: &mut Table) {
    table.common = Common::default();
    table.source = None;
    table.options.parameters.remove("auto_increment");
    table.spelled = false;
    table.spell(&Spelling::default());
    for column in &mut table.columns {
        column.comment = None;
        column.depends_on.clear();
        column.source = None;
        column.renamed_from = None;
        column.using = None;
        column.backfill = None;
    }
    for constraint in &mut table.constraints {
        constraint.comment = None;
        constraint.depends_on.clear();
        constraint.source = None;
    }
    table.indexes.iter_mut().for_each(bare_index);
}

fn bare_index(index: &mut Index) {
    index.comment = None;
    index.depends_on.clear();
    index.source = None;
    index.renamed_from = None;
    index.spell(None);
}

fn bare_view(view: &mut View) {
    view.common = Common::default();
    view.indexes.clear();
    view.source = None;
    view.populated = true;
    for column in &mut view.columns {
        column.comment = None;
        column.data_type.clear();
    }
}
