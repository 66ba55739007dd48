//! One database that is made anew for every cell, and what is looked at in it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use trueup::plan::PlanStatus;
use trueup::schema::DialectId;
use trueup::session::{ConnectOptions, DatabaseUrl, Session, Value, connector};
use trueup::snapshot::{Document, DocumentFormat};
use trueup::{Declared, Pipeline};

use crate::kinds::Kind;
use crate::runner::{declared, options};

/// Where the databases of one engine are.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The server's name, as in `postgres18`, or `sqlite`.
    pub(crate) name: String,
    /// Its URL, without a database; empty for SQLite.
    pub(crate) server: String,
    /// Its process, where it is ours to kill.
    pub(crate) pid: Option<i32>,
}

impl Place {
    pub(crate) fn dialect(&self) -> DialectId {
        match self.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "postgres" => DialectId::Postgres,
            "mysql" => DialectId::MySql,
            "mariadb" => DialectId::MariaDb,
            _ => DialectId::Sqlite,
        }
    }
}

/// A database of our own.
#[derive(Debug)]
pub(crate) struct Arena {
    pub(crate) place: Place,
    name: String,
    folder: TempDir,
}

impl Arena {
    pub(crate) fn new(place: &Place) -> Result<Self> {
        let name = format!("trueup_drill_{:08x}", rand::random::<u32>());
        Ok(Self { place: place.clone(), name, folder: TempDir::with_prefix("trueup-drill-")? })
    }

    /// The same database through another server.
    pub(crate) fn at(&self, place: Place) -> Result<Self> {
        Ok(Self { place, name: self.name.clone(), folder: TempDir::with_prefix("trueup-drill-")? })
    }

    /// The database's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn url(&self) -> Result<DatabaseUrl> {
        Ok(DatabaseUrl::parse(&match self.place.dialect() {
            DialectId::Sqlite => format!("sqlite://{}", self.file("cell.db").display()),
            DialectId::Postgres | DialectId::MySql | DialectId::MariaDb => {
                format!("{}/{}", self.place.server, self.name)
            }
        })?)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The database, made anew with the state before `kind`.
    pub(crate) async fn reset(&self, kind: &Kind) -> Result<()> {
        let name = &self.name;
        match self.place.dialect() {
            DialectId::Sqlite => {
                for file in ["cell.db", "cell.db-journal", "cell.db-wal", "cell.db-shm"] {
                    std::fs::remove_file(self.file(file)).ok();
                }
            }
            DialectId::Postgres => {
                let template = format!("{name}_{}", kind.name.replace('-', "_"));
                let mut session = self.server_session("postgres").await?;
                session.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
                let sql = "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1::text)";
                let is_there = session
                    .query(sql, &[template.as_str().into()])
                    .await?
                    .first()
                    .map_or(Ok(false), |row| row.bool(0))?;
                if !is_there {
                    session.execute(&format!("CREATE DATABASE {template} TEMPLATE template0")).await?;
                    let mut inside = self.server_session(&template).await?;
                    inside.execute("SET search_path = public").await?;
                    for sql in &kind.before {
                        inside.execute(sql).await.with_context(|| sql.clone())?;
                    }
                    inside.close().await?;
                }
                session.execute(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await?;
                return Ok(session.close().await?);
            }
            DialectId::MySql | DialectId::MariaDb => {
                let mut session = self.server_session("").await?;
                self.end_strangers(session.as_mut()).await?;
                session.execute(&format!("DROP DATABASE IF EXISTS {name}")).await?;
                session.execute(&format!("CREATE DATABASE {name}")).await?;
                session.close().await?;
            }
        }
        let mut session = self.session().await?;
        for sql in &kind.before {
            session.execute(sql).await.with_context(|| sql.clone())?;
        }
        Ok(session.close().await?)
    }

    /// Ends what killed runners have left at work, so that the database can be dropped.
    async fn end_strangers(&self, session: &mut dyn Session) -> Result<()> {
        let sql = "SELECT CAST(id AS SIGNED) FROM information_schema.processlist WHERE db = ?";
        for row in session.query(sql, &[self.name.as_str().into()]).await? {
            drop(session.execute(&format!("KILL {}", row.int(0)?)).await);
        }
        Ok(())
    }

    /// Drops everything.
    pub(crate) async fn clear(&self) -> Result<()> {
        match self.place.dialect() {
            DialectId::Sqlite => Ok(()),
            DialectId::Postgres => {
                let mut session = self.server_session("postgres").await?;
                let sql = "SELECT datname::text FROM pg_database WHERE datname LIKE $1::text || '%'";
                for row in session.query(sql, &[self.name.as_str().into()]).await? {
                    session.execute(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", row.text(0)?)).await?;
                }
                Ok(session.close().await?)
            }
            DialectId::MySql | DialectId::MariaDb => {
                let mut session = self.server_session("").await?;
                self.end_strangers(session.as_mut()).await?;
                session.execute(&format!("DROP DATABASE IF EXISTS {}", self.name)).await?;
                Ok(session.close().await?)
            }
        }
    }

    async fn server_session(&self, database: &str) -> Result<Box<dyn Session>> {
        let text =
            if database.is_empty() { self.place.server.clone() } else { format!("{}/{database}", self.place.server) };
        Ok(connector(DatabaseUrl::parse(&text)?)?.connect(&ConnectOptions::default()).await?)
    }

    pub(crate) async fn session(&self) -> Result<Box<dyn Session>> {
        let options = ConnectOptions { create_if_missing: true, ..ConnectOptions::default() };
        Ok(connector(self.url()?)?.connect(&options).await?)
    }

    pub(crate) fn pipeline(&self) -> Result<Pipeline> {
        Ok(Pipeline::new(self.url()?, None, options(Duration::from_secs(30), Duration::from_secs(30))?)?)
    }

    /// What `kind` declares, as the server spells it.
    pub(crate) async fn document(&self, kind: &Kind) -> Result<String> {
        // A compiled document says nothing of renames.
        if kind.after.contains("-- trueup:") {
            return Ok(kind.after.clone());
        }
        let declared = Declared::sql("after.sql", kind.after.clone());
        let compiled = self.pipeline()?.compile(&declared).await?;
        Ok(Document::write(compiled.snapshot.schema(), DocumentFormat::Json)?)
    }

    /// The rows that must not change, as one text.
    pub(crate) async fn rows(&self, kind: &Kind) -> Result<String> {
        let mut session = self.session().await?;
        if self.place.dialect() == DialectId::Postgres {
            session.execute("SET search_path = public").await?;
        }
        let mut text = String::new();
        for sql in &kind.rows {
            let answered = match sql.strip_prefix("TABLE-OF ").and_then(|rest| rest.split_once(": ")) {
                Some((names, sql)) => self.one_of(session.as_mut(), names, sql).await?,
                None => session.query(sql, &[]).await?,
            };
            for row in answered {
                let values: Vec<String> = (0..)
                    .map_while(|at| row.get(at))
                    .map(|value| match value {
                        Value::Text(text) => text,
                        Value::Int(number) => number.to_string(),
                        other @ (Value::Null
                        | Value::Bool(_)
                        | Value::Float(_)
                        | Value::Bytes(_)
                        | Value::Texts(_)
                        | Value::Ints(_)) => format!("{other:?}"),
                    })
                    .collect();
                text = format!("{text}{}\n", values.join("|"));
            }
        }
        session.close().await?;
        Ok(text)
    }

    /// Asks the first of several tables that is there.
    async fn one_of(&self, session: &mut dyn Session, names: &str, sql: &str) -> Result<Vec<trueup::session::Row>> {
        for name in names.split(' ') {
            if let Ok(rows) = session.query(&sql.replace('%', name.trim()), &[]).await {
                return Ok(rows);
            }
        }
        bail!("none of {names} is there")
    }

    /// That the database is as declared, nothing is left over and nothing is open.
    pub(crate) async fn check(&self, document: &str) -> Result<()> {
        let pipeline = self.pipeline()?;
        let planned = pipeline.plan(&declared(document)?).await?;
        ensure!(planned.status() == PlanStatus::UpToDate, "not converged:\n{}", planned.script.to_sql());
        let standing = pipeline.standing(1).await?;
        let records = standing.records.context("no records")?;
        ensure!(!records.unfinished, "the ledger is not empty");
        let last = records.history.first().map(|entry| entry.status.clone()).unwrap_or_default();
        ensure!(["synced", "up-to-date"].contains(&last.as_str()), "the history ends with {last:?}");
        let lock = pipeline.lock_standing().await?.standing;
        ensure!(lock.is_free(), "a lock is held: {lock:?}");
        let mut session = self.session().await?;
        let questions: &[&str] = match self.place.dialect() {
            DialectId::Postgres => &[
                "SELECT count(*) FROM pg_index WHERE NOT indisvalid",
                "SELECT count(*) FROM pg_constraint WHERE NOT convalidated",
            ],
            DialectId::Sqlite => &[
                "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
                "SELECT count(*) FROM pragma_foreign_key_check",
            ],
            DialectId::MySql | DialectId::MariaDb => &[],
        };
        for sql in questions {
            let count = session.query(sql, &[]).await?.first().map_or(Ok(0), |row| row.int(0))?;
            ensure!(count == 0, "{count} left over: {sql}");
        }
        Ok(session.close().await?)
    }
}
