//! PostgreSQL: a scratch database on the same server.

use trueup_session::{ConnectOptions, Connector, DbError, DbErrorKind, Session};

use super::{Branch, BranchError};

/// What branches are called, before a time stamp.
const PREFIX: &str = "trueup_branch_";

pub(super) async fn make(parent: &dyn Connector, with_data: bool) -> Result<Branch, BranchError> {
    let mut session = connect(parent).await?;
    reap(session.as_mut()).await?;
    let failed = |source| BranchError::Database { doing: "making it", source };
    let icu = if session.server().version[0] >= 17 { "datlocale" } else { "daticulocale" };
    let provider = if session.server().version[0] >= 15 {
        format!("datlocprovider::text, {icu}::text")
    } else {
        "'c', NULL::text".to_owned()
    };
    let sql = format!(
        "SELECT pg_catalog.pg_encoding_to_char(encoding)::text, datcollate::text, datctype::text, {provider}, \
         floor(extract(epoch FROM clock_timestamp()))::bigint, \
         substr(md5(random()::text || pg_catalog.pg_backend_pid()::text), 1, 12), \
         '\"' || replace(datname::text, '\"', '\"\"') || '\"' \
         FROM pg_catalog.pg_database WHERE datname = current_database()"
    );
    let rows = session.query(&sql, &[]).await.map_err(failed)?;
    let row =
        rows.first().ok_or_else(|| failed(DbError::new(DbErrorKind::UndefinedObject, "the database is not listed")))?;
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let read = |at: usize| row.text(at).map_err(failed);
    let name = format!("{PREFIX}{}_{}", row.int(5).map_err(failed)?, read(6)?);
    let sql = if with_data {
        format!("CREATE DATABASE {name} TEMPLATE {}", read(7)?)
    } else {
        let locale = match (read(3)?, row.text_or_null(4).map_err(failed)?) {
            ("i", Some(locale)) => format!(" LOCALE_PROVIDER icu ICU_LOCALE {}", literal(locale)),
            ("b", Some(locale)) => format!(" LOCALE_PROVIDER builtin BUILTIN_LOCALE {}", literal(locale)),
            _ => String::new(),
        };
        format!(
            "CREATE DATABASE {name} TEMPLATE template0 ENCODING {} LC_COLLATE {} LC_CTYPE {}{locale}",
            literal(read(0)?),
            literal(read(1)?),
            literal(read(2)?)
        )
    };
    // a template must have no other session: ours moves away first
    session.close().await.map_err(failed)?;
    let mut keeper =
        if with_data { connect(parent.with_database("postgres").as_ref()).await? } else { connect(parent).await? };
    keeper.execute(&sql).await.map_err(|source| explain(source, with_data))?;
    keeper.close().await.map_err(failed)?;
    Ok(Branch {
        mechanism: if with_data { "template" } else { "database" },
        connector: parent.with_database(&name),
        name,
        filled: with_data,
    })
}

fn explain(source: DbError, with_data: bool) -> BranchError {
    if source.kind == DbErrorKind::PermissionDenied {
        return BranchError::Unsupported(
            "a rehearsal needs a scratch database, and this role may not create one (CREATEDB)".to_owned(),
        );
    }
    if with_data && source.sqlstate.as_deref() == Some("55006") {
        return BranchError::Unsupported(
            "a copy with rows needs the database without other sessions; rehearse without --with-data, or on a restored backup".to_owned(),
        );
    }
    BranchError::Database { doing: "making it", source }
}

async fn connect(connector: &dyn Connector) -> Result<Box<dyn Session>, BranchError> {
    let options = ConnectOptions { application_name: "trueup rehearsal".to_owned(), ..ConnectOptions::default() };
    connector
        .connect(&options)
        .await
        .map_err(|source| BranchError::Database { doing: "connecting to its server", source })
}

async fn reap(session: &mut dyn Session) -> Result<(), BranchError> {
    let sql = "SELECT datname FROM pg_catalog.pg_database \
               WHERE datname ~ '^trueup_branch_[0-9]+_[0-9a-f]+$' \
               AND split_part(datname, '_', 3)::bigint < extract(epoch FROM clock_timestamp()) - 3600";
    let rows = session
        .query(sql, &[])
        .await
        .map_err(|source| BranchError::Database { doing: "looking for old ones", source })?;
    for row in rows {
        let Ok(name) = row.text(0) else { continue };
        // somebody else may be dropping it, or own it
        session.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.ok();
    }
    Ok(())
}

pub(super) async fn drop(parent: &dyn Connector, name: &str) -> Result<(), BranchError> {
    let failed = |source| BranchError::Database { doing: "dropping it", source };
    let mut session = connect(parent).await?;
    session.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.map_err(failed)?;
    session.close().await.map_err(failed)
}
