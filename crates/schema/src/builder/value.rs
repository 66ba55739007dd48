//! Values of defaults, spelled per engine.

use super::BuildError;
use super::name::Shared;
use crate::{DataType, DialectId, SqlExpr};

/// A default or backfill that is not spelled yet. Texts are literals; for SQL there is [`expr`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// NULL.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
    /// The time of the statement or transaction.
    Now,
    /// A new random unique id.
    NewUuid,
    /// SQL in the engine's own words.
    Expr(SqlExpr),
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<SqlExpr> for Value {
    fn from(sql: SqlExpr) -> Self {
        Self::Expr(sql)
    }
}

/// NULL.
#[must_use]
pub const fn null() -> Value {
    Value::Null
}

/// The time of the statement or transaction.
#[must_use]
pub const fn now() -> Value {
    Value::Now
}

/// A new random unique id: `gen_random_uuid()` or `uuid()`. SQLite has no such function.
#[must_use]
pub const fn new_uuid() -> Value {
    Value::NewUuid
}

/// SQL in the engine's own words.
#[must_use]
pub fn expr(sql: impl Into<String>) -> Value {
    Value::Expr(SqlExpr::new(sql))
}

impl Value {
    /// The value for the engine at hand and a column of type `data_type`.
    pub(super) fn spell(self, data_type: &DataType, shared: &mut Shared, place: impl Fn() -> String) -> SqlExpr {
        let postgres = shared.dialect == DialectId::Postgres;
        SqlExpr::new(match self {
            Self::Null => "NULL".to_owned(),
            Self::Bool(value) if postgres => value.to_string(),
            Self::Bool(value) => u8::from(value).to_string(),
            Self::Int(value) => value.to_string(),
            Self::Text(text) => quote(&text, shared, place),
            Self::Now => now_sql(data_type, shared.dialect),
            Self::NewUuid => {
                shared.require(
                    &[DialectId::Postgres, DialectId::MySql, DialectId::MariaDb],
                    "function that makes unique ids",
                    place,
                );
                let sql = match shared.dialect {
                    DialectId::Postgres => "gen_random_uuid()",
                    DialectId::MySql => "(uuid())",
                    DialectId::MariaDb | DialectId::Sqlite => "uuid()",
                };
                sql.to_owned()
            }
            Self::Expr(sql) => sql.0,
        })
    }
}

/// The current time. MySQL and MariaDB want the same number of fractional digits as the column has.
fn now_sql(data_type: &DataType, dialect: DialectId) -> String {
    match dialect {
        DialectId::Postgres => "now()".to_owned(),
        DialectId::Sqlite => "CURRENT_TIMESTAMP".to_owned(),
        DialectId::MySql | DialectId::MariaDb => {
            let words = data_type.to_string();
            let digits = words.find('(').zip(words.find(')')).and_then(|(open, close)| words.get(open..=close));
            format!("CURRENT_TIMESTAMP{}", digits.unwrap_or(""))
        }
    }
}

/// `text` as a literal. On MySQL and MariaDB a backslash is doubled, as their default mode wants it.
pub(super) fn quote(text: &str, shared: &mut Shared, place: impl Fn() -> String) -> String {
    if text.contains('\0') {
        shared.errors.push(BuildError::Nul { place: place() });
    }
    let doubled = text.replace('\'', "''");
    match shared.dialect {
        DialectId::Postgres | DialectId::Sqlite => format!("'{doubled}'"),
        DialectId::MySql | DialectId::MariaDb => format!("'{}'", doubled.replace('\\', "\\\\")),
    }
}
