//! One run, in this process.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use trueup::execute::RunStatus;
use trueup::plan::{Consent, Ownership};
use trueup::session::{Connector, DatabaseUrl, connector};
use trueup::snapshot::{Document, DocumentFormat};
use trueup::{ApplyRequest, Declared, Options, Pipeline, Silence};
use trueup_testkit::Proxy;

use crate::job::{Blow, Ended, Job, Talk};
use crate::snare::{Snare, SnareConnector};

/// The options of every run here: all of the database is managed.
pub(crate) fn options(lease: Duration, lock_wait: Duration) -> Result<Options> {
    let mut options = Options::new()?;
    options.plan.ownership = Ownership::All;
    options.lease = lease;
    options.lock_wait = lock_wait;
    options.applied_by = "drill".to_owned();
    Ok(options)
}

/// The declaration in a document, or in SQL.
pub(crate) fn declared(document: &str) -> Result<Declared> {
    if !document.starts_with('{') {
        return Ok(Declared::sql("after.sql", document));
    }
    Ok(Declared::built(Document::read(document, DocumentFormat::Json)?))
}

/// Runs `job` and says how it ended.
pub(crate) async fn run(job: &Job) -> Result<Ended> {
    if job.talk != Talk::Silent {
        crate::loud::listen()?;
    }
    let url = DatabaseUrl::parse(&job.url)?;
    let plain = connector(url.clone())?;
    let needs_proxy = job.strike.as_ref().is_some_and(|strike| matches!(strike.blow, Blow::Reset | Blow::BlackHole));
    let (inner, proxy) = if needs_proxy {
        let (connector, proxy) = through_proxy(&url).await?;
        (connector, Some(proxy))
    } else {
        (connector(url)?, None)
    };
    let snare = Snare::new(job, plain, proxy);
    let target = Box::new(SnareConnector { inner, snare: Arc::clone(&snare) });
    let (lease, wait) = (Duration::from_millis(job.lease_ms), Duration::from_millis(job.lock_wait_ms));
    let mut options = options(lease, wait)?;
    options.plan.online = job.online;
    let pipeline = Pipeline::with_connectors(target, None, options);
    let declared = declared(&job.document)?;
    if job.talk != Talk::Silent {
        eprintln!("{:?} {pipeline:?} {snare:?}", pipeline.target().url());
    }
    let applied = pipeline.apply(&declared, Consent::AllLosses, ApplyRequest::default(), &Silence).await;
    if let Some(path) = &job.trace {
        fs::write(path, serde_json::to_vec(&snare.calls())?).context("cannot write the trace")?;
    }
    if job.talk != Talk::Silent {
        eprintln!("{applied:?}");
    }
    assert!(job.talk != Talk::Panic, "told to: {:?} {pipeline:?} {snare:?} {applied:?}", pipeline.target().url());
    Ok(match applied {
        Ok(applied) => {
            let word = applied.status.as_str().to_owned();
            let is_good = matches!(applied.status, RunStatus::Synced | RunStatus::UpToDate | RunStatus::SyncedByPeer);
            let refusals: Vec<String> = applied.refusals.iter().map(|refusal| refusal.why.clone()).collect();
            let left: Vec<&str> = applied.residual.iter().map(|id| id.0.as_str()).collect();
            let bad = format!("{word} {} {}", refusals.join("; "), left.join(", "));
            Ended { status: if is_good { Ok(word) } else { Err(bad) }, statements: applied.statements }
        }
        Err(error) => Ended { status: Err(words(&error)), statements: 0 },
    })
}

/// An error with its causes.
pub(crate) fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

async fn through_proxy(url: &DatabaseUrl) -> Result<(Box<dyn Connector>, Proxy)> {
    let text = url.secret_text();
    let (_, rest) = text.split_once("://").context("a URL without a scheme")?;
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    let proxy = Proxy::to(place.to_owned()).await?;
    let through = text.replacen(place, &format!("127.0.0.1:{}", proxy.port()), 1);
    Ok((connector(DatabaseUrl::parse(&through)?)?, proxy))
}
