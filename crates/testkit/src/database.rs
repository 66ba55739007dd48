//! Databases that exist for one test.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use tempfile::TempDir;
use trueup_session::{ConnectOptions, Connector, DatabaseUrl, DbError, DbErrorKind, Session, connector};

use crate::servers::{Engine, TestServer};

/// An empty database of its own: on a server, or a file of SQLite. Dropping the value drops the database.
#[derive(Debug)]
pub struct TestDatabase {
    url: DatabaseUrl,
    name: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Server { engine: Engine, label: String, administration: DatabaseUrl },
    File { folder: TempDir },
}

impl TestDatabase {
    /// A new database on `server`.
    ///
    /// # Errors
    /// [`DbError`] if the server cannot be reached or refuses.
    pub async fn on(server: &TestServer) -> Result<Self, DbError> {
        let name = unique_name();
        let server_url = parse(&server.url)?;
        let administration = match server.engine {
            Engine::Postgres => server_url.with_database("postgres"),
            Engine::MariaDb | Engine::MySql => server_url.clone(),
        };
        let sql = match server.engine {
            // Nobody can be connected to `template0`, so several tests can copy it at once.
            Engine::Postgres => format!("CREATE DATABASE {name} TEMPLATE template0"),
            Engine::MariaDb | Engine::MySql => format!("CREATE DATABASE {name}"),
        };
        let mut session = connect(&administration).await?;
        session.execute(&sql).await?;
        session.close().await?;
        let url = server_url.with_database(&name);
        Ok(Self { url, name, place: Place::Server { engine: server.engine, label: server.name(), administration } })
    }

    /// A new file of SQLite in a temporary folder. It appears when the first session opens.
    ///
    /// # Errors
    /// [`DbError`] if there is no room for a folder.
    pub fn sqlite() -> Result<Self, DbError> {
        let folder = TempDir::with_prefix("trueup-test-sqlite-").map_err(|error| other(&error.to_string()))?;
        let name = folder.path().join("test.db").display().to_string();
        let url = parse(&format!("sqlite://{name}"))?;
        Ok(Self { url, name, place: Place::File { folder } })
    }

    /// The URL of this database.
    #[must_use]
    pub fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    /// The database's name, or the file's path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is a database of, for messages: `postgres15` or `sqlite`.
    #[must_use]
    pub fn label(&self) -> &str {
        match &self.place {
            Place::Server { label, .. } => label,
            Place::File { .. } => "sqlite",
        }
    }

    /// The folder of an SQLite file, for tests that look at the files themselves.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Server { .. } => None,
            Place::File { folder } => Some(folder.path().to_owned()),
        }
    }

    /// A connector to it.
    ///
    /// # Errors
    /// [`DbError`] if this build has no driver for it.
    pub fn connector(&self) -> Result<Box<dyn Connector>, DbError> {
        connector_to(&self.url)
    }

    /// A new session on it.
    ///
    /// # Errors
    /// [`DbError`] if the server cannot be reached or refuses.
    pub async fn session(&self) -> Result<Box<dyn Session>, DbError> {
        connect(&self.url).await
    }

    /// A session in which `statements` have been executed one by one.
    ///
    /// # Errors
    /// [`DbError`] of the first that fails.
    pub async fn session_after(&self, statements: &[&str]) -> Result<Box<dyn Session>, DbError> {
        let mut session = self.session().await?;
        for statement in statements {
            session.execute(statement).await?;
        }
        Ok(session)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Place::Server { engine, administration, .. } = &self.place else { return };
        let work = drop_database(*engine, administration.clone(), self.name.clone());
        // On a thread of its own: a test's runtime cannot wait for itself. The server is thrown away in the end, so
        // that a database that could not be dropped does no harm.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(work))
        });
        drop(thread.join());
    }
}

async fn drop_database(engine: Engine, administration: DatabaseUrl, name: String) -> Result<(), DbError> {
    let mut session = connect(&administration).await?;
    match engine {
        Engine::Postgres => {
            session.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
        }
        Engine::MariaDb | Engine::MySql => {
            // A transaction that a test left open would keep its tables locked.
            let sql = "SELECT CAST(id AS SIGNED) FROM information_schema.processlist WHERE db = ?";
            for row in session.query(sql, &[name.as_str().into()]).await? {
                // It may have ended since.
                drop(session.execute(&format!("KILL {}", row.int(0)?)).await);
            }
            session.execute(&format!("DROP DATABASE IF EXISTS {name}")).await?;
        }
    }
    session.close().await
}

fn other(message: &str) -> DbError {
    DbError::new(DbErrorKind::Other, message)
}

fn parse(url: &str) -> Result<DatabaseUrl, DbError> {
    DatabaseUrl::parse(url).map_err(|error| other(&error.to_string()))
}

fn connector_to(url: &DatabaseUrl) -> Result<Box<dyn Connector>, DbError> {
    connector(url.clone()).map_err(|error| other(&error.to_string()))
}

async fn connect(url: &DatabaseUrl) -> Result<Box<dyn Session>, DbError> {
    let options = ConnectOptions { create_if_missing: true, ..ConnectOptions::default() };
    connector_to(url)?.connect(&options).await
}

/// A name that no other test, process or earlier run has.
fn unique_name() -> String {
    format!("trueup_test_{:016x}", RandomState::new().build_hasher().finish())
}
