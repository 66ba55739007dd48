//! A planner whose plans are written down, and what a run needs besides.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use trueup_execute::{
    Applied, ControlTables, Event, ExecuteError, HistoryEntry, Listener, Observe, OperatorPorts, Planner, PlannerError,
    Ports, Prepared, Records, RunRequest, TwoKeyLock, read_records, run,
};
use trueup_plan::{
    Budgets, Change, CheckQuery, Class, Consent, Effects, LossQuery, Object, OpId, Operation, Plan, Predicate, Refusal,
    Script, ScriptSegment, ScriptStep, Statement, TxClass,
};
use trueup_schema::{DialectId, Ident, Namespace, ObjectRef, QualName, Schema};
use trueup_session::{Connector, Session, SystemClock};
use trueup_testkit::TestDatabase;

/// One piece of work: done when its probe says so.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) name: &'static str,
    /// A query whose one value is true where the work is done.
    pub(crate) probe: String,
    pub(crate) statements: Vec<Statement>,
    pub(crate) transactional: bool,
    pub(crate) class: Class,
    pub(crate) held_back: bool,
    pub(crate) budgets: Budgets,
    pub(crate) post: Predicate,
    pub(crate) pre: Predicate,
}

impl Work {
    /// Makes a table of this name by `sql`.
    pub(crate) fn table(dialect: DialectId, name: &'static str, sql: &str) -> Self {
        let probe = match dialect {
            DialectId::Sqlite => format!("SELECT count(*) FROM sqlite_schema WHERE name = '{name}'"),
            DialectId::Postgres => format!("SELECT to_regclass('public.{name}') IS NOT NULL"),
            DialectId::MySql | DialectId::MariaDb => format!(
                "SELECT count(*) FROM information_schema.TABLES \
                 WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{name}'"
            ),
        };
        let there = Predicate::Present(ObjectRef::Table(qualified(dialect, name)));
        Self {
            name,
            probe,
            statements: vec![Statement::run(sql)],
            transactional: true,
            class: Class::Safe,
            held_back: false,
            budgets: Budgets::default(),
            post: there.clone(),
            pre: Predicate::Not(Box::new(there)),
        }
    }

    fn operation(&self) -> Operation {
        Operation {
            id: OpId(format!("create-table:{}", self.name)),
            change: Change::Create { object: Object::Namespace(Namespace { name: ident(self.name), ..namespace() }) },
            class: self.class.clone(),
            why: "declared".to_owned(),
            hazards: Vec::new(),
            checks: Vec::new(),
            loss: Vec::new(),
            needs: BTreeSet::new(),
            cause: BTreeSet::new(),
            tx: TxClass::Inside,
            budgets: self.budgets,
            effects: Effects { pre: self.pre.clone(), post: self.post.clone(), partial: None },
            reversible: true,
            provenance: None,
            held_back: self.held_back,
        }
    }
}

pub(crate) fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn namespace() -> Namespace {
    serde_json::from_str(r#"{"name": "x"}"#).unwrap()
}

fn qualified(dialect: DialectId, name: &str) -> QualName {
    let namespace = (dialect != DialectId::Sqlite).then(|| ident("public"));
    QualName::new(namespace, ident(name))
}

/// Plans whatever work is not done yet.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) dialect: DialectId,
    pub(crate) work: Vec<Work>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) checks: Vec<CheckQuery>,
    pub(crate) losses: Vec<LossQuery>,
    pub(crate) setup: Vec<Statement>,
    pub(crate) teardown: Vec<Statement>,
}

impl Written {
    pub(crate) fn new(dialect: DialectId, work: Vec<Work>) -> Self {
        Self {
            dialect,
            work,
            refusals: Vec::new(),
            checks: Vec::new(),
            losses: Vec::new(),
            setup: Vec::new(),
            teardown: Vec::new(),
        }
    }

    async fn left(&self, session: &mut dyn Session) -> Result<Vec<&Work>, PlannerError> {
        let mut left = Vec::new();
        for work in &self.work {
            let rows = session.query(&work.probe, &[]).await?;
            if !rows.first().is_some_and(|row| row.bool(0).unwrap()) {
                left.push(work);
            }
        }
        Ok(left)
    }

    fn script(&self, plan_hash: String, left: &[&Work]) -> Script {
        let mut segments: Vec<ScriptSegment> = Vec::new();
        for work in left.iter().filter(|work| !work.held_back) {
            let step = ScriptStep {
                leftover: None,
                operations: vec![work.operation().id],
                statements: work.statements.clone(),
                budgets: work.budgets,
            };
            match segments.last_mut() {
                Some(last) if last.transactional && work.transactional => last.steps.push(step),
                _ => segments.push(ScriptSegment { transactional: work.transactional, steps: vec![step] }),
            }
        }
        let is_work = !segments.is_empty();
        let some = |statements: &Vec<Statement>| if is_work { statements.clone() } else { Vec::new() };
        Script {
            dialect: self.dialect,
            plan_hash,
            setup: some(&self.setup),
            segments,
            teardown: some(&self.teardown),
            checks: if is_work { self.checks.clone() } else { Vec::new() },
            losses: if is_work { self.losses.clone() } else { Vec::new() },
            blocked: Vec::new(),
        }
    }
}

#[async_trait]
impl Planner for Written {
    async fn prepare(&self, session: &mut dyn Session) -> Result<Prepared, PlannerError> {
        let left = self.left(session).await?;
        let plan = Plan {
            dialect: self.dialect,
            from: "from".to_owned(),
            to: "to".to_owned(),
            operations: left.iter().map(|work| work.operation()).collect(),
            segments: Vec::new(),
            refusals: self.refusals.clone(),
            unmanaged: Vec::new(),
            notes: Vec::new(),
            adopts: Vec::new(),
            accepted: Vec::new(),
        };
        let hash = plan.hash()?;
        let done = self.work.iter().filter(|work| !left.iter().any(|other| other.name == work.name));
        let tracked: BTreeMap<ObjectRef, String> = done
            .map(|work| (ObjectRef::Table(qualified(self.dialect, work.name)), format!("hash of {}", work.name)))
            .collect();
        let live = tracked.values().cloned().collect::<Vec<_>>().join(" ");
        Ok(Prepared {
            script: self.script(hash, &left),
            plan,
            declared: self.work.iter().map(|work| work.name).collect(),
            live,
            tracked,
            pairs: Vec::new(),
        })
    }
}

#[async_trait]
impl Observe for Written {
    async fn observe(&self, session: &mut dyn Session) -> Result<Schema, PlannerError> {
        let mut text = format!(r#"{{"dialect": "{}", "tables": ["#, self.dialect.as_str());
        let left = self.left(session).await?;
        let mut comma = "";
        for work in self.work.iter().filter(|work| !left.iter().any(|other| other.name == work.name)) {
            let name = qualified(self.dialect, work.name);
            write!(text, "{comma}{{\"name\": {}, \"columns\": []}}", serde_json::to_string(&name)?)?;
            comma = ", ";
        }
        text.push_str("]}");
        Ok(serde_json::from_str(&text)?)
    }
}

/// Remembers what happened.
#[derive(Debug, Default)]
pub(crate) struct Heard(Mutex<Vec<Event>>);

impl Heard {
    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

pub(crate) fn request() -> RunRequest {
    RunRequest {
        consent: Consent::None,
        skip_data_checks: false,
        check_timeout: Duration::from_secs(5),
        expected_plan: None,
        scope: String::new(),
        lock_wait: Duration::from_secs(20),
        lease: Duration::from_secs(30),
        replica_wait: Duration::from_secs(60),
        force: false,
        run_key: "key".to_owned(),
        applied_by: "a test".to_owned(),
        note: None,
        environment: None,
        source: "written down".to_owned(),
        safe: false,
    }
}

/// What a run and an operator's act are given besides a planner.
pub(crate) struct Stores {
    pub(crate) lock: TwoKeyLock,
    pub(crate) ledger: ControlTables,
    pub(crate) clock: SystemClock,
}

impl Stores {
    pub(crate) fn ports<'a>(
        &'a self,
        connector: &'a dyn Connector,
        planner: &'a Written,
        heard: &'a Arc<Heard>,
    ) -> Ports<'a> {
        let Self { lock, ledger, clock } = self;
        Ports { connector, planner, lock, ledger, replicas: &[], clock, listener: heard.as_ref() }
    }

    pub(crate) fn operator(&self) -> OperatorPorts<'_> {
        OperatorPorts { clock: &self.clock, lock: &self.lock, ledger: &self.ledger }
    }
}

/// A database, and what happened on it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) database: Arc<TestDatabase>,
    pub(crate) dialect: DialectId,
    pub(crate) heard: Arc<Heard>,
}

impl Stage {
    pub(crate) fn new(database: TestDatabase, dialect: DialectId) -> Self {
        Self::on(Arc::new(database), dialect)
    }

    pub(crate) fn on(database: Arc<TestDatabase>, dialect: DialectId) -> Self {
        Self { database, dialect, heard: Arc::default() }
    }

    pub(crate) async fn all() -> Vec<Self> {
        let mut stages = vec![Self::new(TestDatabase::sqlite().unwrap(), DialectId::Sqlite)];
        stages.extend(Self::postgres().await);
        stages
    }

    pub(crate) async fn postgres() -> Vec<Self> {
        let mut stages = Vec::new();
        for server in trueup_testkit::servers::postgres() {
            stages.push(Self::new(TestDatabase::on(&server).await.unwrap(), DialectId::Postgres));
        }
        stages
    }

    pub(crate) fn table(&self, name: &'static str, sql: &str) -> Work {
        Work::table(self.dialect, name, sql)
    }

    pub(crate) fn planner(&self, work: Vec<Work>) -> Written {
        Written::new(self.dialect, work)
    }

    /// The tables `users` and `posts`.
    pub(crate) fn shop(&self) -> Written {
        self.planner(vec![
            self.table("users", &self.sql("CREATE TABLE users (id integer PRIMARY KEY)")),
            self.table("posts", &self.sql("CREATE TABLE posts (id integer PRIMARY KEY, author integer)")),
        ])
    }

    /// On PostgreSQL nothing is searched but its own catalog.
    pub(crate) fn sql(&self, sql: &str) -> String {
        if self.dialect != DialectId::Postgres {
            return sql.to_owned();
        }
        ["users", "posts"].iter().fold(sql.to_owned(), |sql, name| sql.replace(name, &format!("public.{name}")))
    }

    pub(crate) async fn session(&self) -> Box<dyn Session> {
        self.database.session().await.unwrap()
    }

    pub(crate) async fn run(&self, planner: &Written, request: &RunRequest) -> Result<Applied, ExecuteError> {
        let mut session = self.session().await;
        let result = Box::pin(self.run_on(session.as_mut(), planner, request)).await;
        session.close().await.unwrap();
        result
    }

    pub(crate) async fn run_on(
        &self,
        session: &mut dyn Session,
        planner: &Written,
        request: &RunRequest,
    ) -> Result<Applied, ExecuteError> {
        let connector = self.database.connector().unwrap();
        let stores = self.stores();
        let result = run(session, &stores.ports(connector.as_ref(), planner, &self.heard), request).await;
        assert!(!session.in_transaction(), "{}: a transaction is left open", self.database.label());
        result
    }

    /// The usual lock and ledger.
    pub(crate) fn stores(&self) -> Stores {
        let ledger = ControlTables::new(self.dialect, None);
        Stores { lock: ledger.lock(), ledger, clock: SystemClock::new() }
    }

    pub(crate) async fn records(&self) -> Option<Records> {
        read_records(self.session().await.as_mut(), "", None, 10).await.unwrap()
    }

    pub(crate) async fn history(&self) -> Vec<HistoryEntry> {
        self.records().await.map(|records| records.history).unwrap_or_default()
    }

    /// Names of everything in the database, the control tables and their namespace included.
    pub(crate) async fn everything(&self) -> Vec<String> {
        let sql = if self.dialect == DialectId::Sqlite {
            "SELECT name FROM sqlite_schema ORDER BY name"
        } else {
            "SELECT n.nspname::text || coalesce('.' || c.relname::text, '') FROM pg_namespace AS n \
             LEFT JOIN pg_class AS c ON c.relnamespace = n.oid \
             WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1"
        };
        let rows = self.session().await.query(sql, &[]).await.unwrap();
        rows.iter().map(|row| row.text(0).unwrap().to_owned()).collect()
    }

    /// That the lock is free and no lease has an owner.
    pub(crate) async fn is_free(&self) -> bool {
        let mut session = self.session().await;
        if self.dialect == DialectId::Postgres {
            let sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' \
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
            if session.query(sql, &[]).await.unwrap()[0].int(0).unwrap() > 0 {
                return false;
            }
        }
        if self.records().await.is_none() {
            return true;
        }
        let table = if self.dialect == DialectId::Postgres { "trueup._trueup_lock" } else { "_trueup_lock" };
        let sql = format!("SELECT count(*) FROM {table} WHERE owner <> ''");
        session.query(&sql, &[]).await.unwrap()[0].int(0).unwrap() == 0
    }
}
