//! `trueup diff`

use std::path::PathBuf;

use trueup::plan::Consent;
use trueup::session::DatabaseUrl;
use trueup::{Declared, Pipeline, Side};

use super::plan;
use crate::args::DiffArgs;
use crate::exit::{End, Failure};
use crate::target::settings;

pub(crate) async fn run(args: &DiffArgs) -> Result<End, Failure> {
    let (config, mut options) = settings(&args.target)?;
    options.plan.no_renames = args.no_renames;
    options.plan.online = args.online || config.online;
    let (from, to) = (side(&args.from)?, side(&args.to)?);
    let context = [&from, &to].into_iter().find_map(|side| match side {
        Side::Database(url) => Some(url.clone()),
        Side::Declared(_) => None,
    });
    let dev = args.dev_url.as_ref().or(config.dev_url.as_ref()).map(|text| DatabaseUrl::parse(text)).transpose()?;
    let named = args.target.url.as_ref().or(config.url.as_ref()).map(|text| DatabaseUrl::parse(text)).transpose()?;
    let context = context.or_else(|| dev.clone()).or(named).ok_or(
        "neither side is a database: name a server that makes sense of them with --dev-url (sqlite::memory: for SQLite)",
    )?;
    let pipeline = Pipeline::new(context, dev, options)?;
    let planned = pipeline.compare(&from, &to).await?;
    plan::print(&planned, args.format, args.sql)?;
    Ok(plan::end(&planned, &Consent::AllLosses, args.exit_code))
}

fn side(text: &str) -> Result<Side, Failure> {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let is_url =
        scheme.is_some_and(|scheme| ["postgres", "postgresql", "mysql", "mariadb", "sqlite"].contains(&scheme));
    if is_url {
        Ok(Side::Database(DatabaseUrl::parse(text)?))
    } else {
        Ok(Side::Declared(Declared::read(&[PathBuf::from(text)])?))
    }
}
