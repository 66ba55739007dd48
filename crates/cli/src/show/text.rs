//! The person's view.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use trueup::execute::{Applied, RunStatus};
use trueup::plan::{Change, CheckAnswer, Class, Operation, PlanStatus, Refusal};
use trueup::schema::DialectId;
use trueup::{Inspected, Planned, Standing};

use super::json::sql_of;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const RED: Style = AnsiColor::Red.on_default();

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The plan, a line per operation.
pub(crate) fn plan_text(planned: &Planned, with_sql: bool) -> String {
    let plan = &planned.plan;
    let mut out = String::new();
    let refusals = planned.refusals();
    for operation in &plan.operations {
        out.push_str(&operation_lines(planned, operation));
        if with_sql {
            out.push_str(&sql_lines(planned, operation));
        }
    }
    if !plan.operations.is_empty() {
        out.push('\n');
    }
    for object in &plan.adopts {
        line_of(&mut out, &format!("{} adopt {} {object}", paint(DIM, "="), object.kind()));
    }
    for object in &plan.unmanaged {
        line_of(&mut out, &paint(DIM, &format!("? not managed: {} {}", object.kind, object.name)));
    }
    for note in &plan.notes {
        line_of(&mut out, &paint(DIM, &format!("note: {note}")));
    }
    out.push_str(&refusals_text(&refusals));
    line_of(&mut out, &summary(planned));
    out
}

/// The statements of the operation's step, below the first operation of the step.
fn sql_lines(planned: &Planned, operation: &Operation) -> String {
    let mut out = String::new();
    let step = planned.script.segments.iter().flat_map(|segment| &segment.steps);
    let first = step.filter(|step| step.operations.contains(&operation.id)).find_map(|step| {
        planned.plan.operations.iter().find(|other| step.operations.contains(&other.id)).map(|first| &first.id)
    });
    match first {
        Some(first) if *first != operation.id => {
            line_of(&mut out, &paint(DIM, &format!("      in the statements of {first}")));
        }
        _ => {
            for sql in sql_of(planned, operation) {
                for line in sql.lines() {
                    line_of(&mut out, &paint(DIM, &format!("      {line}")));
                }
            }
        }
    }
    out
}

fn line_of(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

fn summary(planned: &Planned) -> String {
    let plan = &planned.plan;
    let count = |class: &str| {
        plan.operations.iter().filter(|operation| operation.class.as_str() == class && !operation.held_back).count()
    };
    let held = plan.operations.iter().filter(|operation| operation.held_back).count();
    match planned.status() {
        PlanStatus::UpToDate => paint(GREEN, "up to date: nothing to do"),
        PlanStatus::HeldBack => {
            paint(YELLOW, &format!("held back: {} for a run without --safe", counted(held, "operation")))
        }
        status @ (PlanStatus::Pending | PlanStatus::Refused) => {
            let mut parts = Vec::new();
            for class in ["safe", "guarded", "lossy", "blocked"] {
                if count(class) > 0 {
                    parts.push(format!("{} {class}", count(class)));
                }
            }
            if held > 0 {
                parts.push(format!("{held} held back"));
            }
            let total = plan.operations.len() - held;
            let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
            let text = format!("{}{parts}", counted(total, "operation"));
            if status == PlanStatus::Refused {
                paint(RED, &format!("refused. {text}; nothing would be done"))
            } else if count("lossy") > 0 {
                paint(YELLOW, &format!("{text}. Losses need --allow-lossy"))
            } else {
                paint(BOLD, &text)
            }
        }
    }
}

/// `1 operation`, `2 operations`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `+` create, `-` drop, `~` alter.
fn sign(change: &Change) -> &'static str {
    let kind = change.kind();
    if kind.starts_with("create-") || kind.starts_with("add-") {
        "+"
    } else if kind.starts_with("drop-") && !matches!(kind.as_str(), "drop-default" | "drop-not-null" | "drop-comment") {
        "-"
    } else if kind == "adopt" {
        "="
    } else {
        "~"
    }
}

fn operation_lines(planned: &Planned, operation: &Operation) -> String {
    let mut out = String::new();
    let sign = sign(&operation.change);
    let sign_style = match sign {
        "+" => GREEN,
        "-" => RED,
        _ => YELLOW,
    };
    let class = match &operation.class {
        _ if operation.held_back => paint(DIM, "held back"),
        Class::Safe => paint(GREEN, "safe"),
        Class::Guarded => paint(YELLOW, "guarded"),
        Class::Lossy { .. } => paint(RED, "LOSSY"),
        Class::Blocked { .. } => paint(RED, "BLOCKED"),
    };
    let detail = detail(operation);
    let detail = if detail.is_empty() { detail } else { format!(" {detail}") };
    line_of(
        &mut out,
        &format!(
            "{} {}{detail}  [{class}]  {}",
            paint(sign_style, sign),
            words(&operation.change),
            paint(DIM, &operation.why)
        ),
    );
    cost_lines(&mut out, planned, operation);
    let indent = INDENT;
    for hazard in &operation.hazards {
        line_of(
            &mut out,
            &format!("{indent}{} {}", paint(YELLOW, &format!("{}:", hazard.code.as_str())), hazard.message),
        );
    }
    for finding in planned.report.checks.iter().filter(|finding| finding.operation == operation.id) {
        let answer = match &finding.answer {
            CheckAnswer::Passed => paint(GREEN, "rows allow it"),
            CheckAnswer::Violated { count, .. } => {
                paint(RED, &if *count == 1 { "1 row breaks it".to_owned() } else { format!("{count} rows break it") })
            }
            CheckAnswer::Unknown { why } => paint(YELLOW, &format!("not known: {why}")),
            CheckAnswer::Skipped => paint(DIM, "not asked"),
        };
        line_of(&mut out, &format!("{indent}check {}: {answer}", finding.rule));
    }
    if !operation.cause.is_empty() {
        let causes: Vec<&str> = operation.cause.iter().map(|cause| cause.0.as_str()).collect();
        line_of(&mut out, &paint(DIM, &format!("{indent}because of {}", causes.join(", "))));
    }
    if let Some(provenance) = &operation.provenance {
        line_of(&mut out, &paint(DIM, &format!("{indent}{provenance}")));
    }
    out
}

const INDENT: &str = "      ";

/// What the operation loses, or why it is blocked.
fn cost_lines(out: &mut String, planned: &Planned, operation: &Operation) {
    let indent = INDENT;
    match &operation.class {
        Class::Lossy { what } => {
            let counts: Vec<String> = planned
                .report
                .losses
                .iter()
                .filter(|loss| loss.operation == operation.id)
                .map(|loss| {
                    loss.count
                        .map_or_else(|| format!("{}: unknown", loss.what), |count| format!("{count} {}", loss.what))
                })
                .collect();
            let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
            line_of(out, &format!("{indent}loses {what}{counts}"));
        }
        Class::Blocked { why, fix, .. } => {
            line_of(out, &format!("{indent}{why}"));
            line_of(out, &format!("{indent}fix: {fix}"));
        }
        Class::Safe | Class::Guarded => {}
    }
}

/// The verb and object in words: `add column shop.users.email`.
fn words(change: &Change) -> String {
    format!(
        "{} {}",
        change.kind().replace('-', " "),
        BOLD.render().to_string() + &change.object().to_string() + &BOLD.render_reset().to_string()
    )
}

/// What the change is, where the words do not say it all.
#[expect(clippy::wildcard_enum_match_arm, reason = "the words say all of the others")]
fn detail(operation: &Operation) -> String {
    match &operation.change {
        Change::AddColumn { column, .. } => trueup::plan::type_words(&column.data_type),
        Change::AlterColumnType { before, after, .. } => {
            format!("{} → {}", trueup::plan::type_words(&before.data_type), trueup::plan::type_words(&after.data_type))
        }
        Change::SetDefault { before, after, .. } => {
            let show = |value: &Option<trueup::schema::SqlExpr>| {
                value.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)
            };
            format!("{} → {}", show(&before.default), show(&after.default))
        }
        Change::Rename { to, .. } => format!("→ {to}"),
        other => other.detail().unwrap_or_default(),
    }
}

/// Refusals, each with its fix.
pub(crate) fn refusals_text(refusals: &[Refusal]) -> String {
    let mut out = String::new();
    for refusal in refusals {
        line_of(
            &mut out,
            &format!("{} {}: {}", paint(RED, &format!("refused ({}):", refusal.code)), refusal.object, refusal.why),
        );
        line_of(&mut out, &format!("      fix: {}", refusal.fix));
    }
    out
}

/// How a run ended.
pub(crate) fn applied_text(applied: &Applied) -> String {
    let mut out = String::new();
    let count =
        applied.plan.as_ref().map_or(0, |plan| plan.operations.iter().filter(|operation| !operation.held_back).count());
    out.push_str(&refusals_text(&applied.refusals));
    let line = match applied.status {
        RunStatus::UpToDate => paint(GREEN, "up to date: nothing to do"),
        RunStatus::UpToDateByHistory => paint(GREEN, applied.status.as_str()),
        RunStatus::Synced => paint(
            GREEN,
            &format!(
                "applied {} in {}; the database looks as declared",
                counted(count, "operation"),
                counted(applied.statements, "statement")
            ),
        ),
        RunStatus::SyncedByPeer => paint(GREEN, "another run applied this declaration meanwhile"),
        RunStatus::Refused => paint(RED, "refused; nothing was done"),
        RunStatus::HeldBack => paint(YELLOW, &format!("applied; {} operations are held back", applied.residual.len())),
        RunStatus::NotConverged => paint(RED, "not converged: planning again still finds work"),
    };
    if applied.status == RunStatus::NotConverged || applied.status == RunStatus::HeldBack {
        for id in &applied.residual {
            line_of(&mut out, &format!("  {id}"));
        }
    }
    line_of(&mut out, &line);
    out
}

/// A schema by its objects.
pub(crate) fn schema_text(inspected: &Inspected) -> String {
    let mut out = String::new();
    let schema = inspected.snapshot.schema();
    for (object, hash) in inspected.snapshot.objects() {
        line_of(&mut out, &format!("{:<12} {object}  {}", object.kind(), paint(DIM, &hash.to_string())));
        if let trueup::schema::ObjectRef::Table(name) = object
            && let Some(table) = schema.tables.get(name)
        {
            for column in &table.columns {
                let null = if column.not_null { " not null" } else { "" };
                line_of(&mut out, &format!("               {} {}{null}", column.name, column.data_type));
            }
        }
    }
    for object in &inspected.unmanaged {
        line_of(&mut out, &paint(DIM, &format!("not managed: {} {}", object.kind, object.name)));
    }
    line_of(&mut out, &format!("fingerprint {}", inspected.snapshot.root()));
    out
}

/// What people call an engine.
const fn engine(dialect: DialectId) -> &'static str {
    match dialect {
        DialectId::Postgres => "PostgreSQL",
        DialectId::MySql => "MySQL",
        DialectId::MariaDb => "MariaDB",
        DialectId::Sqlite => "SQLite",
    }
}

/// What the records say.
pub(crate) fn standing_text(standing: &Standing, drift_only: bool) -> String {
    let mut out = String::new();
    if !drift_only {
        line_of(&mut out, &format!("{} ({} {})", standing.place, engine(standing.dialect), standing.server));
    }
    let Some(records) = &standing.records else {
        line_of(&mut out, "no apply has run on this database");
        return out;
    };
    if !drift_only {
        if records.unfinished {
            line_of(
                &mut out,
                &paint(
                    RED,
                    "a run is unfinished; the next apply settles it, and `trueup ledger show` tells what it had begun",
                ),
            );
        }
        for entry in &records.history {
            let mut line = format!(
                "#{} {} {} by {} in {} ms: {} from {}",
                entry.id,
                entry.applied_at,
                entry.status,
                entry.applied_by,
                entry.duration_ms,
                counted(entry.operations.len(), "operation"),
                entry.source
            );
            if let Some(note) = &entry.note {
                write!(line, " ({note})").ok();
            }
            line_of(&mut out, &line);
        }
    }
    if standing.drift.is_empty() {
        line_of(&mut out, &paint(GREEN, "no drift: tracked objects look as the last apply left them"));
    }
    for drifted in &standing.drift {
        let what = if drifted.gone { "is gone" } else { "was changed" };
        line_of(
            &mut out,
            &paint(RED, &format!("drift: {} {} {what} since the last apply", drifted.object.kind(), drifted.object)),
        );
    }
    out
}
