//! What the catalog answered, before anything is made of it.

use std::collections::BTreeSet;

use trueup_schema::Ident;
use trueup_session::{Row, Session, Value};

use super::comments::Site;
use super::reader::Reader;
use super::{depends, sql, sql_objects, sql_parts, sql_unmanaged};
use crate::{IntrospectError, NamespaceFilter, Request};

/// The oldest major version whose catalog is read.
const OLDEST: u32 = 14;

/// Which rare kinds of objects the catalog holds any of.
#[derive(Debug, Default)]
pub(super) struct Flags(BTreeSet<String>);

impl Flags {
    pub(super) fn has(&self, kind: &str) -> bool {
        self.0.contains(kind)
    }
}

/// Rows by question. A kind that the catalog holds none of was not asked for.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) major: u32,
    pub(super) encoding: String,
    pub(super) collate: String,
    pub(super) ctype: String,
    pub(super) current_user: String,
    /// How many locks the server has room for.
    pub(super) lock_table: String,
    pub(super) namespaces: Vec<i64>,
    pub(super) dictionary: Vec<Row>,
    pub(super) relations: Vec<Row>,
    pub(super) columns: Vec<Row>,
    pub(super) sequences: Vec<Row>,
    pub(super) constraints: Vec<Row>,
    pub(super) indexes: Vec<Row>,
    pub(super) types: Vec<Row>,
    pub(super) routines: Vec<Row>,
    pub(super) texts: Vec<Row>,
    pub(super) comments: Vec<Row>,
    /// What mentions what.
    pub(super) depends: Vec<(Site, Site)>,
    pub(super) facts: Vec<Row>,
}

/// Asks everything but the names of things outside.
pub(super) async fn read(session: &mut dyn Session, request: &Request) -> Result<Raw, IntrospectError> {
    let version = session.server().version[0];
    if version < OLDEST {
        let server = format!("PostgreSQL {}", session.server().version_text);
        return Err(IntrospectError::Version { server, supported: "PostgreSQL 14 and newer" });
    }
    let (mut raw, flags) = setup(session).await?;
    raw.dictionary = ask(session, "namespaces", &sql::dictionary(&flags), &[]).await?;
    raw.namespaces = in_scope(&raw.dictionary, request)?;
    let scope = [Value::Ints(raw.namespaces.iter().copied().map(Some).collect())];
    let major = raw.major;
    raw.relations = ask(session, "tables", &sql::relations(&flags, request.facts), &scope).await?;
    raw.columns = ask(session, "columns", sql::COLUMNS, &scope).await?;
    raw.constraints = ask(session, "constraints", &sql::constraints(major), &scope).await?;
    raw.indexes = ask(session, "indexes", &sql::indexes(&flags, major), &scope).await?;
    if flags.has("sequences") {
        raw.sequences = ask(session, "sequences", sql::SEQUENCES, &scope).await?;
    }
    if flags.has("types") {
        raw.types = ask(session, "types", sql_parts::TYPES, &scope).await?;
    }
    if flags.has("routines") {
        raw.routines = ask(session, "routines", sql_parts::ROUTINES, &scope).await?;
    }
    let mut texts = sql_parts::texts(&flags);
    texts.extend(sql_objects::parts(&flags, major));
    texts.extend(sql_unmanaged::parts(&flags));
    if !texts.is_empty() {
        // Every part may leave the scope unused, but the parameter must be there.
        let sql = format!("WITH scope AS (SELECT $1::int8[]) {}", texts.join(" UNION ALL "));
        raw.texts = ask(session, "triggers and other objects", &sql, &scope).await?;
    }
    raw.comments = ask(session, "comments", sql::COMMENTS, &[]).await?;
    raw.depends = depends::edges(&ask(session, "dependencies", &sql_parts::depends(&flags), &scope).await?)?;
    if request.facts {
        raw.facts = ask(session, "facts", sql_parts::FACTS, &[]).await?;
    }
    Ok(raw)
}

/// One question.
pub(super) async fn ask(
    session: &mut dyn Session,
    what: &'static str,
    sql: &str,
    parameters: &[Value],
) -> Result<Vec<Row>, IntrospectError> {
    let rows = session.query(sql, parameters).await.map_err(|source| IntrospectError::Query { what, source })?;
    tracing::debug!(what, rows = rows.len(), "catalog read");
    Ok(rows)
}

async fn setup(session: &mut dyn Session) -> Result<(Raw, Flags), IntrospectError> {
    let local = session.in_transaction();
    let rows = ask(session, "settings", &sql::setup(local), &[]).await?;
    let row = rows.first().ok_or_else(|| IntrospectError::Catalog {
        object: "the connected database".to_owned(),
        why: "it has no entry".to_owned(),
    })?;
    let mut row = Reader::new(row, "settings");
    let _search_path = row.text_or_null()?;
    let version = row.int()?;
    let raw = Raw {
        major: u32::try_from(version / 10_000).unwrap_or_default(),
        encoding: row.text()?.to_owned(),
        collate: row.text_or_null()?.unwrap_or_default().to_owned(),
        ctype: row.text_or_null()?.unwrap_or_default().to_owned(),
        current_user: row.text()?.to_owned(),
        lock_table: row.text()?.to_owned(),
        ..Raw::default()
    };
    let flags = Flags(row.texts()?.into_iter().map(str::to_owned).collect());
    Ok((raw, flags))
}

/// Numbers of the namespaces to read, in order.
fn in_scope(dictionary: &[Row], request: &Request) -> Result<Vec<i64>, IntrospectError> {
    let mut numbers = Vec::new();
    for row in dictionary {
        let mut row = Reader::new(row, "namespaces");
        if row.text()? != "namespace" {
            continue;
        }
        let number = row.int()?;
        let (_owner, _none) = (row.int()?, row.int()?);
        if is_wanted(&row.ident()?, request) {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn is_wanted(name: &Ident, request: &Request) -> bool {
    let servers_own = name.as_str().starts_with("pg_") || name.as_str() == "information_schema";
    let asked = match &request.namespaces {
        NamespaceFilter::All => true,
        NamespaceFilter::Only(names) => names.contains(name),
    };
    asked && !servers_own && request.control_namespace.as_ref() != Some(name)
}
