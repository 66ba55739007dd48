//! The rehearsal itself: pure orchestration over steps that are handed in.

use async_trait::async_trait;
use trueup_plan::{Class, Plan, PlanStatus, Refusal};
use trueup_session::BoxFuture;

use crate::{Outcome, RehearsalReport, RehearsedOperation};

/// Any error of a step, carried into the report.
pub type StepError = Box<dyn std::error::Error + Send + Sync>;

/// What a rehearsal does, in this order. Handed in, so that the rehearsal can be tested without a database.
#[async_trait]
pub trait Steps: Send {
    /// Makes the branch.
    ///
    /// # Errors
    /// When there can be none; whatever was made of it is gone then.
    async fn provision(&mut self) -> Result<Branched, StepError>;

    /// Plans the live schema of the database against the branch; anything but nothing is a difference.
    ///
    /// # Errors
    /// When the branch cannot be read.
    async fn fidelity(&mut self) -> Result<Vec<String>, StepError>;

    /// Plans the declaration against the branch.
    ///
    /// # Errors
    /// When the branch cannot be read.
    async fn plan(&mut self) -> Result<Plan, StepError>;

    /// Applies the declaration to the branch, losses consented.
    ///
    /// # Errors
    /// When the database says no.
    async fn apply(&mut self) -> Result<Tried, StepError>;

    /// Plans the declaration against the branch again.
    ///
    /// # Errors
    /// When the branch cannot be read.
    async fn replan(&mut self) -> Result<Vec<String>, StepError>;

    /// Drops the branch.
    ///
    /// # Errors
    /// When it is still there.
    async fn teardown(&mut self) -> Result<(), StepError>;
}

/// A branch that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branched {
    /// How.
    pub mechanism: String,
    /// Its name or path.
    pub name: String,
    /// Tables on it.
    pub tables: usize,
    /// Objects that it could not get.
    pub not_copied: Vec<String>,
}

/// What applying on the branch came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// Statements that ran.
    pub statements: usize,
    /// Why it was refused; empty where it was not.
    pub refusals: Vec<Refusal>,
}

/// Rehearses. Never fails: whatever happens is in the report, and the branch is dropped unless `keep`.
pub fn rehearse<'a>(steps: &'a mut dyn Steps, keep: bool) -> BoxFuture<'a, RehearsalReport> {
    Box::pin(async move {
        let mut report = RehearsalReport::begun();
        match steps.provision().await {
            Err(error) => {
                report.error = Some(words(error.as_ref()));
                // nothing is left of a branch that could not be made
                report.torn_down = true;
                return report;
            }
            Ok(branch) => {
                report.mechanism = branch.mechanism;
                report.branch = Some(branch.name);
                report.tables = branch.tables;
                report.not_copied = branch.not_copied;
            }
        }
        if let Err(error) = on_branch(steps, &mut report).await {
            report.outcome = Outcome::Failed;
            report.error = Some(words(error.as_ref()));
        }
        if !keep {
            match steps.teardown().await {
                Ok(()) => report.torn_down = true,
                Err(error) => report.teardown_error = Some(words(error.as_ref())),
            }
        }
        report
    })
}

async fn on_branch(steps: &mut dyn Steps, report: &mut RehearsalReport) -> Result<(), StepError> {
    report.infidelity = steps.fidelity().await?;
    if !report.infidelity.is_empty() {
        report.outcome = Outcome::Infidelity;
        return Ok(());
    }
    let plan = steps.plan().await?;
    report.operations = plan.operations.iter().map(RehearsedOperation::from).collect();
    report.lossy = plan
        .operations
        .iter()
        .filter(|operation| matches!(operation.class, Class::Lossy { .. }))
        .map(|operation| operation.id.to_string())
        .collect();
    if plan.status() == PlanStatus::Refused {
        report.blocked = plan.refusals;
        report.outcome = Outcome::Blocked;
        return Ok(());
    }
    let tried = steps.apply().await?;
    report.statements = tried.statements;
    if !tried.refusals.is_empty() {
        report.blocked = tried.refusals;
        report.outcome = Outcome::Blocked;
        return Ok(());
    }
    report.applied = true;
    let held_back: Vec<String> = plan.held_back().iter().map(ToString::to_string).collect();
    report.residual = steps.replan().await?.into_iter().filter(|id| !held_back.contains(id)).collect();
    report.converged = report.residual.is_empty();
    report.outcome = match (report.converged, report.lossy.is_empty()) {
        (false, _) => Outcome::Diverged,
        (true, false) => Outcome::Lossy,
        (true, true) => Outcome::Clean,
    };
    Ok(())
}

/// An error with its causes on one line.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueup_schema::DialectId;

    /// Steps that say what they are told to.
    struct Told {
        infidelity: Vec<String>,
        plan: Plan,
        refusals: Vec<Refusal>,
        residual: Vec<String>,
        fails_at: &'static str,
        teardown_fails: bool,
        log: Vec<&'static str>,
    }

    impl Told {
        fn new() -> Self {
            let plan = Plan {
                dialect: DialectId::Sqlite,
                from: String::new(),
                to: String::new(),
                operations: Vec::new(),
                segments: Vec::new(),
                refusals: Vec::new(),
                unmanaged: Vec::new(),
                notes: Vec::new(),
                adopts: Vec::new(),
                accepted: Vec::new(),
            };
            Self {
                infidelity: Vec::new(),
                plan,
                refusals: Vec::new(),
                residual: Vec::new(),
                fails_at: "",
                teardown_fails: false,
                log: Vec::new(),
            }
        }

        fn step<T>(&mut self, name: &'static str, value: T) -> Result<T, StepError> {
            self.log.push(name);
            if self.fails_at == name { Err(format!("{name} failed").into()) } else { Ok(value) }
        }
    }

    #[async_trait]
    impl Steps for Told {
        async fn provision(&mut self) -> Result<Branched, StepError> {
            let branch =
                Branched { mechanism: "copy".to_owned(), name: "b".to_owned(), tables: 2, not_copied: Vec::new() };
            self.step("provision", branch)
        }
        async fn fidelity(&mut self) -> Result<Vec<String>, StepError> {
            let infidelity = self.infidelity.clone();
            self.step("fidelity", infidelity)
        }
        async fn plan(&mut self) -> Result<Plan, StepError> {
            let plan = self.plan.clone();
            self.step("plan", plan)
        }
        async fn apply(&mut self) -> Result<Tried, StepError> {
            let refusals = self.refusals.clone();
            self.step("apply", Tried { statements: 3, refusals })
        }
        async fn replan(&mut self) -> Result<Vec<String>, StepError> {
            let residual = self.residual.clone();
            self.step("replan", residual)
        }
        async fn teardown(&mut self) -> Result<(), StepError> {
            self.log.push("teardown");
            if self.teardown_fails { Err("still there".into()) } else { Ok(()) }
        }
    }

    fn refusal() -> Refusal {
        let text = |text: &str| text.to_owned();
        Refusal { code: text("c"), object: text("o"), operation: None, why: text("w"), fix: text("f") }
    }

    async fn run(told: &mut Told) -> (Outcome, u8) {
        let report = rehearse(told, false).await;
        assert_eq!(report.converged, report.applied && report.residual.is_empty());
        (report.outcome, report.outcome.exit_code())
    }

    #[tokio::test]
    async fn every_outcome_has_its_code() {
        assert_eq!(run(&mut Told::new()).await, (Outcome::Clean, 0));
        assert_eq!(run(&mut Told { refusals: vec![refusal()], ..Told::new() }).await, (Outcome::Blocked, 2));
        assert_eq!(run(&mut Told { residual: vec!["x".to_owned()], ..Told::new() }).await, (Outcome::Diverged, 1));
        assert_eq!(run(&mut Told { infidelity: vec!["x".to_owned()], ..Told::new() }).await, (Outcome::Infidelity, 1));
        let mut blocked = Told::new();
        blocked.plan.refusals.push(refusal());
        assert_eq!(run(&mut blocked).await, (Outcome::Blocked, 2));
        assert!(!blocked.log.contains(&"apply"));
    }

    #[tokio::test]
    async fn a_failing_step_still_tears_down() {
        for step in ["fidelity", "plan", "apply", "replan"] {
            let mut told = Told { fails_at: step, ..Told::new() };
            let report = rehearse(&mut told, false).await;
            assert_eq!((report.outcome, report.torn_down), (Outcome::Failed, true));
            assert_eq!(told.log.last(), Some(&"teardown"));
        }
        let mut told = Told { fails_at: "provision", ..Told::new() };
        assert_eq!(rehearse(&mut told, false).await.outcome, Outcome::Failed);
        assert_eq!(told.log, ["provision"]);
    }

    #[tokio::test]
    async fn a_teardown_failure_changes_no_outcome() {
        let report = rehearse(&mut Told { teardown_fails: true, ..Told::new() }, false).await;
        assert_eq!((report.outcome, report.torn_down), (Outcome::Clean, false));
        assert!(report.teardown_error.is_some());
        let mut kept = Told::new();
        assert!(!rehearse(&mut kept, true).await.torn_down);
        assert!(!kept.log.contains(&"teardown"));
    }
}
