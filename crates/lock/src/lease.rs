//! The lease: a row that says who runs, under an epoch that only rises.

use std::time::Duration;

use trueup_schema::{DialectId, QualName};
use trueup_session::{DbError, Session, Value};

use crate::{LockError, is_alive};

/// Where leases are kept: a table with the columns `scope`, `epoch`, `format`, `owner`, `run_id`, `backend_id`,
/// `backend_started`, `acquired_at`, `heartbeat_at` and `expires_at`, PRIMARY KEY (scope) and UNIQUE (scope, epoch).
#[derive(Debug, Clone)]
pub struct LeaseTable {
    dialect: DialectId,
    name: String,
}

/// Who takes a lease, and for how long.
#[derive(Debug, Clone)]
pub struct LeaseRequest<'a> {
    /// The scope, as it is stored.
    pub scope: &'a str,
    /// Who runs.
    pub owner: &'a str,
    /// The run's own id.
    pub run: &'a str,
    /// The format of the control tables that the holder writes.
    pub format: i64,
    /// How long the lease lasts without a heartbeat.
    pub time: Duration,
    /// The epoch of the last holder that the taker has seen, 0 if there was none: the lease is taken only if nobody came since.
    /// `None` takes it whoever came.
    pub after: Option<i64>,
}

/// A lease that was taken.
#[derive(Debug, Clone)]
pub struct Lease {
    table: LeaseTable,
    scope: String,
    run: String,
    epoch: i64,
    time: Duration,
}

/// What the row of a lease says, by the database's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseStanding {
    /// The epoch of the last holder.
    pub epoch: i64,
    /// Who has it; `None` if it was given back.
    pub owner: Option<String>,
    /// The run of the last holder.
    pub run: String,
    /// The server's end of the session that took it: its id and when it started.
    pub backend: (i64, String),
    /// Milliseconds since it was taken.
    pub taken_ms_ago: i64,
    /// Milliseconds since it was renewed.
    pub renewed_ms_ago: i64,
    /// Milliseconds until it runs out; negative if it has.
    pub expires_in_ms: i64,
}

impl LeaseTable {
    /// The table called `name`.
    #[must_use]
    pub fn new(dialect: DialectId, name: &QualName) -> Self {
        Self { dialect, name: name.quoted(dialect) }
    }

    /// The parameter number `at`, from 1.
    fn parameter(&self, at: usize) -> String {
        match self.dialect {
            DialectId::Postgres => format!("${at}"),
            DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => "?".to_owned(),
        }
    }

    /// The database's clock, `ahead` from now. Not the start of the transaction.
    fn clock(&self, ahead: Duration) -> String {
        let millis = ahead.as_millis();
        match self.dialect {
            DialectId::Postgres => format!("pg_catalog.clock_timestamp() + {millis} * interval '1 millisecond'"),
            DialectId::MySql | DialectId::MariaDb => format!("UTC_TIMESTAMP(6) + INTERVAL {millis} * 1000 MICROSECOND"),
            DialectId::Sqlite => {
                format!(
                    "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+{}.{:03} seconds')",
                    ahead.as_secs(),
                    ahead.subsec_millis()
                )
            }
        }
    }

    async fn current(&self, session: &mut dyn Session, scope: &str) -> Result<Option<(i64, String, String)>, DbError> {
        let sql = format!("SELECT epoch, run_id, owner FROM {} WHERE scope = {}", self.name, self.parameter(1));
        let rows = session.query(&sql, &[scope.into()]).await?;
        let read = rows.first().map(|row| Ok((row.int(0)?, row.text(1)?.to_owned(), row.text(2)?.to_owned())));
        read.transpose()
    }

    /// Milliseconds from `column` to now, as SQL.
    fn age(&self, column: &str) -> String {
        match self.dialect {
            DialectId::Postgres => {
                format!("(extract(epoch FROM pg_catalog.clock_timestamp() - {column}) * 1000)::bigint")
            }
            DialectId::MySql | DialectId::MariaDb => {
                format!("CAST(TIMESTAMPDIFF(MICROSECOND, {column}, UTC_TIMESTAMP(6)) DIV 1000 AS SIGNED)")
            }
            DialectId::Sqlite => {
                format!("CAST((julianday('now') - julianday({column})) * 86400000 AS INTEGER)")
            }
        }
    }

    /// What the row of `scope` says; `None` if nobody ever took the lease.
    ///
    /// # Errors
    /// The server's words.
    pub async fn standing(&self, session: &mut dyn Session, scope: &str) -> Result<Option<LeaseStanding>, LockError> {
        let failed = || LockError::database("read the lease");
        let sql = format!(
            "SELECT epoch, owner, run_id, backend_id, backend_started, {}, {}, {} FROM {} WHERE scope = {}",
            self.age("acquired_at"),
            self.age("heartbeat_at"),
            self.age("expires_at"),
            self.name,
            self.parameter(1)
        );
        let rows = session.query(&sql, &[scope.into()]).await.map_err(failed())?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (text, int) = (|at| row.text(at).map(str::to_owned).map_err(failed()), |at| row.int(at).map_err(failed()));
        Ok(Some(LeaseStanding {
            epoch: int(0)?,
            owner: Some(text(1)?).filter(|owner| !owner.is_empty()),
            run: text(2)?,
            backend: (int(3)?, text(4)?),
            taken_ms_ago: int(5)?,
            renewed_ms_ago: int(6)?,
            expires_in_ms: int(7)?.saturating_neg(),
        }))
    }

    /// What the row of `scope` says if it is held through another node of a cluster, whose advisory lock is not seen here, and
    /// has not run out. In every other case whoever holds the advisory lock may take the lease.
    ///
    /// # Errors
    /// The server's words.
    pub async fn held_elsewhere(
        &self,
        session: &mut dyn Session,
        scope: &str,
    ) -> Result<Option<LeaseStanding>, LockError> {
        let Some(standing) = self.standing(session, scope).await? else { return Ok(None) };
        if standing.owner.is_none() || standing.expires_in_ms <= 0 {
            return Ok(None);
        }
        let (id, started) = &standing.backend;
        let is_told = is_alive(session, *id, started).await?.is_some();
        Ok(if is_told { None } else { Some(standing) })
    }

    /// Takes the lease under the next epoch. Only for a session that holds the advisory lock: that is what
    /// says that the last holder's session is gone; and where there are several nodes, when nobody holds it through another
    /// one ([`LeaseTable::held_elsewhere`]) and nobody takes it between that look and now ([`LeaseRequest::after`]).
    ///
    /// # Errors
    /// The server's words, or [`LockError::Stolen`] if somebody came in between, whose row is left as it is. The first row of a
    /// scope that somebody else has just written is a unique violation.
    pub async fn take(&self, session: &mut dyn Session, request: &LeaseRequest<'_>) -> Result<Lease, LockError> {
        let failed = || LockError::database("take the lease");
        let before = match request.after {
            Some(epoch) => Some(epoch).filter(|epoch| *epoch > 0),
            None => self.current(session, request.scope).await.map_err(failed())?.map(|(epoch, ..)| epoch),
        };
        let epoch = before.unwrap_or_default().saturating_add(1);
        let backend = session.backend().clone();
        let backend_id = i64::try_from(backend.id).unwrap_or(i64::MAX);
        let mut values: Vec<Value> = vec![
            epoch.into(),
            request.format.into(),
            request.owner.into(),
            request.run.into(),
            backend_id.into(),
            backend.started.into(),
            request.scope.into(),
        ];
        let (now, end) = (self.clock(Duration::ZERO), self.clock(request.time));
        let p: Vec<String> = (1..=8).map(|at| self.parameter(at)).collect();
        let columns = ["epoch", "format", "owner", "run_id", "backend_id", "backend_started"];
        let sql = if let Some(before) = before {
            values.push(before.into());
            let set: Vec<String> = columns.iter().zip(&p).map(|(name, p)| format!("{name} = {p}")).collect();
            format!(
                "UPDATE {} SET {}, acquired_at = {now}, heartbeat_at = {now}, expires_at = {end} \
                 WHERE scope = {} AND epoch = {}",
                self.name,
                set.join(", "),
                p[6],
                p[7]
            )
        } else {
            format!(
                "INSERT INTO {} ({}, scope, acquired_at, heartbeat_at, expires_at) VALUES ({}, {now}, {now}, {end})",
                self.name,
                columns.join(", "),
                p[..7].join(", ")
            )
        };
        session.query(&sql, &values).await.map_err(failed())?;
        let lease = Lease {
            table: self.clone(),
            scope: request.scope.to_owned(),
            run: request.run.to_owned(),
            epoch,
            time: request.time,
        };
        lease.check(session).await?;
        Ok(lease)
    }
}

impl Lease {
    /// Its epoch.
    #[must_use]
    pub const fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Its scope.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// How long it lasts without a heartbeat.
    #[must_use]
    pub const fn time(&self) -> Duration {
        self.time
    }

    /// A condition over constants that is true while this lease holds, for statements that carry their own fence.
    ///
    /// `scope` is the SQL text of the scope: a column or a parameter.
    #[must_use]
    pub fn condition(&self, scope: &str) -> String {
        format!("EXISTS (SELECT 1 FROM {} AS f WHERE f.scope = {scope} AND f.epoch = {})", self.table.name, self.epoch)
    }

    /// The first statement of every transaction with DDL: holds the row, so that nobody takes the lease before the end of
    /// the transaction, while the heartbeat of this very lease still passes.
    ///
    /// # Errors
    /// [`LockError::Stolen`], [`LockError::Missing`], or the server's words.
    pub async fn fence(&self, session: &mut dyn Session) -> Result<(), LockError> {
        let held = match self.table.dialect {
            DialectId::Postgres => " FOR KEY SHARE",
            DialectId::MySql | DialectId::MariaDb => " LOCK IN SHARE MODE",
            // The transaction is the lock.
            DialectId::Sqlite => "",
        };
        let sql = format!(
            "SELECT 1 FROM {} WHERE scope = {} AND epoch = {}{held}",
            self.table.name,
            self.table.parameter(1),
            self.table.parameter(2)
        );
        let values = [self.scope.as_str().into(), self.epoch.into()];
        let rows = session.query(&sql, &values).await.map_err(LockError::database("fence the transaction"))?;
        if rows.is_empty() { self.check(session).await } else { Ok(()) }
    }

    /// Whether the row still says that this lease holds.
    ///
    /// # Errors
    /// [`LockError::Stolen`], [`LockError::Missing`], or the server's words.
    pub async fn check(&self, session: &mut dyn Session) -> Result<(), LockError> {
        let current = self.table.current(session, &self.scope).await.map_err(LockError::database("read the lease"))?;
        match current {
            Some((epoch, run, _)) if epoch == self.epoch && run == self.run => Ok(()),
            Some((epoch, run, owner)) => {
                let by = if owner.is_empty() { "a run that has ended".to_owned() } else { format!("`{owner}`") };
                Err(LockError::Stolen { scope: self.scope.clone(), by: format!("{by} (run {run}, epoch {epoch})") })
            }
            None => Err(LockError::Missing { scope: self.scope.clone() }),
        }
    }

    /// Renews it from now on, by the database's clock, if it still holds.
    ///
    /// # Errors
    /// As [`Lease::check`].
    pub async fn refresh(&self, session: &mut dyn Session) -> Result<(), LockError> {
        let (now, end) = (self.table.clock(Duration::ZERO), self.table.clock(self.time));
        let set = format!("heartbeat_at = {now}, expires_at = {end}");
        self.update(session, &set).await.map_err(LockError::database("renew the lease"))?;
        self.check(session).await
    }

    /// Gives it back: the row stays, without an owner, so that the next epoch is higher.
    ///
    /// # Errors
    /// As [`Lease::check`]; a lease of somebody else's is not touched.
    pub async fn release(&self, session: &mut dyn Session) -> Result<(), LockError> {
        self.check(session).await?;
        let set = format!("owner = '', expires_at = {}", self.table.clock(Duration::ZERO));
        self.update(session, &set).await.map_err(LockError::database("release the lease"))
    }

    async fn update(&self, session: &mut dyn Session, set: &str) -> Result<(), DbError> {
        let p: Vec<String> = (1..=3).map(|at| self.table.parameter(at)).collect();
        let sql = format!(
            "UPDATE {} SET {set} WHERE scope = {} AND epoch = {} AND run_id = {}",
            self.table.name, p[0], p[1], p[2]
        );
        let values = [self.scope.as_str().into(), self.epoch.into(), self.run.as_str().into()];
        session.query(&sql, &values).await.map(drop)
    }
}
