//! `trueup status` and `trueup drift`

use crate::args::{DriftArgs, ReportFormat, StatusArgs};
use crate::exit::{End, Failure};
use crate::show;
use crate::target::pipeline;

pub(crate) async fn status(args: &StatusArgs) -> Result<End, Failure> {
    let standing = pipeline(&args.target, None)?.standing(args.limit).await?;
    let text = match args.format {
        ReportFormat::Text => show::standing_text(&standing, false),
        ReportFormat::Json => serde_json::to_string_pretty(&show::standing_json(&standing))?,
    };
    match args.format {
        ReportFormat::Text => show::print_text(&text)?,
        ReportFormat::Json => show::print(&text)?,
    }
    Ok(End::Done)
}

pub(crate) async fn drift(args: &DriftArgs) -> Result<End, Failure> {
    let standing = pipeline(&args.target, None)?.standing(1).await?;
    let text = match args.format {
        ReportFormat::Text => show::standing_text(&standing, true),
        ReportFormat::Json => serde_json::to_string_pretty(&show::standing_json(&standing))?,
    };
    match args.format {
        ReportFormat::Text => show::print_text(&text)?,
        ReportFormat::Json => show::print(&text)?,
    }
    Ok(if standing.drift.is_empty() { End::Done } else { End::Human })
}
