//! Automation of the trueup workspace: `cargo xtask` lists what it can do.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line for the people who work on trueup")]

mod bench;
mod ci;
mod context;
mod db;
mod demo;
mod drill;
mod fuzz;
mod snapshots;
mod test;
mod tidy;
mod verbs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match verbs::run(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
