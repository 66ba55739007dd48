//! Types by what they are for, spelled per engine.

use super::name::Shared;
use super::value::quote;
use super::{BuildError, ToQualName};
use crate::{DataType, DialectId, PathError, QualName};

/// A type that is not spelled yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeSpec(Spec);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Spec {
    /// The engine's own words.
    Raw(String),
    /// A spelling per engine: PostgreSQL, MySQL, MariaDB, SQLite.
    Each([String; 4]),
    Enumerated(Vec<String>),
    Named(Result<QualName, PathError>),
}

impl From<&str> for TypeSpec {
    fn from(words: &str) -> Self {
        raw(words)
    }
}

impl From<String> for TypeSpec {
    fn from(words: String) -> Self {
        raw(words)
    }
}

fn each(postgres: &str, mysql: &str, mariadb: &str, sqlite: &str) -> TypeSpec {
    TypeSpec(Spec::Each([postgres, mysql, mariadb, sqlite].map(str::to_owned)))
}

/// A type in the engine's own words. A bare text does the same.
#[must_use]
pub fn raw(words: impl Into<String>) -> TypeSpec {
    TypeSpec(Spec::Raw(words.into()))
}

/// A 16-bit integer.
#[must_use]
pub fn smallint() -> TypeSpec {
    each("smallint", "smallint", "smallint", "INTEGER")
}

/// A 32-bit integer.
#[must_use]
pub fn integer() -> TypeSpec {
    each("integer", "int", "int", "INTEGER")
}

/// A 64-bit integer.
#[must_use]
pub fn bigint() -> TypeSpec {
    each("bigint", "bigint", "bigint", "INTEGER")
}

/// A 32-bit floating-point number.
#[must_use]
pub fn real() -> TypeSpec {
    each("real", "float", "float", "REAL")
}

/// A 64-bit floating-point number.
#[must_use]
pub fn double() -> TypeSpec {
    each("double precision", "double", "double", "REAL")
}

/// An exact number of `precision` digits, `scale` of them after the point. SQLite keeps it as it thinks best.
#[must_use]
pub fn decimal(precision: u32, scale: u32) -> TypeSpec {
    let digits = format!("({precision},{scale})");
    each(&format!("numeric{digits}"), &format!("decimal{digits}"), &format!("decimal{digits}"), "NUMERIC")
}

/// True or false.
#[must_use]
pub fn boolean() -> TypeSpec {
    each("boolean", "tinyint(1)", "tinyint(1)", "INTEGER")
}

/// Text without a limit of ours: `text` everywhere, which holds 64 KiB on MySQL and MariaDB.
#[must_use]
pub fn text() -> TypeSpec {
    each("text", "text", "text", "TEXT")
}

/// Text of at most `length` characters. SQLite knows no limit.
#[must_use]
pub fn varchar(length: u32) -> TypeSpec {
    let mysql = format!("varchar({length})");
    each(&format!("character varying({length})"), &mysql, &mysql, "TEXT")
}

/// Text of exactly `length` characters. SQLite knows no limit.
#[must_use]
pub fn char(length: u32) -> TypeSpec {
    let mysql = format!("char({length})");
    each(&format!("character({length})"), &mysql, &mysql, "TEXT")
}

/// Bytes.
#[must_use]
pub fn binary() -> TypeSpec {
    each("bytea", "longblob", "longblob", "BLOB")
}

/// A universally unique id; its 36 characters where the engine has no such type.
#[must_use]
pub fn uuid() -> TypeSpec {
    each("uuid", "char(36)", "uuid", "TEXT")
}

/// A JSON value: `jsonb` on PostgreSQL, text on SQLite.
#[must_use]
pub fn json() -> TypeSpec {
    each("jsonb", "json", "json", "TEXT")
}

/// A day.
#[must_use]
pub fn date() -> TypeSpec {
    each("date", "date", "date", "TEXT")
}

/// A time of day, to the microsecond.
#[must_use]
pub fn time() -> TypeSpec {
    each("time without time zone", "time(6)", "time(6)", "TEXT")
}

/// A day and time of no zone, to the microsecond.
#[must_use]
pub fn timestamp() -> TypeSpec {
    each("timestamp without time zone", "datetime(6)", "datetime(6)", "TEXT")
}

/// A moment, to the microsecond.
#[must_use]
pub fn timestamptz() -> TypeSpec {
    each("timestamp with time zone", "timestamp(6)", "timestamp(6)", "TEXT")
}

/// One of `labels`, as a type of the column itself (MySQL, MariaDB). For PostgreSQL, see
/// [`SchemaBuilder::enumeration`](super::SchemaBuilder::enumeration).
#[must_use]
pub fn enumerated<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> TypeSpec {
    TypeSpec(Spec::Enumerated(labels.into_iter().map(Into::into).collect()))
}

/// A type with a name of its own: an enum, a domain, an extension's.
#[must_use]
pub fn named(name: impl ToQualName) -> TypeSpec {
    TypeSpec(Spec::Named(name.to_qual_name()))
}

impl TypeSpec {
    /// The type for the engine at hand.
    pub(super) fn spell(self, shared: &mut Shared, place: impl Fn() -> String) -> DataType {
        match self.0 {
            Spec::Raw(words) => DataType::Builtin(words),
            Spec::Each([postgres, mysql, mariadb, sqlite]) => DataType::Builtin(match shared.dialect {
                DialectId::Postgres => postgres,
                DialectId::MySql => mysql,
                DialectId::MariaDb => mariadb,
                DialectId::Sqlite => sqlite,
            }),
            Spec::Enumerated(labels) => {
                shared.require(&[DialectId::MySql, DialectId::MariaDb], "enums without a name", &place);
                let labels: Vec<String> = labels.iter().map(|label| quote(label, shared, &place)).collect();
                DataType::Builtin(format!("enum({})", labels.join(",")))
            }
            Spec::Named(Ok(name)) => {
                shared.require(&[DialectId::Postgres], "types with names of their own", &place);
                DataType::named(shared.qual_name(name, &place))
            }
            Spec::Named(Err(source)) => {
                shared.errors.push(BuildError::Path { place: place(), source });
                DataType::builtin("")
            }
        }
    }
}
