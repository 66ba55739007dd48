//! `cargo xtask test`: every test, against real servers.

use std::process::{Command, ExitCode, ExitStatus, Stdio};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::signal::unix::{SignalKind, signal};
use trueup_testkit::servers::{
    CACHE_VARIABLE, Engine, Home, Lifetime, MYSQL_VARIABLE, POSTGRES_VARIABLE, RunningServer, ServerName, ServerRecord,
};

use crate::context::Context;

/// The servers that a full run covers. Extend it here and nowhere else.
pub(crate) const SERVERS: [ServerName; 6] = [
    ServerName { engine: Engine::Postgres, version: "14" },
    ServerName { engine: Engine::Postgres, version: "15" },
    ServerName { engine: Engine::Postgres, version: "18" },
    ServerName { engine: Engine::MariaDb, version: "10.11" },
    ServerName { engine: Engine::MariaDb, version: "11.8" },
    ServerName { engine: Engine::MySql, version: "9.7" },
];

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    let (names, cargo_words) = read(words)?;
    run_with(context, &names, &cargo_words, &[])
}

/// Runs `cargo test` with `cargo_words` and `environment` beside these servers.
pub(crate) fn run_with(
    context: &Context,
    names: &[ServerName],
    cargo_words: &[String],
    environment: &[(&str, &str)],
) -> Result<ExitCode> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        // From here on a signal no longer ends us, so the servers below are stopped whatever happens.
        let mut interrupts = Interrupts::new()?;
        let home = context.servers()?;
        home.reap().context("cannot remove what a killed run left behind")?;
        let servers = start(&home, names)?;
        let records: Vec<ServerRecord> = servers.iter().map(|server| server.record().clone()).collect();
        let covered = covered(names, &records)?;
        println!("servers: {covered}");
        let mut command = context.cargo(&["test", "-j2"]);
        command
            .args(cargo_words)
            .env(CACHE_VARIABLE, context.cache()?)
            .envs(variables(&records))
            .envs(environment.iter().copied());
        let status = cargo_test(command, &mut interrupts).await;
        // Stop them before the last word, so that a failure to do so cannot hide behind it.
        drop(servers);
        let status = status?;
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
        println!("covered: {covered}");
        Ok(ExitCode::SUCCESS)
    })
}

/// The servers to start and the arguments of `cargo test`.
fn read(words: &[String]) -> Result<(Vec<ServerName>, Vec<String>)> {
    let (names, rest) = match words {
        [flag, names, rest @ ..] if flag == "--servers" => {
            (names.split(',').map(str::parse).collect::<Result<Vec<ServerName>, _>>()?, rest)
        }
        rest => (SERVERS.to_vec(), rest),
    };
    let all = ["--workspace".to_owned()];
    Ok((names, if rest.is_empty() { all.to_vec() } else { rest.to_vec() }))
}

/// Starts all of them side by side.
fn start(home: &Home, names: &[ServerName]) -> Result<Vec<RunningServer>> {
    let started: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            names.iter().map(|name| (name, scope.spawn(|| home.start(*name, Lifetime::Owner)))).collect();
        threads.into_iter().map(|(name, thread)| (name, thread.join())).collect()
    });
    // Every thread has ended: on an error the servers that did start are dropped, which stops them.
    let mut servers = Vec::new();
    for (name, result) in started {
        let Ok(result) = result else { bail!("the start of {name} panicked") };
        servers.push(result.with_context(|| format!("cannot start {name}"))?);
    }
    Ok(servers)
}

/// What the servers say of themselves; an error if one is not what it should be.
fn covered(names: &[ServerName], records: &[ServerRecord]) -> Result<String> {
    let mut said = Vec::new();
    for name in names {
        let record = records.iter().find(|record| record.name == name.to_string());
        let version = record.with_context(|| format!("{name} is missing"))?.version()?;
        if !name.covers(&version) {
            bail!("{name} calls itself {version}");
        }
        said.push(format!("{name} ({version})"));
    }
    Ok(said.join(", "))
}

/// The environment variables that hand the servers to the tests.
pub(crate) fn variables(records: &[ServerRecord]) -> Vec<(&'static str, String)> {
    let is_postgres = |record: &&ServerRecord| record.name.starts_with("postgres");
    let postgres = records.iter().filter(is_postgres).map(|r| format!("{}={}", r.name.replace("postgres", ""), r.url));
    let others = records.iter().filter(|record| !is_postgres(record)).map(|r| format!("{}={}", r.name, r.url));
    let mut variables = vec![(POSTGRES_VARIABLE, postgres.collect::<Vec<_>>().join(","))];
    variables.push((MYSQL_VARIABLE, others.collect::<Vec<_>>().join(",")));
    variables
}

/// Runs `command` to its end, or ends it and all that it started when a signal asks for that.
async fn cargo_test(mut command: Command, interrupts: &mut Interrupts) -> Result<ExitStatus> {
    command.stdin(Stdio::null());
    // A group of its own, so that an interrupt reaches the test programs too and not only `cargo`.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = tokio::process::Command::from(command).spawn().context("cannot run cargo")?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    tokio::select! {
        status = child.wait() => Ok(status?),
        name = interrupts.next() => {
            if let Some(group) = group {
                kill_process_group(group, Signal::TERM)?;
            }
            child.wait().await?;
            bail!("stopped by {name}")
        }
    }
}

/// The signals that ask us to stop.
struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

impl Interrupts {
    fn new() -> Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "an interrupt",
            _ = self.terminate.recv() => "a request to terminate",
            _ = self.hangup.recv() => "the end of the terminal",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, port: u16) -> ServerRecord {
        let url = format!("scheme://127.0.0.1:{port}");
        ServerRecord { name: name.to_owned(), url, port, pid: 0, folder: "/nowhere".into() }
    }

    #[test]
    fn servers_travel_by_family() {
        let records = [record("postgres14", 1), record("mariadb10.11", 2), record("postgres18", 3)];
        let variables = variables(&records);
        assert_eq!(variables[0].1, "14=scheme://127.0.0.1:1,18=scheme://127.0.0.1:3");
        assert_eq!(variables[1].1, "mariadb10.11=scheme://127.0.0.1:2");
    }

    #[test]
    fn a_missing_server_is_an_error() {
        let error = covered(&SERVERS, &[]).unwrap_err().to_string();
        assert_eq!(error, "postgres14 is missing");
    }

    #[test]
    fn words_choose_servers_and_tests() {
        let words = ["--servers", "postgres18", "-p", "trueup-lock"].map(str::to_owned);
        let (names, rest) = read(&words).unwrap();
        assert_eq!(names, ["postgres18".parse().unwrap()]);
        assert_eq!(rest, ["-p", "trueup-lock"]);
        assert_eq!(read(&[]).unwrap().1, ["--workspace"]);
        assert!(read(&["--servers", "db2"].map(str::to_owned)).is_err());
    }
}
