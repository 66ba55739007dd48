//! `trueup ledger`

use trueup::LedgerReport;
use trueup::execute::{ExecuteError, StepDecision, StepState};

use super::lock::actor;
use crate::args::{AbandonArgs, ReportFormat, ResolveArgs, ShowArgs};
use crate::exit::{End, Failure};
use crate::show;
use crate::target::pipeline;

pub(crate) async fn show(args: &ShowArgs) -> Result<End, Failure> {
    print(&pipeline(&args.target, None)?.ledger().await?, args.format)?;
    Ok(End::Done)
}

pub(crate) async fn resolve(args: &ResolveArgs) -> Result<End, Failure> {
    let decision = match (&args.run, args.step) {
        (Some(run), Some(step)) if args.done || args.undone => {
            Some(StepDecision { run: run.clone(), step, is_done: args.done })
        }
        (Some(_), _) => return Err("say what became of the step: --done or --undone".into()),
        (None, _) => None,
    };
    let report = match actor(&args.act)?.resolve_ledger(decision.as_ref()).await {
        Ok(report) => report,
        Err(error) => return needs_a_human(error),
    };
    print(&report, args.act.format)?;
    let is_open = report.findings.iter().any(|finding| finding.step.state == StepState::Intent);
    Ok(if is_open { End::Human } else { End::Done })
}

pub(crate) async fn abandon(args: &AbandonArgs) -> Result<End, Failure> {
    let report = match actor(&args.act)?.abandon_run(&args.run).await {
        Ok(report) => report,
        Err(error) => return needs_a_human(error),
    };
    print(&report, args.act.format)?;
    if args.act.format == ReportFormat::Text {
        show::print_text(&format!("run {} is given up; the next apply plans from what is there\n", args.run))?;
    }
    Ok(End::Done)
}

/// What only a person can go on with ends with 2, everything else is an error.
fn needs_a_human(error: trueup::Error) -> Result<End, Failure> {
    if let trueup::Error::Execute(cause) = &error
        && matches!(**cause, ExecuteError::NeedsHuman(_) | ExecuteError::Contradicted { .. })
    {
        show::say(&format!("refused: {error}"));
        return Ok(End::Human);
    }
    Err(error.into())
}

fn print(report: &LedgerReport, format: ReportFormat) -> Result<(), Failure> {
    match format {
        ReportFormat::Text => show::print_text(&show::ledger_text(report))?,
        ReportFormat::Json => show::print(&serde_json::to_string_pretty(&show::ledger_json(report))?)?,
    }
    Ok(())
}
