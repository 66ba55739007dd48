//! From statements to a schema.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::mysql::{self, Objects};
use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_schema::{DialectId, Ident, ObjectRef, QualName};
use trueup_session::{Connector, DbError, Session};

use super::super::{
    Declaration, DevTarget, LoadOptions, Loaded, admin, check_server, connect, may_come_right, refused,
};
use super::names::Names;
use super::{events, scratch, statement};
use crate::LoadError;
use crate::split::SqlStatement;

pub(in crate::dev) async fn load(
    declaration: &Declaration,
    server: &dyn Connector,
    target: &DevTarget,
    options: LoadOptions,
) -> Result<Loaded, LoadError> {
    let mut keeper = connect(server, "connecting to its server").await?;
    check_server(keeper.as_ref(), target)?;
    scratch::reap(keeper.as_mut()).await?;
    let mut names = Names { ignores_case: ignores_case(keeper.as_mut()).await?, ..Names::default() };
    let loaded = in_databases(declaration, server, keeper.as_mut(), target, options, &mut names).await;
    let dropped = scratch::drop(keeper.as_mut(), names.scratch.values()).await;
    let loaded = loaded?;
    dropped?;
    keeper.close().await.map_err(|source| LoadError::DevDatabase { doing: "leaving its server", source })?;
    Ok(loaded)
}

async fn ignores_case(session: &mut dyn Session) -> Result<bool, LoadError> {
    let failed = |source| LoadError::DevDatabase { doing: "looking at its settings", source };
    let rows = session.query("SELECT CAST(@@GLOBAL.lower_case_table_names AS SIGNED)", &[]).await.map_err(failed)?;
    Ok(rows.first().is_some_and(|row| row.int(0).is_ok_and(|value| value != 0)))
}

async fn in_databases(
    declaration: &Declaration,
    server: &dyn Connector,
    keeper: &mut dyn Session,
    target: &DevTarget,
    options: LoadOptions,
    names: &mut Names,
) -> Result<Loaded, LoadError> {
    let (created, mut notes) = make(declaration, keeper, target, names).await?;
    let jobs = jobs(declaration, target, names)?;
    let mut session = connect(server, "connecting to it").await?;
    run(session.as_mut(), &jobs, names, target).await?;
    session.close().await.map_err(|source| LoadError::DevDatabase { doing: "leaving it", source })?;
    // Another session reads it: one whose settings the files have not touched.
    let mut session = connect(server, "connecting to it").await?;
    let scratch = names.scratch.values().cloned().collect();
    let request = Request {
        namespaces: NamespaceFilter::Only(scratch),
        control_namespace: None,
        owners: options.owners,
        spelled: true,
        facts: false,
    };
    let mut introspected = introspect(session.as_mut(), &request).await?;
    session.close().await.map_err(|source| LoadError::DevDatabase { doing: "leaving it", source })?;
    rename_back(&mut introspected, names)?;
    events::enable(&mut introspected.schema, &jobs.events);
    refuse_strangers(&introspected, declaration, names)?;
    let namespaces = tidy(&mut introspected, created, target);
    let mut loaded = Declaration::loaded(declaration, introspected, namespaces);
    loaded.notes.append(&mut notes);
    Ok(loaded)
}

/// Makes the scratch databases. Returns the databases that the declaration makes, and notes.
async fn make(
    declaration: &Declaration,
    keeper: &mut dyn Session,
    target: &DevTarget,
    names: &mut Names,
) -> Result<(BTreeSet<Ident>, Vec<String>), LoadError> {
    let mut notes = Vec::new();
    let mut created = BTreeSet::new();
    if let Some(name) = &target.default_namespace {
        let options = scratch::options_of(keeper, &target.database).await?;
        let scratch = scratch::create(keeper, &options).await?;
        names.scratch.insert(name.clone(), scratch);
    }
    for statement in &declaration.statements {
        let Some(name) = statement::created(statement) else { continue };
        if names.scratch_of(name.as_str()).is_some() {
            let why = "CREATE DATABASE left out: the connection's database is the target";
            notes.push(format!("{}: {why}", statement.at()));
            continue;
        }
        let options = statement::database_options(statement, &name);
        let scratch = scratch::create(keeper, &options).await.map_err(|error| {
            if let LoadError::DevDatabase { source, .. } = error { refused(statement, source) } else { error }
        })?;
        names.scratch.insert(name.clone(), scratch);
        created.insert(name);
    }
    let objects = declaration.provenance.keys().filter_map(object_name);
    names.objects = objects.map(|name| name.as_str().to_lowercase()).collect();
    Ok((created, notes))
}

/// The name by which a text would call the object behind that of its database.
const fn object_name(object: &ObjectRef) -> Option<&Ident> {
    match object {
        ObjectRef::Table(name) | ObjectRef::View(name) | ObjectRef::Sequence(name) => Some(&name.name),
        ObjectRef::Routine(id) => Some(&id.name.name),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }
}

/// Statements as they run.
struct Jobs<'d> {
    list: Vec<Job<'d>>,
    /// Events, and whether each is to be on.
    events: BTreeMap<String, bool>,
}

/// One statement as it runs.
struct Job<'d> {
    statement: &'d SqlStatement,
    sql: String,
    /// The scratch database that is the default one.
    home: Ident,
}

fn jobs<'d>(declaration: &'d Declaration, target: &DevTarget, names: &Names) -> Result<Jobs<'d>, LoadError> {
    let mut jobs = Jobs { list: Vec::new(), events: BTreeMap::new() };
    let mut home = target.default_namespace.as_ref().and_then(|name| names.scratch_of(name.as_str())).cloned();
    for statement in &declaration.statements {
        let undeclared = |name: &str| LoadError::NotAllowed {
            at: statement.at(),
            why: format!(
                "database `{name}` is not declared; declare it with CREATE DATABASE, or name it in the connection URL (`{}`)",
                statement.summary()
            ),
        };
        if statement::created(statement).is_some() {
            continue;
        }
        if let Some(name) = statement::used(statement) {
            home = Some(names.scratch_of(name.as_str()).cloned().ok_or_else(|| undeclared(name.as_str()))?);
            continue;
        }
        let mut sql = names.rewrite(&statement.text, statement.quoting).map_err(|name| undeclared(&name))?;
        if let Some((off, on)) = events::disabled(&sql, statement.quoting) {
            if let Some(name) = events::name(&sql, statement.quoting) {
                jobs.events.insert(name, on);
            }
            sql = off;
        }
        let home = home.clone().ok_or_else(|| LoadError::NotAllowed {
            at: statement.at(),
            why: "no database is chosen: name one in the connection URL, or begin with USE".to_owned(),
        })?;
        jobs.list.push(Job { statement, sql, home });
    }
    Ok(jobs)
}

/// Runs the statements in order; what fails is tried again after the others, as long as that gets some of them in. Foreign keys that
/// refer to each other are let in unchecked at last.
async fn run(session: &mut dyn Session, jobs: &Jobs<'_>, names: &Names, target: &DevTarget) -> Result<(), LoadError> {
    let mut place = Place::new(target);
    let mut waiting: Vec<(&Job<'_>, Option<String>)> = jobs.list.iter().map(|job| (job, None)).collect();
    let mut checked = true;
    loop {
        let before = waiting.len();
        let mut later = Vec::new();
        let mut first_error = None;
        for (job, mode) in waiting {
            place.enter(session, job, mode.as_deref()).await?;
            if let Err(error) = session.execute(&job.sql).await {
                let error = in_own_words(error, names);
                if !may_come_right(error.kind) {
                    return Err(refused(job.statement, error));
                }
                first_error.get_or_insert((job.statement, error));
                later.push((job, Some(place.mode.clone())));
            } else if statement::sets(job.statement) {
                place.look(session).await?;
            }
        }
        let Some((statement, error)) = first_error else { return Ok(()) };
        if later.len() == before {
            if !checked {
                return Err(refused(statement, error));
            }
            checked = false;
            admin(session, "preparing it", "SET SESSION foreign_key_checks = 0").await?;
        }
        waiting = later;
    }
}

/// Where the session is, and under which mode.
struct Place<'j> {
    /// The mode of the target's own sessions, in which every file begins.
    first: String,
    home: Option<&'j Ident>,
    file: Option<&'j str>,
    mode: String,
}

impl<'j> Place<'j> {
    fn new(target: &DevTarget) -> Self {
        let first = target.sql_mode.as_deref().map_or("@@GLOBAL.sql_mode".to_owned(), mysql::quoted);
        Self { first, home: None, file: None, mode: String::new() }
    }

    /// Puts the session where `job` runs. One that waited runs under the `mode` that it met at first.
    async fn enter(
        &mut self,
        session: &mut dyn Session,
        job: &'j Job<'_>,
        mode: Option<&str>,
    ) -> Result<(), LoadError> {
        if self.home != Some(&job.home) {
            admin(session, "entering it", &format!("USE {}", job.home.quoted(DialectId::MySql))).await?;
            self.home = Some(&job.home);
        }
        if let Some(mode) = mode {
            if mode != self.mode {
                let sql = format!("SET SESSION sql_mode = {}", mysql::quoted(mode));
                admin(session, "preparing it", &sql).await?;
                mode.clone_into(&mut self.mode);
            }
        } else if self.file != Some(&job.statement.file) {
            // What a client would have that is handed this file.
            let sql = format!("SET SESSION sql_mode = {}, SESSION time_zone = @@GLOBAL.time_zone", self.first);
            admin(session, "preparing it", &sql).await?;
            self.file = Some(&job.statement.file);
            self.look(session).await?;
        }
        if mysql::Quoting::of(&self.mode) == job.statement.quoting {
            return Ok(());
        }
        let why = format!(
            "under the mode that the server has here (`{}`) quotes mean something else than the file was read by; \
             set sql_mode to a list of modes, without an expression",
            self.mode
        );
        Err(LoadError::NotAllowed { at: job.statement.at(), why })
    }

    async fn look(&mut self, session: &mut dyn Session) -> Result<(), LoadError> {
        let failed = |source| LoadError::DevDatabase { doing: "looking at its mode", source };
        let rows = session.query("SELECT CAST(@@SESSION.sql_mode AS CHAR)", &[]).await.map_err(failed)?;
        self.mode =
            rows.first().map(|row| row.text(0).map(str::to_owned)).transpose().map_err(failed)?.unwrap_or_default();
        Ok(())
    }
}

/// The server's words with the declared names of databases.
fn in_own_words(mut error: DbError, names: &Names) -> DbError {
    for (name, scratch) in &names.scratch {
        error.message = error.message.replace(scratch.as_str(), name.as_str());
    }
    error
}

/// Puts the declared names back, in structure and in texts.
fn rename_back(introspected: &mut Introspected, names: &Names) -> Result<(), LoadError> {
    let schema = &mut introspected.schema;
    for (name, scratch) in &names.scratch {
        let own = schema.object_refs();
        let own = own.iter().filter(|object| object.namespace() == Some(scratch)).filter_map(object_name);
        let objects = Objects::new(own.map(Ident::as_str));
        rename_shown(&mut introspected.shown, scratch, name, &objects);
        schema.visit_exprs_mut(&mut |_, text| {
            for quoting in mysql::Quoting::ALL {
                if text.as_str().contains(scratch.as_str()) {
                    text.0 = mysql::replace_qualifier(&text.0, scratch.as_str(), name.as_str(), &objects, quoting);
                }
            }
        });
    }
    for (name, scratch) in &names.scratch {
        let used = schema.namespaces.contains_key(scratch);
        if used {
            let renamed = schema.rename_namespace(scratch, name);
            renamed.map_err(|error| {
                LoadError::NoDevDatabase(format!("the declared schema could not be renamed: {error}"))
            })?;
        }
        for object in &mut introspected.unmanaged {
            if object.namespace.as_ref() == Some(scratch) {
                object.namespace = Some(name.clone());
                object.name = object.name.replace(scratch.as_str(), name.as_str());
                if let Some(table) = &mut object.table {
                    table.namespace = Some(name.clone());
                }
            }
        }
    }
    Ok(())
}

/// The same in what the server printed.
fn rename_shown(shown: &mut BTreeMap<QualName, String>, scratch: &Ident, name: &Ident, objects: &Objects) {
    let own: Vec<QualName> = shown.keys().filter(|table| table.namespace.as_ref() == Some(scratch)).cloned().collect();
    for text in shown.values_mut().filter(|text| text.contains(scratch.as_str())) {
        let quoting = mysql::Quoting::default();
        *text = mysql::replace_qualifier(text, scratch.as_str(), name.as_str(), objects, quoting);
    }
    for table in own {
        if let Some(text) = shown.remove(&table) {
            shown.insert(QualName::new(Some(name.clone()), table.name), text);
        }
    }
}

/// The server spells every table of a view with its database: one that is not declared was named in a way that nobody noticed.
fn refuse_strangers(introspected: &Introspected, declaration: &Declaration, names: &Names) -> Result<(), LoadError> {
    for view in introspected.schema.views.values() {
        let list = statement::solid(view.query.as_str(), mysql::Quoting::default());
        let dot = |at: usize| list.get(at).is_some_and(|token| token.text == ".");
        let stranger = (0..list.len()).find_map(|at| {
            let starts = dot(at + 1) && dot(at + 3) && !(at > 0 && dot(at - 1));
            list[at].name().filter(|name| starts && names.scratch_of(name).is_none())
        });
        if let Some(name) = stranger {
            let place = declaration.provenance.get(&ObjectRef::View(view.name.clone())).cloned();
            return Err(LoadError::NotAllowed {
                at: place.unwrap_or_else(|| view.name.to_string()),
                why: format!("view `{}` reads database `{name}`, which is not declared", view.name),
            });
        }
    }
    Ok(())
}

/// Says which namespaces the declaration is about. The default one is there without being declared.
fn tidy(introspected: &mut Introspected, created: BTreeSet<Ident>, target: &DevTarget) -> BTreeSet<Ident> {
    let schema = &mut introspected.schema;
    let mut used = created;
    used.extend(schema.object_refs().iter().filter_map(|object| object.namespace().cloned()));
    if used.is_empty() {
        used.extend(target.default_namespace.clone());
    }
    schema.namespaces.retain(|name, _| used.contains(name));
    used
}
