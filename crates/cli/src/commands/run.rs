//! From a verb to its command, and what happens when somebody interrupts.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use clap::CommandFactory;
use trueup::execute::Stop;

use super::{apply, diff, init, inspect, ledger, lock, plan, rehearse, standing};
use crate::args::{Cli, LedgerAct, LockAct, Verb};
use crate::exit::{End, Failure};
use crate::show;

/// Runs a verb.
pub(crate) fn run(cli: Cli) -> Result<End, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(async {
        let mut work = std::pin::pin!(answer(cli.verb));
        let mut signals = Signals::new();
        loop {
            tokio::select! {
                result = &mut work => return result,
                () = signals.next() => match INTERRUPT.pull() {
                    Some(words) => show::say(words),
                    None => return Err(INTERRUPTED.into()),
                },
            }
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

/// What an interrupt does: the first one ends a run after the step under way, the second cancels that, the third ends us.
pub(super) struct Interrupt {
    pub(super) stop: Stop,
    is_stepping: AtomicBool,
    signals: AtomicU8,
}

/// There is one run in a process.
pub(super) static INTERRUPT: Interrupt =
    Interrupt { stop: Stop::new(), is_stepping: AtomicBool::new(false), signals: AtomicU8::new(0) };

impl Interrupt {
    /// A step has begun: from now on an interrupt waits for it.
    pub(super) fn is_stepping(&self) {
        self.is_stepping.store(true, Ordering::SeqCst);
    }

    /// What to say, or nothing if there is nothing to wait for.
    fn pull(&self) -> Option<&'static str> {
        if !self.is_stepping.load(Ordering::SeqCst) {
            return None;
        }
        match self.signals.fetch_add(1, Ordering::SeqCst) {
            0 => {
                self.stop.after_step();
                Some("stopping after the step under way; interrupt again to cancel it")
            }
            1 => {
                self.stop.now();
                Some("cancelling the statement under way; interrupt again to end at once")
            }
            _ => None,
        }
    }
}

/// Ctrl-C, and somebody who ends us politely.
struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self { terminate: signal(SignalKind::terminate()).ok(), interrupt: signal(SignalKind::interrupt()).ok() }
    }

    async fn next(&mut self) {
        // without signals there is nothing to wait for
        async fn of(signal: &mut Option<tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => {
                    signal.recv().await;
                }
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = of(&mut self.terminate) => {}
            () = of(&mut self.interrupt) => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self {}
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // without signals there is nothing to wait for
            std::future::pending::<()>().await;
        }
    }
}
