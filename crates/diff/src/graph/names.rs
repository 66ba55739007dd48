//! Name spaces: which names a change takes and which it frees.

use std::collections::BTreeMap;

use trueup_dialect::{Dialect, NameKind};
use trueup_plan::{Change, Object};
use trueup_schema::{
    Column, Constraint, ConstraintKind, Ident, Index, ObjectRef, PartId, QualName, Schema, Table, View,
};

/// A name in its name space, folded by the server's rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// Relations and types of a namespace together.
    Relation(Option<Ident>, String),
    /// A column of a table.
    Column(QualName, String),
    /// An index of a table, where tables have a name space each.
    Index(QualName, String),
    /// A constraint of a table.
    Constraint(QualName, String),
    /// A foreign key, where a namespace has one name space for them.
    ForeignKey(Option<Ident>, String),
    /// A check, where a namespace has one name space for them.
    Check(Option<Ident>, String),
    /// Anything else: its kind and path.
    Other(String, String),
}

/// Finds names by the rules of one engine.
#[derive(Debug)]
pub(crate) struct Naming<'a> {
    dialect: &'a dyn Dialect,
    live: &'a Schema,
    /// New names of tables with their old ones.
    renamed: BTreeMap<QualName, QualName>,
    /// Triggers by the table or view that they go with.
    triggers: BTreeMap<QualName, Vec<PartId>>,
    /// Sequences by the table and column that own them.
    owned: BTreeMap<QualName, Vec<(Ident, QualName)>>,
}

impl<'a> Naming<'a> {
    /// The rules for a plan over `live`, which looks like `projected` after the renames among `changes`.
    pub(crate) fn new<'c>(
        dialect: &'a dyn Dialect,
        live: &'a Schema,
        projected: &Schema,
        changes: impl Iterator<Item = &'c Change>,
    ) -> Self {
        let mut renamed = BTreeMap::new();
        for change in changes {
            if let Change::Rename { from: ObjectRef::Table(from), to: ObjectRef::Table(to), .. } = change {
                renamed.insert(to.clone(), from.clone());
            }
        }
        let mut owned = BTreeMap::<_, Vec<_>>::new();
        for sequence in projected.sequences.values() {
            if let Some(owner) = &sequence.owned_by {
                owned.entry(owner.table.clone()).or_default().push((owner.name.clone(), sequence.name.clone()));
            }
        }
        let mut triggers = BTreeMap::<_, Vec<_>>::new();
        for trigger in projected.triggers.values() {
            triggers.entry(trigger.id.table.clone()).or_default().push(trigger.id.clone());
        }
        Self { dialect, live, renamed, triggers, owned }
    }

    fn relation(&self, name: &QualName) -> Name {
        Name::Relation(name.namespace.clone(), self.dialect.fold(&name.name))
    }

    fn column(&self, table: &QualName, name: &Ident) -> Name {
        Name::Column(table.clone(), self.dialect.fold(name))
    }

    fn index_name(&self, table: &QualName, name: &Ident) -> Name {
        if self.dialect.capabilities().index_names_per_namespace {
            Name::Relation(table.namespace.clone(), self.dialect.fold(name))
        } else {
            Name::Index(table.clone(), self.dialect.fold(name))
        }
    }

    fn index(&self, table: &QualName, index: &Index) -> Name {
        self.index_name(table, &index.name)
    }

    /// Names of a constraint.
    pub(crate) fn of_constraint(&self, table: &QualName, constraint: &Constraint) -> Vec<Name> {
        let capabilities = self.dialect.capabilities();
        if !capabilities.alter_constraints {
            // They come and go with the whole table, and no other object minds their names.
            return Vec::new();
        }
        let Some(name) = &constraint.name else {
            // A table has one primary key, whatever it is called.
            let is_primary = matches!(constraint.kind, ConstraintKind::PrimaryKey(_));
            return is_primary.then(|| Name::Constraint(table.clone(), String::new())).into_iter().collect();
        };
        let folded = self.dialect.fold(name);
        let own = Name::Constraint(table.clone(), folded.clone());
        match &constraint.kind {
            // A table has one primary key at a time; a key's index carries the key's name.
            ConstraintKind::PrimaryKey(_) => {
                let only = Name::Other("primary key".to_owned(), table.to_string());
                vec![own, self.index_name(table, name), only]
            }
            ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => {
                vec![own, self.index_name(table, name)]
            }
            ConstraintKind::ForeignKey(_) if capabilities.fk_names_per_namespace => {
                vec![Name::ForeignKey(table.namespace.clone(), folded)]
            }
            ConstraintKind::Check { .. } if capabilities.check_names_per_namespace => {
                vec![Name::Check(table.namespace.clone(), folded)]
            }
            ConstraintKind::ForeignKey(_) | ConstraintKind::Check { .. } => vec![own],
        }
    }

    /// The name of an identity's sequence.
    pub(crate) fn of_identity(&self, table: &QualName, column: &Column) -> Option<Name> {
        let identity = column.identity.as_ref()?;
        let name = match &identity.sequence {
            Some(name) => name.clone(),
            None => {
                let columns = std::slice::from_ref(&column.name);
                table.sibling(self.dialect.generated_name(NameKind::Sequence, &table.name, columns)?)
            }
        };
        Some(self.relation(&name))
    }

    fn table(&self, table: &Table) -> Vec<Name> {
        let mut names = vec![self.relation(&table.name)];
        names.extend(table.indexes.iter().map(|index| self.index(&table.name, index)));
        names.extend(table.constraints.iter().flat_map(|constraint| self.of_constraint(&table.name, constraint)));
        names.extend(table.columns.iter().filter_map(|column| self.of_identity(&table.name, column)));
        names
    }

    fn view(&self, view: &View) -> Vec<Name> {
        let mut names = vec![self.relation(&view.name)];
        names.extend(view.indexes.iter().map(|index| self.index(&view.name, index)));
        names
    }

    /// Names of an object with everything in it.
    pub(crate) fn of_object(&self, object: &Object) -> Vec<Name> {
        match object {
            Object::Table(table) => self.table(table),
            Object::View(view) => self.view(view),
            Object::Index(index) => vec![self.index(&index.table, &index.index)],
            Object::Sequence(sequence) => vec![self.relation(&sequence.name)],
            Object::Type(user_type) => vec![self.relation(&user_type.name)],
            Object::Namespace(_)
            | Object::Extension(_)
            | Object::Routine(_)
            | Object::Trigger(_)
            | Object::Policy(_)
            | Object::Opaque(_) => vec![self.of_reference(&object.reference())],
        }
    }

    /// The name that a bare reference stands for.
    pub(crate) fn of_reference(&self, object: &ObjectRef) -> Name {
        match object {
            ObjectRef::Type(name) | ObjectRef::Sequence(name) | ObjectRef::Table(name) | ObjectRef::View(name) => {
                self.relation(name)
            }
            ObjectRef::Column(part) => self.column(&part.table, &part.name),
            ObjectRef::Index(part) => self.index_name(&part.table, &part.name),
            ObjectRef::Constraint(part) => Name::Constraint(part.table.clone(), self.dialect.fold(&part.name)),
            ObjectRef::Trigger(id) if self.dialect.capabilities().trigger_names_per_namespace => self.trigger(id),
            ObjectRef::Namespace(_)
            | ObjectRef::Extension(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
            | ObjectRef::Opaque(_) => Name::Other(object.kind().to_owned(), object.to_string()),
        }
    }

    /// The name of a trigger, where a namespace has one name space for them.
    fn trigger(&self, id: &PartId) -> Name {
        let namespace = id.table.namespace.as_ref().map_or("", Ident::as_str);
        Name::Other("trigger".to_owned(), format!("{namespace}/{}", self.dialect.fold(&id.name)))
    }

    /// Names that go with a table or column that is removed: sequences that it owns.
    fn owned(&self, table: &QualName, column: Option<&Ident>) -> Vec<Name> {
        let owned = self.owned.get(table).into_iter().flatten();
        let going = owned.filter(|(owner, _)| column.is_none_or(|name| owner == name));
        going.map(|(_, sequence)| self.relation(sequence)).collect()
    }

    /// Names that are free once `object` is dropped.
    pub(crate) fn of_dropped(&self, object: &Object) -> Vec<Name> {
        let mut names = self.of_object(object);
        let relation = match object {
            Object::Table(table) => {
                names.extend(self.owned(&table.name, None));
                &table.name
            }
            Object::View(view) => &view.name,
            Object::Namespace(_)
            | Object::Extension(_)
            | Object::Type(_)
            | Object::Sequence(_)
            | Object::Index(_)
            | Object::Routine(_)
            | Object::Trigger(_)
            | Object::Policy(_)
            | Object::Opaque(_) => return names,
        };
        let triggers = self.triggers.get(relation).into_iter().flatten();
        names.extend(triggers.map(|id| self.of_reference(&ObjectRef::Trigger(id.clone()))));
        names
    }

    /// Names of a column that is there or will be.
    pub(crate) fn of_column(&self, table: &QualName, column: &Column) -> Vec<Name> {
        let mut names = vec![self.column(table, &column.name)];
        names.extend(self.of_identity(table, column));
        names
    }

    /// Names that are free once a column is dropped.
    pub(crate) fn of_dropped_column(&self, table: &QualName, column: &Column) -> Vec<Name> {
        let mut names = self.of_column(table, column);
        names.extend(self.owned(table, Some(&column.name)));
        names
    }

    /// The name that a table has today.
    fn live_name<'n>(&'n self, name: &'n QualName) -> &'n QualName {
        let mut name = name;
        let mut left = self.renamed.len();
        while let Some(before) = self.renamed.get(name)
            && left > 0
        {
            name = before;
            if self.live.tables.contains_key(name) {
                break;
            }
            left -= 1;
        }
        name
    }

    /// How many columns a table has before the plan.
    pub(crate) fn live_columns(&self, table: &QualName) -> usize {
        self.live.tables.get(self.live_name(table)).map_or(0, |table| table.columns.len())
    }

    /// Whether `object` is there before the plan, under its name of today.
    pub(crate) fn is_live(&self, object: &ObjectRef) -> bool {
        let live = self.live;
        let table = |name: &QualName| live.tables.get(self.live_name(name));
        match object {
            ObjectRef::Table(name) | ObjectRef::View(name) | ObjectRef::Type(name) | ObjectRef::Sequence(name) => {
                live.tables.contains_key(name)
                    || live.views.contains_key(name)
                    || live.types.contains_key(name)
                    || live.sequences.contains_key(name)
            }
            ObjectRef::Column(part) => table(&part.table).is_some_and(|table| table.column(&part.name).is_some()),
            ObjectRef::Constraint(part) => {
                table(&part.table).is_some_and(|table| table.constraint(&part.name).is_some())
            }
            ObjectRef::Index(part) => match (table(&part.table), live.views.get(&part.table)) {
                (Some(table), _) => table.index(&part.name).is_some(),
                (None, Some(view)) => view.indexes.iter().any(|index| index.name == part.name),
                (None, None) => false,
            },
            ObjectRef::Namespace(name) => live.namespaces.contains_key(name),
            ObjectRef::Extension(name) => live.extensions.contains_key(name),
            ObjectRef::Routine(id) => live.routines.contains_key(id),
            ObjectRef::Trigger(id) => live.triggers.contains_key(&self.live_part(id)),
            ObjectRef::Policy(id) => live.policies.contains_key(&self.live_part(id)),
            ObjectRef::Opaque(id) => live.objects.contains_key(id),
        }
    }

    fn live_part(&self, id: &PartId) -> PartId {
        PartId { table: self.live_name(&id.table).clone(), name: id.name.clone() }
    }
}
