//! Servers of our own, which may be killed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use trueup::session::{ConnectOptions, DatabaseUrl, connector};
use trueup_testkit::servers::{Home, Lifetime, RunningServer, ServerName};

use crate::arena::Place;
use crate::crash::Wanted;

/// Every server that this process has started.
static RUNNING: Mutex<BTreeMap<String, (Arc<Home>, RunningServer)>> = Mutex::new(BTreeMap::new());

/// Where servers come from that a drill starts for itself.
pub(crate) fn home(wanted: &Wanted) -> Result<Home> {
    let cache = wanted.cache.as_ref().context("servers of our own need --cache FOLDER")?;
    Ok(Home::new(cache, |_| {}))
}

/// Starts `names` with their programs kept in `cache`.
pub(crate) fn start(cache: &PathBuf, names: &[String]) -> Result<Vec<Place>> {
    let home = Arc::new(Home::new(cache, |_| {}));
    let mut places = Vec::new();
    for name in names {
        let parsed: ServerName = name.parse().map_err(|_| anyhow::anyhow!("no server is called {name}"))?;
        let server = home.start(parsed, Lifetime::Owner).with_context(|| format!("cannot start {name}"))?;
        let (server_url, pid) = (server.record().url.clone(), server.record().pid);
        places.push(Place { name: name.clone(), server: server_url, pid: Some(pid) });
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), (Arc::clone(&home), server));
    }
    Ok(places)
}

/// The file with what one of them prints.
pub(crate) fn log(place: &Place) -> Result<PathBuf> {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, server) = running.get(&place.name).context("that server is not ours")?;
    Ok(server.record().folder.join("log"))
}

/// Stops them all.
pub(crate) fn stop() {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Starts a server again that was killed, on the same port and data, and waits until it lets somebody in.
pub(crate) async fn revive(place: &Place) -> Result<()> {
    {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let (home, server) = running.get_mut(&place.name).context("that server is not ours")?;
        home.revive(server)?;
    }
    let url = DatabaseUrl::parse(&match place.name.starts_with("postgres") {
        true => format!("{}/postgres", place.server),
        false => place.server.clone(),
    })?;
    let connector = connector(url)?;
    let mut last = None;
    for _ in 0..300 {
        match connector.connect(&ConnectOptions::default()).await {
            Ok(session) => return Ok(session.close().await?),
            Err(error) => last = Some(error),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(last.map_or_else(|| anyhow::anyhow!("it does not answer"), Into::into))
}
