//! The tables by name, and the words of each engine behind one door.

use trueup_lock::LeaseTable;
use trueup_schema::{DialectId, Ident, QualName};
use trueup_session::{DbErrorKind, Session, Value};

use super::{FORMAT, mysql, postgres, sqlite};
use crate::ExecuteError;

/// Finished runs.
pub const HISTORY: &str = "_trueup_history";
/// Steps of the run in progress.
pub const LEDGER: &str = "_trueup_ledger";
/// Leases.
pub const LOCK: &str = "_trueup_lock";
/// Tracked objects and recorded pairs.
pub const OBJECTS: &str = "_trueup_objects";
/// All of them, for whoever has to leave them out.
pub const TABLES: [&str; 4] = [HISTORY, LEDGER, LOCK, OBJECTS];

/// Where the control tables of an engine live if nobody chose: a namespace of their own on PostgreSQL, the one namespace
/// of SQLite, the connection's database (`None`) on MySQL and MariaDB.
#[must_use]
pub const fn default_control_namespace(dialect: DialectId) -> Option<&'static str> {
    match dialect {
        DialectId::Postgres => Some("trueup"),
        DialectId::Sqlite => Some("main"),
        DialectId::MySql | DialectId::MariaDb => None,
    }
}

/// How often making the tables is tried while others make them at the same time.
const ATTEMPTS: usize = 5;

/// The control tables of one project.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    pub(crate) dialect: DialectId,
    namespace: Option<Ident>,
    tables: &'static [&'static str],
}

impl Control {
    pub(crate) fn new(dialect: DialectId, namespace: Option<&Ident>) -> Self {
        let default = || default_control_namespace(dialect).and_then(|name| Ident::new(name).ok());
        let namespace = match dialect {
            DialectId::Sqlite => default(),
            DialectId::Postgres | DialectId::MySql | DialectId::MariaDb => namespace.cloned().or_else(default),
        };
        Self { dialect, namespace, tables: &TABLES }
    }

    /// The table of leases by itself, for a ledger that is kept elsewhere.
    pub(crate) fn lock_alone(dialect: DialectId, namespace: Option<&Ident>) -> Self {
        Self { tables: &[LOCK], ..Self::new(dialect, namespace) }
    }

    /// The table as SQL. `name` is one of [`TABLES`].
    pub(crate) fn table(&self, name: &str) -> String {
        let table = match self.dialect {
            DialectId::MySql | DialectId::MariaDb => format!("`{name}`"),
            DialectId::Postgres | DialectId::Sqlite => format!("\"{name}\""),
        };
        match &self.namespace {
            Some(namespace) => format!("{}.{table}", namespace.quoted(self.dialect)),
            None => table,
        }
    }

    pub(crate) fn lease_table(&self) -> Result<LeaseTable, ExecuteError> {
        let name = Ident::new(LOCK).map_err(|cause| ExecuteError::Damaged { what: cause.to_string() })?;
        Ok(LeaseTable::new(self.dialect, &QualName::new(self.namespace.clone(), name)))
    }

    /// The parameter number `at`, from 1.
    pub(crate) fn parameter(&self, at: usize) -> String {
        match self.dialect {
            DialectId::Postgres => format!("${at}"),
            DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => "?".to_owned(),
        }
    }

    /// Parameters from 1 to `count`, with commas.
    pub(crate) fn parameters(&self, count: usize) -> String {
        (1..=count).map(|at| self.parameter(at)).collect::<Vec<_>>().join(", ")
    }

    /// The database's clock, as SQL.
    pub(crate) const fn now(&self) -> &'static str {
        match self.dialect {
            DialectId::Postgres => postgres::NOW,
            DialectId::MySql | DialectId::MariaDb => mysql::NOW,
            DialectId::Sqlite => sqlite::NOW,
        }
    }

    /// The column `applied_at` as text.
    pub(crate) const fn applied_at(&self) -> &'static str {
        match self.dialect {
            DialectId::Postgres => postgres::APPLIED_AT,
            DialectId::MySql | DialectId::MariaDb => mysql::APPLIED_AT,
            DialectId::Sqlite => sqlite::APPLIED_AT,
        }
    }

    /// Whether all tables are there. Looks in the catalog, so that nothing fails inside a transaction, and refuses a newer
    /// format.
    pub(crate) async fn are_there(&self, session: &mut dyn Session) -> Result<bool, ExecuteError> {
        let failed = || ExecuteError::database("look for the control tables");
        let namespace = self.namespace.as_ref().map(|namespace| Value::from(namespace.as_str()));
        let found = match self.dialect {
            DialectId::Postgres => {
                let names = self.tables.iter().map(|name| Some((*name).to_owned())).collect();
                session.query(postgres::FIND, &[namespace.unwrap_or(Value::Null), Value::Texts(names)]).await
            }
            DialectId::MySql | DialectId::MariaDb => {
                session.query(&mysql::find(self.tables), &[namespace.unwrap_or(Value::Null)]).await
            }
            DialectId::Sqlite => session.query(&sqlite::find(self.tables), &[]).await,
        };
        let found = found.map_err(failed())?;
        let found = found.first().map_or(Ok(0), |row| row.int(0)).map_err(failed())?;
        if usize::try_from(found).unwrap_or(0) < self.tables.len() {
            return Ok(false);
        }
        let sql = format!("SELECT max(format) FROM {}", self.table(LOCK));
        let rows = session.query(&sql, &[]).await.map_err(failed())?;
        let format = rows.first().map_or(Ok(None), |row| row.int_or_null(0)).map_err(failed())?;
        match format {
            Some(found) if found > FORMAT => Err(ExecuteError::NewerFormat { found, known: FORMAT }),
            _ => Ok(true),
        }
    }

    /// Makes what is missing: in the open transaction if there is one, else committed.
    pub(crate) async fn make(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        if session.in_transaction() { self.create(session).await } else { self.create_and_commit(session).await }
    }

    /// Makes what is missing.
    async fn create(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let statements = match self.dialect {
            DialectId::Postgres => postgres::create(self),
            DialectId::MySql | DialectId::MariaDb => mysql::create(self),
            DialectId::Sqlite => sqlite::create(self),
        };
        let namespace = self.namespace.as_ref().map(|namespace| namespace.quoted(self.dialect));
        if self.dialect == DialectId::Postgres && self.is_namespace_missing(session).await? {
            let sql = format!("CREATE SCHEMA IF NOT EXISTS {}", namespace.unwrap_or_default());
            session.execute(&sql).await.map_err(ExecuteError::database("make the control namespace"))?;
        }
        // In the order of their creation the leases are the first.
        for sql in statements.iter().take(self.tables.len()) {
            session.execute(sql).await.map_err(ExecuteError::database("make the control tables"))?;
        }
        Ok(())
    }

    /// Asked first: IF NOT EXISTS needs the privilege to create even where there is nothing to do.
    async fn is_namespace_missing(&self, session: &mut dyn Session) -> Result<bool, ExecuteError> {
        let failed = || ExecuteError::database("look for the control namespace");
        let name = self.namespace.as_ref().map_or("", Ident::as_str);
        let rows = session.query(postgres::HAS_NAMESPACE, &[name.into()]).await.map_err(failed())?;
        rows.first().map_or(Ok(true), |row| row.bool(0).map(|is_there| !is_there)).map_err(failed())
    }

    /// Makes what is missing and commits it. Runs of other scopes may do the same at the same time.
    async fn create_and_commit(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let mut attempt = 1;
        loop {
            session
                .begin(trueup_session::TransactionMode::Write)
                .await
                .map_err(ExecuteError::database("make the control tables"))?;
            let made = match self.create(session).await {
                // DDL has committed by itself.
                Ok(()) if !session.in_transaction() => return Ok(()),
                Ok(()) => session.commit().await.map_err(ExecuteError::database("make the control tables")),
                Err(error) => Err(error),
            };
            let Err(error) = made else { return Ok(()) };
            session.rollback().await.map_err(ExecuteError::database("roll back"))?;
            let is_race = matches!(
                error.database_kind(),
                Some(DbErrorKind::UniqueViolation | DbErrorKind::DuplicateObject | DbErrorKind::Deadlock)
            );
            if !is_race || attempt == ATTEMPTS {
                return Err(error);
            }
            attempt += 1;
        }
    }

    /// Leaves the format of the tables in the table of leases, where no run leaves it that takes one.
    pub(crate) async fn leave_format(&self, session: &mut dyn Session, scope: &str) -> Result<(), ExecuteError> {
        let failed = || ExecuteError::database("write the format of the control tables");
        let (table, now) = (self.table(LOCK), self.now());
        let sql = format!("SELECT 1 FROM {table} WHERE scope = {}", self.parameter(1));
        if session.query(&sql, &[scope.into()]).await.map_err(failed())?.is_empty() {
            let sql = format!(
                "INSERT INTO {table} (scope, epoch, format, owner, run_id, backend_id, backend_started, acquired_at, \
                 heartbeat_at, expires_at) VALUES ({}, 0, {FORMAT}, '', '', 0, '', {now}, {now}, {now})",
                self.parameter(1)
            );
            session.query(&sql, &[scope.into()]).await.map_err(failed())?;
        }
        Ok(())
    }

    /// Takes the tables away again if nothing was ever recorded in them. A failure changes nothing: they may stay.
    pub(crate) async fn remove_unused(&self, session: &mut dyn Session) {
        if session.in_transaction() {
            session.rollback().await.ok();
        }
        if let Err(error) = self.try_remove_unused(session).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the empty control tables were not removed");
            session.rollback().await.ok();
        }
    }

    async fn try_remove_unused(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let failed = || ExecuteError::database("remove the empty control tables");
        if matches!(self.dialect, DialectId::MySql | DialectId::MariaDb) {
            let removed = self.remove_locked(session).await;
            session.execute("UNLOCK TABLES").await.map_err(failed())?;
            session.execute("SET SESSION lock_wait_timeout = DEFAULT").await.map_err(failed())?;
            return removed;
        }
        session.begin(trueup_session::TransactionMode::Write).await.map_err(failed())?;
        if self.dialect == DialectId::Postgres {
            // nobody may record anything between the look and the drop
            let lock = format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT", self.table(LOCK));
            session.execute(&lock).await.map_err(failed())?;
        }
        if !self.is_used(session).await? {
            for name in TABLES {
                session.execute(&format!("DROP TABLE {}", self.table(name))).await.map_err(failed())?;
            }
            session.commit().await.map_err(failed())?;
            if let (DialectId::Postgres, Some(namespace)) = (self.dialect, &self.namespace) {
                // refused where somebody else keeps something in it
                session.execute(&format!("DROP SCHEMA {} RESTRICT", namespace.quoted(self.dialect))).await.ok();
            }
            return Ok(());
        }
        session.rollback().await.map_err(failed())
    }

    /// Whether anything is recorded, or somebody has the lease.
    async fn is_used(&self, session: &mut dyn Session) -> Result<bool, ExecuteError> {
        let failed = || ExecuteError::database("remove the empty control tables");
        let used = format!(
            "SELECT (SELECT count(*) FROM {}) + (SELECT count(*) FROM {}) + (SELECT count(*) FROM {}) + \
             (SELECT count(*) FROM {} WHERE owner <> '')",
            self.table(HISTORY),
            self.table(LEDGER),
            self.table(OBJECTS),
            self.table(LOCK)
        );
        let rows = session.query(&used, &[]).await.map_err(failed())?;
        Ok(rows.first().map_or(Ok(1), |row| row.int(0)).map_err(failed())? != 0)
    }

    /// Here a lock on the tables outlives the look, and a DROP does not end it.
    async fn remove_locked(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let failed = || ExecuteError::database("remove the empty control tables");
        session.execute("SET SESSION lock_wait_timeout = 1").await.map_err(failed())?;
        let list: Vec<String> = TABLES.iter().map(|name| format!("{} WRITE", self.table(name))).collect();
        session.execute(&format!("LOCK TABLES {}", list.join(", "))).await.map_err(failed())?;
        if !self.is_used(session).await? {
            for name in TABLES {
                session.execute(&format!("DROP TABLE {}", self.table(name))).await.map_err(failed())?;
            }
        }
        Ok(())
    }
}
