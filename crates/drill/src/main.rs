//! Kills, races and starves runs of trueup, and looks at what is left.
//!
//! `crash`, `race` and `storm` start servers of their own (`--cache FOLDER NAME…`) or use those that they are given
//! (`--server NAME=URL`). `run FILE` is one run in a process of its own, which the others start and hit.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line for the people who work on trueup")]

mod arena;
mod crash;
mod job;
mod kinds;
mod log;
mod loud;
mod points;
mod process;
mod race;
mod runner;
mod servers;
mod snare;
mod storms;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::arena::Place;
use crate::crash::Wanted;
use crate::storms::Storm;

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

fn act(words: &[String]) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let Some((verb, rest)) = words.split_first() else { bail!("crash, race, storm or run") };
    let result = match verb.as_str() {
        "run" => {
            let path = rest.first().context("which job?")?;
            let job = serde_json::from_slice(&std::fs::read(path)?)?;
            let ended = runtime.block_on(runner::run(&job))?;
            println!("{}", serde_json::to_string(&ended)?);
            Ok(ExitCode::SUCCESS)
        }
        "crash" => runtime.block_on(crash_all(&wanted(rest)?)),
        "race" => runtime.block_on(race_all(&wanted(rest)?)),
        "storm" => runtime.block_on(storm_all(&wanted(rest)?)),
        other => bail!("no verb is called `{other}`: crash, race, storm or run"),
    };
    servers::stop();
    // a session that nobody answers must not keep us
    runtime.shutdown_background();
    result
}

/// Reads `[--cache FOLDER] [--server NAME=URL]… [--sample N] [--seed S] [--only TEXT] [NAME…]`.
fn wanted(words: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted {
        places: Vec::new(),
        seed: rand::random(),
        sample: None,
        only: None,
        binary: std::env::current_exe()?,
        cache: None,
    };
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--cache" => wanted.cache = Some(PathBuf::from(value()?)),
            "--sample" => wanted.sample = Some(value()?.parse()?),
            "--seed" => wanted.seed = value()?.parse()?,
            "--only" => wanted.only = Some(value()?),
            "--server" => {
                let text = value()?;
                let (name, url) = text.split_once('=').context("a server is NAME=URL")?;
                wanted.places.push(Place { name: name.to_owned(), server: url.to_owned(), pid: None });
            }
            "sqlite" => wanted.places.push(Place { name: "sqlite".to_owned(), server: String::new(), pid: None }),
            name => names.push(name.to_owned()),
        }
    }
    if !names.is_empty() {
        let cache = wanted.cache.clone().context("servers of our own need --cache FOLDER")?;
        wanted.places.extend(servers::start(&cache, &names)?);
    }
    Ok(wanted)
}

async fn crash_all(wanted: &Wanted) -> Result<ExitCode> {
    println!("seed {}", wanted.seed);
    let mut tasks = Vec::new();
    for place in &wanted.places {
        let (place, wanted) = (place.clone(), wanted.clone());
        tasks.push((place.name.clone(), tokio::spawn(async move { crash::matrix(place, &wanted).await })));
    }
    let mut failures = 0;
    for (name, task) in tasks {
        let tally = task.await??;
        let points: Vec<String> = tally.points.iter().map(|(point, cells)| format!("{point} {cells}")).collect();
        let reruns: Vec<String> = tally.reruns.iter().map(|(runs, cells)| format!("{cells} after {runs}")).collect();
        println!(
            "{name}: {} cells, {} converged ({}), {} refused with a reason, {} failed, {} not hit; {}",
            tally.cells,
            tally.converged,
            reruns.join(", "),
            tally.refused,
            tally.failures.len(),
            tally.missed,
            points.join(", ")
        );
        for failure in &tally.failures {
            println!("  failed: {failure}");
        }
        failures += tally.failures.len();
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How many runners race, and how often each of these numbers.
const RUNNERS: [usize; 3] = [2, 8, 32];
const ROUNDS: usize = 200;

async fn race_all(wanted: &Wanted) -> Result<ExitCode> {
    let is_meant = |runners: usize| wanted.only.as_ref().is_none_or(|only| *only == runners.to_string());
    let mut failures = 0;
    for place in &wanted.places {
        for runners in RUNNERS.into_iter().filter(|runners| is_meant(*runners)) {
            // the smallest sample is for a run of all tests, which has other things to do
            if wanted.sample == Some(1) && runners > 8 {
                continue;
            }
            let rounds = wanted.sample.map_or(ROUNDS, |sample| sample.min(ROUNDS));
            let said = race::races(place.clone(), runners, rounds, wanted).await?;
            let words: Vec<String> = said.words.iter().map(|(word, runs)| format!("{runs} {word}")).collect();
            println!(
                "{}: {} rounds of {runners} runners, {} runs: {}; {} statements in the server's log, each once; {} rounds failed",
                place.name,
                said.rounds,
                said.runs,
                words.join(", "),
                said.logged,
                said.failures.len()
            );
            failures += said.failures.len();
        }
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn storm_all(wanted: &Wanted) -> Result<ExitCode> {
    println!("seed {}", wanted.seed);
    let mut failures = 0;
    for storm in Storm::ALL.into_iter().filter(|storm| wanted.only.as_ref().is_none_or(|only| only == storm.name())) {
        for place in wanted.places.iter().filter(|place| storm.concerns(place.dialect())) {
            match storms::run(storm, place, wanted).await {
                Ok(seen) => println!("{} {}: {seen}", storm.name(), place.name),
                Err(error) => {
                    println!("FAILED {} {}: {error:#}", storm.name(), place.name);
                    failures += 1;
                }
            }
        }
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
