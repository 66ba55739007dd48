//! From a verb to its command, and what happens when somebody interrupts.

use clap::CommandFactory;

use super::{apply, diff, init, inspect, ledger, lock, plan, rehearse, standing};
use crate::args::{Cli, LedgerAct, LockAct, Verb};
use crate::exit::{End, Failure};
use crate::show;

/// Runs a verb.
pub(crate) fn run(cli: Cli) -> Result<End, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(async {
        tokio::select! {
            result = answer(cli.verb) => result,
            () = interrupted() => Err(INTERRUPTED.into()),
        }
    });
    // a statement that still runs in a thread of its own must not keep us: its transaction ends with us
    runtime.shutdown_background();
    result
}

const INTERRUPTED: &str = "interrupted: an open transaction is rolled back; `trueup status` says whether a run is unfinished, \
                           and the next apply settles it";

async fn answer(verb: Verb) -> Result<End, Failure> {
    match verb {
        Verb::Plan(args) => plan::run(&args).await,
        Verb::Apply(args) => apply::run(&args).await,
        Verb::Inspect(args) => inspect::run(&args).await,
        Verb::Diff(args) => diff::run(&args).await,
        Verb::Drift(args) => standing::drift(&args).await,
        Verb::Status(args) => standing::status(&args).await,
        Verb::Rehearse(args) => rehearse::run(&args).await,
        Verb::Ledger { act: LedgerAct::Show(args) } => ledger::show(&args).await,
        Verb::Ledger { act: LedgerAct::Resolve(args) } => ledger::resolve(&args).await,
        Verb::Ledger { act: LedgerAct::Abandon(args) } => ledger::abandon(&args).await,
        Verb::Lock { act: LockAct::Show(args) } => lock::show(&args).await,
        Verb::Lock { act: LockAct::Break(args) } => lock::free(&args).await,
        Verb::Init(args) => init::run(&args),
        Verb::Completions { shell } => {
            // into memory first: the generator itself panics where nobody reads to the end
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "trueup", &mut script);
            show::print(&String::from_utf8_lossy(&script))?;
            Ok(End::Done)
        }
    }
}

/// Waits for Ctrl-C, or for somebody who ends us politely.
async fn interrupted() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            result = tokio::signal::ctrl_c() => if result.is_ok() { return },
            _ = terminate.recv() => return,
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // without signals there is nothing to wait for
        std::future::pending::<()>().await;
    }
}
