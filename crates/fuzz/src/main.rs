//! `trueup-fuzz`: takes random schemas from one to another on servers of its own (`--cache FOLDER NAME…`) or on those that it
//! is given (`--server NAME=URL`).
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line for the people who work on trueup")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use trueup_fuzz::{Failure, Field, MySql, Postgres, Sqlite, Verdict, Wanted, campaign, case, judge, worlds};
use trueup_testkit::servers::{Engine, ServerName, TestServer};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match act(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Asked {
    wanted: Wanted,
    fields: Vec<Field>,
    keep: Option<PathBuf>,
    replay: Vec<PathBuf>,
    show: bool,
}

fn act(words: &[String]) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let asked = asked(words)?;
    runtime.block_on(async {
        let mut failed = false;
        for field in &asked.fields {
            failed |= match asked.replay.as_slice() {
                [] if asked.show => show(field, asked.wanted).await?,
                [] => hunt(field, &asked).await?,
                files => replay(field, files).await?,
            };
        }
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}

fn asked(words: &[String]) -> Result<Asked> {
    let wanted = Wanted { pairs: 200, seed: 1, workers: 2, tries: 400 };
    let mut asked = Asked { wanted, fields: Vec::new(), keep: None, replay: Vec::new(), show: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--pairs" => asked.wanted.pairs = value()?.parse()?,
            "--seed" => asked.wanted.seed = value()?.parse()?,
            "--tries" => asked.wanted.tries = value()?.parse()?,
            "--workers" => asked.wanted.workers = value()?.parse()?,
            "--show" => asked.show = true,
            "--keep" => asked.keep = Some(value()?.into()),
            "--replay" => asked.replay.push(value()?.into()),
            "--server" => {
                let text = value()?;
                let (name, url) = text.split_once('=').context("a server is NAME=URL")?;
                asked.fields.push(on_server(name, url)?);
            }
            "sqlite" => asked.fields.push(Field { arena: Arc::new(Sqlite), generator: Arc::new(Sqlite) }),
            other => bail!("`{other}`?"),
        }
    }
    Ok(asked)
}

async fn hunt(field: &Field, asked: &Asked) -> Result<bool> {
    let (name, folder) = (format!("{field:?}"), asked.keep.clone());
    let hear = move |failure: &Failure| {
        println!("== {name} seed {}: {}\n{}\n{}", failure.seed, failure.what, failure.detail, failure.case);
        if let Some(Err(error)) = folder.as_ref().map(|folder| keep(folder, &name, failure)) {
            eprintln!("error: {error:#}");
        }
    };
    let tally = campaign(field, asked.wanted, Arc::new(hear)).await?;
    println!("{field:?}: {}", tally.words());
    Ok(!tally.failures.is_empty())
}

fn keep(folder: &Path, name: &str, failure: &Failure) -> Result<()> {
    let folder = folder.join(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(format!("seed-{}.sql", failure.seed)), &failure.case)?)
}

async fn replay(field: &Field, files: &[PathBuf]) -> Result<bool> {
    let mut failed = false;
    for file in files {
        let verdict = judge(field.arena.as_ref(), &case::read(&std::fs::read_to_string(file)?)).await?;
        println!("{}: {}", file.display(), words(&verdict));
        failed |= matches!(verdict, Verdict::Failed { .. } | Verdict::Invalid(_));
    }
    Ok(failed)
}

/// Shows the pairs themselves, and what becomes of them.
async fn show(field: &Field, wanted: Wanted) -> Result<bool> {
    for seed in wanted.seed..wanted.seed + wanted.pairs {
        let pair = worlds(field, seed).await?.0.pair();
        println!("{}", case::write(&format!("seed {seed}"), &pair));
        println!("{}", words(&judge(field.arena.as_ref(), &pair).await?));
    }
    Ok(false)
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Converged => verdict.word().to_owned(),
        Verdict::Refused { detail, .. } | Verdict::Failed { detail, .. } | Verdict::Invalid(detail) => {
            format!("{}\n{detail}", verdict.word())
        }
    }
}

/// The field of a server.
fn on_server(name: &str, url: &str) -> Result<Field> {
    let parsed: ServerName = name.parse().map_err(|_| anyhow::anyhow!("no server is called {name}"))?;
    let url = url.trim_end_matches('/').to_owned();
    let server = TestServer { engine: parsed.engine, version: parsed.version.to_owned(), url };
    Ok(match parsed.engine {
        Engine::Postgres => {
            Field { arena: Arc::new(Postgres::new(server.clone())), generator: Arc::new(Postgres::new(server)) }
        }
        Engine::MySql | Engine::MariaDb => {
            Field { arena: Arc::new(MySql::new(server.clone())), generator: Arc::new(MySql::new(server)) }
        }
    })
}
