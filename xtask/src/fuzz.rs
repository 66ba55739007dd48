//! `cargo xtask fuzz`: random schemas taken from one to another, on servers of its own.

use std::process::{ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use trueup_testkit::servers::{Engine, Lifetime, RunningServer, ServerName};

use crate::context::Context;
use crate::test::SERVERS;

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    let (dialects, rest) = read(words)?;
    let home = context.servers()?;
    home.reap().context("cannot remove what a killed run left behind")?;
    let mut servers: Vec<RunningServer> = Vec::new();
    let mut command = context.cargo(&["run", "-q", "-p", "trueup-fuzz", "--"]);
    for dialect in &dialects {
        if dialect == "sqlite" {
            command.arg("sqlite");
            continue;
        }
        for name in named(dialect)? {
            let server = home.start(name, Lifetime::Owner).with_context(|| format!("cannot start {name}"))?;
            command.arg("--server").arg(format!("{name}={}", server.record().url));
            servers.push(server);
        }
    }
    // what fails is kept where the tests find it
    command.arg("--keep").arg(context.root.join("tests/found")).args(rest);
    let status = command.stdin(Stdio::null()).status().context("cannot run cargo")?;
    drop(servers);
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The dialects or servers asked for, or all, and the other words.
fn read(words: &[String]) -> Result<(Vec<String>, Vec<String>)> {
    let (mut dialects, mut rest) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--dialect" => dialects.push(words.next().context("--dialect needs a value")?.clone()),
            "--pairs" | "--seed" => {
                rest.push(word.clone());
                rest.push(words.next().with_context(|| format!("{word} needs a value"))?.clone());
            }
            other => bail!("`{other}`: only --dialect, --pairs and --seed"),
        }
    }
    if dialects.is_empty() {
        dialects = ["sqlite", "postgres", "mariadb", "mysql"].map(str::to_owned).to_vec();
    }
    Ok((dialects, rest))
}

/// The servers of a dialect, or the one server of that name.
fn named(dialect: &str) -> Result<Vec<ServerName>> {
    let engine = match dialect {
        "postgres" => Engine::Postgres,
        "mariadb" => Engine::MariaDb,
        "mysql" => Engine::MySql,
        one => return Ok(vec![one.parse().map_err(|_| anyhow::anyhow!("no dialect or server is called {one}"))?]),
    };
    Ok(SERVERS.into_iter().filter(|name| name.engine == engine).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_dialects() {
        let words = ["--dialect", "sqlite", "--pairs", "20", "--dialect", "postgres18"].map(str::to_owned);
        let (dialects, rest) = read(&words).unwrap();
        assert_eq!(dialects, ["sqlite", "postgres18"]);
        assert_eq!(rest, ["--pairs", "20"]);
        assert_eq!(read(&[]).unwrap().0.len(), 4);
        assert!(read(&["--what".to_owned()]).is_err());
        assert_eq!(named("mysql").unwrap().len(), 1);
        assert!(named("db2").is_err());
    }
}
