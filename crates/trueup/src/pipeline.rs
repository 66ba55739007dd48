//! The one place where introspection, an engine's rules and planning meet a session.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use trueup_dialect::Dialect;
use trueup_execute::{
    Applied, Event, LedgerStore, Listener, Observe, Planner, PlannerError, Ports, Prepared, Records, RunRequest,
    RunStatus, run, run_checks,
};
use trueup_load::{DevTarget, LoadError};
use trueup_plan::{
    CheckReport, Class, Consent, Desired, Live, Plan, PlanOptions, PlanStatus, Refusal, Script, Tracked, objections,
};
use trueup_schema::{DialectId, ObjectRef, Schema};
use trueup_session::{BoxFuture, ConnectOptions, Connector, DatabaseUrl, Session, TransactionMode};
use trueup_snapshot::{Fingerprint, Snapshot};

use crate::cache::Kept;
use crate::desire::{Workshop, as_desired, desire, known_root, load_options, portable_schema, portable_script};
use crate::{Declared, Error, Options, live, understood};

/// A target database with everything that planning and applying needs.
#[derive(Debug)]
pub struct Pipeline {
    target: Box<dyn Connector>,
    dev: Option<Box<dyn Connector>>,
    /// The tracked list of the parent, where the target is a branch.
    parent: Option<Tracked>,
    is_branch: bool,
    /// The caller's choices.
    pub options: Options,
}

/// A plan as a caller sees it.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The plan as SQL.
    pub script: Script,
    /// What the data checks found.
    pub report: CheckReport,
}

impl Planned {
    /// Everything that stands in the way: the plan's refusals and the rows' objections. Losses without consent are not among them.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        objections(&self.plan, &self.script.plan_hash, &self.report, &Consent::AllLosses)
    }

    /// Where the plan stands once the rows have been asked.
    #[must_use]
    pub fn status(&self) -> PlanStatus {
        match self.plan.status() {
            PlanStatus::Pending if !self.refusals().is_empty() => PlanStatus::Refused,
            status @ (PlanStatus::UpToDate | PlanStatus::Pending | PlanStatus::Refused | PlanStatus::HeldBack) => {
                status
            }
        }
    }

    /// Whether some operation loses data that `consent` does not cover.
    #[must_use]
    pub fn losses_without(&self, consent: &Consent) -> bool {
        self.plan.operations.iter().any(|operation| {
            matches!(operation.class, Class::Lossy { .. })
                && !operation.held_back
                && !consent.covers(&operation.id, &self.script.plan_hash)
        })
    }
}

/// A live schema as a caller sees it.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// The schema, canonical.
    pub snapshot: Snapshot,
    /// Objects that are not modelled.
    pub unmanaged: Vec<trueup_plan::Unmanaged>,
    dialect: Arc<dyn Dialect>,
    target: DevTarget,
}

impl Inspected {
    /// SQL that makes the schema in an empty database.
    ///
    /// # Errors
    /// [`Error`] if the engine cannot have such a schema.
    pub fn sql(&self) -> Result<String, Error> {
        portable_script(self.dialect.as_ref(), &self.snapshot, &self.target)
    }

    /// The schema as a document that fits another database of the same engine.
    #[must_use]
    pub fn document(&self) -> Schema {
        portable_schema(&self.snapshot, &self.target)
    }
}

/// What a project's records say, and whether the database still looks like it.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Host, port and database.
    pub place: String,
    /// The engine.
    pub dialect: DialectId,
    /// The server's own version text.
    pub server: String,
    /// The records; none before the first apply.
    pub records: Option<Records>,
    /// Tracked objects that no longer look as the last run left them.
    pub drift: Vec<Drifted>,
}

/// One object that was changed behind our back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drifted {
    /// The object.
    pub object: ObjectRef,
    /// Whether it is gone.
    pub gone: bool,
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silence;

impl Listener for Silence {
    fn hear(&self, _event: &Event) {}
}

impl Pipeline {
    /// A pipeline to the database at `url`, with dev databases on the server at `dev_url`, or on the same server.
    ///
    /// # Errors
    /// [`Error::Url`] where the build lacks the engine's driver.
    pub fn new(url: DatabaseUrl, dev_url: Option<DatabaseUrl>, options: Options) -> Result<Self, Error> {
        let dev = dev_url.map(trueup_session::connector).transpose()?;
        Ok(Self { target: trueup_session::connector(url)?, dev, parent: None, is_branch: false, options })
    }

    /// A pipeline over connectors of the caller's own.
    #[must_use]
    pub fn with_connectors(target: Box<dyn Connector>, dev: Option<Box<dyn Connector>>, options: Options) -> Self {
        Self { target, dev, parent: None, is_branch: false, options }
    }

    /// The same pipeline on a branch of its target, with the parent's tracked list.
    pub(crate) fn on_branch(&self, branch: Box<dyn Connector>, parent: Tracked) -> Self {
        let server = self.server();
        let dev = server.with_database(server.url().database().unwrap_or_default());
        // What happens on a branch is no history of its parent, and the branch is nobody else's.
        let options = Options { lock: None, ledger: None, ..self.options.clone() };
        Self { target: branch, dev: Some(dev), parent: Some(parent), is_branch: true, options }
    }

    /// Where it leads, without secrets.
    #[must_use]
    pub fn place(&self) -> String {
        self.target.url().place()
    }

    /// The connector to the target.
    #[must_use]
    pub fn target(&self) -> &dyn Connector {
        self.target.as_ref()
    }

    /// The server for scratch databases.
    pub(crate) fn server(&self) -> &dyn Connector {
        self.dev.as_deref().unwrap_or(self.target.as_ref())
    }

    /// Plans what would make the database look as declared, and asks the rows. Changes nothing.
    ///
    /// # Errors
    /// [`Error`]; a refusal is in the plan.
    pub fn plan<'a>(&'a self, declared: &'a Declared) -> BoxFuture<'a, Result<Planned, Error>> {
        Box::pin(async move {
            let mut session = self.look().await?;
            let planner = self.planner(session.as_mut(), declared).await?;
            self.begin_reading(session.as_mut()).await?;
            let prepared = planner.plan(session.as_mut()).await?;
            let ask = !self.options.skip_data_checks && prepared.plan.status() == PlanStatus::Pending;
            let report = if ask {
                let clock = self.clock();
                run_checks(session.as_mut(), &prepared.script, self.options.check_timeout, clock.as_ref()).await
            } else {
                CheckReport::default()
            };
            self.end_reading(session).await?;
            Ok(Planned { plan: prepared.plan, script: prepared.script, report })
        })
    }

    /// Makes the database look as declared: locks, plans, asks the rows, runs, proves.
    ///
    /// # Errors
    /// [`Error`]; what it says is what is true now. A refusal is a status.
    ///
    /// # Cancellation
    /// Dropping the future leaves a state that the next run settles.
    pub fn apply<'a>(
        &'a self,
        declared: &'a Declared,
        consent: Consent,
        request: ApplyRequest,
        listener: &'a dyn Listener,
    ) -> BoxFuture<'a, Result<Applied, Error>> {
        Box::pin(async move {
            let replicas = self.replicas()?;
            if self.is_missing_file()
                && let Some(refused) = self.refused_before(declared, &consent).await?
            {
                return Ok(refused);
            }
            let mut session = self.connect(&self.options_for(false, true)).await?;
            let trust = request.trust_history && !request.force;
            if trust && self.is_reached(session.as_mut(), declared).await? {
                return Ok(by_history());
            }
            let planner = self.planner(session.as_mut(), declared).await?;
            let run_request = self.run_request(declared, &planner, consent, request);
            // what was compiled now may be what the history holds
            if trust && self.holds(session.as_mut(), &run_request.run_key).await? {
                return Ok(by_history());
            }
            let (lock, clock) = (self.lock(session.as_ref()), self.clock());
            let ports = Ports {
                connector: self.target.as_ref(),
                planner: &planner,
                lock: lock.as_ref(),
                ledger: planner.ledger.as_ref(),
                replicas: &replicas,
                clock: clock.as_ref(),
                listener,
            };
            let applied = run(session.as_mut(), &ports, &run_request).await?;
            session.close().await.map_err(|source| Error::Database { doing: "closing the session", source })?;
            Ok(applied)
        })
    }

    /// Whether the history says that this declaration was reached, without making sense of it.
    async fn is_reached(&self, session: &mut dyn Session, declared: &Declared) -> Result<bool, Error> {
        let dialect = live::rules(session).await?;
        let target = live::dev_target(session).await?;
        let kept = self.kept(session, &target).await?;
        match known_root(kept.as_ref(), declared, &target, dialect.as_ref()) {
            Some(root) => self.holds(session, &self.run_key(root)).await,
            None => Ok(false),
        }
    }

    async fn holds(&self, session: &mut dyn Session, run_key: &str) -> Result<bool, Error> {
        let ledger = self.ledger_store(session);
        Ok(ledger.reached(session, self.options.canonical_scope(), run_key).await?)
    }

    /// What a refusal says, found before an apply makes the file that it runs on.
    async fn refused_before(&self, declared: &Declared, consent: &Consent) -> Result<Option<Applied>, Error> {
        let Planned { plan, script, report } = self.plan(declared).await?;
        let refusals = objections(&plan, &script.plan_hash, &report, consent);
        Ok((!refusals.is_empty()).then_some(Applied {
            status: RunStatus::Refused,
            plan: Some(plan),
            script: Some(script),
            report,
            refusals,
            residual: Vec::new(),
            statements: 0,
        }))
    }

    /// Reads the live schema. Changes nothing.
    ///
    /// # Errors
    /// [`Error`]
    pub fn inspect<'a>(&'a self) -> BoxFuture<'a, Result<Inspected, Error>> {
        Box::pin(async move {
            let mut session = self.look().await?;
            let dialect = live::rules(session.as_mut()).await?;
            let target = live::dev_target(session.as_mut()).await?;
            self.begin_reading(session.as_mut()).await?;
            let own = live::own(session.as_ref(), &self.options);
            let live = live::read_spelled(session.as_mut(), dialect.as_ref(), &self.options, own).await?;
            self.end_reading(session).await?;
            Ok(Inspected { snapshot: live.snapshot, unmanaged: live.unmanaged, dialect: dialect.into(), target })
        })
    }

    /// The declared schema as the server spells it, read through a dev database. The target is only asked what it is.
    ///
    /// # Errors
    /// [`Error`]
    pub fn compile<'a>(&'a self, declared: &'a Declared) -> BoxFuture<'a, Result<Inspected, Error>> {
        Box::pin(async move {
            let mut session = self.look().await?;
            let planner = self.planner(session.as_mut(), declared).await?.allowed()?;
            session.close().await.map_err(|source| Error::Database { doing: "closing the session", source })?;
            let SchemaPlanner { desired, dialect, target, .. } = planner;
            let Desired { snapshot, unmodelled: unmanaged, .. } = desired;
            Ok(Inspected { snapshot, unmanaged, dialect: dialect.into(), target })
        })
    }

    /// What earlier runs recorded, and what has changed since. Changes nothing.
    ///
    /// # Errors
    /// [`Error`]
    pub fn standing<'a>(&'a self, history: usize) -> BoxFuture<'a, Result<Standing, Error>> {
        Box::pin(async move {
            let mut session = self.look().await?;
            let dialect = live::rules(session.as_mut()).await?;
            let (engine, server) = (session.server().dialect, session.server().version_text.clone());
            self.begin_reading(session.as_mut()).await?;
            let ledger = self.ledger_store(session.as_ref());
            let records = ledger.records(session.as_mut(), self.options.canonical_scope(), history).await?;
            let mut drift = Vec::new();
            if let Some(records) = &records {
                let recorded = live::own_and(session.as_ref(), &self.options, records.hashes.keys());
                let live = live::read(session.as_mut(), dialect.as_ref(), &self.options, recorded).await?;
                for (object, hash) in &records.hashes {
                    let now = live.snapshot.object_hash(object).map(|hash| hash.to_string());
                    if now.as_ref() != Some(hash) {
                        drift.push(Drifted { object: object.clone(), gone: now.is_none() });
                    }
                }
            }
            self.end_reading(session).await?;
            Ok(Standing { place: self.place(), dialect: engine, server, records, drift })
        })
    }

    /// Where control tables live on the engine behind `session`.
    pub(crate) fn control_namespace(&self, session: &dyn Session) -> Option<trueup_schema::Ident> {
        match session.server().dialect {
            DialectId::Postgres => Some(self.options.control_namespace.clone()),
            // By name: scripts make other databases the default one.
            DialectId::MySql | DialectId::MariaDb => {
                session.server().default_namespace.as_deref().and_then(|name| trueup_schema::Ident::new(name).ok())
            }
            DialectId::Sqlite => None,
        }
    }

    pub(crate) fn options_for(&self, read_only: bool, create: bool) -> ConnectOptions {
        ConnectOptions {
            timeout: self.options.connect_timeout,
            read_only,
            create_if_missing: create,
            branch: self.is_branch,
            ..ConnectOptions::default()
        }
    }

    pub(crate) async fn connect(&self, options: &ConnectOptions) -> Result<Box<dyn Session>, Error> {
        self.target.connect(options).await.map_err(|source| Error::Connect { place: self.place(), source })
    }

    /// Whether the target is a SQLite file that does not exist yet.
    pub(crate) fn is_missing_file(&self) -> bool {
        let url = self.target.url();
        url.scheme() == DialectId::Sqlite
            && !url.is_in_memory()
            && url.database().is_some_and(|path| !std::path::Path::new(path).exists())
    }

    /// A session that cannot write. A SQLite file that does not exist is an empty database, and stays away.
    pub(crate) async fn look(&self) -> Result<Box<dyn Session>, Error> {
        if self.is_missing_file() {
            let nowhere = self.target.with_database(":memory:");
            let options = self.options_for(false, true);
            return nowhere.connect(&options).await.map_err(|source| Error::Connect { place: self.place(), source });
        }
        self.connect(&self.options_for(true, false)).await
    }

    pub(crate) async fn begin_reading(&self, session: &mut dyn Session) -> Result<(), Error> {
        session
            .begin(TransactionMode::ReadOnly)
            .await
            .map_err(|source| Error::Database { doing: "opening a read-only transaction", source })
    }

    pub(crate) async fn end_reading(&self, mut session: Box<dyn Session>) -> Result<(), Error> {
        session
            .rollback()
            .await
            .map_err(|source| Error::Database { doing: "ending a read-only transaction", source })?;
        session.close().await.map_err(|source| Error::Database { doing: "closing the session", source })
    }

    /// Makes sense of the declaration, against the server behind `session`.
    pub(crate) async fn planner(&self, session: &mut dyn Session, declared: &Declared) -> Result<SchemaPlanner, Error> {
        let dialect = live::rules(session).await?;
        let target = live::dev_target(session).await?;
        let kept = self.kept(session, &target).await?;
        let workshop = self.workshop(dialect.as_ref(), &target, kept.as_ref());
        let (desired, forbidden) = match desire(workshop, declared).await {
            Err(Error::Load(LoadError::NotAllowed { at, why })) => {
                (nothing(dialect.as_ref())?, Some(Forbidden { at, why }))
            }
            desired => (desired?, None),
        };
        let ledger = self.ledger_store(session);
        let (parent, options) = (self.parent.clone(), self.options.clone());
        Ok(SchemaPlanner { dialect, target, desired, forbidden, options, ledger, parent })
    }

    /// What earlier dev databases made of declarations, for a target like the one behind `session`.
    pub(crate) async fn kept(&self, session: &mut dyn Session, target: &DevTarget) -> Result<Option<Kept>, Error> {
        let Some(cache) = &self.options.cache else { return Ok(None) };
        let settings = live::settings(session).await?;
        let here = (session.server(), settings.as_str());
        Ok(Some(Kept::new(Arc::clone(cache), self.server(), here, target, load_options(&self.options))))
    }

    pub(crate) fn workshop<'a>(
        &'a self,
        dialect: &'a dyn Dialect,
        target: &'a DevTarget,
        kept: Option<&'a Kept>,
    ) -> Workshop<'a> {
        Workshop { server: self.server(), dialect, target, options: &self.options, kept }
    }

    /// Under what a run is recorded that leads to the schema with the fingerprint `root`.
    fn run_key(&self, root: Fingerprint) -> String {
        let plan = &self.options.plan;
        let key = format!(
            "{root}|{:?}|{:?}|{}|{}|{}|1",
            plan.ownership, plan.scope, plan.owners, plan.safe, self.options.scope
        );
        Fingerprint::of(key.as_bytes()).to_string()
    }

    fn run_request(
        &self,
        declared: &Declared,
        planner: &SchemaPlanner,
        consent: Consent,
        request: ApplyRequest,
    ) -> RunRequest {
        RunRequest {
            consent,
            skip_data_checks: self.options.skip_data_checks,
            check_timeout: self.options.check_timeout,
            expected_plan: request.expected_plan,
            scope: self.options.scope.clone(),
            lock_wait: self.options.lock_wait,
            lease: self.options.lease,
            replica_wait: self.options.replica_wait,
            force: request.force,
            run_key: self.run_key(planner.desired.snapshot.root_as_spelled()),
            applied_by: self.options.applied_by.clone(),
            note: self.options.note.clone(),
            environment: self.options.environment.clone(),
            source: declared.origin(),
            safe: self.options.plan.safe,
        }
    }
}

/// How to apply.
#[derive(Debug, Clone, Default)]
pub struct ApplyRequest {
    /// Run even where a peer or the history says that it was done.
    pub force: bool,
    /// Believe the history when it says that this was reached, without looking.
    pub trust_history: bool,
    /// Refuse unless the plan made under the lock has this hash.
    pub expected_plan: Option<String>,
}

fn by_history() -> Applied {
    Applied {
        status: RunStatus::UpToDateByHistory,
        plan: None,
        script: None,
        report: CheckReport::default(),
        refusals: Vec::new(),
        residual: Vec::new(),
        statements: 0,
    }
}

/// Plans one declaration against whatever session it is given.
#[derive(Debug)]
pub(crate) struct SchemaPlanner {
    pub(crate) dialect: Box<dyn Dialect>,
    pub(crate) target: DevTarget,
    pub(crate) desired: Desired,
    forbidden: Option<Forbidden>,
    options: Options,
    ledger: Arc<dyn LedgerStore>,
    parent: Option<Tracked>,
}

/// A statement of the declaration that is turned away.
#[derive(Debug)]
struct Forbidden {
    at: String,
    why: String,
}

/// What stands for a declaration that is refused as a whole.
fn nothing(dialect: &dyn Dialect) -> Result<Desired, Error> {
    let snapshot = Snapshot::of(&Schema::new(dialect.id()), dialect)
        .map_err(|error| Error::Snapshot { side: "declared", source: Box::new(error) })?;
    Ok(as_desired(snapshot, Vec::new(), BTreeSet::new()))
}

impl SchemaPlanner {
    /// Itself, unless the declaration is refused as a whole.
    fn allowed(self) -> Result<Self, Error> {
        match self.forbidden {
            Some(Forbidden { at, why }) => Err(Error::Load(LoadError::NotAllowed { at, why })),
            None => Ok(self),
        }
    }

    /// A plan to do nothing, because the declaration is refused.
    fn refused(&self, live: &Live, forbidden: &Forbidden) -> Plan {
        let stays = as_desired(live.snapshot.clone(), Vec::new(), BTreeSet::new());
        let mut plan = trueup_diff::diff(live, &stays, &PlanOptions::default(), self.dialect.as_ref());
        plan.adopts.clear();
        let fix = if forbidden.why.contains("--allow-do") {
            "let it run with --allow-do if you trust the files, or take it out of the declaration"
        } else {
            "take the statement out of the declaration, and do by hand what it does"
        };
        plan.refusals = vec![Refusal {
            code: "statement-not-allowed".to_owned(),
            object: forbidden.at.clone(),
            operation: None,
            why: forbidden.why.clone(),
            fix: fix.to_owned(),
        }];
        plan
    }

    pub(crate) async fn plan(&self, session: &mut dyn Session) -> Result<Prepared, Error> {
        let scope = live::declared(&self.desired, &self.options);
        let mut live = live::read(session, self.dialect.as_ref(), &self.options, scope).await?;
        if live.snapshot.root_as_spelled() != self.desired.snapshot.root_as_spelled() {
            trueup_introspect::measure(session, &mut live.facts).await?;
        }
        let records = self.ledger.records(session, self.options.canonical_scope(), 1).await?;
        live.facts.tracked = self.parent.clone().or_else(|| records.map(|records| records.tracked));
        let plan = match &self.forbidden {
            Some(forbidden) => self.refused(&live, forbidden),
            None => {
                let dialect = self.dialect.as_ref();
                let mut shown = understood::Shown::new();
                // Nothing unmanaged may be there: so every table is looked at for what was not read of it.
                let strict = self.options.plan.strict && !self.options.plan.ignore_unmanaged;
                let first = understood::at_first(&live, &self.desired, self.options.verify || strict);
                understood::look(session, &mut live, &self.desired, first, &mut shown).await?;
                let mut plan = trueup_diff::diff(&live, &self.desired, &self.options.plan, dialect);
                let touched = understood::touched(&plan);
                if understood::look(session, &mut live, &self.desired, touched, &mut shown).await? {
                    plan = trueup_diff::diff(&live, &self.desired, &self.options.plan, dialect);
                }
                understood::check(dialect, &live, &self.desired, &mut plan, &shown, strict);
                plan
            }
        };
        let script = trueup_render::render(&plan, self.dialect.as_ref())?;
        let tracked = live::tracked(&live, &self.desired);
        let mut pairs = live.facts.tracked.as_ref().map(|tracked| tracked.pairs.clone()).unwrap_or_default();
        pairs.extend(plan.accepted.iter().cloned());
        pairs.sort();
        pairs.dedup();
        Ok(Prepared {
            declared: self.desired.snapshot.root_as_spelled().to_string(),
            live: managed_fingerprint(&live, &tracked),
            plan,
            script,
            tracked,
            pairs,
        })
    }
}

/// Fingerprint of the live objects that this project manages.
fn managed_fingerprint(live: &Live, tracked: &BTreeMap<ObjectRef, String>) -> String {
    live.snapshot.fingerprint_of(|object| tracked.contains_key(object)).to_string()
}

#[async_trait]
impl Planner for SchemaPlanner {
    async fn prepare(&self, session: &mut dyn Session) -> Result<Prepared, PlannerError> {
        self.plan(session).await.map_err(Error::boxed)
    }
}

#[async_trait]
impl Observe for SchemaPlanner {
    async fn observe(&self, session: &mut dyn Session) -> Result<Schema, PlannerError> {
        let scope = live::declared(&self.desired, &self.options);
        let live = live::read(session, self.dialect.as_ref(), &self.options, scope).await;
        live.map(|live| live.snapshot.into_schema()).map_err(Error::boxed)
    }
}
