//! Locks and ledgers, in words and as JSON.

use serde_json::{Value, json};
use trueup::execute::{Evidence, LedgerFinding, LockBroken, LockStanding, StepState};
use trueup::{LedgerReport, LockReport};

pub(crate) fn lock_text(report: &LockReport) -> String {
    format!("{}\n{}", report.place, standing_text(&report.standing))
}

pub(crate) fn lock_json(report: &LockReport) -> Value {
    let mut object = standing_json(&report.standing);
    object["database"] = json!(report.place);
    object["dialect"] = json!(report.dialect);
    object
}

fn standing_text(standing: &LockStanding) -> String {
    let mut lines = Vec::new();
    match &standing.holder {
        Some(holder) => lines.push(format!("lock: {}", holder.words)),
        None => lines.push("lock: free".to_owned()),
    }
    match &standing.lease {
        None => lines.push("lease: no run has ever taken one".to_owned()),
        Some(lease) => match &lease.owner {
            None => lines.push(format!("lease: free; the last run was {} with epoch {}", lease.run, lease.epoch)),
            Some(owner) => {
                let alive = match standing.is_owner_alive {
                    Some(true) => "is alive",
                    Some(false) => "is gone",
                    None => "may be alive or not",
                };
                let expiry = if lease.expires_in_ms >= 0 {
                    format!("runs out in {}", seconds(lease.expires_in_ms))
                } else {
                    format!("ran out {} ago", seconds(-lease.expires_in_ms))
                };
                lines.push(format!(
                    "lease: held by {owner} for run {} with epoch {}, taken {} ago, renewed {} ago, {expiry}",
                    lease.run,
                    lease.epoch,
                    seconds(lease.taken_ms_ago),
                    seconds(lease.renewed_ms_ago)
                ));
                lines.push(format!("its session {} {alive}", lease.backend.0));
            }
        },
    }
    lines.push(String::new());
    lines.join("\n")
}

fn seconds(millis: i64) -> String {
    format!("{}.{} s", millis / 1000, (millis % 1000).abs() / 100)
}

fn standing_json(standing: &LockStanding) -> Value {
    json!({
        "free": standing.is_free(),
        "holder": standing.holder.as_ref().map(|holder| json!({ "id": holder.id, "words": holder.words })),
        "lease": standing.lease.as_ref().map(|lease| json!({
            "owner": lease.owner, "run": lease.run, "epoch": lease.epoch, "backend": lease.backend.0,
            "taken_ms_ago": lease.taken_ms_ago, "renewed_ms_ago": lease.renewed_ms_ago,
            "expires_in_ms": lease.expires_in_ms, "alive": standing.is_owner_alive,
        })),
    })
}

pub(crate) fn broken_text(broken: &LockBroken) -> String {
    match broken {
        LockBroken::NotHeld => "nobody holds the lock: nothing to break\n".to_owned(),
        LockBroken::Held(standing) => format!(
            "{}not broken: the session that holds it is alive; wait, end that run, or pass --terminate to end its session\n",
            standing_text(standing)
        ),
        LockBroken::Broken { before, was_ended, is_recorded } => {
            let ended = if *was_ended { "its session was ended; " } else { "" };
            let recorded = if *is_recorded { "the history says so" } else { "there is no history to record it in yet" };
            format!("{}broken: {ended}the lock is free; {recorded}\n", standing_text(before))
        }
    }
}

pub(crate) fn broken_json(broken: &LockBroken) -> Value {
    match broken {
        LockBroken::NotHeld => json!({ "status": "not-held" }),
        LockBroken::Held(standing) => json!({ "status": "held", "lock": standing_json(standing) }),
        LockBroken::Broken { before, was_ended, is_recorded } => json!({
            "status": "broken", "before": standing_json(before), "terminated": was_ended, "recorded": is_recorded,
        }),
    }
}

pub(crate) fn ledger_text(report: &LedgerReport) -> String {
    if report.findings.is_empty() {
        return format!("{}\nno run is unfinished\n", report.place);
    }
    let mut lines = vec![report.place.clone()];
    let mut run = "";
    for finding in &report.findings {
        let step = &finding.step;
        if step.run != run {
            run = &step.run;
            lines.push(format!("run {run}"));
        }
        let operations: Vec<&str> = step.operations.iter().map(|id| id.0.as_str()).collect();
        lines.push(format!("  {} {} {}: {}", step.number, step.state.as_str(), operations.join(", "), told(finding)));
        lines.extend(step.statements.iter().map(|sql| format!("      {sql}")));
        if step.state == StepState::Intent && finding.evidence == Evidence::Unknown && !finding.is_running {
            lines.push(format!("      say it: trueup ledger resolve {run} {} --done, or --undone", step.number));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What is there, in words.
fn told(finding: &LedgerFinding) -> &'static str {
    if finding.is_running {
        return "its session still works on it";
    }
    match (finding.step.state, finding.evidence) {
        (_, Evidence::Done) => "the schema shows it done",
        (_, Evidence::Undone) => "the schema shows it undone",
        (_, Evidence::Partly) => "the schema shows a part of it done; the next apply goes on from there",
        (StepState::Intent, Evidence::Unknown) => "the schema does not tell whether it happened",
        (StepState::Planned | StepState::Done | StepState::Refuted, Evidence::Unknown) => "the schema does not tell",
    }
}

pub(crate) fn ledger_json(report: &LedgerReport) -> Value {
    let steps: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "run": finding.step.run, "step": finding.step.number, "state": finding.step.state.as_str(),
                "operations": finding.step.operations, "statements": finding.step.statements,
                "transactional": finding.step.transactional, "evidence": finding.evidence.as_str(),
                "running": finding.is_running,
            })
        })
        .collect();
    json!({ "database": report.place, "unfinished": !steps.is_empty(), "steps": steps })
}
