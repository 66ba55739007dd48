//! Runners on every node of a cluster whose nodes all write.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use trueup::session::{ConnectOptions, DatabaseUrl, Session, connector};
use trueup_testkit::servers::RunningServer;

use super::storm::Storm;
use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::{Kind, kind};
use crate::log::{Log, Logged};
use crate::process::spawn;
use crate::race::join_all;

const NODES: usize = 3;
const RUNNERS: usize = 8;

/// Rounds if the cluster is what is wanted, and if it is one drill among others.
const ROUNDS: (usize, usize) = (50, 6);

/// What the rounds have seen.
#[derive(Debug, Default)]
struct Seen {
    /// Runs by their last word.
    words: BTreeMap<String, usize>,
    /// Statements that change the schema in the logs of the nodes.
    logged: usize,
    /// Rounds by the node whose client told them.
    nodes: BTreeMap<usize, usize>,
}

/// Runners start at the same moment through three nodes, whose named locks are their own. Each round begins without control
/// tables, and every statement must be told once, to one node, by one session.
pub(crate) async fn cluster(wanted: &Wanted) -> Result<String> {
    let most = if wanted.only.as_deref() == Some(Storm::Cluster.name()) { ROUNDS.0 } else { ROUNDS.1 };
    let rounds = wanted.sample.map_or(most, |sample| sample.min(most));
    let nodes = crate::servers::home(wanted)?.start_cluster(NODES)?;
    for node in &nodes {
        synced(node).await?;
    }
    let mut seen = Seen::default();
    for round in 0..rounds {
        let name = ["several", "create-table", "create-index"][round % 3];
        let first = nodes.get(round % NODES).context("no node")?;
        let arena = Arena::new(&place(first))?;
        let kind = kind(arena.place.dialect(), name)?;
        one(&arena, &kind, &nodes, wanted, &mut seen).await.with_context(|| format!("round {round}, {name}"))?;
        arena.clear().await?;
    }
    let words: Vec<String> = seen.words.iter().map(|(word, runs)| format!("{runs} {word}")).collect();
    let told: Vec<String> = seen.nodes.iter().map(|(node, rounds)| format!("{rounds} on node {node}")).collect();
    Ok(format!(
        "{rounds} rounds of {RUNNERS} runners on {NODES} nodes: {}; {} statements in the logs of the nodes, each told once, \
         in rounds won {}",
        words.join(", "),
        seen.logged,
        told.join(", ")
    ))
}

/// A node as a place; the process number says that its log is ours to turn on.
fn place(node: &RunningServer) -> Place {
    let record = node.record();
    Place { name: "mariadb11.8".to_owned(), server: record.url.clone(), pid: Some(record.pid) }
}

async fn open(node: &RunningServer) -> Result<Box<dyn Session>> {
    Ok(connector(DatabaseUrl::parse(&node.record().url)?)?.connect(&ConnectOptions::default()).await?)
}

/// Waits until a node has everything and sees all the others.
async fn synced(node: &RunningServer) -> Result<()> {
    let sql = "SELECT group_concat(variable_value ORDER BY variable_name) FROM information_schema.global_status \
               WHERE variable_name IN ('WSREP_CLUSTER_SIZE', 'WSREP_LOCAL_STATE_COMMENT')";
    let mut last = String::new();
    for _ in 0..900 {
        // A node that is not ready lets nobody ask.
        match asked(node, sql).await {
            Ok(text) if text == format!("{NODES},Synced") => return Ok(()),
            Ok(text) => last = text,
            Err(error) => last = format!("{error:#}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("a node is never one of {NODES}: {last}")
}

async fn asked(node: &RunningServer, sql: &str) -> Result<String> {
    let mut session = open(node).await?;
    let text = session.query(sql, &[]).await?.first().map_or(Ok(""), |row| row.text(0))?.to_owned();
    session.close().await?;
    Ok(text)
}

/// Waits until a node has applied what the others had committed when it is asked.
async fn settled(node: &RunningServer) -> Result<()> {
    let mut session = open(node).await?;
    session.execute("SET SESSION wsrep_sync_wait = 15").await?;
    session.query("SELECT count(*) FROM information_schema.schemata", &[]).await?;
    Ok(session.close().await?)
}

async fn one(arena: &Arena, kind: &Kind, nodes: &[RunningServer], wanted: &Wanted, seen: &mut Seen) -> Result<()> {
    arena.reset(kind).await?;
    let (document, rows) = (arena.document(kind).await?, arena.rows(kind).await?);
    let mut places = Vec::new();
    for node in nodes {
        settled(node).await?;
        let at = arena.at(place(node))?;
        places.push((Log::open(&at).await?, at));
    }
    let mut jobs = Vec::new();
    for (_, at) in places.iter().cycle().take(RUNNERS) {
        jobs.push(Job { lock_wait_ms: 110_000, ..Job::new(&at.url()?, &document) });
    }
    let mut ran = 0;
    for run in join_all(jobs.iter().map(|job| spawn(job, arena, wanted))).await {
        let ended = run?.context("a runner died")?;
        let word = ended.status.map_err(|why| anyhow::anyhow!("a runner failed: {why}"))?;
        *seen.words.entry(word).or_default() += 1;
        ran += usize::from(ended.statements > 0);
    }
    ensure!(ran == 1, "{ran} runners ran statements");
    once(&places, seen).await?;
    for (node, (_, at)) in nodes.iter().zip(&places) {
        settled(node).await?;
        at.check(&document).await?;
        ensure!(at.rows(kind).await? == rows, "rows differ on a node");
        let history = at.pipeline()?.standing(100).await?.records.map_or(0, |records| records.history.len());
        ensure!(history == 1, "{history} entries in the history");
    }
    Ok(())
}

/// That every statement was told once, all of them to one node by one session.
async fn once(places: &[(Log, Arena)], seen: &mut Seen) -> Result<()> {
    let mut told: Vec<(usize, Logged)> = Vec::new();
    for (node, (log, at)) in places.iter().enumerate() {
        let statements = log.schema_changes(at).await?.context("no log")?;
        told.extend(statements.into_iter().map(|one| (node + 1, one)));
    }
    let Some((node, first)) = told.first() else { bail!("the logs name no statement") };
    for (at, (of, one)) in told.iter().enumerate() {
        ensure!(told[..at].iter().all(|(_, other)| other.sql != one.sql), "told twice: {told:?}");
        ensure!((of, one.backend) == (node, first.backend), "two sessions changed the schema: {told:?}");
    }
    seen.logged += told.len();
    *seen.nodes.entry(*node).or_default() += 1;
    Ok(())
}
