//! The reviewer's view: a comment on a change request.

use trueup::Planned;
use trueup::plan::Class;

/// The plan as a Markdown table with the script below.
pub(crate) fn plan_markdown(planned: &Planned) -> String {
    let mut lines = vec![format!("### trueup: {}", planned.status().as_str()), String::new()];
    if !planned.plan.operations.is_empty() {
        lines.push("| operation | class | why |".to_owned());
        lines.push("| --- | --- | --- |".to_owned());
    }
    for operation in &planned.plan.operations {
        let class = match &operation.class {
            Class::Lossy { what } => format!("**lossy**: {what}"),
            Class::Blocked { why, fix, .. } => format!("**blocked**: {why} Fix: {fix}"),
            Class::Safe | Class::Guarded => operation.class.as_str().to_owned(),
        };
        let hazards: Vec<&str> = operation.hazards.iter().map(|hazard| hazard.message.as_str()).collect();
        let why = if hazards.is_empty() {
            operation.why.clone()
        } else {
            format!("{} ({})", operation.why, hazards.join("; "))
        };
        lines.push(format!("| `{}` | {} | {} |", cell(&operation.id.0), cell(&class), cell(&why)));
    }
    for refusal in planned.refusals() {
        lines.push(format!(
            "\n> **refused** ({}): {} {} Fix: {}",
            refusal.code, refusal.object, refusal.why, refusal.fix
        ));
    }
    let sql = planned.script.to_sql();
    if !planned.plan.operations.is_empty() && !sql.trim().is_empty() {
        lines.push(format!("\n```sql\n{}\n```", sql.trim_end()));
    }
    lines.join("\n") + "\n"
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
