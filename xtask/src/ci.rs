//! `cargo xtask ci`: everything that must hold before a change lands.

use std::process::{ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use crate::context::Context;
use crate::{test, tidy};

/// A step: its name and what it does.
type Step = (&'static str, fn(&Context) -> Result<ExitCode>);

/// The steps, in order, cheapest first.
const STEPS: [Step; 4] = [
    ("format", |context| cargo(context, &["fmt", "--all", "--check"])),
    ("tidy", |context| tidy::run(context, &[])),
    ("clippy", |context| cargo(context, &["clippy", "--workspace", "--all-targets", "-j2", "--", "-D", "warnings"])),
    ("test", |context| test::run(context, &[])),
];

/// Runs every step, also after one that failed, so that one run shows all that is wrong.
pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    ensure!(words.is_empty(), "`ci` takes no arguments");
    let mut summary = Vec::new();
    let mut is_good = true;
    for (name, step) in STEPS {
        println!("== {name}");
        let start = now();
        let result = step(context);
        let verdict = match result {
            Ok(code) if code == ExitCode::SUCCESS => "ok",
            Ok(_) => "failed",
            Err(error) => {
                eprintln!("error: {error:#}");
                "failed"
            }
        };
        is_good &= verdict == "ok";
        summary.push(format!("{name}: {verdict}, {} s", start.elapsed().as_secs()));
    }
    println!("== summary\n{}", summary.join("\n"));
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cargo(context: &Context, words: &[&str]) -> Result<ExitCode> {
    let status = context.cargo(words).stdin(Stdio::null()).status().context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(clippy::disallowed_methods, reason = "shows people where the time goes, and decides nothing")]
fn now() -> Instant {
    Instant::now()
}
