//! One file per verb.

mod apply;
mod diff;
mod init;
mod inspect;
mod plan;
mod rehearse;

mod standing;

use clap::CommandFactory;

use crate::args::{Cli, Verb};
use crate::exit::{End, Failure};

/// Runs a verb.
pub(crate) fn run(cli: Cli) -> Result<End, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match cli.verb {
        Verb::Plan(args) => runtime.block_on(plan::run(&args)),
        Verb::Apply(args) => runtime.block_on(apply::run(&args)),
        Verb::Inspect(args) => runtime.block_on(inspect::run(&args)),
        Verb::Diff(args) => runtime.block_on(diff::run(&args)),
        Verb::Drift(args) => runtime.block_on(standing::drift(&args)),
        Verb::Status(args) => runtime.block_on(standing::status(&args)),
        Verb::Rehearse(args) => runtime.block_on(rehearse::run(&args)),
        Verb::Init(args) => init::run(&args),
        Verb::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "trueup", &mut std::io::stdout());
            Ok(End::Done)
        }
    }
}
