//! Sessions on real engines.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests fail and speak as tests do")]

mod mysql;
mod postgres;
mod servers;
mod sqlite;

use trueup_session::{ConnectOptions, Connector, DatabaseUrl, Session, connector};

fn to(url: &str) -> Box<dyn Connector> {
    connector(DatabaseUrl::parse(url).unwrap()).unwrap()
}

async fn open(url: &str) -> Box<dyn Session> {
    to(url).connect(&ConnectOptions::default()).await.unwrap()
}
