//! `cargo xtask crash`, `cargo xtask race` and `cargo xtask storm`: runs that are hit, on servers of their own.

use std::process::{ExitCode, Stdio};

use anyhow::{Context as _, Result};

use crate::context::Context;

/// Where a run is hit if nobody says otherwise: the newest of each engine.
const PLACES: [&str; 4] = ["sqlite", "postgres18", "mariadb11.8", "mysql9.7"];

pub(crate) fn crash(context: &Context, words: &[String]) -> Result<ExitCode> {
    drill(context, "crash", words)
}

pub(crate) fn race(context: &Context, words: &[String]) -> Result<ExitCode> {
    drill(context, "race", words)
}

pub(crate) fn storm(context: &Context, words: &[String]) -> Result<ExitCode> {
    drill(context, "storm", words)
}

fn drill(context: &Context, verb: &str, words: &[String]) -> Result<ExitCode> {
    let cache = context.cache()?;
    let mut command = context.cargo(&["run", "-q", "-p", "trueup-drill", "--", verb, "--cache"]);
    command.arg(cache).args(words);
    if places(words).is_empty() {
        command.args(PLACES);
    }
    let status = command.stdin(Stdio::null()).status().context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The words that are no flags and no values of flags.
fn places(words: &[String]) -> Vec<&String> {
    let mut places = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.starts_with("--") {
            words.next();
        } else {
            places.push(word);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_flags_are_no_places() {
        let words = ["--sample", "20", "sqlite", "--seed", "7"].map(str::to_owned);
        assert_eq!(places(&words), ["sqlite"]);
        assert!(places(&words[..2]).is_empty());
    }
}
