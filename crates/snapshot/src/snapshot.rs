//! A schema in canonical form with its hashes.

use std::collections::BTreeMap;
use std::ops::Deref;

use trueup_schema::{DialectId, Ident, Index, Invalid, ObjectRef, PartId, QualName, Schema, Spelling, Table, validate};

use crate::canonical::Canonical;
use crate::{Fingerprint, Normalise, SnapshotError, order};

/// How many tables are worth a thread.
const LARGE: usize = 100;

/// A schema in canonical form. Two snapshots of one engine with equal roots describe the same schema.
#[derive(Debug, Clone)]
pub struct Snapshot {
    schema: Schema,
    hashes: BTreeMap<ObjectRef, Entry>,
    root: Fingerprint,
}

/// What is kept of an object's canonical bytes. The length makes an accidental collision harmless where subtrees are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    hash: Fingerprint,
    length: usize,
}

impl Snapshot {
    /// Makes the canonical form of `schema`: normalised by `rules`, without hints, everything unordered sorted.
    ///
    /// # Errors
    /// - [`SnapshotError::SameName`]: two objects have one name once normalised.
    /// - [`SnapshotError::Invalid`]: the schema contradicts itself. Names of objects that it does not hold are no contradiction:
    ///   they may exist outside its scope.
    pub fn of(schema: &Schema, rules: &dyn Normalise) -> Result<Self, SnapshotError> {
        Self::from_schema(schema.clone(), rules)
    }

    /// The same of a schema that nobody needs otherwise.
    ///
    /// # Errors
    /// Those of [`Snapshot::of`].
    pub fn from_schema(mut schema: Schema, rules: &dyn Normalise) -> Result<Self, SnapshotError> {
        order::clear_hints(&mut schema);
        rules.normalise(&mut schema);
        order::rekey(&mut schema)?;
        order::sort(&mut schema);
        schema.tables.values_mut().for_each(Table::shrink_to_fit);
        let (mut found, hashes) = check_and_hash(&schema, rules);
        found.retain(|invalid| !invalid.problem.is_dangling());
        if !found.is_empty() {
            return Err(SnapshotError::Invalid(found));
        }
        let hashes = hashes?;
        let root = root_of(schema.dialect, &hashes, |_| true);
        Ok(Self { schema, hashes, root })
    }

    /// The schema in canonical form.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema in canonical form, by value.
    #[must_use]
    pub fn into_schema(self) -> Schema {
        self.schema
    }

    /// The fingerprint of all of it.
    #[must_use]
    pub const fn root(&self) -> Fingerprint {
        self.root
    }

    /// The fingerprint of all of it and of how it is spelled out: [`Snapshot::root`], where nothing is.
    #[must_use]
    pub fn root_as_spelled(&self) -> Fingerprint {
        let spelled = self.schema.tables.values().map(|table| (&table.name, table.spelling()));
        let said: Vec<String> = spelled
            .filter(|(_, spelling)| !spelling.is_empty())
            .map(|(name, spelling)| format!("{name}\n{spelling}"))
            .collect();
        if said.is_empty() {
            return self.root;
        }
        Fingerprint::of(format!("{}\n{}", self.root.hex(), said.concat()).as_bytes())
    }

    /// Says how a table is spelled out, which is no part of any fingerprint but [`Snapshot::root_as_spelled`].
    pub fn spell(&mut self, name: &QualName, spelling: &Spelling) {
        if let Some(table) = self.schema.tables.get_mut(name) {
            table.spelled = true;
            table.spell(spelling);
        }
    }

    /// The fingerprint of the objects that `filter` lets through.
    #[must_use]
    pub fn fingerprint_of(&self, filter: impl Fn(&ObjectRef) -> bool) -> Fingerprint {
        root_of(self.schema.dialect, &self.hashes, filter)
    }

    /// The hash of the object that `object` is or belongs to: a column's and a constraint's is its table's.
    #[must_use]
    pub fn object_hash(&self, object: &ObjectRef) -> Option<Fingerprint> {
        self.hashes.get(&object.owner()).map(|entry| entry.hash)
    }

    /// Every tracked object with its hash, in order.
    pub fn objects(&self) -> impl Iterator<Item = (&ObjectRef, Fingerprint)> {
        self.hashes.iter().map(|(object, entry)| (object, entry.hash))
    }

    /// Whether both snapshots hold `object` and define it alike, so that a comparison may skip it. A table's indexes are objects of
    /// their own.
    #[must_use]
    pub fn same_object(&self, other: &Self, object: &ObjectRef) -> bool {
        let object = object.owner();
        match (self.hashes.get(&object), other.hashes.get(&object)) {
            (Some(own), Some(others)) => own == others && self.schema.dialect == other.schema.dialect,
            (Some(_) | None, None) | (None, Some(_)) => false,
        }
    }
}

impl Deref for Snapshot {
    type Target = Schema;
    fn deref(&self) -> &Schema {
        &self.schema
    }
}

/// Collects hashes with the rules at hand.
struct Hasher<'a> {
    rules: &'a dyn Normalise,
    hashes: BTreeMap<ObjectRef, Entry>,
}

impl Hasher<'_> {
    fn add(&mut self, object: ObjectRef, value: &impl Canonical) -> Result<(), SnapshotError> {
        match value.canonical(self.rules) {
            Ok(bytes) => {
                let entry = Entry { hash: Fingerprint::of(&bytes), length: bytes.len() };
                self.hashes.insert(object, entry);
                Ok(())
            }
            Err(source) => Err(SnapshotError::Encode { object: Box::new(object), source }),
        }
    }

    fn map<K: Clone, V: Canonical>(
        &mut self,
        map: &BTreeMap<K, V>,
        object: fn(K) -> ObjectRef,
    ) -> Result<(), SnapshotError> {
        map.iter().try_for_each(|(key, value)| self.add(object(key.clone()), value))
    }

    fn indexes(&mut self, owner: &QualName, indexes: &[Index]) -> Result<(), SnapshotError> {
        let id = |name: &Ident| PartId { table: owner.clone(), name: name.clone() };
        indexes.iter().try_for_each(|index| self.add(ObjectRef::Index(id(&index.name)), index))
    }
}

type Hashes = Result<BTreeMap<ObjectRef, Entry>, SnapshotError>;

/// Both only read, so that a large schema keeps two processors busy.
fn check_and_hash(schema: &Schema, rules: &dyn Normalise) -> (Vec<Invalid>, Hashes) {
    if schema.tables.len() < LARGE {
        return (validate(schema), hash_objects(schema, rules));
    }
    std::thread::scope(|scope| {
        let check = scope.spawn(|| validate(schema));
        let hashes = hash_objects(schema, rules);
        let found = check.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (found, hashes)
    })
}

fn hash_objects(schema: &Schema, rules: &dyn Normalise) -> Result<BTreeMap<ObjectRef, Entry>, SnapshotError> {
    let mut hasher = Hasher { rules, hashes: BTreeMap::new() };
    hasher.map(&schema.namespaces, ObjectRef::Namespace)?;
    hasher.map(&schema.extensions, ObjectRef::Extension)?;
    hasher.map(&schema.types, ObjectRef::Type)?;
    hasher.map(&schema.sequences, ObjectRef::Sequence)?;
    hasher.map(&schema.tables, ObjectRef::Table)?;
    hasher.map(&schema.views, ObjectRef::View)?;
    hasher.map(&schema.routines, ObjectRef::Routine)?;
    hasher.map(&schema.triggers, ObjectRef::Trigger)?;
    hasher.map(&schema.policies, ObjectRef::Policy)?;
    hasher.map(&schema.objects, ObjectRef::Opaque)?;
    for table in schema.tables.values() {
        hasher.indexes(&table.name, &table.indexes)?;
    }
    for view in schema.views.values() {
        hasher.indexes(&view.name, &view.indexes)?;
    }
    Ok(hasher.hashes)
}

/// FNV-1a over the engine and the sorted lines `kind TAB path TAB hash`. Sorted as text, so that the order of kinds in the code
/// means nothing.
fn root_of(
    dialect: DialectId,
    hashes: &BTreeMap<ObjectRef, Entry>,
    filter: impl Fn(&ObjectRef) -> bool,
) -> Fingerprint {
    let lines = hashes.iter().filter(|(object, _)| filter(object));
    let mut lines: Vec<String> =
        lines.map(|(object, entry)| format!("{}\t{object}\t{}\n", object.kind(), entry.hash.hex())).collect();
    lines.sort();
    Fingerprint::of(format!("{dialect}\n{}", lines.concat()).as_bytes())
}

#[cfg(test)]
mod tests;
