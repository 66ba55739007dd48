//! The whole set of objects.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    DialectId, Extension, Form, Ident, Namespace, ObjectRef, Opaque, OpaqueId, PartId, Policy, QualName, Routine,
    RoutineId, Sequence, Table, Trigger, UserType, View,
};

/// A schema: every object that is modelled, by kind and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The engine it is for.
    pub dialect: DialectId,
    /// Who spelled its SQL texts.
    #[serde(default, skip_serializing_if = "is_declared")]
    pub form: Form,
    /// PostgreSQL schemas; MySQL and MariaDB databases.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub namespaces: BTreeMap<Ident, Namespace>,
    /// Extensions.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub extensions: BTreeMap<Ident, Extension>,
    /// Enums, domains, composites, ranges.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<QualName, UserType>,
    /// Sequences, those that a column owns included; identities' are not.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub sequences: BTreeMap<QualName, Sequence>,
    /// Tables.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<QualName, Table>,
    /// Views and materialized views.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub views: BTreeMap<QualName, View>,
    /// Functions, procedures, aggregates.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub routines: BTreeMap<RoutineId, Routine>,
    /// Triggers.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub triggers: BTreeMap<PartId, Trigger>,
    /// Row security policies.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<PartId, Policy>,
    /// Everything that is kept as text.
    #[serde(default, with = "by_key", skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<OpaqueId, Opaque>,
}

fn is_declared(form: &Form) -> bool {
    *form == Form::Declared
}

impl Schema {
    /// A schema without objects.
    #[must_use]
    pub const fn new(dialect: DialectId) -> Self {
        Self {
            dialect,
            form: Form::Declared,
            namespaces: BTreeMap::new(),
            extensions: BTreeMap::new(),
            types: BTreeMap::new(),
            sequences: BTreeMap::new(),
            tables: BTreeMap::new(),
            views: BTreeMap::new(),
            routines: BTreeMap::new(),
            triggers: BTreeMap::new(),
            policies: BTreeMap::new(),
            objects: BTreeMap::new(),
        }
    }

    /// Whether it holds no object at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.namespaces.is_empty()
            && self.extensions.is_empty()
            && self.types.is_empty()
            && self.sequences.is_empty()
            && self.tables.is_empty()
            && self.views.is_empty()
            && self.routines.is_empty()
            && self.triggers.is_empty()
            && self.policies.is_empty()
            && self.objects.is_empty()
    }

    /// Every object that is tracked and hashed by itself: all kinds of the schema, and the indexes of tables and views. Columns and
    /// constraints belong to their table.
    #[must_use]
    pub fn object_refs(&self) -> Vec<ObjectRef> {
        let index = |owner: &QualName, name: &Ident| PartId { table: owner.clone(), name: name.clone() };
        let mut refs = Vec::new();
        refs.extend(self.namespaces.keys().cloned().map(ObjectRef::Namespace));
        refs.extend(self.extensions.keys().cloned().map(ObjectRef::Extension));
        refs.extend(self.types.keys().cloned().map(ObjectRef::Type));
        refs.extend(self.sequences.keys().cloned().map(ObjectRef::Sequence));
        refs.extend(self.tables.keys().cloned().map(ObjectRef::Table));
        refs.extend(self.views.keys().cloned().map(ObjectRef::View));
        for table in self.tables.values() {
            refs.extend(table.indexes.iter().map(|each| ObjectRef::Index(index(&table.name, &each.name))));
        }
        for view in self.views.values() {
            refs.extend(view.indexes.iter().map(|each| ObjectRef::Index(index(&view.name, &each.name))));
        }
        refs.extend(self.routines.keys().cloned().map(ObjectRef::Routine));
        refs.extend(self.triggers.keys().cloned().map(ObjectRef::Trigger));
        refs.extend(self.policies.keys().cloned().map(ObjectRef::Policy));
        refs.extend(self.objects.keys().cloned().map(ObjectRef::Opaque));
        refs
    }

    /// Puts `value` in under its own name; an object of that name and kind is replaced and returned.
    pub fn insert<V: Keyed>(&mut self, value: V) -> Option<V> {
        V::map_of(self).insert(value.key(), value)
    }
}

/// An object that a schema keeps under its own name.
pub trait Keyed: Sized {
    /// What the schema finds it by.
    type Key: Ord + Clone + std::fmt::Display;
    /// Its key.
    fn key(&self) -> Self::Key;
    /// Where a schema keeps its kind.
    fn map_of(schema: &mut Schema) -> &mut BTreeMap<Self::Key, Self>;
}

macro_rules! keyed {
    ($($value:ty, $key:ty, $map:ident, $($field:ident).+;)*) => { $(
        impl Keyed for $value {
            type Key = $key;
            fn key(&self) -> $key {
                self.$($field).+.clone()
            }
            fn map_of(schema: &mut Schema) -> &mut BTreeMap<$key, Self> {
                &mut schema.$map
            }
        }
    )* };
}

keyed! {
    Namespace, Ident, namespaces, name;
    Extension, Ident, extensions, name;
    UserType, QualName, types, name;
    Sequence, QualName, sequences, name;
    Table, QualName, tables, name;
    View, QualName, views, name;
    Routine, RoutineId, routines, id;
    Trigger, PartId, triggers, id;
    Policy, PartId, policies, id;
    Opaque, OpaqueId, objects, id;
}

/// Maps travel as lists: every object says its own name once.
mod by_key {
    use super::{BTreeMap, Deserialize, Deserializer, Keyed, Serialize, Serializer};

    pub(super) fn serialize<V: Keyed + Serialize, S: Serializer>(
        map: &BTreeMap<V::Key, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map.values())
    }

    pub(super) fn deserialize<'de, V, D>(deserializer: D) -> Result<BTreeMap<V::Key, V>, D::Error>
    where
        V: Keyed + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let mut map = BTreeMap::new();
        for value in Vec::<V>::deserialize(deserializer)? {
            let key = value.key();
            if map.contains_key(&key) {
                return Err(serde::de::Error::custom(format!("`{key}` is defined twice")));
            }
            map.insert(key, value);
        }
        Ok(map)
    }
}
