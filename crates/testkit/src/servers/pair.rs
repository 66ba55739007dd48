//! A PostgreSQL primary with a streaming replica, for drills of a failover.

use std::path::Path;

use super::command::Invocation;
use super::{Engine, Home, Lifetime, RunningServer, ServerError, ServerName, postgres};

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

/// A folder with everything in it and about it.
fn copy(from: &Path, to: &Path) -> Invocation {
    Invocation::new(["cp".to_owned(), "-a".to_owned(), from.display().to_string(), to.display().to_string()])
}

/// Of two values for a setting the server takes the last.
fn settings(serve: &mut Invocation, settings: &[&str]) {
    serve.words.extend(settings.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]));
}
