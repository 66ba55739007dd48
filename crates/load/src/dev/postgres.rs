//! PostgreSQL: a scratch database on the target's server or another one, loaded inside a transaction that is rolled back.

use std::collections::BTreeSet;

use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_schema::{DialectId, Ident};
use trueup_session::{Connector, DbError, DbErrorKind, Session, TransactionMode};

use super::{Declaration, DevTarget, LoadOptions, Loaded, admin, check_server, connect, may_come_right, refused};
use crate::LoadError;
use crate::split::SqlStatement;

/// What scratch databases are called, before a time stamp.
const PREFIX: &str = "trueup_dev_";

pub(super) async fn load(
    declaration: &Declaration,
    server: &dyn Connector,
    target: &DevTarget,
    options: LoadOptions,
) -> Result<Loaded, LoadError> {
    let mut keeper = connect(server, "connecting to its server").await?;
    check_server(keeper.as_ref(), target)?;
    reap(keeper.as_mut()).await?;
    let name = create(keeper.as_mut(), target).await?;
    let loaded = in_database(declaration, server.with_database(&name).as_ref(), target, options).await;
    let dropped = keeper.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    let loaded = loaded?;
    dropped.map_err(|source| LoadError::DevDatabase { doing: "dropping it", source })?;
    keeper.close().await.map_err(|source| LoadError::DevDatabase { doing: "leaving its server", source })?;
    Ok(loaded)
}

/// Drops scratch databases that some earlier run left behind more than an hour ago.
async fn reap(session: &mut dyn Session) -> Result<(), LoadError> {
    let sql = "SELECT datname FROM pg_catalog.pg_database \
               WHERE datname ~ '^trueup_dev_[0-9]+_[0-9a-f]+$' \
               AND split_part(datname, '_', 3)::bigint < extract(epoch FROM clock_timestamp()) - 3600";
    let rows = session
        .query(sql, &[])
        .await
        .map_err(|source| LoadError::DevDatabase { doing: "looking for old ones", source })?;
    for row in rows {
        let Ok(name) = row.text(0) else { continue };
        // somebody else may be dropping it, or own it
        session.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.ok();
    }
    Ok(())
}

/// Makes a scratch database with the target's encoding and collation; returns its name, which needs no quotes.
async fn create(session: &mut dyn Session, target: &DevTarget) -> Result<String, LoadError> {
    let failed = |source| LoadError::DevDatabase { doing: "making it", source };
    let icu = if session.server().version[0] >= 17 { "datlocale" } else { "daticulocale" };
    let provider = if session.server().version[0] >= 15 {
        format!("datlocprovider::text, {icu}::text")
    } else {
        "'c', NULL::text".to_owned()
    };
    let sql = format!(
        "SELECT pg_catalog.pg_encoding_to_char(encoding)::text, datcollate::text, datctype::text, {provider}, \
         floor(extract(epoch FROM clock_timestamp()))::bigint, \
         substr(md5(random()::text || pg_catalog.pg_backend_pid()::text), 1, 12) \
         FROM pg_catalog.pg_database WHERE datname = $1 OR datname = current_database() ORDER BY datname = $1 DESC LIMIT 1"
    );
    let rows = session.query(&sql, &[target.database.as_str().into()]).await.map_err(failed)?;
    let row = rows
        .first()
        .ok_or_else(|| failed(DbError::new(DbErrorKind::UndefinedObject, "the target database is not listed")))?;
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let read = |at: usize| row.text(at).map_err(failed);
    let name = format!("{PREFIX}{}_{}", row.int(5).map_err(failed)?, read(6)?);
    let mut sql = format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING {} LC_COLLATE {} LC_CTYPE {}",
        literal(read(0)?),
        literal(read(1)?),
        literal(read(2)?)
    );
    match (read(3)?, row.text_or_null(4).map_err(failed)?) {
        ("i", Some(locale)) => sql = format!("{sql} LOCALE_PROVIDER icu ICU_LOCALE {}", literal(locale)),
        ("b", Some(locale)) => sql = format!("{sql} LOCALE_PROVIDER builtin BUILTIN_LOCALE {}", literal(locale)),
        _ => {}
    }
    session.execute(&sql).await.map_err(|source| {
        if source.kind == DbErrorKind::PermissionDenied {
            LoadError::NoDevDatabase(
                "SQL files are loaded through a scratch database, and this role may not create one; \
                 name a server where it may with --dev-url, or compile the files to a document there once \
                 (trueup inspect --schema PATH --format json) and plan from that"
                    .to_owned(),
            )
        } else {
            failed(source)
        }
    })?;
    Ok(name)
}

async fn in_database(
    declaration: &Declaration,
    scratch: &dyn Connector,
    target: &DevTarget,
    options: LoadOptions,
) -> Result<Loaded, LoadError> {
    let mut session = connect(scratch, "connecting to it").await?;
    // many thousand objects in one transaction can exhaust the server's lock table; then each statement commits
    let loader = match Loader::run(session.as_mut(), declaration, target, true).await {
        Err(LoadError::Statement { source, .. }) if is_exhausted(&source) => {
            session.rollback().await.map_err(|source| LoadError::DevDatabase { doing: "starting over", source })?;
            Loader::run(session.as_mut(), declaration, target, false).await?
        }
        other => other?,
    };
    admin(session.as_mut(), "reading it", "SET search_path = ''").await?;
    let request = Request {
        namespaces: NamespaceFilter::All,
        control_namespace: None,
        owners: options.owners,
        spelled: false,
        facts: false,
    };
    let mut introspected = introspect(session.as_mut(), &request).await?;
    if session.in_transaction() {
        session.rollback().await.map_err(|source| LoadError::DevDatabase { doing: "rolling back", source })?;
    }
    session.close().await.map_err(|source| LoadError::DevDatabase { doing: "leaving it", source })?;
    let namespaces = tidy(&mut introspected, declaration, target, &loader);
    Ok(Declaration::loaded(declaration, introspected, namespaces))
}

/// Takes out what was only lent, and says which namespaces the declaration is about.
fn tidy(
    introspected: &mut Introspected,
    declaration: &Declaration,
    target: &DevTarget,
    loader: &Loader,
) -> BTreeSet<Ident> {
    let schema = &mut introspected.schema;
    schema.extensions.retain(|name, _| !loader.lent_extensions.contains(name));
    let mut used: BTreeSet<Ident> = declaration.statements.iter().filter_map(created_namespace).collect();
    let named = schema
        .tables
        .keys()
        .chain(schema.views.keys())
        .chain(schema.types.keys())
        .chain(schema.sequences.keys())
        .chain(schema.routines.keys().map(|id| &id.name))
        .filter_map(|name| name.namespace.clone())
        .chain(schema.objects.keys().filter_map(|id| id.namespace.clone()))
        .chain(schema.extensions.values().filter_map(|extension| extension.namespace.clone()));
    used.extend(named);
    if used.is_empty() {
        used.extend(target.default_namespace.clone());
    }
    // the default namespace is there without being declared; lent ones are the target's
    schema.namespaces.retain(|name, _| used.contains(name) && !loader.lent_namespaces.contains(name));
    used
}

/// The namespace that a CREATE SCHEMA makes.
fn created_namespace(statement: &SqlStatement) -> Option<Ident> {
    let object = crate::provenance::declared_object(DialectId::Postgres, statement, None)?;
    if let trueup_schema::ObjectRef::Namespace(name) = object { Some(name) } else { None }
}

/// Whether the server has run out of what one transaction may hold.
fn is_exhausted(error: &DbError) -> bool {
    error.sqlstate.as_deref() == Some("53200")
}

/// Whether the statement may only have come too early.
fn is_early(error: &DbError) -> bool {
    may_come_right(error.kind) && !is_exhausted(error)
}

/// What loading needed besides the statements.
#[derive(Debug, Default)]
struct Loader {
    lent_extensions: BTreeSet<Ident>,
    lent_namespaces: BTreeSet<Ident>,
    in_transaction: bool,
}

impl Loader {
    async fn run(
        session: &mut dyn Session,
        declaration: &Declaration,
        target: &DevTarget,
        in_transaction: bool,
    ) -> Result<Self, LoadError> {
        let mut loader = Self { in_transaction, ..Self::default() };
        loader.start(session, target).await?;
        let statements: Vec<&SqlStatement> = declaration.statements.iter().collect();
        // most declarations are in order: savepoints are only paid for when one is not
        if in_transaction {
            if loader.straight(session, &statements).await? {
                return Ok(loader);
            }
            session.rollback().await.map_err(|source| LoadError::DevDatabase { doing: "starting over", source })?;
            loader.start(session, target).await?;
        }
        loader.rounds(session, statements, target).await?;
        Ok(loader)
    }

    async fn start(&self, session: &mut dyn Session, target: &DevTarget) -> Result<(), LoadError> {
        if self.in_transaction {
            session
                .begin(TransactionMode::Write)
                .await
                .map_err(|source| LoadError::DevDatabase { doing: "opening a transaction", source })?;
        }
        if let Some(namespace) = &target.default_namespace {
            let name = namespace.quoted(DialectId::Postgres);
            if namespace.as_str() != "public" {
                admin(session, "preparing it", &format!("CREATE SCHEMA IF NOT EXISTS {name}")).await?;
            }
            admin(session, "preparing it", &format!("SET search_path = {name}")).await?;
        }
        Ok(())
    }

    /// Runs all statements in the order given; false when one failed that may come right in another order.
    async fn straight(&self, session: &mut dyn Session, statements: &[&SqlStatement]) -> Result<bool, LoadError> {
        for statement in statements {
            if let Err(error) = session.execute(&runnable(statement)).await {
                return if is_early(&error) { Ok(false) } else { Err(refused(statement, error)) };
            }
        }
        Ok(true)
    }

    /// Tries what is left again and again, lending what the target has, until all is in or nothing moves.
    async fn rounds(
        &mut self,
        session: &mut dyn Session,
        statements: Vec<&SqlStatement>,
        target: &DevTarget,
    ) -> Result<(), LoadError> {
        let mut waiting = statements;
        let mut unchecked: Option<Vec<&SqlStatement>> = None;
        loop {
            let before = waiting.len();
            let mut later = Vec::new();
            let mut first_error = None;
            for statement in waiting {
                if let Err(error) = self.attempt(session, statement).await? {
                    if !is_early(&error) {
                        return Err(refused(statement, error));
                    }
                    first_error.get_or_insert((statement, error));
                    later.push(statement);
                }
            }
            let Some((statement, error)) = first_error else {
                return recheck(session, unchecked.unwrap_or_default()).await;
            };
            if later.len() == before && !self.lend(session, target).await? {
                if unchecked.is_some() {
                    return Err(refused(statement, error));
                }
                // what is left may be routines that name each other
                unchecked = Some(later.clone());
                admin(session, "preparing it", "SET check_function_bodies = off").await?;
            }
            waiting = later;
        }
    }

    /// Runs one statement; where it fails, the transaction is as before. A role that it names and that is missing is made for the
    /// length of the transaction.
    async fn attempt(
        &self,
        session: &mut dyn Session,
        statement: &SqlStatement,
    ) -> Result<Result<(), DbError>, LoadError> {
        for _ in 0..20 {
            self.savepoint(session, "SAVEPOINT trueup").await?;
            let Err(error) = session.execute(&runnable(statement)).await else {
                self.savepoint(session, "RELEASE SAVEPOINT trueup").await?;
                return Ok(Ok(()));
            };
            self.savepoint(session, "ROLLBACK TO SAVEPOINT trueup").await?;
            let Some(role) = missing_role(&error).filter(|_| self.in_transaction) else { return Ok(Err(error)) };
            self.savepoint(session, "SAVEPOINT trueup").await?;
            if session.execute(&format!("CREATE ROLE {}", role.quoted(DialectId::Postgres))).await.is_err() {
                self.savepoint(session, "ROLLBACK TO SAVEPOINT trueup").await?;
                return Ok(Err(error));
            }
        }
        Ok(Err(DbError::new(DbErrorKind::Other, "the statement names more than twenty roles that do not exist")))
    }

    async fn savepoint(&self, session: &mut dyn Session, sql: &'static str) -> Result<(), LoadError> {
        if self.in_transaction { admin(session, "setting a savepoint", sql).await } else { Ok(()) }
    }

    /// Makes the target's extensions that the declaration did not make; false when there are none left.
    async fn lend(&mut self, session: &mut dyn Session, target: &DevTarget) -> Result<bool, LoadError> {
        let mut lent = false;
        for (name, namespace) in &target.extensions {
            if self.lent_extensions.contains(name) || exists(session, "pg_extension WHERE extname", name).await? {
                continue;
            }
            let mut sql = format!("CREATE EXTENSION {}", name.quoted(DialectId::Postgres));
            self.savepoint(session, "SAVEPOINT trueup").await?;
            let mut made = Ok(0);
            if let Some(namespace) = namespace {
                if !exists(session, "pg_namespace WHERE nspname", namespace).await? {
                    made = session.execute(&format!("CREATE SCHEMA {}", namespace.quoted(DialectId::Postgres))).await;
                    self.lent_namespaces.insert(namespace.clone());
                }
                sql = format!("{sql} WITH SCHEMA {} CASCADE", namespace.quoted(DialectId::Postgres));
            }
            if made.is_ok() && session.execute(&sql).await.is_ok() {
                self.savepoint(session, "RELEASE SAVEPOINT trueup").await?;
                self.lent_extensions.insert(name.clone());
                lent = true;
            } else {
                self.savepoint(session, "ROLLBACK TO SAVEPOINT trueup").await?;
            }
        }
        Ok(lent)
    }
}

/// Looks into the bodies of routines that were let in unseen, now that everything they may name is there.
async fn recheck(session: &mut dyn Session, unchecked: Vec<&SqlStatement>) -> Result<(), LoadError> {
    if unchecked.is_empty() {
        return Ok(());
    }
    admin(session, "preparing it", "SET check_function_bodies = on").await?;
    for statement in unchecked {
        if let Some(sql) = again(statement)
            && let Err(error) = session.execute(&sql).await
        {
            return Err(refused(statement, error));
        }
    }
    Ok(())
}

/// The statement that makes the routine once more; none if it makes no routine.
fn again(statement: &SqlStatement) -> Option<String> {
    let head: Vec<&str> = statement.head.iter().map(String::as_str).collect();
    match head.as_slice() {
        ["CREATE", "OR", "REPLACE", "FUNCTION" | "PROCEDURE", ..] => Some(statement.text.clone()),
        ["CREATE", "FUNCTION" | "PROCEDURE", ..] => {
            let at = statement.text.to_ascii_uppercase().find("CREATE")? + "CREATE".len();
            let (create, rest) = statement.text.split_at(at);
            Some(format!("{create} OR REPLACE{rest}"))
        }
        _ => None,
    }
}

async fn exists(session: &mut dyn Session, place: &'static str, name: &Ident) -> Result<bool, LoadError> {
    let sql = format!("SELECT 1::bigint FROM pg_catalog.{place} = $1");
    let rows = session
        .query(&sql, &[name.as_str().into()])
        .await
        .map_err(|source| LoadError::DevDatabase { doing: "looking at what it holds", source })?;
    Ok(!rows.is_empty())
}

/// The role that an error says is missing.
fn missing_role(error: &DbError) -> Option<Ident> {
    if error.sqlstate.as_deref() != Some("42704") {
        return None;
    }
    let rest = error.message.strip_prefix("role \"")?;
    let (name, after) = rest.split_at(rest.find("\" does not exist")?);
    (!after.is_empty()).then(|| Ident::new(name).ok()).flatten()
}

/// The statement as it can run inside a transaction: how an index is built is no part of what is declared.
fn runnable(statement: &SqlStatement) -> String {
    let concurrent =
        statement.head.iter().any(|word| word == "CONCURRENTLY") && statement.head.iter().any(|word| word == "INDEX");
    if !concurrent {
        return statement.text.clone();
    }
    match statement.text.to_ascii_uppercase().find("CONCURRENTLY") {
        Some(at) => format!("{}{}", &statement.text[..at], &statement.text[at + "CONCURRENTLY".len()..]),
        None => statement.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_role_is_read_from_the_error() {
        let mut error = DbError::new(DbErrorKind::UndefinedObject, "role \"app user\" does not exist");
        error.sqlstate = Some("42704".to_owned());
        assert_eq!(missing_role(&error).unwrap().as_str(), "app user");
        error.message = "type \"x\" does not exist".to_owned();
        assert!(missing_role(&error).is_none());
    }
}
