//! `cargo xtask db`: servers that stay until they are stopped.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use trueup_testkit::servers::{Home, Lifetime, ServerName, ServerRecord};

use crate::context::Context;
use crate::test;

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    let Some((verb, names)) = words.split_first() else { bail!("say `db up`, `db down`, `db urls` or `db env`") };
    let home = context.servers()?;
    let names: Vec<ServerName> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>().context(known())?;
    match verb.as_str() {
        "up" => up(&home, &names)?,
        "down" => down(&home, &names)?,
        "urls" => print_urls(&home, &names),
        "env" => print!("{}", exports(&chosen(home.kept(), &names))),
        other => bail!("`db {other}` is not known: up, down, urls or env"),
    }
    Ok(ExitCode::SUCCESS)
}

fn known() -> String {
    let names: Vec<String> = ServerName::KNOWN.iter().map(ToString::to_string).collect();
    format!("the servers are {}", names.join(", "))
}

fn up(home: &Home, names: &[ServerName]) -> Result<()> {
    home.reap()?;
    let names = if names.is_empty() { &test::SERVERS } else { names };
    for name in names {
        if home.kept().iter().any(|record| record.name == name.to_string()) {
            continue;
        }
        home.start(*name, Lifetime::Kept).with_context(|| format!("cannot start {name}"))?;
    }
    print_urls(home, names);
    Ok(())
}

fn down(home: &Home, names: &[ServerName]) -> Result<()> {
    for record in chosen(home.kept(), names) {
        record.stop().with_context(|| format!("cannot stop {}", record.name))?;
        println!("stopped {}", record.name);
    }
    home.reap().context("cannot remove what was left behind")
}

fn print_urls(home: &Home, names: &[ServerName]) {
    for record in chosen(home.kept(), names) {
        println!("{} {}", record.name, record.url);
    }
}

fn chosen(records: Vec<ServerRecord>, names: &[ServerName]) -> Vec<ServerRecord> {
    let is_chosen = |record: &ServerRecord| names.is_empty() || names.iter().any(|n| n.to_string() == record.name);
    records.into_iter().filter(is_chosen).collect()
}

/// Shell lines that let `cargo test` use the kept servers.
fn exports(records: &[ServerRecord]) -> String {
    let lines = test::variables(records).into_iter().map(|(name, value)| format!("export {name}='{value}'\n"));
    lines.collect()
}
