//! `trueup diff`

use std::path::PathBuf;

use trueup::plan::Consent;
use trueup::session::DatabaseUrl;
use trueup::{Declared, Pipeline, Side, compare_documents};

use super::plan;
use crate::args::DiffArgs;
use crate::exit::{End, Failure};
use crate::target::settings;

const NO_SERVER: &str = "neither side is a database, and they are not two documents of `inspect` from the same engine and major version: \
                         name a server that makes sense of them with --dev-url (sqlite::memory: for SQLite)";

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
    let planned = match (context.or_else(|| dev.clone()).or(named), &from, &to) {
        (Some(context), _, _) => Pipeline::new(context, dev, options)?.compare(&from, &to).await?,
        (None, Side::Declared(from), Side::Declared(to)) => compare_documents(from, to, &options)?.ok_or(NO_SERVER)?,
        (None, _, _) => return Err(NO_SERVER.into()),
    };
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
