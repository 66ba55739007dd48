//! A schema under the name of another database.
//!
//! On MySQL and MariaDB a branch is a database beside the original: what lives in the one must be said of the other, and nothing may be
//! said of a third.

use trueup_plan::{Live, Plan, Tracked};
use trueup_schema::{DialectId, Ident, ObjectRef, PartId, QualName, Schema};
use trueup_snapshot::{Normalise, Snapshot};

use crate::{Declared, Error};

/// From which database to which.
#[derive(Debug, Clone)]
pub(crate) struct Elsewhere {
    from: Ident,
    to: Ident,
}

impl Elsewhere {
    /// From the live schema's own database to `branch`, on engines where that has another name.
    pub(crate) fn new(live: &Live, branch: &str) -> Result<Option<Self>, Error> {
        let dialect = live.facts.server.dialect;
        if !matches!(dialect, DialectId::MySql | DialectId::MariaDb) {
            return Ok(None);
        }
        let from = live.facts.server.default_namespace.clone();
        let from = from.ok_or_else(|| Error::Usage("a rehearsal needs a database in the connection URL".to_owned()))?;
        let to = Ident::new(branch).map_err(|error| Error::Usage(format!("the branch cannot be named: {error}")))?;
        let moves = Self { from, to };
        moves.refuse_others(live.snapshot.schema())?;
        Ok(Some(moves))
    }

    /// From the live schema's own database to `name`, where another schema is of that one and both are compared.
    pub(crate) fn of_side(live: &Live, name: &Ident) -> Option<Self> {
        let is_named = matches!(live.facts.server.dialect, DialectId::MySql | DialectId::MariaDb);
        let from = live.facts.server.default_namespace.clone().filter(|from| is_named && from != name)?;
        Some(Self { from, to: name.clone() })
    }

    fn refuse_others(&self, schema: &Schema) -> Result<(), Error> {
        let objects = schema.object_refs();
        let mut names = objects.iter().filter_map(ObjectRef::namespace).chain(schema.namespaces.keys());
        match names.find(|name| **name != self.from && **name != self.to) {
            Some(other) => Err(Error::Usage(format!(
                "a rehearsal on this engine is about the connection's database alone, and `{other}` is another one"
            ))),
            None => Ok(()),
        }
    }

    fn schema(&self, schema: &Schema) -> Result<Schema, Error> {
        let mut moved = schema.clone();
        let is_used = moved.namespaces.contains_key(&self.from)
            || moved.object_refs().iter().any(|object| object.namespace() == Some(&self.from));
        if is_used {
            let renamed = moved.rename_namespace(&self.from, &self.to);
            renamed.map_err(|error| Error::Usage(format!("the schema cannot be moved to the branch: {error}")))?;
        }
        Ok(moved)
    }

    /// The live schema as it is on the branch.
    pub(crate) fn live(&self, live: &mut Live, rules: &dyn Normalise) -> Result<(), Error> {
        let schema = self.schema(live.snapshot.schema())?;
        live.snapshot = Snapshot::from_schema(schema, rules)
            .map_err(|error| Error::Snapshot { side: "live", source: Box::new(error) })?;
        let sizes = std::mem::take(&mut live.facts.sizes);
        live.facts.sizes = sizes.into_iter().map(|(name, size)| (self.name(name), size)).collect();
        Ok(())
    }

    /// A document is about the branch then. SQL names the original nowhere, or the load is refused.
    pub(crate) fn declared(&self, declared: &Declared) -> Result<Declared, Error> {
        match declared {
            Declared::Sql(_) => Ok(declared.clone()),
            Declared::Document(source) => {
                let schema = Box::new(crate::declared::read_document(source)?);
                self.declared(&Declared::Schema { schema, origin: source.name.clone() })
            }
            Declared::Schema { schema, origin } => {
                self.refuse_others(schema)?;
                Ok(Declared::Schema { schema: Box::new(self.schema(schema)?), origin: origin.clone() })
            }
        }
    }

    /// What is tracked, under the branch's name.
    pub(crate) fn tracked(&self, tracked: Tracked) -> Tracked {
        let objects = tracked.objects.into_iter().map(|object| self.object(object)).collect();
        let mut pairs = tracked.pairs;
        let (from, to) = (format!(":{}.", self.from.path_part()), format!(":{}.", self.to.path_part()));
        for pair in &mut pairs {
            pair.site = pair.site.replacen(&from, &to, 1);
        }
        Tracked { objects, pairs }
    }

    fn name(&self, mut name: QualName) -> QualName {
        if name.namespace.as_ref() == Some(&self.from) {
            name.namespace = Some(self.to.clone());
        }
        name
    }

    fn part(&self, part: PartId) -> PartId {
        PartId { table: self.name(part.table), ..part }
    }

    fn object(&self, object: ObjectRef) -> ObjectRef {
        match object {
            ObjectRef::Namespace(name) if name == self.from => ObjectRef::Namespace(self.to.clone()),
            ObjectRef::Namespace(_) | ObjectRef::Extension(_) => object,
            ObjectRef::Type(name) => ObjectRef::Type(self.name(name)),
            ObjectRef::Sequence(name) => ObjectRef::Sequence(self.name(name)),
            ObjectRef::Table(name) => ObjectRef::Table(self.name(name)),
            ObjectRef::View(name) => ObjectRef::View(self.name(name)),
            ObjectRef::Column(part) => ObjectRef::Column(self.part(part)),
            ObjectRef::Constraint(part) => ObjectRef::Constraint(self.part(part)),
            ObjectRef::Index(part) => ObjectRef::Index(self.part(part)),
            ObjectRef::Trigger(part) => ObjectRef::Trigger(self.part(part)),
            ObjectRef::Policy(part) => ObjectRef::Policy(self.part(part)),
            ObjectRef::Routine(mut id) => {
                id.name = self.name(id.name);
                ObjectRef::Routine(id)
            }
            ObjectRef::Opaque(mut id) => {
                id.table = id.table.map(|table| self.name(table));
                id.namespace = id.namespace.map(|name| if name == self.from { self.to.clone() } else { name });
                ObjectRef::Opaque(id)
            }
        }
    }

    /// Refuses a plan that would touch anything but the branch.
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), Error> {
        for operation in &plan.operations {
            let object = operation.change.object();
            let namespace = if let ObjectRef::Namespace(name) = &object { Some(name) } else { object.namespace() };
            if namespace != Some(&self.to) {
                return Err(Error::Usage(format!(
                    "a rehearsal on this engine is about the connection's database alone, and `{object}` is outside of it"
                )));
            }
        }
        Ok(())
    }
}
