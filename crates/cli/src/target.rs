//! From flags and settings to a pipeline.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use trueup::load::Allowances;
use trueup::plan::{Consent, OpId, Ownership};
use trueup::schema::Ident;
use trueup::session::DatabaseUrl;
use trueup::{Declared, Options, Pipeline};

use crate::args::{DeclarationArgs, OwnershipArg, TargetArgs};
use crate::cache;
use crate::config::Config;
use crate::exit::Failure;

/// Reads the settings file and the options that every verb shares.
pub(crate) fn settings(target: &TargetArgs) -> Result<(Config, Options), Failure> {
    let config = Config::read(&target.config)?;
    let mut options = Options::new()?;
    options.connect_timeout = Duration::from_secs(target.connect_timeout);
    options.scope = target.scope.clone().or_else(|| config.scope.clone()).unwrap_or_default();
    if let Some(name) = target.control_namespace.as_ref().or(config.control_namespace.as_ref()) {
        options.control_namespace = Ident::new(name)?;
    }
    options.environment.clone_from(&config.environment);
    options.replicas = replicas(&config.replicas)?;
    options.applied_by = who();
    options.cache = if target.no_cache { None } else { cache::of_user() };
    options.plan.owners = target.owners;
    options.plan.scope.namespaces.clone_from(&target.namespace);
    options.plan.scope.include.clone_from(&target.include);
    options.plan.scope.exclude.clone_from(&target.exclude);
    Ok((config, options))
}

/// The servers that an apply waits for.
pub(crate) fn replicas(urls: &[String]) -> Result<Vec<DatabaseUrl>, Failure> {
    let parse = |url: &String| DatabaseUrl::parse(url).map_err(|error| format!("the URL of a replica: {error}").into());
    urls.iter().map(parse).collect()
}

/// The user's name, for the history.
fn who() -> String {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| environment(name)).unwrap_or_else(|| "unknown".to_owned())
}

#[expect(clippy::disallowed_methods, reason = "the command line reads the environment")]
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The target's URL, from flag, environment or settings.
pub(crate) fn url(target: &TargetArgs, config: &Config) -> Result<DatabaseUrl, Failure> {
    let text = target
        .url
        .as_ref()
        .or(config.url.as_ref())
        .ok_or("no database: pass --url URL, set DATABASE_URL, or write `url = \"…\"` into trueup.toml")?;
    Ok(DatabaseUrl::parse(text)?)
}

/// A pipeline without a declaration.
pub(crate) fn pipeline(target: &TargetArgs, dev_url: Option<&String>) -> Result<Pipeline, Failure> {
    let (config, options) = settings(target)?;
    let dev = dev_url.or(config.dev_url.as_ref()).map(|text| DatabaseUrl::parse(text)).transpose()?;
    Ok(Pipeline::new(url(target, &config)?, dev, options)?)
}

/// A pipeline with a declaration and what the caller agrees to lose.
pub(crate) fn with_declaration(
    target: &TargetArgs,
    declaration: &DeclarationArgs,
) -> Result<(Pipeline, Declared, Consent), Failure> {
    let (config, mut options) = settings(target)?;
    let paths: Vec<PathBuf> = if declaration.schema.is_empty() {
        config.schema.iter().map(PathBuf::from).collect()
    } else {
        declaration.schema.clone()
    };
    if paths.is_empty() {
        return Err("no declared schema: pass --schema PATH, or write `schema = [\"…\"]` into trueup.toml".into());
    }
    options.allow = Allowances { do_blocks: declaration.allow_do };
    let plan = &mut options.plan;
    plan.ownership = match declaration.ownership.or(config.ownership) {
        Some(OwnershipArg::All) => Ownership::All,
        Some(OwnershipArg::Tracked) | None => Ownership::Tracked,
    };
    plan.safe = declaration.safe;
    plan.no_renames = declaration.no_renames;
    plan.ignore_unmanaged = declaration.ignore_unmanaged;
    plan.any_algorithm = declaration.any_algorithm;
    plan.online = declaration.online || config.online;
    plan.strict = declaration.strict;
    plan.accept_text = ids(&declaration.accept_text);
    plan.rewrite_text = ids(&declaration.rewrite_text);
    plan.adopt_differs = ids(&declaration.allow_lossy);
    options.verify = declaration.verify;
    options.skip_data_checks = declaration.skip_data_checks;
    options.check_timeout = Duration::from_secs(declaration.check_timeout);
    let dev = declaration.dev_url.as_ref().or(config.dev_url.as_ref());
    let dev = dev.map(|text| DatabaseUrl::parse(text)).transpose()?;
    let declared = Declared::read(&paths)?;
    Ok((Pipeline::new(url(target, &config)?, dev, options)?, declared, consent(&declaration.allow_lossy)))
}

fn ids(texts: &[String]) -> BTreeSet<OpId> {
    texts.iter().map(|text| OpId(text.clone())).collect()
}

fn consent(allowed: &[String]) -> Consent {
    if allowed.is_empty() {
        Consent::None
    } else if allowed.iter().any(|id| id == "*") {
        Consent::AllLosses
    } else {
        Consent::Operations { ids: ids(allowed), plan_hash: None }
    }
}
