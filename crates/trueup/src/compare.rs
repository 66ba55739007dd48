//! Comparing two schemas without a target.

use trueup_plan::{CheckReport, Live, LiveFacts, Ownership, PlanOptions, Server};
use trueup_schema::Ident;
use trueup_session::{BoxFuture, ConnectOptions, DatabaseUrl};

use crate::desire::{as_desired, desire, namespaces_of};
use crate::elsewhere::Elsewhere;
use crate::pipeline::{Pipeline, Planned};
use crate::{Declared, Error, live};

/// One side of a comparison.
#[derive(Debug, Clone)]
pub enum Side {
    /// A database.
    Database(DatabaseUrl),
    /// A declaration.
    Declared(Declared),
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
            let mut after = after;
            after.namespaces.extend(namespaces_of(before.snapshot.schema(), default_namespace.as_ref()));
            let options = PlanOptions { ownership: Ownership::All, ..self.options.plan.clone() };
            let plan = trueup_diff::diff(&before, &after, &options, dialect.as_ref());
            let script = trueup_render::render(&plan, dialect.as_ref())?;
            Ok(Planned { plan, script, report: CheckReport::default() })
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
