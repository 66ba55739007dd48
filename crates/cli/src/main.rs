//! The trueup command line: the only crate that prints, prompts, reads the environment or exits.

mod args;
mod cache;
mod commands;
mod config;
mod exit;
mod show;
mod target;

use std::process::ExitCode;

use clap::Parser;

/// A plan is very many small values, which the system's allocator takes a quarter of the time to find places for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(&error),
    };
    exit::of(commands::run(cli))
}
