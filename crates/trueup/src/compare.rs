//! Comparing two schemas without a target.

use trueup_dialect::Dialect;
use trueup_plan::{CheckReport, Desired, Live, LiveFacts, Ownership, PlanOptions, Server};
use trueup_schema::{DialectId, Form, Ident, Schema};
use trueup_session::{BoxFuture, ConnectOptions, DatabaseUrl};

use crate::declared::read_document;
use crate::desire::{as_desired, desire, from_canonical, namespaces_of};
use crate::elsewhere::Elsewhere;
use crate::pipeline::{Pipeline, Planned};
use crate::{Declared, Error, Options, live};

/// One side of a comparison.
#[derive(Debug, Clone)]
pub enum Side {
    /// A database.
    Database(DatabaseUrl),
    /// A declaration.
    Declared(Declared),
}

/// The way from one schema to another, nobody asked.
fn between(before: &Live, mut after: Desired, options: &Options, dialect: &dyn Dialect) -> Result<Planned, Error> {
    let default = before.facts.server.default_namespace.as_ref();
    after.namespaces.extend(namespaces_of(before.snapshot.schema(), default));
    let options = PlanOptions { ownership: Ownership::All, ..options.plan.clone() };
    let mut plan = trueup_diff::diff(before, &after, &options, dialect);
    // two schemas belong to no project
    plan.adopts.clear();
    let script = trueup_render::render(&plan, dialect)?;
    Ok(Planned { plan, script, report: CheckReport::default() })
}

/// Plans the way from one document to another without any server, where both are in the spelling of one engine and major version:
/// `inspect --format json` writes such. None where they are not, and a [`Pipeline`] must make sense of them first.
///
/// Nothing but the documents is known: the newest release of that version and its own settings are assumed.
///
/// # Errors
/// [`Error`]
pub fn compare_documents(from: &Declared, to: &Declared, options: &Options) -> Result<Option<Planned>, Error> {
    let (Some(from), Some(to)) = (canonical(from)?, canonical(to)?) else { return Ok(None) };
    let (Form::Canonical { dialect: engine, major }, true) = (&from.schema.form, from.schema.form == to.schema.form)
    else {
        return Ok(None);
    };
    let (engine, major) = (*engine, *major);
    let version = [major, NEWEST, NEWEST];
    let dialect = trueup_dialect::dialect_for(engine, version)
        .ok_or_else(|| Error::Unsupported { dialect: engine, version: major.to_string() })?;
    let default_namespace = if engine == DialectId::Postgres { Ident::new("public").ok() } else { None };
    let desired =
        |side: Canonical| from_canonical(dialect.as_ref(), default_namespace.as_ref(), side.schema, &side.name);
    let (before, after) = (desired(from)?, desired(to)?);
    let facts = LiveFacts::of(Server { dialect: engine, version, default_namespace: default_namespace.clone() });
    let before = Live { snapshot: before.snapshot, facts, unmanaged: before.unmodelled };
    between(&before, after, options, dialect.as_ref()).map(Some)
}

/// Above every release.
const NEWEST: u32 = 999;

/// A document in a server's own spelling.
struct Canonical {
    schema: Schema,
    name: String,
}

fn canonical(declared: &Declared) -> Result<Option<Canonical>, Error> {
    let (schema, name) = match declared {
        Declared::Document(source) => (read_document(source)?, source.name.clone()),
        Declared::Schema { schema, origin } => (Schema::clone(schema), origin.clone()),
        Declared::Sql(_) => return Ok(None),
    };
    Ok(matches!(schema.form, Form::Canonical { .. }).then_some(Canonical { schema, name }))
}

impl Pipeline {
    /// Plans the way from one schema to another. The pipeline's own database only lends its engine and its server for scratch
    /// databases. Changes nothing.
    ///
    /// # Errors
    /// [`Error`]
    pub fn compare<'a>(&'a self, from: &'a Side, to: &'a Side) -> BoxFuture<'a, Result<Planned, Error>> {
        Box::pin(async move {
            let mut session = self.look().await?;
            let dialect = live::rules(session.as_mut()).await?;
            let target = live::dev_target(session.as_mut()).await?;
            let version = session.server().version;
            let kept = self.kept(session.as_mut(), &target).await?;
            session.close().await.map_err(|source| Error::Database { doing: "closing the session", source })?;
            let workshop = self.workshop(dialect.as_ref(), &target, kept.as_ref());
            let default_namespace = target.default_namespace.clone();
            let before = match from {
                Side::Database(url) => self.read_side(url, dialect.as_ref(), default_namespace.as_ref()).await?,
                Side::Declared(declared) => {
                    let desired = desire(workshop, declared).await?;
                    let facts = LiveFacts::of(Server {
                        dialect: target.dialect,
                        version,
                        default_namespace: default_namespace.clone(),
                    });
                    Live { snapshot: desired.snapshot, facts, unmanaged: desired.unmodelled }
                }
            };
            let after = match to {
                Side::Database(url) => {
                    let live = self.read_side(url, dialect.as_ref(), default_namespace.as_ref()).await?;
                    let namespaces = namespaces_of(live.snapshot.schema(), default_namespace.as_ref());
                    as_desired(live.snapshot, live.unmanaged, namespaces)
                }
                Side::Declared(declared) => desire(workshop, declared).await?,
            };
            between(&before, after, &self.options, dialect.as_ref())
        })
    }

    /// One side, under the name of the database that both are compared as, where databases are namespaces.
    async fn read_side(
        &self,
        url: &DatabaseUrl,
        dialect: &dyn trueup_dialect::Dialect,
        name: Option<&Ident>,
    ) -> Result<Live, Error> {
        let connector = trueup_session::connector(url.clone())?;
        let options =
            ConnectOptions { read_only: true, timeout: self.options.connect_timeout, ..ConnectOptions::default() };
        let mut session =
            connector.connect(&options).await.map_err(|source| Error::Connect { place: url.place(), source })?;
        let found = session.server().dialect;
        if found != dialect.id() {
            return Err(Error::OtherDialect { declared: found, target: dialect.id() });
        }
        self.begin_reading(session.as_mut()).await?;
        let own = live::own(session.as_ref(), &self.options);
        let mut live = live::read_spelled(session.as_mut(), dialect, &self.options, own).await?;
        self.end_reading(session).await?;
        if let Some(elsewhere) = name.and_then(|name| Elsewhere::of_side(&live, name)) {
            elsewhere.live(&mut live, dialect)?;
        }
        Ok(live)
    }
}
