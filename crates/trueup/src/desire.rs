//! From a declaration to the desired schema, in the target server's own spelling.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_load::{DevTarget, LoadOptions, Loaded, Source, SourceKind, load_sql};
use trueup_plan::{Desired, Hints, Live, LiveFacts, Ownership, PlanOptions, RenameHint, Script, Server, Unmanaged};
use trueup_schema::{Common, Form, Ident, Namespace, ObjectRef, PartId, Schema};
use trueup_session::Connector;
use trueup_snapshot::Snapshot;

use crate::{Declared, Error, Options};

/// Where a declaration is made sense of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workshop<'a> {
    /// The server for dev databases.
    pub(crate) server: &'a dyn Connector,
    /// The engine's rules.
    pub(crate) dialect: &'a dyn Dialect,
    /// What a dev database must share with the target.
    pub(crate) target: &'a DevTarget,
    /// The caller's choices.
    pub(crate) options: &'a Options,
}

/// The desired schema that `declared` stands for.
pub(crate) async fn desire(workshop: Workshop<'_>, declared: &Declared) -> Result<Desired, Error> {
    match declared {
        Declared::Sql(sources) => from_sql(workshop, sources, Hints::default()).await,
        Declared::Schema { schema, origin } => from_schema(workshop, schema, origin).await,
    }
}

async fn from_sql(workshop: Workshop<'_>, sources: &[Source], hints: Hints) -> Result<Desired, Error> {
    let options = LoadOptions { allow: workshop.options.allow, owners: workshop.options.plan.owners };
    let loaded = load_sql(sources, workshop.server, workshop.target, options).await?;
    let Loaded { introspected, hints: found, provenance, notes, namespaces } = loaded;
    let hints = if hints == Hints::default() { found } else { hints };
    Ok(Desired {
        snapshot: snapshot(&introspected.schema, workshop.dialect)?,
        hints,
        provenance,
        unmodelled: introspected.unmanaged,
        notes,
        elaborated: true,
        namespaces,
    })
}

fn snapshot(schema: &Schema, dialect: &dyn Dialect) -> Result<Snapshot, Error> {
    Snapshot::of(schema, dialect).map_err(|error| Error::Snapshot { side: "declared", source: Box::new(error) })
}

async fn from_schema(workshop: Workshop<'_>, schema: &Schema, origin: &str) -> Result<Desired, Error> {
    if schema.dialect != workshop.target.dialect {
        return Err(Error::OtherDialect { declared: schema.dialect, target: workshop.target.dialect });
    }
    let hints = hints_of(schema);
    let canonical = Form::Canonical { dialect: workshop.target.dialect, major: workshop.target.major };
    let desired = Desired {
        snapshot: snapshot(schema, workshop.dialect)?,
        hints,
        provenance: BTreeMap::new(),
        unmodelled: Vec::new(),
        notes: Vec::new(),
        elaborated: schema.form == canonical,
        namespaces: namespaces_of(schema, workshop.target.default_namespace.as_ref()),
    };
    if desired.elaborated {
        return Ok(desired);
    }
    elaborate(workshop, desired, origin).await
}

/// Lets the server spell what a person or program wrote: the schema is made in a dev database and read back. Without a dev database
/// the texts stay as they are, and planning says where that matters.
async fn elaborate(workshop: Workshop<'_>, desired: Desired, origin: &str) -> Result<Desired, Error> {
    let sql = creation_script(workshop.dialect, &desired.snapshot, workshop.target)?;
    let source = Source { name: origin.to_owned(), kind: SourceKind::Sql, text: sql };
    match from_sql(workshop, &[source], desired.hints.clone()).await {
        Ok(elaborated) => Ok(Desired { namespaces: desired.namespaces, provenance: BTreeMap::new(), ..elaborated }),
        Err(Error::Load(trueup_load::LoadError::NoDevDatabase(why))) => {
            let mut notes = desired.notes.clone();
            notes.push(format!("expressions of {origin} are compared as written: {why}"));
            Ok(Desired { notes, ..desired })
        }
        Err(other) => Err(other),
    }
}

/// SQL that makes `snapshot` in an empty database.
pub(crate) fn creation_script(dialect: &dyn Dialect, snapshot: &Snapshot, target: &DevTarget) -> Result<String, Error> {
    Ok(creation(dialect, snapshot, target)?.to_sql_without_transactions())
}

/// The script that makes `snapshot` in an empty database.
pub(crate) fn creation(dialect: &dyn Dialect, snapshot: &Snapshot, target: &DevTarget) -> Result<Script, Error> {
    // a new database has its default namespace
    let mut empty = Schema::new(target.dialect);
    if let Some(namespace) = target.default_namespace.as_ref().and_then(|name| snapshot.schema().namespaces.get(name)) {
        empty.insert(Namespace { common: Common::default(), ..namespace.clone() });
    }
    let live = Live {
        snapshot: self::snapshot(&empty, dialect)?,
        facts: LiveFacts::of(Server {
            dialect: target.dialect,
            version: [target.major, 0, 0],
            default_namespace: target.default_namespace.clone(),
        }),
        unmanaged: Vec::new(),
    };
    let namespaces = namespaces_of(snapshot.schema(), target.default_namespace.as_ref());
    let desired = as_desired(snapshot.clone(), Vec::new(), namespaces);
    let options = PlanOptions { no_renames: true, ownership: Ownership::All, ..PlanOptions::default() };
    let plan = trueup_diff::diff(&live, &desired, &options, dialect);
    if let Some(refusal) = plan.refusals.first() {
        return Err(Error::Usage(format!("{}: {}; {}", refusal.object, refusal.why, refusal.fix)));
    }
    Ok(trueup_render::render(&plan, dialect)?)
}

/// A live schema as something to get to.
pub(crate) fn as_desired(snapshot: Snapshot, unmodelled: Vec<Unmanaged>, namespaces: BTreeSet<Ident>) -> Desired {
    Desired {
        snapshot,
        hints: Hints::default(),
        provenance: BTreeMap::new(),
        unmodelled,
        notes: Vec::new(),
        elaborated: true,
        namespaces,
    }
}

/// Namespaces that hold an object of `schema`, or the default one where there is none.
pub(crate) fn namespaces_of(schema: &Schema, default: Option<&Ident>) -> BTreeSet<Ident> {
    let mut found: BTreeSet<Ident> = schema.namespaces.keys().cloned().collect();
    let names = schema
        .tables
        .keys()
        .chain(schema.views.keys())
        .chain(schema.types.keys())
        .chain(schema.sequences.keys())
        .chain(schema.routines.keys().map(|id| &id.name));
    found.extend(names.filter_map(|name| name.namespace.clone()));
    if found.is_empty() {
        found.extend(default.cloned());
    }
    found
}

/// Lifts the hints that a document or builder keeps in fields.
fn hints_of(schema: &Schema) -> Hints {
    let mut hints = Hints::default();
    let mut rename =
        |from: ObjectRef, to: &Ident| hints.renames.push(RenameHint { from, to: to.clone(), source: None });
    for table in schema.tables.values() {
        if let Some(from) = &table.common.renamed_from {
            rename(ObjectRef::Table(from.clone()), &table.name.name);
        }
        for column in &table.columns {
            if let Some(from) = &column.renamed_from {
                rename(ObjectRef::Column(PartId { table: table.name.clone(), name: from.clone() }), &column.name);
            }
        }
        for index in &table.indexes {
            if let Some(from) = &index.renamed_from {
                rename(ObjectRef::Index(PartId { table: table.name.clone(), name: from.clone() }), &index.name);
            }
        }
    }
    for view in schema.views.values() {
        if let Some(from) = &view.common.renamed_from {
            rename(ObjectRef::View(from.clone()), &view.name.name);
        }
    }
    for user_type in schema.types.values() {
        if let Some(from) = &user_type.common.renamed_from {
            rename(ObjectRef::Type(from.clone()), &user_type.name.name);
        }
    }
    for sequence in schema.sequences.values() {
        if let Some(from) = &sequence.common.renamed_from {
            rename(ObjectRef::Sequence(from.clone()), &sequence.name.name);
        }
    }
    for namespace in schema.namespaces.values() {
        if let Some(from) = &namespace.common.renamed_from {
            rename(ObjectRef::Namespace(from.name.clone()), &namespace.name);
        }
    }
    for table in schema.tables.values() {
        for column in &table.columns {
            let id = PartId { table: table.name.clone(), name: column.name.clone() };
            if let Some(using) = &column.using {
                hints.using.insert(id.clone(), using.clone());
            }
            if let Some(backfill) = &column.backfill {
                hints.backfills.insert(id, backfill.clone());
            }
        }
    }
    hints
}
