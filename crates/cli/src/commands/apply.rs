//! `trueup apply`

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use serde_json::json;
use trueup::execute::{Applied, Event, Listener, RunStatus, Stop};
use trueup::plan::{Consent, OpId, PlanStatus};
use trueup::{ApplyRequest, Declared, Pipeline, Planned};

use super::run::INTERRUPT;
use crate::args::{ApplyArgs, PlanFormat};
use crate::exit::{End, Failure};
use crate::show::{self, say};
use crate::target::{replicas, with_declaration};

pub(crate) async fn run(args: &ApplyArgs) -> Result<End, Failure> {
    let (mut pipeline, declared, mut consent) = with_declaration(&args.target, &args.declaration)?;
    pipeline.options.lock_wait = Duration::from_secs(args.lock_wait);
    pipeline.options.note.clone_from(&args.note);
    pipeline.options.replica_wait = Duration::from_secs(args.replica_wait);
    if !args.replica.is_empty() {
        pipeline.options.replicas = replicas(&args.replica)?;
    }
    if args.environment.is_some() {
        pipeline.options.environment.clone_from(&args.environment);
    }
    let mut request =
        ApplyRequest { force: args.force, trust_history: args.trust_history, expected_plan: args.plan_hash.clone() };
    if !args.yes {
        match ask(&pipeline, &declared, &consent).await? {
            Answer::Nothing => {}
            Answer::Declined(why) => {
                say(why);
                return Ok(End::Human);
            }
            Answer::Agreed { hash, losses } => {
                request.expected_plan = Some(hash);
                consent = losses;
            }
        }
    }
    let applied = pipeline.apply(&declared, consent, request, &Progress).await?;
    print(&applied, args.format)?;
    Ok(match applied.status {
        RunStatus::UpToDate | RunStatus::UpToDateByHistory | RunStatus::Synced | RunStatus::SyncedByPeer => End::Done,
        RunStatus::Refused | RunStatus::HeldBack => End::Human,
        RunStatus::NotConverged => End::Failed,
    })
}

enum Answer {
    Nothing,
    Declined(&'static str),
    Agreed { hash: String, losses: Consent },
}

/// Shows the plan and asks the person at the terminal.
async fn ask(pipeline: &Pipeline, declared: &Declared, consent: &Consent) -> Result<Answer, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(Answer::Declined("not applied: there is no terminal to ask at; pass --yes to run without asking"));
    }
    let planned = pipeline.plan(declared).await?;
    show::print_text(&show::plan_text(&planned, false))?;
    match planned.status() {
        PlanStatus::UpToDate | PlanStatus::HeldBack => return Ok(Answer::Nothing),
        PlanStatus::Refused => return Ok(Answer::Declined("not applied: refused")),
        PlanStatus::Pending => {}
    }
    let hash = planned.script.plan_hash.clone();
    if !planned.losses_without(consent) {
        return Ok(match question("Apply this plan? [y/N]")?.as_str() {
            "y" | "yes" => Answer::Agreed { hash, losses: consent.clone() },
            _ => Answer::Declined("not applied: declined"),
        });
    }
    let lost = losses(&planned);
    say(&format!("This plan loses data in {} operation{}.", lost.len(), if lost.len() == 1 { "" } else { "s" }));
    Ok(match question("Type `lose data` to apply it all the same:")?.as_str() {
        "lose data" => Answer::Agreed {
            losses: Consent::Operations { ids: lost.into_iter().collect(), plan_hash: Some(hash.clone()) },
            hash,
        },
        _ => Answer::Declined("not applied: declined"),
    })
}

fn losses(planned: &Planned) -> Vec<OpId> {
    planned
        .plan
        .operations
        .iter()
        .filter(|operation| operation.class.as_str() == "lossy" && !operation.held_back)
        .map(|operation| operation.id.clone())
        .collect()
}

fn question(text: &str) -> Result<String, Failure> {
    say(text);
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_lowercase())
}

fn print(applied: &Applied, format: PlanFormat) -> Result<(), Failure> {
    let text = match format {
        PlanFormat::Text | PlanFormat::Markdown => show::applied_text(applied),
        PlanFormat::Sql => applied.script.as_ref().map(trueup::plan::Script::to_sql).unwrap_or_default(),
        PlanFormat::Json => serde_json::to_string_pretty(&json!({
            "status": applied.status.as_str(),
            "operations": applied.plan.iter().flat_map(|plan| &plan.operations).map(|operation| &operation.id).collect::<Vec<_>>(),
            "refusals": applied.refusals,
            "residual": applied.residual,
            "statements": applied.statements,
        }))?,
    };
    if format != PlanFormat::Text && !applied.refusals.is_empty() {
        say(&show::refusals_text(&applied.refusals));
    }
    match format {
        PlanFormat::Text | PlanFormat::Markdown => show::print_text(&text)?,
        PlanFormat::Sql | PlanFormat::Json => show::print(&text)?,
    }
    Ok(())
}

/// Tells the person what is going on, where it takes time.
#[derive(Debug)]
struct Progress;

#[expect(clippy::wildcard_enum_match_arm, reason = "news of other kinds is not worth a line")]
impl Listener for Progress {
    fn stop(&self) -> Option<&Stop> {
        Some(&INTERRUPT.stop)
    }

    fn hear(&self, event: &Event) {
        match event {
            Event::StepStarted { .. } => INTERRUPT.is_stepping(),
            Event::Blocked { operation, by } => say(&format!("{operation} waits for {}", by.join("; "))),
            Event::WaitingForLock { holder } => say(&format!("waiting for another run: {holder}")),
            Event::WaitingForReplica { replica } => say(&format!("waiting for the replica {replica}")),
            Event::Recovering { run } => say(&format!("settling the unfinished run {run}")),
            Event::Retrying { operation, error, after } => {
                say(&format!("{operation}: {error}; trying again in {} ms", after.as_millis()));
            }
            _ => {}
        }
    }
}
