//! The machine's view. Scripts depend on these names.

use serde_json::{Value, json};
use trueup::plan::{CheckAnswer, Class, Operation, Plan};
use trueup::{Planned, Standing};

/// One object for a plan.
pub(crate) fn plan_json(planned: &Planned) -> Value {
    let plan = &planned.plan;
    let refused = planned.refusals();
    let operations: Vec<Value> = plan.operations.iter().map(|operation| operation_json(planned, operation)).collect();
    let refusals: Vec<Value> = refused
        .iter()
        .map(|refusal| {
            json!({
                "code": refusal.code, "object": refusal.object, "operation": refusal.operation,
                "why": refusal.why, "fix": refusal.fix,
            })
        })
        .collect();
    let unmanaged: Vec<Value> =
        plan.unmanaged.iter().map(|object| json!({ "kind": object.kind, "name": object.name })).collect();
    json!({
        "dialect": plan.dialect,
        "from": plan.from,
        "to": plan.to,
        "plan": planned.script.plan_hash,
        "status": planned.status().as_str(),
        "operations": operations,
        "refusals": refusals,
        "unmanaged": unmanaged,
        "adopts": plan.adopts.iter().map(|object| json!({ "kind": object.kind(), "name": object.to_string() })).collect::<Vec<_>>(),
        "notes": plan.notes,
    })
}

fn operation_json(planned: &Planned, operation: &Operation) -> Value {
    let mut value = json!({
        "id": operation.id,
        "kind": operation.change.kind(),
        "object": operation.change.object().to_string(),
        "class": operation.class.as_str(),
        "why": operation.why,
        "hazards": operation.hazards.iter().map(|hazard| json!({ "code": hazard.code.as_str(), "message": hazard.message })).collect::<Vec<_>>(),
        "checks": checks(planned, operation),
        "depends_on": operation.needs,
        "group": group(&planned.plan, operation),
        "sql": sql_of(planned, operation),
    });
    if let Some(table) = operation.change.table() {
        value["table"] = json!(table.to_string());
    }
    match &operation.class {
        Class::Lossy { what } => {
            let counts: Vec<Value> = planned
                .report
                .losses
                .iter()
                .filter(|loss| loss.operation == operation.id)
                .map(|loss| json!({ "what": loss.what, "count": loss.count }))
                .collect();
            value["loss"] = json!({ "what": what, "counts": counts });
        }
        Class::Blocked { code, why, fix } => {
            value["blocked"] = json!({ "code": code, "why": why });
            value["fix"] = json!(fix);
        }
        Class::Safe | Class::Guarded => {}
    }
    if operation.held_back {
        value["held_back"] = json!(true);
    }
    if !operation.cause.is_empty() {
        value["cause"] = json!(operation.cause);
    }
    if let Some(provenance) = &operation.provenance {
        value["provenance"] = json!(provenance);
    }
    value
}

fn checks(planned: &Planned, operation: &Operation) -> Vec<Value> {
    let asked = planned.report.checks.iter().filter(|finding| finding.operation == operation.id);
    let found: Vec<Value> = asked
        .map(|finding| match &finding.answer {
            CheckAnswer::Passed => json!({ "rule": finding.rule, "answer": "passed" }),
            CheckAnswer::Violated { count, sample } => {
                json!({ "rule": finding.rule, "answer": "violated", "count": count, "sample": sample })
            }
            CheckAnswer::Unknown { why } => json!({ "rule": finding.rule, "answer": "unknown", "why": why }),
            CheckAnswer::Skipped => json!({ "rule": finding.rule, "answer": "skipped" }),
        })
        .collect();
    if !found.is_empty() {
        return found;
    }
    planned
        .script
        .checks
        .iter()
        .filter(|check| check.operation == operation.id)
        .map(|check| json!({ "rule": check.rule, "answer": "not-asked" }))
        .collect()
}

/// Which segment and step carry the operation out, from 1.
fn group(plan: &Plan, operation: &Operation) -> Value {
    for (segment_number, segment) in plan.segments.iter().enumerate() {
        for (step_number, step) in segment.steps.iter().enumerate() {
            if step.operations.contains(&operation.id) {
                return json!({ "segment": segment_number + 1, "step": step_number + 1, "transactional": segment.transactional });
            }
        }
    }
    Value::Null
}

/// The statements of the step that carries the operation out.
pub(crate) fn sql_of<'a>(planned: &'a Planned, operation: &Operation) -> Vec<&'a str> {
    planned
        .script
        .segments
        .iter()
        .flat_map(|segment| &segment.steps)
        .filter(|step| step.operations.contains(&operation.id))
        .flat_map(|step| step.statements.iter().map(|statement| statement.sql.as_str()))
        .collect()
}

/// One object for what the records say.
pub(crate) fn standing_json(standing: &Standing) -> Value {
    let history: Vec<Value> = standing
        .records
        .iter()
        .flat_map(|records| &records.history)
        .map(|entry| {
            json!({
                "id": entry.id, "applied_at": entry.applied_at, "status": entry.status, "declared": entry.declared,
                "live": entry.live, "duration_ms": entry.duration_ms, "applied_by": entry.applied_by,
                "environment": entry.environment, "source": entry.source, "note": entry.note,
                "operations": entry.operations, "residual": entry.residual,
            })
        })
        .collect();
    json!({
        "database": standing.place,
        "dialect": standing.dialect,
        "server": standing.server,
        "managed": standing.records.is_some(),
        "unfinished": standing.records.as_ref().is_some_and(|records| records.unfinished),
        "history": history,
        "drift": standing.drift.iter().map(|drifted| json!({
            "kind": drifted.object.kind(), "object": drifted.object.to_string(), "gone": drifted.gone,
        })).collect::<Vec<_>>(),
    })
}
