//! One pair: from one schema to the other, and what the server says of it.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use trueup::execute::{Applied, RunStatus};
use trueup::plan::{Consent, Ownership, PlanStatus, Refusal};
use trueup::session::Session;
use trueup::{ApplyRequest, Declared, Options, Pipeline, Planned, Silence};
use trueup_testkit::TestDatabase;

use crate::arena::{Arena, Rows, lost_rows};
use crate::cache::Cache;

/// Refusals that say that the planner could not make sense of its own work.
const FAULTS: [&str; 3] = ["inconsistent-plan", "ambiguous-operation", "dependency-cycle"];

/// Two schemas as statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// What is there.
    pub from: Vec<String>,
    /// What is wanted.
    pub to: Vec<String>,
    /// Whether the tables get rows first.
    pub seeded: bool,
}

/// What became of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The server tells the same of both.
    Converged,
    /// Refused, and untouched.
    Refused {
        /// The codes of the reasons.
        codes: Vec<String>,
        /// The reasons.
        detail: String,
    },
    /// The server does not take one of the schemas.
    Invalid(String),
    /// Something is wrong.
    Failed {
        /// A word for what.
        what: &'static str,
        /// Everything about it.
        detail: String,
    },
}

impl Verdict {
    /// A word for it; failures of one kind have one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Refused { .. } => "refused",
            Self::Invalid(_) => "invalid",
            Self::Failed { what, .. } => what,
        }
    }

    fn failed(what: &'static str, detail: impl Into<String>) -> Self {
        Self::Failed { what, detail: detail.into() }
    }
}

/// A declaration of these statements.
#[must_use]
pub fn script(statements: &[String]) -> String {
    statements.iter().map(|statement| format!("{statement};\n")).collect()
}

async fn place(arena: &dyn Arena, statements: &[String]) -> Result<std::result::Result<TestDatabase, String>> {
    let database = arena.fresh().await?;
    let mut session = database.session().await?;
    arena.prepare(session.as_mut()).await?;
    for statement in statements {
        if let Err(error) = session.execute(statement).await {
            return Ok(Err(format!("{statement}\n{error}")));
        }
    }
    session.close().await?;
    Ok(Ok(database))
}

fn pipeline(database: &TestDatabase) -> Result<Pipeline> {
    let mut options = Options::new()?;
    options.plan.ownership = Ownership::All;
    options.plan.no_renames = true;
    options.plan.online = true;
    options.cache = Some(Arc::new(Cache::default()));
    Ok(Pipeline::new(database.url().clone(), None, options)?)
}

/// Carries a pair out and looks at everything that it promises.
///
/// # Errors
/// Where no answer can be had: the server does not answer.
pub async fn judge(arena: &dyn Arena, pair: &Pair) -> Result<Verdict> {
    let b = match place(arena, &pair.to).await? {
        Ok(place) => place,
        Err(why) => return Ok(Verdict::Invalid(why)),
    };
    let a = match place(arena, &pair.from).await? {
        Ok(place) => place,
        Err(why) => return Ok(Verdict::Invalid(why)),
    };
    judge_in(arena, pair, a, b).await
}

/// The same where both schemas have been loaded.
///
/// # Errors
/// As [`judge`].
pub async fn judge_in(arena: &dyn Arena, pair: &Pair, a: TestDatabase, b: TestDatabase) -> Result<Verdict> {
    let mut session = b.session().await?;
    let wanted = arena.dump(session.as_mut()).await.context("the wanted schema cannot be read")?;
    session.close().await?;
    drop(b);
    let mut session = a.session().await?;
    if pair.seeded {
        arena.seed(session.as_mut()).await.context("rows cannot be put in")?;
    }
    let before = Look::at(arena, session).await?;
    run(arena, pair, &a, &before, &wanted).await
}

/// What a database shows.
struct Look {
    schema: String,
    rows: Rows,
}

impl Look {
    async fn at(arena: &dyn Arena, mut session: Box<dyn Session>) -> Result<Self> {
        let schema = arena.dump(session.as_mut()).await.context("the schema cannot be read")?;
        let rows = arena.rows(session.as_mut()).await.context("the rows cannot be read")?;
        session.close().await?;
        Ok(Self { schema, rows })
    }

    async fn again(arena: &dyn Arena, database: &TestDatabase) -> Result<Self> {
        Self::at(arena, database.session().await?).await
    }

    /// What differs from `before`, if anything does.
    fn touched(&self, before: &Self) -> Option<String> {
        if self.schema != before.schema {
            return Some(difference(&before.schema, &self.schema));
        }
        (self.rows != before.rows).then(|| "rows changed".to_owned())
    }
}

async fn run(arena: &dyn Arena, pair: &Pair, database: &TestDatabase, before: &Look, wanted: &str) -> Result<Verdict> {
    let pipeline = pipeline(database)?;
    let from = Declared::sql("from.sql", script(&pair.from));
    let mut to = Declared::sql("to.sql", script(&pair.to));
    match pipeline.plan(&from).await {
        Err(error) => return Ok(Verdict::failed("error in plan of the same", chain(&error))),
        Ok(planned) if planned.status() != PlanStatus::UpToDate => {
            return Ok(Verdict::failed("the same is not up to date", words(&planned)));
        }
        Ok(_) => {}
    }
    let mut planned = pipeline.plan(&to).await;
    if let Some(hints) = planned.as_ref().ok().and_then(conversions) {
        to = Declared::sql("to.sql", hints + &script(&pair.to));
        planned = pipeline.plan(&to).await;
    }
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => return Ok(Verdict::failed("error in plan", chain(&error))),
    };
    if let Some(what) = Look::again(arena, database).await?.touched(before) {
        return Ok(Verdict::failed("plan touched", what));
    }
    let applied = match pipeline.apply(&to, Consent::AllLosses, ApplyRequest::default(), &Silence).await {
        Ok(applied) => applied,
        Err(error) => {
            return Ok(Verdict::failed("error", format!("{}\n{}", chain(&error), planned.script.to_sql())));
        }
    };
    let after = Look::again(arena, database).await?;
    match applied.status {
        RunStatus::Refused => Ok(refused(&planned, &applied, before, &after)),
        RunStatus::Synced | RunStatus::UpToDate => {
            let sql = planned.script.to_sql();
            if after.schema != wanted {
                return Ok(Verdict::failed("diverged", format!("{}\n{sql}", difference(wanted, &after.schema))));
            }
            if let Some(what) = lost_rows(&before.rows, &after.rows) {
                return Ok(Verdict::failed("rows changed", format!("{what}\n{sql}")));
            }
            match pipeline.plan(&to).await {
                Ok(again) if again.status() == PlanStatus::UpToDate => Ok(Verdict::Converged),
                Ok(again) => Ok(Verdict::failed("not up to date", format!("{}\n{sql}", words(&again)))),
                Err(error) => Ok(Verdict::failed("error in the second plan", chain(&error))),
            }
        }
        RunStatus::UpToDateByHistory | RunStatus::SyncedByPeer | RunStatus::HeldBack => {
            Ok(Verdict::failed("an odd end", applied.status.as_str()))
        }
        RunStatus::NotConverged => {
            let left: Vec<String> = applied.residual.iter().map(ToString::to_string).collect();
            Ok(Verdict::failed("not converged", format!("{}\n{}", left.join("\n"), planned.script.to_sql())))
        }
    }
}

/// The directives that a plan asks for, where it lacks nothing but a way from one type to another: random types rarely have any. Each
/// says that the old values go.
fn conversions(planned: &Planned) -> Option<String> {
    let refusals = planned.refusals();
    let directive = |refusal: &Refusal| {
        let (head, _suggestion) = refusal.fix.strip_prefix("say how: ")?.split_once(" = ")?;
        (refusal.code == "needs-using").then(|| format!("{head} = NULL\n"))
    };
    let lines: Option<Vec<String>> = refusals.iter().map(directive).collect();
    lines.filter(|lines| !lines.is_empty()).map(|lines| lines.concat())
}

/// A refusal must be foretold, have a reason that says something, and leave all as it was.
fn refused(planned: &Planned, applied: &Applied, before: &Look, after: &Look) -> Verdict {
    if let Some(what) = after.touched(before) {
        return Verdict::failed("refused and touched", what);
    }
    if planned.status() != PlanStatus::Refused {
        return Verdict::failed("refused against the plan", words(planned));
    }
    if let Some(fault) = applied.refusals.iter().find(|refusal| FAULTS.contains(&refusal.code.as_str())) {
        return Verdict::failed("fault", format!("{}: {}", fault.code, fault.why));
    }
    let mut codes: Vec<String> = applied.refusals.iter().map(|refusal| refusal.code.clone()).collect();
    codes.sort();
    codes.dedup();
    let reason = |refusal: &Refusal| format!("{} ({}): {}", refusal.code, refusal.object, refusal.why);
    Verdict::Refused { codes, detail: applied.refusals.iter().map(reason).collect::<Vec<_>>().join("\n") }
}

fn words(planned: &Planned) -> String {
    let operations = planned.plan.operations.iter().map(|operation| operation.id.to_string());
    let refusals = planned.refusals().into_iter().map(|refusal| format!("{}: {}", refusal.code, refusal.why));
    operations.chain(refusals).collect::<Vec<_>>().join("\n")
}

fn chain(error: &trueup::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text.push_str("\n  ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// The lines that only one of two texts has.
fn difference(wanted: &str, found: &str) -> String {
    let only = |these: &str, those: &str, sign: &str| {
        let mut rest: Vec<&str> = those.lines().collect();
        let mut out = Vec::new();
        for line in these.lines() {
            match rest.iter().position(|other| *other == line) {
                Some(at) => drop(rest.swap_remove(at)),
                None => out.push(format!("{sign} {line}")),
            }
        }
        out
    };
    let mut lines = only(wanted, found, "wanted");
    lines.extend(only(found, wanted, "found "));
    if lines.is_empty() { format!("another order:\n{wanted}\n---\n{found}") } else { lines.join("\n") }
}
