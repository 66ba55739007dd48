//! The database as it is.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_load::DevTarget;
use trueup_plan::{Desired, Live};
use trueup_schema::{DialectId, Ident, ObjectRef};
use trueup_session::Session;
use trueup_snapshot::Snapshot;

use crate::{Error, Options};

/// The rules of the server behind a session, under the settings that it has.
pub(crate) async fn rules(session: &mut dyn Session) -> Result<Box<dyn Dialect>, Error> {
    let settings = trueup_introspect::settings(session).await?;
    let server = session.server();
    trueup_dialect::dialect_with(server.dialect, server.version, &settings)
        .ok_or_else(|| Error::Unsupported { dialect: server.dialect, version: server.version_text.clone() })
}

/// Reads the live schema in these namespaces, and how its tables are spelled out.
pub(crate) async fn read_spelled(
    session: &mut dyn Session,
    dialect: &dyn Dialect,
    options: &Options,
    namespaces: NamespaceFilter,
) -> Result<Live, Error> {
    let request = Request { spelled: true, facts: false, ..request(options, namespaces) };
    read_as(session, dialect, &request).await
}

/// Reads the live schema in these namespaces.
pub(crate) async fn read(
    session: &mut dyn Session,
    dialect: &dyn Dialect,
    options: &Options,
    namespaces: NamespaceFilter,
) -> Result<Live, Error> {
    read_as(session, dialect, &request(options, namespaces)).await
}

fn request(options: &Options, namespaces: NamespaceFilter) -> Request {
    Request {
        namespaces,
        control_namespace: Some(options.control_namespace.clone()),
        owners: options.plan.owners,
        spelled: false,
        facts: true,
    }
}

async fn read_as(session: &mut dyn Session, dialect: &dyn Dialect, request: &Request) -> Result<Live, Error> {
    let Introspected { schema, facts, unmanaged, shown: _ } = introspect(session, request).await?;
    let snapshot = Snapshot::from_schema(schema, dialect)
        .map_err(|error| Error::Snapshot { side: "live", source: Box::new(error) })?;
    Ok(Live { snapshot, facts, unmanaged })
}

/// The namespaces that a look is about which follows no declaration: all of a database. On MySQL and MariaDB a server holds the
/// databases of many, and it is the connection's own.
pub(crate) fn own(session: &dyn Session, options: &Options) -> NamespaceFilter {
    let server = session.server();
    let default = server.default_namespace.as_ref().and_then(|name| Ident::new(name).ok());
    match (server.dialect, default) {
        (DialectId::MySql | DialectId::MariaDb, Some(name)) if options.plan.scope.namespaces.is_empty() => {
            NamespaceFilter::Only(vec![name])
        }
        _ => NamespaceFilter::All,
    }
}

/// The namespaces of `objects`, besides [`own`] ones.
pub(crate) fn own_and<'o>(
    session: &dyn Session,
    options: &Options,
    objects: impl Iterator<Item = &'o ObjectRef>,
) -> NamespaceFilter {
    match own(session, options) {
        NamespaceFilter::All => NamespaceFilter::All,
        NamespaceFilter::Only(names) => {
            let mut names: BTreeSet<Ident> = names.into_iter().collect();
            for object in objects {
                names.extend(object.namespace().cloned());
                if let ObjectRef::Namespace(name) = object {
                    names.insert(name.clone());
                }
            }
            NamespaceFilter::Only(names.into_iter().collect())
        }
    }
}

/// Declared namespaces, and those that a hint renames; all where a pattern has to be matched.
pub(crate) fn declared(desired: &Desired, options: &Options) -> NamespaceFilter {
    if !options.plan.scope.namespaces.is_empty() {
        return NamespaceFilter::All;
    }
    let mut names: BTreeSet<Ident> = desired.namespaces.clone();
    for hint in &desired.hints.renames {
        names.extend(hint.from.namespace().cloned());
        if let ObjectRef::Namespace(name) = &hint.from {
            names.insert(name.clone());
        }
    }
    if names.is_empty() { NamespaceFilter::All } else { NamespaceFilter::Only(names.into_iter().collect()) }
}

/// What a dev database must share with this server.
pub(crate) async fn dev_target(session: &mut dyn Session) -> Result<DevTarget, Error> {
    let server = session.server().clone();
    let default_namespace = server
        .default_namespace
        .as_deref()
        .map(Ident::new)
        .transpose()
        .map_err(|error| Error::Usage(format!("the connection's default namespace cannot be used: {error}")))?;
    let mut extensions = Vec::new();
    if server.dialect == DialectId::Postgres {
        let sql = "SELECT e.extname::text, CASE WHEN e.extrelocatable THEN n.nspname::text END \
                   FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace \
                   WHERE e.extname <> 'plpgsql' ORDER BY e.oid";
        let failed = |source| Error::Database { doing: "listing extensions", source };
        for row in session.query(sql, &[]).await.map_err(failed)? {
            let name = Ident::new(row.text(0).map_err(failed)?);
            let namespace = row.text_or_null(1).map_err(failed)?.map(Ident::new).transpose();
            if let (Ok(name), Ok(namespace)) = (name, namespace) {
                extensions.push((name, namespace));
            }
        }
    }
    Ok(DevTarget {
        dialect: server.dialect,
        major: server.version[0],
        default_namespace,
        extensions,
        database: server.database,
        sql_mode: server.sql_mode,
    })
}

/// Objects that are both declared and live, with their live hashes.
pub(crate) fn tracked(live: &Live, desired: &Desired) -> BTreeMap<ObjectRef, String> {
    desired
        .snapshot
        .objects()
        .filter_map(|(object, _)| live.snapshot.object_hash(object).map(|hash| (object.clone(), hash.to_string())))
        .collect()
}

/// Settings of the server and the database that decide what a declaration means there, as one text.
pub(crate) async fn settings(session: &mut dyn Session) -> Result<String, Error> {
    let sql = match session.server().dialect {
        DialectId::Sqlite => return Ok(String::new()),
        DialectId::Postgres => {
            "SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN ('default_table_access_method', \
             'default_tablespace', 'default_toast_compression', 'quote_all_identifiers', 'array_nulls', \
             'transform_null_equals', 'standard_conforming_strings') \
             UNION ALL SELECT 'database', (to_jsonb(d) - '{oid,datdba,datacl,datconnlimit,datfrozenxid,datminmxid}'::text[])::text \
             FROM pg_catalog.pg_database d WHERE datname = current_database() \
             UNION ALL SELECT 'extension', concat_ws(' ', extname, extversion) FROM pg_catalog.pg_extension ORDER BY 1, 2"
        }
        DialectId::MySql | DialectId::MariaDb => {
            "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('sql_mode', 'lower_case_table_names', 'character_set_server', \
             'collation_server', 'character_set_database', 'collation_database', 'character_set_collations', \
             'default_collation_for_utf8mb4', 'default_storage_engine', 'enforce_storage_engine', 'innodb_default_row_format', \
             'explicit_defaults_for_timestamp', 'sql_generate_invisible_primary_key', 'innodb_file_per_table', 'old_mode')"
        }
    };
    let failed = |source| Error::Database { doing: "reading settings", source };
    let mut text = String::new();
    for row in session.query(sql, &[]).await.map_err(failed)? {
        text.extend([row.text(0).map_err(failed)?, " ", row.text(1).map_err(failed)?, "\n"]);
    }
    if session.server().dialect != DialectId::Postgres {
        let sql = "SELECT CAST(@@SESSION.character_set_database AS CHAR), CAST(@@SESSION.collation_database AS CHAR)";
        for row in session.query(sql, &[]).await.map_err(failed)? {
            text.extend([row.text(0).map_err(failed)?, " ", row.text(1).map_err(failed)?, "\n"]);
        }
    }
    Ok(text)
}
