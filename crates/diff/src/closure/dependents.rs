//! Who uses what in the live schema.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{Object, Unmanaged, unnamed_constraint};
use trueup_schema::{Constraint, Dependency, Ident, ObjectRef, OpaqueId, PartId, QualName, Schema, Strength, Table};

use crate::graph::{Reader, Site, Use};

/// Something that uses something, at the grain at which it can be dropped and made again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dependent {
    /// A standalone object, a constraint, an index, a generated column.
    Object(ObjectRef),
    /// A constraint without a name, by its short text.
    Unnamed(QualName, String),
    /// A column's default.
    Default(PartId),
    /// A column by its type. It holds data: it can't be dropped for somebody else's sake.
    Typed(PartId),
    /// A table by its parents. It holds data, too.
    Heir(QualName),
    /// An object that trueup leaves alone, by its place in the list.
    Unmanaged(usize),
}

impl Dependent {
    /// What the engine is asked about.
    pub(super) fn reference(&self, unmanaged: &[Unmanaged]) -> Option<ObjectRef> {
        match self {
            Self::Object(object) => Some(object.clone()),
            Self::Unnamed(table, _) | Self::Heir(table) => Some(ObjectRef::Table(table.clone())),
            Self::Default(part) | Self::Typed(part) => Some(ObjectRef::Column(part.clone())),
            Self::Unmanaged(at) => unmanaged.get(*at).map(|item| {
                ObjectRef::Opaque(OpaqueId {
                    kind: item.kind.clone(),
                    namespace: item.namespace.clone(),
                    table: item.table.clone(),
                    name: item.name.clone(),
                })
            }),
        }
    }

    /// The table that it is a part of.
    pub(super) fn table(&self) -> Option<QualName> {
        match self {
            Self::Object(object) => Site::Object(object.clone()).container().cloned(),
            Self::Unnamed(table, _) => Some(table.clone()),
            Self::Default(part) | Self::Typed(part) => Some(part.table.clone()),
            Self::Heir(table) => Some(table.clone()),
            Self::Unmanaged(_) => None,
        }
    }

    /// Whether it is a rule or index of a table: dropping what it stands on takes it along on every engine.
    pub(super) const fn is_structural(&self) -> bool {
        matches!(self, Self::Unnamed(..) | Self::Object(ObjectRef::Constraint(_) | ObjectRef::Index(_)))
    }
}

/// Dependents by what they use.
#[derive(Debug, Default)]
pub(super) struct Dependents {
    by_site: BTreeMap<Site, BTreeSet<Dependent>>,
    /// Those that use some part of a relation, by relation.
    by_relation: BTreeMap<QualName, BTreeSet<Dependent>>,
    /// Those that use a relation, nobody knows which columns.
    whole: BTreeMap<QualName, BTreeSet<Dependent>>,
}

impl Dependents {
    /// Reads every object of the schema that `reader` is about.
    pub(super) fn of(reader: Reader<'_>, unmanaged: &[Unmanaged]) -> Self {
        let mut dependents = Self::default();
        let schema = reader.schema;
        schema.tables.values().for_each(|table| dependents.table(reader, table));
        for object in standalone(schema) {
            let reference = object.reference();
            // What hangs on a table reads only the columns that it says.
            let uses = if let Object::Trigger(trigger) = &object {
                hanging(reader, &trigger.id.table, &trigger.depends_on)
            } else if let Object::Opaque(opaque) = &object
                && let Some(table) = &opaque.id.table
            {
                hanging(reader, table, &opaque.common.depends_on)
            } else {
                reader.object(&object)
            };
            // What a body only mentions may go without it, and come again.
            let is_body = matches!(object, Object::Routine(_));
            let uses = uses.into_iter().filter(|used| !is_body || used.strength == Strength::Hard).collect();
            dependents.add(&Dependent::Object(reference), uses);
        }
        for view in schema.views.values() {
            for index in &view.indexes {
                let mut uses = reader.index(&view.name, index);
                uses.push(reader.relation(&view.name));
                dependents.add(&Dependent::Object(index_ref(&view.name, &index.name)), uses);
            }
        }
        for (at, item) in unmanaged.iter().enumerate() {
            let mut uses = Reader::carried(&item.depends_on);
            uses.extend(item.table.iter().map(|table| reader.relation(table)));
            dependents.add(&Dependent::Unmanaged(at), uses);
        }
        dependents
    }

    fn table(&mut self, reader: Reader<'_>, table: &Table) {
        let name = &table.name;
        for column in &table.columns {
            let part = PartId { table: name.clone(), name: column.name.clone() };
            self.add(&Dependent::Typed(part.clone()), Reader::typed(column));
            let value = if column.generated.is_some() {
                Dependent::Object(ObjectRef::Column(part))
            } else {
                Dependent::Default(part)
            };
            self.add(&value, reader.value(name, column));
        }
        for constraint in &table.constraints {
            self.add(&constraint_dependent(name, constraint), reader.constraint(name, constraint));
        }
        for index in &table.indexes {
            self.add(&Dependent::Object(index_ref(name, &index.name)), reader.index(name, index));
        }
        self.add(&Dependent::Heir(name.clone()), Reader::table_alone(table));
    }

    fn add(&mut self, dependent: &Dependent, uses: Vec<Use>) {
        for used in uses {
            let relation = used.on.container().or_else(|| used.on.relation()).cloned();
            if let Some(relation) = relation {
                if used.whole {
                    self.whole.entry(relation.clone()).or_default().insert(dependent.clone());
                }
                self.by_relation.entry(relation).or_default().insert(dependent.clone());
            }
            self.by_site.entry(used.on).or_default().insert(dependent.clone());
        }
    }

    /// Who uses `site`. Of a relation: whoever uses any part of it. Of a column: also whoever uses nobody knows which.
    pub(super) fn using(&self, site: &Site) -> BTreeSet<Dependent> {
        let mut found = self.by_site.get(site).cloned().unwrap_or_default();
        if let Some(relation) = site.relation() {
            found.extend(self.by_relation.get(relation).into_iter().flatten().cloned());
        }
        if let Site::Object(ObjectRef::Column(part)) = site {
            // Heirs follow their parent by themselves.
            let users = self.whole.get(&part.table).into_iter().flatten();
            found.extend(users.filter(|dependent| !matches!(dependent, Dependent::Heir(_))).cloned());
        }
        found
    }
}

/// What a trigger or another object on a table uses.
fn hanging(reader: Reader<'_>, table: &QualName, dependencies: &[Dependency]) -> Vec<Use> {
    let mut uses = Reader::carried(dependencies);
    uses.push(reader.relation(table));
    uses
}

pub(super) fn index_ref(table: &QualName, name: &Ident) -> ObjectRef {
    ObjectRef::Index(PartId { table: table.clone(), name: name.clone() })
}

pub(super) fn constraint_dependent(table: &QualName, constraint: &Constraint) -> Dependent {
    match &constraint.name {
        Some(name) => Dependent::Object(ObjectRef::Constraint(PartId { table: table.clone(), name: name.clone() })),
        None => Dependent::Unnamed(table.clone(), unnamed_constraint(constraint)),
    }
}

/// Objects that can be dropped and made again as a whole. Sequences follow their columns, tables hold data.
fn standalone(schema: &Schema) -> impl Iterator<Item = Object> + '_ {
    let types = schema.types.values().cloned().map(Object::Type);
    let views = schema.views.values().cloned().map(Object::View);
    let routines = schema.routines.values().cloned().map(Object::Routine);
    let triggers = schema.triggers.values().cloned().map(Object::Trigger);
    let policies = schema.policies.values().cloned().map(Object::Policy);
    let opaques = schema.objects.values().cloned().map(Object::Opaque);
    types.chain(views).chain(routines).chain(triggers).chain(policies).chain(opaques)
}
