//! From the catalog's numbers to names.

use std::collections::BTreeMap;

use trueup_schema::{Dependency, Ident, ObjectRef, OpaqueId, PartId, QualName, RoutineId};
use trueup_session::Row;

use super::objects;
use super::raw::Raw;
use super::reader::{Reader, ident, printed_name};
use super::sql::class;
use crate::IntrospectError;

/// A namespace or an extension, as the dictionary tells.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) oid: i64,
    /// An extension's namespace.
    pub(super) reference: i64,
    pub(super) name: Ident,
    /// A namespace's owner, an extension's version.
    pub(super) more: Option<&'a str>,
    pub(super) acl: Option<Vec<&'a str>>,
    pub(super) default_acl: Option<Vec<&'a str>>,
    /// Whether one may create things in a namespace.
    pub(super) may_create: bool,
}

/// An operator class.
#[derive(Debug)]
pub(super) struct Opclass {
    pub(super) input: i64,
    pub(super) method: i64,
    pub(super) default: bool,
    pub(super) name: QualName,
}

/// What numbers stand for.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    pub(super) namespaces: BTreeMap<i64, Entry<'a>>,
    pub(super) extensions: BTreeMap<i64, Entry<'a>>,
    pub(super) opclasses: BTreeMap<i64, Opclass>,
    pub(super) access_methods: BTreeMap<i64, Ident>,
    pub(super) tablespaces: BTreeMap<i64, Ident>,
    pub(super) collations: BTreeMap<i64, QualName>,
    /// Members of extensions, by class and number.
    members: BTreeMap<(i64, i64), i64>,
    /// Modelled objects in scope, by class and number.
    pub(super) objects: BTreeMap<(i64, i64), ObjectRef>,
    /// Columns of relations in scope.
    columns: BTreeMap<(i64, i64), Ident>,
    /// Things outside what was read, by class, number and part.
    pub(super) external: BTreeMap<(i64, i64, i64), ObjectRef>,
}

impl<'a> Names<'a> {
    /// Names of everything that `raw` holds.
    pub(super) fn of(raw: &'a Raw) -> Result<Self, IntrospectError> {
        let mut names = Self::default();
        let mut opclasses = Vec::new();
        for row in &raw.dictionary {
            names.entry(row, &mut opclasses)?;
        }
        for (oid, namespace, name, opclass) in opclasses {
            let name = names.qualified(namespace, name)?;
            names.opclasses.insert(oid, Opclass { name, ..opclass });
        }
        for row in &raw.dictionary {
            let mut row = Reader::new(row, "collations");
            if row.text()? == "collation" {
                let (oid, _, namespace) = (row.int()?, row.int()?, row.int()?);
                let name = names.qualified(namespace, row.ident()?)?;
                names.collations.insert(oid, name);
            }
        }
        names.add_relations(raw)?;
        names.add_types(raw)?;
        names.add_routines(raw)?;
        names.add_parts(raw)?;
        Ok(names)
    }

    fn entry(&mut self, row: &'a Row, opclasses: &mut Vec<(i64, i64, Ident, Opclass)>) -> Result<(), IntrospectError> {
        let mut row = Reader::new(row, "namespaces");
        let kind = row.text()?;
        let (oid, reference, second) = (row.int()?, row.int()?, row.int()?);
        if kind == "member" {
            self.members.insert((reference, oid), second);
            return Ok(());
        }
        let name = row.ident()?;
        let more = row.text_or_null()?;
        let (acl, default_acl) = (row.texts_or_null()?, row.texts_or_null()?);
        let flag = row.flag()?;
        match kind {
            "namespace" => {
                self.namespaces.insert(oid, Entry { oid, reference, name, more, acl, default_acl, may_create: flag });
            }
            "extension" => {
                self.extensions.insert(oid, Entry { oid, reference, name, more, acl, default_acl, may_create: false });
            }
            "opclass" => {
                let method = more.and_then(|text| text.parse().ok()).unwrap_or_default();
                let unnamed = QualName::new(None, name.clone());
                opclasses.push((oid, second, name, Opclass { input: reference, method, default: flag, name: unnamed }));
            }
            "access-method" => drop(self.access_methods.insert(oid, name)),
            "tablespace" => drop(self.tablespaces.insert(oid, name)),
            _ => {}
        }
        Ok(())
    }

    fn add_relations(&mut self, raw: &Raw) -> Result<(), IntrospectError> {
        for row in &raw.relations {
            let mut row = Reader::new(row, "tables");
            let (oid, namespace) = (row.int()?, row.int()?);
            let name = self.qualified(namespace, row.ident()?)?;
            let kind = row.text()?;
            let (_persistence, row_type) = (row.text()?, row.int()?);
            let object = match kind {
                "v" | "m" => ObjectRef::View(name),
                "S" => ObjectRef::Sequence(name),
                "c" => ObjectRef::Type(name),
                _ => ObjectRef::Table(name),
            };
            if row_type != 0 && kind != "c" {
                self.objects.insert((class::TYPE, row_type), object.clone());
            }
            self.objects.insert((class::CLASS, oid), object);
        }
        for row in &raw.columns {
            let mut row = Reader::new(row, "columns");
            let key = (row.int()?, row.int()?);
            self.columns.insert(key, row.ident()?);
        }
        for row in &raw.indexes {
            let mut row = Reader::new(row, "indexes");
            let (oid, table) = (row.int()?, row.int()?);
            let name = row.ident()?;
            if let Some(table) = self.relation(table).cloned() {
                self.objects.insert((class::CLASS, oid), ObjectRef::Index(PartId { table, name }));
            }
        }
        for row in &raw.constraints {
            let mut row = Reader::new(row, "constraints");
            let (oid, table, _domain) = (row.int()?, row.int()?, row.int()?);
            let name = row.ident()?;
            if let Some(table) = self.relation(table).cloned() {
                self.objects.insert((class::CONSTRAINT, oid), ObjectRef::Constraint(PartId { table, name }));
            }
        }
        Ok(())
    }

    fn add_types(&mut self, raw: &Raw) -> Result<(), IntrospectError> {
        for row in &raw.types {
            let mut row = Reader::new(row, "types");
            let (oid, namespace) = (row.int()?, row.int()?);
            let name = self.qualified(namespace, row.ident()?)?;
            let kind = row.text()?;
            let (_relation, array) = (row.int()?, row.int()?);
            if !matches!(kind, "e" | "d" | "r" | "c") {
                continue;
            }
            let object = ObjectRef::Type(name);
            if array != 0 {
                self.objects.insert((class::TYPE, array), object.clone());
            }
            let (_owner, _acl, _default, _labels) = (row.text()?, row.texts()?, row.texts()?, row.texts()?);
            let (_base, _base_text, _not_null, _default) =
                (row.int()?, row.text_or_null()?, row.flag()?, row.text_or_null()?);
            let (_collation, _base_collation) = (row.int()?, row.int_or_null()?);
            let (_subtype, _subtype_text, multirange) = (row.int_or_null()?, row.text_or_null()?, row.int_or_null()?);
            if let Some(multirange) = multirange {
                self.objects.insert((class::TYPE, multirange), object.clone());
            }
            self.objects.insert((class::TYPE, oid), object);
        }
        Ok(())
    }

    fn add_routines(&mut self, raw: &Raw) -> Result<(), IntrospectError> {
        for row in &raw.routines {
            let mut row = Reader::new(row, "routines");
            let (oid, namespace) = (row.int()?, row.int()?);
            let name = self.qualified(namespace, row.ident()?)?;
            let kind = row.text()?;
            let (types, identity) = (row.text()?, row.text()?);
            // Where an ordered-set aggregate's arguments end is said by words between the types.
            let arguments = if kind == "a" && identity.contains("ORDER BY") { identity } else { types };
            let id = RoutineId { name, arguments: arguments.to_owned() };
            self.objects.insert((class::PROC, oid), ObjectRef::Routine(id));
        }
        Ok(())
    }

    /// Triggers, policies, and objects that are kept as text.
    fn add_parts(&mut self, raw: &Raw) -> Result<(), IntrospectError> {
        for row in &raw.texts {
            let mut row = Reader::new(row, "triggers and other objects");
            let kind = row.text()?;
            let (oid, namespace, relation) = (row.int()?, row.int()?, row.int()?);
            let name = row.text()?;
            if kind == "object" {
                let (words, class) = (row.text()?, row.text()?.parse().unwrap_or_default());
                let id = objects::id(words, self.namespace(namespace).cloned(), name);
                self.objects.insert((class, oid), ObjectRef::Opaque(id));
                continue;
            }
            let table = self.relation(relation).cloned();
            let part = |table: QualName| ident(name).map(|name| PartId { table, name });
            let (class, object) = match (kind, table) {
                ("trigger", Some(table)) => (class::TRIGGER, ObjectRef::Trigger(part(table)?)),
                ("policy", Some(table)) => (class::POLICY, ObjectRef::Policy(part(table)?)),
                ("rule", Some(table)) => (class::REWRITE, opaque(kind, table.namespace.clone(), Some(table), name)),
                ("statistics", _) => (class::STATISTIC, opaque(kind, self.namespace(namespace).cloned(), None, name)),
                ("event trigger", _) => (class::EVENT_TRIGGER, opaque(kind, None, None, name)),
                _ => continue,
            };
            self.objects.insert((class, oid), object);
        }
        Ok(())
    }

    /// A name in a namespace known by its number.
    pub(super) fn qualified(&self, namespace: i64, name: Ident) -> Result<QualName, IntrospectError> {
        let known = self.namespace(namespace).cloned().ok_or_else(|| IntrospectError::Catalog {
            object: format!("`{name}`"),
            why: format!("its namespace {namespace} is not there"),
        })?;
        Ok(QualName::new(Some(known), name))
    }

    pub(super) fn namespace(&self, number: i64) -> Option<&Ident> {
        self.namespaces.get(&number).map(|entry| &entry.name)
    }

    /// The extension that an object is a member of.
    pub(super) fn extension_of(&self, class: i64, oid: i64) -> Option<&Ident> {
        let extension = self.members.get(&(class, oid))?;
        self.extensions.get(extension).map(|entry| &entry.name)
    }

    /// The table, view, composite or sequence in scope with this number, members of extensions included.
    pub(super) fn relation(&self, oid: i64) -> Option<&QualName> {
        match self.objects.get(&(class::CLASS, oid))? {
            ObjectRef::Table(name) | ObjectRef::View(name) | ObjectRef::Sequence(name) | ObjectRef::Type(name) => {
                Some(name)
            }
            ObjectRef::Namespace(_)
            | ObjectRef::Extension(_)
            | ObjectRef::Column(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
            | ObjectRef::Opaque(_) => None,
        }
    }

    /// The name of a column in scope.
    pub(super) fn column(&self, relation: i64, number: i64) -> Option<&Ident> {
        self.columns.get(&(relation, number))
    }

    /// What a mention stands for; nothing for what the server brought along.
    pub(super) fn mention(&self, class: i64, oid: i64, part: i64) -> Vec<Dependency> {
        let hard = |object| vec![Dependency::hard(object)];
        if class == class::EXTENSION {
            return self.extensions.get(&oid).map_or_else(Vec::new, |it| hard(ObjectRef::Extension(it.name.clone())));
        }
        if let Some(extension) = self.extension_of(class, oid) {
            return hard(ObjectRef::Extension(extension.clone()));
        }
        if let Some(object) = self.objects.get(&(class, oid)) {
            return self.part_of(object, oid, part);
        }
        self.external.get(&(class, oid, part)).map_or_else(Vec::new, |object| hard(object.clone()))
    }

    /// A column where the mention is of one; a view's column goes with the view, which is replaced as a whole.
    fn part_of(&self, object: &ObjectRef, oid: i64, part: i64) -> Vec<Dependency> {
        let column = self.column(oid, part).cloned();
        match (object, column) {
            (ObjectRef::Table(table), Some(name)) if part > 0 => {
                vec![Dependency::hard(ObjectRef::Column(PartId { table: table.clone(), name }))]
            }
            (ObjectRef::View(view), Some(name)) if part > 0 => vec![
                Dependency::hard(object.clone()),
                Dependency::hard(ObjectRef::Column(PartId { table: view.clone(), name })),
            ],
            _ => vec![Dependency::hard(object.clone())],
        }
    }

    /// Whether a mention needs a look outside.
    pub(super) fn is_unknown(&self, class: i64, oid: i64) -> bool {
        oid >= super::sql::FIRST_NORMAL
            && matches!(class, class::CLASS | class::TYPE | class::PROC)
            && !self.objects.contains_key(&(class, oid))
            && self.extension_of(class, oid).is_none()
    }

    /// A function named in a printed text, `-` being none.
    pub(super) fn printed_function(text: Option<&str>) -> Result<Option<QualName>, IntrospectError> {
        text.filter(|text| *text != "-").map(printed_name).transpose()
    }
}

/// An object that is kept as text.
fn opaque(kind: &str, namespace: Option<Ident>, table: Option<QualName>, name: &str) -> ObjectRef {
    ObjectRef::Opaque(OpaqueId { kind: kind.to_owned(), namespace, table, name: name.to_owned() })
}
