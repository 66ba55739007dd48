//! Every sample on every server.

use trueup_testkit::{TestDatabase, servers};

use super::samples::{Names, samples};
use super::{Postgres, Renderer};

async fn run_all(names: Names) {
    for server in servers::postgres() {
        let version: u32 = server.version.parse().unwrap();
        let database = TestDatabase::on(&server).await.unwrap();
        let mut session = database.session().await.unwrap();
        let mut skipped = 0;
        let samples = samples(names);
        let count = samples.len();
        for sample in samples {
            if sample.since.is_none_or(|since| since > version) {
                skipped += 1;
                continue;
            }
            for statement in Postgres.change(&sample.change).unwrap() {
                let result = session.execute(&statement.sql).await;
                assert!(result.is_ok(), "{} on {}: {result:?}\n{}", sample.label, server.name(), statement.sql);
            }
        }
        assert!(skipped < count / 4, "{skipped} of {count} samples skipped on {}", server.name());
        session.close().await.unwrap();
    }
}

#[tokio::test]
async fn servers_take_every_sample() {
    run_all(Names::plain()).await;
}

#[tokio::test]
async fn names_that_try_to_break_out_stay_names() {
    run_all(Names::hostile()).await;
}
