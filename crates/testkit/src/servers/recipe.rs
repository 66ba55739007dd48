//! What an engine tells the common code about how it is started.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use super::command::Invocation;
use super::{Engine, Home, ServerError, ServerName, mariadb, mysql, postgres};

/// Everything that starts one server in one folder. Programs are installed by the time it exists.
#[derive(Debug)]
pub(crate) struct Recipe {
    /// Folders to make, in this order, owned by the server's account.
    pub(crate) folders: Vec<PathBuf>,
    /// Files to write for it to read.
    pub(crate) files: Vec<(PathBuf, String)>,
    /// What to run to its end before.
    pub(crate) initialise: Vec<Invocation>,
    /// The server itself, in the foreground.
    pub(crate) serve: Invocation,
    /// Where it listens.
    pub(crate) url: String,
}

impl Recipe {
    /// The recipe of `name` with its data below `run`, listening on `port`; installs what is missing.
    pub(crate) fn of(home: &Home, name: ServerName, run: &Path, port: u16) -> Result<Self, ServerError> {
        match name.engine {
            Engine::Postgres => postgres::recipe(home, name.version, run, port),
            Engine::MariaDb => mariadb::recipe(home, name.version, run, port),
            Engine::MySql => mysql::recipe(home, name.version, run, port),
        }
    }
}

/// The signal that ends a server at once but in good order.
pub(crate) const fn stop_signal(engine: Engine) -> Signal {
    match engine {
        // Fast shutdown: ends sessions instead of waiting for them.
        Engine::Postgres => Signal::INT,
        Engine::MariaDb | Engine::MySql => Signal::TERM,
    }
}
