//! Reads everything.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::sqlite::Sqlite;
use trueup_plan::{LiveFacts, Server, TableSize};
use trueup_schema::{DialectId, Form, QualName, Schema, TableKind};
use trueup_session::Session;

use super::{assemble, catalog, depends};
use crate::{IntrospectError, Introspected, Request};

/// Reads the database behind `session` in at most three statements.
///
/// # Errors
/// [`IntrospectError`] if a query fails, or SQLite is older than 3.37.
pub async fn introspect(session: &mut dyn Session, request: &Request) -> Result<Introspected, IntrospectError> {
    let server = Server { dialect: DialectId::Sqlite, version: session.server().version, default_namespace: None };
    let entries = catalog::entries(session).await?;
    let mut facts = LiveFacts::of(server);
    let mut modules = BTreeSet::new();
    for (name, value) in catalog::settings(session).await? {
        if name == "module" {
            modules.insert(value.to_ascii_lowercase());
        } else {
            facts.settings.insert(name, value);
        }
    }
    let mut schema = Schema::new(DialectId::Sqlite);
    schema.form = Form::Canonical { dialect: DialectId::Sqlite, major: 3 };
    let rest = assemble::assemble(&mut schema, entries, &modules)?;
    depends::fill(&mut schema, &Sqlite::new(facts.server.version));
    facts.taken = rest.taken;
    if request.facts {
        sizes(session, &schema, &mut facts).await?;
    }
    Ok(Introspected { schema, facts, unmanaged: rest.unmanaged, shown: BTreeMap::new() })
}

/// Which tables are empty. SQLite counts nothing, and how much of the file a table takes is not known without reading it.
async fn sizes(session: &mut dyn Session, schema: &Schema, facts: &mut LiveFacts) -> Result<(), IntrospectError> {
    // A virtual table may not open where its module is missing.
    let ordinary = schema.tables.values().filter(|table| table.kind == TableKind::Ordinary);
    let tables: Vec<_> = ordinary.map(|table| table.name.name.clone()).collect();
    let empty = catalog::emptiness(session, &tables).await?;
    for (name, empty) in tables.into_iter().zip(empty) {
        facts.sizes.insert(QualName::new(None, name), TableSize { rows: None, bytes: 0, empty });
    }
    Ok(())
}
