//! Rehearsing on a branch: the steps that the rehearsal orchestrates.

use async_trait::async_trait;
use trueup_execute::RunStatus;
use trueup_plan::{Consent, Ownership, Plan, PlanOptions, Tracked};
use trueup_rehearse::{Branch, Branched, RehearsalReport, StepError, Steps, Tried, drop_branch, make_branch, rehearse};
use trueup_schema::DialectId;
use trueup_session::BoxFuture;

use crate::desire::{as_desired, creation, namespaces_of};
use crate::elsewhere::Elsewhere;
use crate::pipeline::{ApplyRequest, Pipeline, Silence};
use crate::{Declared, Error, live};

/// How to rehearse.
#[derive(Debug, Clone, Copy, Default)]
pub struct RehearseRequest {
    /// Copy the rows too. A SQLite copy always has them.
    pub with_data: bool,
    /// Leave the branch there.
    pub keep: bool,
}

impl Pipeline {
    /// Applies the declaration to a throw-away copy of the database and reports. The database itself is only read.
    ///
    /// Never fails: whatever happens is in the report.
    ///
    /// # Cancellation
    /// Dropping the future may leave a branch behind; a later rehearsal on the server drops it once it is an hour old.
    pub fn rehearse<'a>(&'a self, declared: &'a Declared, request: RehearseRequest) -> BoxFuture<'a, RehearsalReport> {
        Box::pin(async move {
            let declared = std::borrow::Cow::Borrowed(declared);
            let mut steps = OnBranch { parent: self, declared, with_data: request.with_data, made: None };
            rehearse(&mut steps, request.keep).await
        })
    }
}

struct OnBranch<'a> {
    parent: &'a Pipeline,
    declared: std::borrow::Cow<'a, Declared>,
    with_data: bool,
    made: Option<Made>,
}

struct Made {
    dialect: DialectId,
    branch: Branch,
    pipeline: Pipeline,
    live: trueup_plan::Live,
    /// Where the branch is another database on the same server.
    elsewhere: Option<Elsewhere>,
}

impl OnBranch<'_> {
    fn made(&self) -> Result<&Made, StepError> {
        self.made.as_ref().ok_or_else(|| "the branch was not made".into())
    }

    /// Says what is live, and declared, of the branch, where that has another name.
    fn move_to(
        &mut self,
        branch: &Branch,
        live: &mut trueup_plan::Live,
        rules: &dyn trueup_dialect::Dialect,
    ) -> Result<Option<Elsewhere>, Error> {
        let Some(elsewhere) = Elsewhere::new(live, &branch.name)? else { return Ok(None) };
        elsewhere.live(live, rules)?;
        let declared = elsewhere.declared(&self.declared)?;
        self.declared = std::borrow::Cow::Owned(declared);
        Ok(Some(elsewhere))
    }

    async fn fill(&self, made: &Made) -> Result<(), Error> {
        let failed = |source| Error::Database { doing: "making the schema on the branch", source };
        let mut session = made.pipeline.connect(&made.pipeline.options_for(false, false)).await?;
        let dialect = live::rules(session.as_mut()).await?;
        let target = live::dev_target(session.as_mut()).await?;
        let script = creation(dialect.as_ref(), &made.live.snapshot, &target)?;
        let statements = script
            .setup
            .iter()
            .chain(script.segments.iter().flat_map(|segment| &segment.steps).flat_map(|step| &step.statements));
        for statement in statements.filter(|statement| statement.assert.is_none()) {
            session.execute(&statement.sql).await.map_err(failed)?;
        }
        session.close().await.map_err(failed)
    }
}

#[async_trait]
impl Steps for OnBranch<'_> {
    async fn provision(&mut self) -> Result<Branched, StepError> {
        let mut session = self.parent.look().await?;
        let dialect = session.server().dialect;
        let rules = live::rules(session.as_mut()).await?;
        self.parent.begin_reading(session.as_mut()).await?;
        let own = live::own(session.as_ref(), &self.parent.options);
        let mut live = live::read_spelled(session.as_mut(), rules.as_ref(), &self.parent.options, own).await?;
        let ledger = self.parent.ledger_store(session.as_ref());
        let records = ledger.records(session.as_mut(), self.parent.options.canonical_scope(), 1).await?;
        let mut tracked = records.map_or_else(Tracked::default, |records| records.tracked);
        self.parent.end_reading(session).await?;
        let branch = make_branch(self.parent.target(), dialect, self.with_data).await?;
        let elsewhere = match self.move_to(&branch, &mut live, rules.as_ref()) {
            Ok(elsewhere) => elsewhere,
            Err(error) => {
                drop_branch(self.parent.target(), dialect, &branch).await?;
                return Err(Box::new(error));
            }
        };
        if let Some(elsewhere) = &elsewhere {
            tracked = elsewhere.tracked(tracked);
        }
        let connector = self.parent.target().with_database(&branch.name);
        let pipeline = self.parent.on_branch(connector, tracked);
        let not_copied = if branch.filled {
            Vec::new()
        } else {
            live.unmanaged.iter().map(|object| format!("{} {}", object.kind, object.name)).collect()
        };
        let made = Made { dialect, branch, pipeline, live, elsewhere };
        let branched = Branched {
            mechanism: made.branch.mechanism.to_owned(),
            name: made.branch.name.clone(),
            tables: made.live.snapshot.schema().tables.len(),
            not_copied,
        };
        if !made.branch.filled
            && let Err(error) = self.fill(&made).await
        {
            drop_branch(self.parent.target(), dialect, &made.branch).await?;
            return Err(Box::new(error));
        }
        self.made = Some(made);
        Ok(branched)
    }

    async fn fidelity(&mut self) -> Result<Vec<String>, StepError> {
        let made = self.made()?;
        let mut session = made.pipeline.look().await?;
        let rules = live::rules(session.as_mut()).await?;
        made.pipeline.begin_reading(session.as_mut()).await?;
        let own = live::own(session.as_ref(), &made.pipeline.options);
        let branch = live::read_spelled(session.as_mut(), rules.as_ref(), &made.pipeline.options, own).await?;
        made.pipeline.end_reading(session).await?;
        let namespaces = namespaces_of(made.live.snapshot.schema(), branch.facts.server.default_namespace.as_ref());
        let desired = as_desired(made.live.snapshot.clone(), Vec::new(), namespaces);
        let options = PlanOptions {
            ownership: Ownership::All,
            no_renames: true,
            ignore_unmanaged: true,
            ..PlanOptions::default()
        };
        let plan = trueup_diff::diff(&branch, &desired, &options, rules.as_ref());
        let refused = plan.refusals.iter().map(|refusal| format!("{}: {}", refusal.object, refusal.why));
        Ok(plan.operations.iter().map(|operation| operation.id.to_string()).chain(refused).collect())
    }

    async fn plan(&mut self) -> Result<Plan, StepError> {
        let made = self.made()?;
        let plan = made.pipeline.plan(&self.declared).await?.plan;
        if let Some(elsewhere) = &made.elsewhere {
            elsewhere.check(&plan)?;
        }
        Ok(plan)
    }

    async fn apply(&mut self) -> Result<Tried, StepError> {
        let made = self.made()?;
        let applied =
            made.pipeline.apply(&self.declared, Consent::Rehearsal, ApplyRequest::default(), &Silence).await?;
        let refusals = if applied.status == RunStatus::Refused { applied.refusals } else { Vec::new() };
        Ok(Tried { statements: applied.statements, refusals })
    }

    async fn replan(&mut self) -> Result<Vec<String>, StepError> {
        let plan = self.made()?.pipeline.plan(&self.declared).await?.plan;
        Ok(plan.operations.iter().map(|operation| operation.id.to_string()).collect())
    }

    async fn teardown(&mut self) -> Result<(), StepError> {
        let made = self.made()?;
        drop_branch(self.parent.target(), made.dialect, &made.branch).await?;
        Ok(())
    }
}
