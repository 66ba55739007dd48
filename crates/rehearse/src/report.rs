//! What a rehearsal found.

use serde::Serialize;
use trueup_plan::Operation;

/// How a rehearsal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Applied and converged, nothing lost.
    Clean,
    /// Applied and converged, but something would be lost.
    Lossy,
    /// The plan is refused, on the branch as on the database.
    Blocked,
    /// Applied, but planning again still finds work.
    Diverged,
    /// The branch did not look like the database before the plan ran; nothing later is trusted.
    Infidelity,
    /// The database said no.
    Failed,
}

impl Outcome {
    /// The word in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Lossy => "lossy",
            Self::Blocked => "blocked",
            Self::Diverged => "diverged",
            Self::Infidelity => "infidelity",
            Self::Failed => "failed",
        }
    }

    /// The exit code: 0 clean, 2 where a human must look, 1 where there is no answer.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Lossy | Self::Blocked => 2,
            Self::Diverged | Self::Infidelity | Self::Failed => 1,
        }
    }
}

/// One operation, flat, for a comment on a change request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RehearsedOperation {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its table, if it is part of one.
    pub table: Option<String>,
    /// Its class.
    pub class: &'static str,
    /// Why it is in the plan.
    pub reason: String,
    /// What to do about it, where it is blocked.
    pub fix: Option<String>,
}

impl From<&Operation> for RehearsedOperation {
    fn from(operation: &Operation) -> Self {
        let fix = match &operation.class {
            trueup_plan::Class::Blocked { fix, .. } => Some(fix.clone()),
            trueup_plan::Class::Safe | trueup_plan::Class::Guarded | trueup_plan::Class::Lossy { .. } => None,
        };
        Self {
            id: operation.id.to_string(),
            kind: operation.change.kind(),
            table: operation.change.table().map(|table| table.to_string()),
            class: operation.class.as_str(),
            reason: operation.why.clone(),
            fix,
        }
    }
}

/// What a rehearsal found. Made for every ending; a rehearsal never fails with an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RehearsalReport {
    /// How it ended.
    pub outcome: Outcome,
    /// How the branch was made: `database`, `copy`, `template`.
    pub mechanism: String,
    /// The branch's name or path.
    pub branch: Option<String>,
    /// Tables on the branch.
    pub tables: usize,
    /// Objects of the database that the branch could not get: kinds that trueup does not model.
    pub not_copied: Vec<String>,
    /// Where the branch differed before the plan ran.
    pub infidelity: Vec<String>,
    /// Every operation of the plan.
    pub operations: Vec<RehearsedOperation>,
    /// Ids of those that lose data.
    pub lossy: Vec<String>,
    /// What the plan is refused for.
    pub blocked: Vec<trueup_plan::Refusal>,
    /// Whether the plan was applied.
    pub applied: bool,
    /// Whether planning again found nothing. False when not applied.
    pub converged: bool,
    /// What planning again still found.
    pub residual: Vec<String>,
    /// Statements that ran.
    pub statements: usize,
    /// The error, where the database said no.
    pub error: Option<String>,
    /// Whether the branch is gone. False if it was kept, or could not be dropped.
    pub torn_down: bool,
    /// Why the branch could not be dropped.
    pub teardown_error: Option<String>,
}

impl RehearsalReport {
    /// A report of a rehearsal that has not begun.
    #[must_use]
    pub(crate) fn begun() -> Self {
        Self {
            outcome: Outcome::Failed,
            mechanism: String::new(),
            branch: None,
            tables: 0,
            not_copied: Vec::new(),
            infidelity: Vec::new(),
            operations: Vec::new(),
            lossy: Vec::new(),
            blocked: Vec::new(),
            applied: false,
            converged: false,
            residual: Vec::new(),
            statements: 0,
            error: None,
            torn_down: false,
            teardown_error: None,
        }
    }

    /// The report for a person. The same text for terminal and CI.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some(branch) = &self.branch {
            lines.push(format!("branch {branch} ({}), {} tables", self.mechanism, self.tables));
        }
        lines.extend(self.not_copied.iter().map(|object| format!("not on the branch: {object}")));
        lines.extend(self.infidelity.iter().map(|difference| format!("differed before the plan ran: {difference}")));
        for operation in &self.operations {
            lines.push(format!("{:<8} {}  {}", operation.class, operation.id, operation.reason).trim_end().to_owned());
        }
        for refusal in &self.blocked {
            lines.push(format!("refused ({}): {}: {}", refusal.code, refusal.object, refusal.why));
            lines.push(format!("      fix: {}", refusal.fix));
        }
        lines.extend(self.residual.iter().map(|id| format!("still pending after the apply: {id}")));
        if let Some(error) = &self.error {
            lines.push(format!("error: {error}"));
        }
        match (&self.teardown_error, self.torn_down, &self.branch) {
            (Some(error), _, _) => lines.push(format!("the branch could not be dropped: {error}")),
            (None, false, Some(branch)) => lines.push(format!("the branch was kept: {branch}")),
            _ => {}
        }
        lines.push(format!(
            "rehearsal {}: {} operations, {} statements",
            self.outcome.as_str(),
            self.operations.len(),
            self.statements
        ));
        lines.join("\n") + "\n"
    }
}
