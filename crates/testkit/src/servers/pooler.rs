//! pgbouncer, which lends a server's sessions out for one transaction at a time.

use std::path::{Path, PathBuf};

use super::account::is_root;
use super::command::Invocation;
use super::debian::Unpacked;
use super::recipe::Recipe;
use super::{Engine, Home, Lifetime, RunningServer, ServerError, ServerRecord, debian};

/// Where Debian's package puts it.
const PACKAGED: &str = "/usr/sbin/pgbouncer";

impl Home {
    /// Starts a pooler in transaction mode in front of the PostgreSQL server `server`.
    ///
    /// # Errors
    /// As [`Home::start`].
    pub fn start_pooler(&self, server: &ServerRecord) -> Result<RunningServer, ServerError> {
        let program = self.pooler()?;
        Self::start_as("pgbouncer", Engine::Postgres, Lifetime::Owner, &|run: &Path, port| {
            let (settings, users) = (run.join("pgbouncer.ini"), run.join("users"));
            let text = format!(
                "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
                 unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = transaction\nmax_client_conn = 200\n\
                 default_pool_size = 4\nignore_startup_parameters = extra_float_digits\n",
                server.port,
                users.display()
            );
            let serve = [program.clone(), vec![settings.display().to_string()]].concat();
            Ok(Recipe {
                folders: Vec::new(),
                files: vec![(settings, text), (users, "\"postgres\" \"\"\n".to_owned())],
                initialise: Vec::new(),
                serve: Invocation::new(serve),
                url: format!("postgres://postgres@127.0.0.1:{port}"),
            })
        })
    }

    /// The words that run it.
    fn pooler(&self) -> Result<Vec<String>, ServerError> {
        let packaged = PathBuf::from(PACKAGED);
        if !packaged.exists() && is_root() && debian::has("pgbouncer") {
            self.report("installing pgbouncer");
            debian::install(&["pgbouncer"])?;
        }
        if packaged.exists() {
            return Ok(vec![PACKAGED.to_owned()]);
        }
        let unpacked = Unpacked::get(self, "pgbouncer", "trixie", &["pgbouncer", "libc6"])?;
        Ok(unpacked.run("sbin/pgbouncer"))
    }
}
