//! From a declaration to the desired schema, in the target server's own spelling.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_dialect::mysql::{self, Objects, Quoting};
use trueup_load::{DevTarget, LoadOptions, Loaded, Source, SourceKind, load_sql};
use trueup_plan::{Desired, Hints, Live, LiveFacts, Ownership, PlanOptions, RenameHint, Script, Server, Unmanaged};
use trueup_schema::{Common, DialectId, Form, Ident, Mention, Namespace, ObjectRef, PartId, QualName, Schema};
use trueup_session::Connector;
use trueup_snapshot::{Fingerprint, Snapshot};

use crate::cache::{Kept, Key};
use crate::declared::read_document;
use crate::{Declared, Error, Options, understood};

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
    /// What earlier dev databases made.
    pub(crate) kept: Option<&'a Kept>,
}

/// How declared SQL is loaded.
pub(crate) const fn load_options(options: &Options) -> LoadOptions {
    LoadOptions { allow: options.allow, owners: options.plan.owners }
}

/// The fingerprint of the schema that `declared` stands for, where that is known without making sense of it.
pub(crate) fn known_root(
    kept: Option<&Kept>,
    declared: &Declared,
    target: &DevTarget,
    dialect: &dyn Dialect,
) -> Option<Fingerprint> {
    match declared {
        Declared::Sql(sources) => kept?.recall_root(&kept?.of_sources(sources)),
        Declared::Document(source) => {
            let known = || kept?.recall_root(&kept?.of_sources(std::slice::from_ref(source)));
            known().or_else(|| {
                let schema = Box::new(read_document(source).ok()?);
                known_root(kept, &Declared::Schema { schema, origin: source.name.clone() }, target, dialect)
            })
        }
        Declared::Schema { schema, origin } => {
            let schema = settled(Schema::clone(schema), target.default_namespace.as_ref(), origin).ok()?;
            let is_canonical = is_canonical(&schema, target);
            let snapshot = Snapshot::from_schema(schema, dialect).ok()?;
            if is_canonical { Some(snapshot.root_as_spelled()) } else { kept?.recall_root(&kept?.of_schema(&snapshot)) }
        }
    }
}

fn is_canonical(schema: &Schema, target: &DevTarget) -> bool {
    schema.form == Form::Canonical { dialect: target.dialect, major: target.major }
}

/// The desired schema that `declared` stands for.
pub(crate) async fn desire(workshop: Workshop<'_>, declared: &Declared) -> Result<Desired, Error> {
    match declared {
        Declared::Sql(sources) => {
            let key = workshop.kept.map(|kept| kept.of_sources(sources));
            compiled(workshop, key, async || from_sql(workshop, sources).await).await
        }
        Declared::Document(source) => {
            let desired = from_schema(workshop, read_document(source)?, &source.name).await?;
            if let Some(kept) = workshop.kept.filter(|_| desired.elaborated) {
                kept.keep_root(&kept.of_sources(std::slice::from_ref(source)), &desired);
            }
            Ok(desired)
        }
        Declared::Schema { schema, origin } => from_schema(workshop, Schema::clone(schema), origin).await,
    }
}

/// What is kept under `key`, or what `compile` makes, which is kept then.
async fn compiled(
    workshop: Workshop<'_>,
    key: Option<Key>,
    compile: impl AsyncFnOnce() -> Result<Desired, Error>,
) -> Result<Desired, Error> {
    let (Some(kept), Some(key)) = (workshop.kept, key) else { return compile().await };
    if let Some(desired) = kept.recall(&key, workshop.dialect) {
        return Ok(desired);
    }
    let desired = compile().await?;
    kept.keep(&key, &desired);
    Ok(desired)
}

async fn from_sql(workshop: Workshop<'_>, sources: &[Source]) -> Result<Desired, Error> {
    let loaded = load_sql(sources, workshop.server, workshop.target, load_options(workshop.options)).await?;
    let Loaded { mut introspected, hints, provenance, notes, namespaces } = loaded;
    introspected.unmanaged.extend(understood::unmodelled_parts(workshop.dialect, &introspected));
    Ok(Desired {
        snapshot: snapshot(introspected.schema, workshop.dialect)?,
        hints,
        provenance,
        unmodelled: introspected.unmanaged,
        notes,
        elaborated: true,
        privileges: true,
        namespaces,
    })
}

fn snapshot(schema: Schema, dialect: &dyn Dialect) -> Result<Snapshot, Error> {
    Snapshot::from_schema(schema, dialect)
        .map_err(|error| Error::Snapshot { side: "declared", source: Box::new(error) })
}

async fn from_schema(workshop: Workshop<'_>, schema: Schema, origin: &str) -> Result<Desired, Error> {
    if schema.dialect != workshop.target.dialect {
        return Err(Error::OtherDialect { declared: schema.dialect, target: workshop.target.dialect });
    }
    let elaborated = is_canonical(&schema, workshop.target);
    let desired = from_canonical(workshop.dialect, workshop.target.default_namespace.as_ref(), schema, origin)?;
    if elaborated {
        return Ok(desired);
    }
    elaborate(workshop, Desired { elaborated, ..desired }, origin).await
}

/// The declaration that `schema` is, taken to be in the server's own spelling.
pub(crate) fn from_canonical(
    dialect: &dyn Dialect,
    default_namespace: Option<&Ident>,
    schema: Schema,
    origin: &str,
) -> Result<Desired, Error> {
    let schema = settled(schema, default_namespace, origin)?;
    Ok(Desired {
        hints: hints_of(&schema),
        provenance: BTreeMap::new(),
        unmodelled: Vec::new(),
        notes: Vec::new(),
        elaborated: true,
        privileges: false,
        namespaces: namespaces_of(&schema, default_namespace),
        snapshot: snapshot(schema, dialect)?,
    })
}

/// Lets the server spell what a person or program wrote: the schema is made in a dev database and read back. Without a dev database
/// the texts stay as they are, and planning says where that matters.
async fn elaborate(workshop: Workshop<'_>, desired: Desired, origin: &str) -> Result<Desired, Error> {
    let key = workshop.kept.map(|kept| kept.of_schema(&desired.snapshot));
    let compile = async || {
        let sql = creation_script(workshop.dialect, &desired.snapshot, workshop.target)?;
        from_sql(workshop, &[Source { name: origin.to_owned(), kind: SourceKind::Sql, text: sql }]).await
    };
    match compiled(workshop, key, compile).await {
        Ok(elaborated) => {
            let Desired { hints, namespaces, .. } = desired;
            Ok(Desired { hints, namespaces, provenance: BTreeMap::new(), privileges: false, ..elaborated })
        }
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
    let sql = creation(dialect, snapshot, target)?.to_sql_without_transactions();
    let quoting = target.sql_mode.as_deref().map(Quoting::of).unwrap_or_default();
    Ok(if quoting == Quoting::default() { sql } else { format!("SET SESSION sql_mode = '{PLAIN_MODE}';\n{sql}") })
}

/// SQL that makes `snapshot` in an empty database of any name: what is in the default database is not called by that one's name, where
/// databases are namespaces.
pub(crate) fn portable_script(dialect: &dyn Dialect, snapshot: &Snapshot, target: &DevTarget) -> Result<String, Error> {
    let sql = creation_script(dialect, snapshot, target)?;
    let is_named = matches!(target.dialect, DialectId::MySql | DialectId::MariaDb);
    let Some(database) = target.default_namespace.as_ref().filter(|_| is_named) else { return Ok(sql) };
    let objects = snapshot.schema().object_refs();
    let own = objects.iter().filter(|object| object.namespace() == Some(database));
    let names: BTreeSet<String> = own.filter_map(own_name).collect();
    let sql = mysql::drop_qualifier(&sql, database.as_str(), &Objects::new(names.iter().map(String::as_str)));
    let choice = format!("USE {};", database.quoted(target.dialect));
    Ok(sql.lines().filter(|line| *line != choice).flat_map(|line| [line, "\n"]).collect())
}

/// The schema as a document that fits another database of the same engine: where the default namespace is a database with a name of its
/// own, what is in it has none.
pub(crate) fn portable_schema(snapshot: &Snapshot, target: &DevTarget) -> Schema {
    let mut schema = snapshot.schema().clone();
    let is_named = matches!(target.dialect, DialectId::MySql | DialectId::MariaDb);
    let Some(database) = target.default_namespace.as_ref().filter(|_| is_named) else { return schema };
    schema.visit_names_mut(&mut |mention| match mention {
        Mention::Relation(name) | Mention::Sequence(name) | Mention::Routine(name) | Mention::Index(name) => {
            name.namespace.take_if(|namespace| namespace == database);
        }
        Mention::Namespace(_) | Mention::Type(_) | Mention::Outside(_) | Mention::Part { .. } | _ => {}
    });
    schema.namespaces.remove(database);
    schema
}

/// What follows the name of a database in front of an object.
fn own_name(object: &ObjectRef) -> Option<String> {
    match object {
        ObjectRef::Table(name) | ObjectRef::View(name) | ObjectRef::Sequence(name) | ObjectRef::Type(name) => {
            Some(name.name.as_str().to_owned())
        }
        ObjectRef::Routine(id) => Some(id.name.name.as_str().to_owned()),
        ObjectRef::Trigger(part) => Some(part.name.as_str().to_owned()),
        ObjectRef::Opaque(id) => Some(id.name.clone()),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Policy(_) => None,
    }
}

/// The mode that rendered SQL is meant for, where the server's own gives quotes another meaning (MySQL, MariaDB).
const PLAIN_MODE: &str = "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION";

/// The script that makes `snapshot` in an empty database.
pub(crate) fn creation(dialect: &dyn Dialect, snapshot: &Snapshot, target: &DevTarget) -> Result<Script, Error> {
    // a new database has its default namespace
    let mut empty = Schema::new(target.dialect);
    if let Some(namespace) = target.default_namespace.as_ref().and_then(|name| snapshot.schema().namespaces.get(name)) {
        empty.insert(Namespace { common: Common::default(), ..namespace.clone() });
    }
    let live = Live {
        snapshot: self::snapshot(empty, dialect)?,
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
        privileges: true,
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

/// The schema with every name that gives no namespace in the default one, as the server would take it.
fn settled(mut schema: Schema, default: Option<&Ident>, origin: &str) -> Result<Schema, Error> {
    let Some(default) = default else { return Ok(schema) };
    let settle = |name: &mut QualName| {
        if name.namespace.is_none() {
            name.namespace = Some(default.clone());
        }
    };
    let own_types: BTreeSet<QualName> = schema.types.keys().chain(schema.tables.keys()).cloned().collect();
    let before = schema.object_refs().len();
    // types, collations and operator classes of others are found along the search path
    schema.visit_names_mut(&mut |mention| match mention {
        Mention::Relation(name) | Mention::Sequence(name) | Mention::Routine(name) | Mention::Index(name) => {
            settle(name)
        }
        Mention::Type(name) if own_types.contains(name) => settle(name),
        Mention::Namespace(_) | Mention::Type(_) | Mention::Outside(_) | Mention::Part { .. } | _ => {}
    });
    if schema.object_refs().len() != before {
        let why = format!(
            "{origin} declares something twice: with the namespace `{default}`, and without one, which means the same"
        );
        return Err(Error::Usage(why));
    }
    let old_names = (schema.tables.values_mut().map(|each| &mut each.common))
        .chain(schema.views.values_mut().map(|each| &mut each.common))
        .chain(schema.types.values_mut().map(|each| &mut each.common))
        .chain(schema.sequences.values_mut().map(|each| &mut each.common));
    old_names.filter_map(|common| common.renamed_from.as_mut()).for_each(settle);
    Ok(schema)
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
