//! A primary with its replica, for drills of a failover and of replicas that lag.

use std::path::Path;

use super::command::Invocation;
use super::{Engine, Home, Lifetime, RunningServer, ServerError, ServerName, mariadb, mysql, postgres};

/// Settings of both ends.
const SETTINGS: [&str; 5] = [
    "wal_level=replica",
    "max_wal_senders=10",
    "hot_standby=on",
    "synchronous_commit=on",
    "wal_receiver_status_interval=1",
];

/// Where the data of a new cluster is kept aside, for the replica to begin with.
const SEED: &str = "seed";

impl Home {
    /// Starts a primary of `version` and a replica that streams from it; the primary comes first.
    ///
    /// # Errors
    /// As [`Home::start`].
    pub fn start_pair(&self, version: &'static str) -> Result<(RunningServer, RunningServer), ServerError> {
        let name = ServerName::postgres(version);
        let primary = Self::start_as(&name.to_string(), Engine::Postgres, Lifetime::Owner, &|run: &Path, port| {
            let mut recipe = postgres::recipe(self, version, run, port)?;
            recipe.initialise.push(copy(&run.join("data"), &run.join(SEED)));
            settings(&mut recipe.serve, &SETTINGS);
            Ok(recipe)
        })?;
        let record = primary.record();
        let seed = record.folder.join("run").join(SEED);
        let source = format!("primary_conninfo=host=127.0.0.1 port={} user=postgres", record.port);
        let replica = Self::start_as(&name.to_string(), Engine::Postgres, Lifetime::Owner, &|run: &Path, port| {
            let mut recipe = postgres::recipe(self, version, run, port)?;
            let data = run.join("data");
            let signal = data.join("standby.signal").display().to_string();
            recipe.initialise = vec![copy(&seed, &data), Invocation::new(["touch".to_owned(), signal])];
            settings(&mut recipe.serve, &SETTINGS);
            settings(&mut recipe.serve, &[source.as_str()]);
            Ok(recipe)
        })?;
        Ok((primary, replica))
    }
}

impl Home {
    /// Starts two servers of MySQL or MariaDB that write binary logs; the second follows the first once it is told to, by global
    /// transaction ids.
    ///
    /// # Errors
    /// As [`Home::start`].
    pub fn start_with_logs(&self, name: ServerName) -> Result<(RunningServer, RunningServer), ServerError> {
        let start = |number: u8| {
            Self::start_as(&name.to_string(), name.engine, Lifetime::Owner, &|run: &Path, port| {
                let is_mysql = name.engine == Engine::MySql;
                let recipe = if is_mysql { mysql::recipe } else { mariadb::recipe };
                let mut recipe = recipe(self, name.version, run, port)?;
                let words = &mut recipe.serve.words;
                words.retain(|word| word != "--skip-log-bin");
                words.extend([format!("--server-id={number}"), "--log-bin=bin".to_owned()]);
                let ids = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"];
                words.extend(ids.iter().filter(|_| is_mysql).map(|word| (*word).to_owned()));
                Ok(recipe)
            })
        };
        Ok((start(1)?, start(2)?))
    }
}

/// A folder with everything in it and about it.
fn copy(from: &Path, to: &Path) -> Invocation {
    Invocation::new(["cp".to_owned(), "-a".to_owned(), from.display().to_string(), to.display().to_string()])
}

/// Of two values for a setting the server takes the last.
fn settings(serve: &mut Invocation, settings: &[&str]) {
    serve.words.extend(settings.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]));
}
