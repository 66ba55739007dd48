//! `trueup lock`

use std::time::Duration;

use trueup::Pipeline;
use trueup::execute::LockBroken;

use crate::args::{ActArgs, BreakArgs, ReportFormat, ShowArgs};
use crate::exit::{End, Failure};
use crate::show;
use crate::target::pipeline;

pub(crate) async fn show(args: &ShowArgs) -> Result<End, Failure> {
    let report = pipeline(&args.target, None)?.lock_standing().await?;
    match args.format {
        ReportFormat::Text => show::print_text(&show::lock_text(&report))?,
        ReportFormat::Json => show::print(&serde_json::to_string_pretty(&show::lock_json(&report))?)?,
    }
    Ok(End::Done)
}

pub(crate) async fn free(args: &BreakArgs) -> Result<End, Failure> {
    let broken = actor(&args.act)?.break_lock(args.terminate).await?;
    match args.act.format {
        ReportFormat::Text => show::print_text(&show::broken_text(&broken))?,
        ReportFormat::Json => show::print(&serde_json::to_string_pretty(&show::broken_json(&broken))?)?,
    }
    Ok(match broken {
        LockBroken::NotHeld | LockBroken::Broken { .. } => End::Done,
        LockBroken::Held(_) => End::Human,
    })
}

/// A pipeline for an act that is recorded.
pub(super) fn actor(args: &ActArgs) -> Result<Pipeline, Failure> {
    let mut pipeline = pipeline(&args.target, None)?;
    pipeline.options.lock_wait = Duration::from_secs(args.lock_wait);
    pipeline.options.note.clone_from(&args.note);
    Ok(pipeline)
}
