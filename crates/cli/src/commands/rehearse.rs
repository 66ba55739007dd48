//! `trueup rehearse`

use trueup::RehearseRequest;
use trueup::rehearse::Outcome;

use crate::args::{RehearseArgs, ReportFormat};
use crate::exit::{End, Failure};
use crate::show;
use crate::target::with_declaration;

pub(crate) async fn run(args: &RehearseArgs) -> Result<End, Failure> {
    let (pipeline, declared, _) = with_declaration(&args.target, &args.declaration)?;
    let request = RehearseRequest { with_data: args.with_data, keep: args.keep };
    let report = pipeline.rehearse(&declared, request).await;
    let text = match args.format {
        ReportFormat::Text => report.text(),
        ReportFormat::Json => serde_json::to_string_pretty(&report)?,
    };
    match args.format {
        ReportFormat::Text => show::print_text(&text)?,
        ReportFormat::Json => show::print(&text)?,
    }
    Ok(match report.outcome {
        Outcome::Clean => End::Done,
        Outcome::Lossy | Outcome::Blocked => End::Human,
        Outcome::Diverged | Outcome::Infidelity | Outcome::Failed => End::Failed,
    })
}
