//! `trueup plan`

use trueup::Planned;
use trueup::plan::{Consent, PlanStatus};

use crate::args::{PlanArgs, PlanFormat};
use crate::exit::{End, Failure};
use crate::show;
use crate::target::with_declaration;

pub(crate) async fn run(args: &PlanArgs) -> Result<End, Failure> {
    let (pipeline, declared, consent) = with_declaration(&args.target, &args.declaration)?;
    let planned = pipeline.plan(&declared).await?;
    print(&planned, args.format, args.sql)?;
    Ok(end(&planned, &consent, args.exit_code))
}

/// Prints a plan.
pub(crate) fn print(planned: &Planned, format: PlanFormat, sql: bool) -> Result<(), Failure> {
    match format {
        PlanFormat::Text => show::print_text(&show::plan_text(planned, sql))?,
        PlanFormat::Json => show::print(&serde_json::to_string_pretty(&show::plan_json(planned))?)?,
        PlanFormat::Sql => show::print(&planned.script.to_sql())?,
        PlanFormat::Markdown => show::print(&show::plan_markdown(planned))?,
    }
    Ok(())
}

/// What a plan means for a script: 2 where a human is needed.
pub(crate) fn end(planned: &Planned, consent: &Consent, any_pending: bool) -> End {
    let unconsented = planned.losses_without(consent);
    match planned.status() {
        PlanStatus::UpToDate => End::Done,
        PlanStatus::Pending if any_pending || unconsented => End::Human,
        PlanStatus::Pending => End::Done,
        PlanStatus::Refused | PlanStatus::HeldBack => End::Human,
    }
}
