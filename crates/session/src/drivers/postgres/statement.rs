//! Running one statement.
//!
//! Every statement goes through the extended protocol: the server itself then refuses a text of several statements, and
//! rows come in the binary form. It is prepared under a name, which the next statement closes again. The unnamed one would
//! do but for the driver: where a result holds a type that it has not met, it looks the type up by a plain query between
//! preparing and running, and a plain query drops the unnamed statement.

use sqlx::postgres::Postgres;
use sqlx::query::Query;
use sqlx::{Connection, PgConnection};

use super::{decode, errors, parameters};
use crate::drivers::common;
use crate::{DbError, Row, RowBuilder, Value};

/// The statement, with nothing of an earlier one left: a plan made before a table changed is of no use after it.
async fn prepared<'q>(
    connection: &mut PgConnection,
    sql: &str,
    values: &[Value],
) -> Result<Query<'q, Postgres, sqlx::postgres::PgArguments>, DbError> {
    connection.clear_cached_statements().await.map_err(|error| errors::map(&error))?;
    Ok(sqlx::query_with(common::statement(sql), parameters::arguments(values)?))
}

/// Runs one statement and returns the number of rows that it affected.
pub(super) async fn run(connection: &mut PgConnection, sql: &str) -> Result<u64, DbError> {
    let query = prepared(connection, sql, &[]).await?;
    query.execute(connection).await.map(|done| done.rows_affected()).map_err(|error| errors::map(&error))
}

/// Every row of one statement.
pub(super) async fn fetch(connection: &mut PgConnection, sql: &str, values: &[Value]) -> Result<Vec<Row>, DbError> {
    let query = prepared(connection, sql, values).await?;
    // made into ours as they come, so that both forms of a large answer are never held at once
    let mut packed = RowBuilder::default();
    let rows = query.try_map(move |row| decode::row(&row, &mut packed).map_err(common::carry)).fetch_all(connection);
    rows.await.map_err(|error| errors::map(&error))
}
