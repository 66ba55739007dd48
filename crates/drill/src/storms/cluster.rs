//! Runners on every node of a cluster whose nodes all write.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use trueup::session::DatabaseUrl;
use trueup_testkit::servers::RunningServer;

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::{Kind, kind};
use crate::log::{Log, Logged};
use crate::process::spawn;
use crate::race::join_all;

const NODES: usize = 3;
const RUNNERS: usize = 8;

pub(crate) async fn cluster(wanted: &Wanted) -> Result<String> {
    let rounds = wanted.sample.unwrap_or(50).min(50);
    let nodes = crate::servers::home(wanted)?.start_cluster(NODES)?;
    let mut words = BTreeMap::new();
    let mut logged = 0;
    for round in 0..rounds {
        let name = ["several", "create-table", "create-index"][round % 3];
        let first = nodes.get(round % NODES).context("no node")?;
        let arena = Arena::new(&place(first))?;
        let kind = kind(arena.place.dialect(), name)?;
        logged +=
            one(&arena, &kind, &nodes, wanted, &mut words).await.with_context(|| format!("round {round}, {name}"))?;
        arena.clear().await?;
    }
    let words: Vec<String> = words.iter().map(|(word, runs)| format!("{runs} {word}")).collect();
    Ok(format!(
        "{rounds} rounds of {RUNNERS} runners on {NODES} nodes: {}; {logged} statements in the logs of the nodes, each told once",
        words.join(", ")
    ))
}

/// A node as a place; the process number says that its logs are ours to turn on.
fn place(node: &RunningServer) -> Place {
    let record = node.record();
    Place { name: "mariadb11.8".to_owned(), server: record.url.clone(), pid: Some(record.pid) }
}

async fn one(
    arena: &Arena,
    kind: &Kind,
    nodes: &[RunningServer],
    wanted: &Wanted,
    words: &mut BTreeMap<String, usize>,
) -> Result<usize> {
    arena.reset(kind).await?;
    let (document, rows) = (arena.document(kind).await?, arena.rows(kind).await?);
    let mut logs = Vec::new();
    for node in nodes {
        let at = arena.at(place(node))?;
        at.settled().await?;
        logs.push((Log::open(&at).await?, at));
    }
    let mut jobs = Vec::new();
    for number in 0..RUNNERS {
        let node = nodes.get(number % nodes.len()).context("no node")?;
        let url = DatabaseUrl::parse(&format!("{}/{}", node.record().url, arena.name()))?;
        jobs.push(Job { lock_wait_ms: 110_000, ..Job::new(&url, &document) });
    }
    let mut ran = 0;
    for run in join_all(jobs.iter().map(|job| spawn(job, arena, wanted))).await {
        let ended = run?.context("a runner died")?;
        let word = ended.status.map_err(|why| anyhow::anyhow!("a runner failed: {why}"))?;
        *words.entry(word).or_default() += 1;
        ran += usize::from(ended.statements > 0);
    }
    ensure!(ran == 1, "{ran} runners ran statements");
    let mut told: Vec<Logged> = Vec::new();
    for (log, at) in &logs {
        at.settled().await?;
        // What a node only applies, it does not log as told by a client.
        let statements = log.schema_changes(at).await?.context("no log")?;
        told.extend(statements);
        at.check(&document).await?;
        ensure!(at.rows(kind).await? == rows, "rows differ on a node");
    }
    let mut texts: Vec<&str> = told.iter().map(|one| one.sql.as_str()).collect();
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    ensure!(all > 0, "the logs name no statement");
    ensure!(texts.len() == all, "told more than once: {told:?}");
    let history = arena.pipeline()?.standing(100).await?.records.map_or(0, |records| records.history.len());
    ensure!(history == 1, "{history} entries in the history");
    Ok(all)
}
