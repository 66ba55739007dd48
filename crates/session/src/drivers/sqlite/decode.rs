//! Values by their own storage class; what the column was declared as does not matter.

use sqlx::sqlite::{Sqlite, SqliteRow, SqliteValueRef};
use sqlx::{Column, Decode, Row as _, TypeInfo, ValueRef};

use crate::drivers::common::undecodable;
use crate::{DbError, Row, RowBuilder, Value};

/// Every column of `row`.
pub(super) fn row(row: &SqliteRow) -> Result<Row, DbError> {
    let mut packed = RowBuilder::default();
    for (at, column) in row.columns().iter().enumerate() {
        let raw = row.try_get_raw(at).map_err(|error| undecodable(at, column.name(), &error.to_string()))?;
        packed.push(&value(raw).map_err(|what| undecodable(at, column.name(), &what))?);
    }
    Ok(packed.finish())
}

fn value(raw: SqliteValueRef<'_>) -> Result<Value, String> {
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let class = raw.type_info().name().to_owned();
    let broken = |_| format!("holds no valid {class} value");
    match class.as_str() {
        "INTEGER" => <i64 as Decode<'_, Sqlite>>::decode(raw).map(Value::Int).map_err(broken),
        "REAL" => <f64 as Decode<'_, Sqlite>>::decode(raw).map(Value::Float).map_err(broken),
        "TEXT" => <String as Decode<'_, Sqlite>>::decode(raw).map(Value::Text).map_err(broken),
        "BLOB" => <Vec<u8> as Decode<'_, Sqlite>>::decode(raw).map(Value::Bytes).map_err(broken),
        other => Err(format!("is of the unknown storage class {other}")),
    }
}
