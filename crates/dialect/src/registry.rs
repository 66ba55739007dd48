//! The engines that there are rules for.

use std::collections::BTreeMap;

use trueup_schema::DialectId;

use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::{Dialect, mariadb, mysql};

/// The rules of `dialect` at `version` (major, minor, patch), where there are any. Settings of the server are taken to be its defaults.
#[must_use]
pub fn dialect_for(dialect: DialectId, version: [u32; 3]) -> Option<Box<dyn Dialect>> {
    dialect_with(dialect, version, &BTreeMap::new())
}

/// The rules of `dialect` at `version` under the settings that introspection reads into the live facts: whether names are compared
/// without letter case, and which character set a database has by itself, are settings on some engines.
#[must_use]
pub fn dialect_with(
    dialect: DialectId,
    version: [u32; 3],
    settings: &BTreeMap<String, String>,
) -> Option<Box<dyn Dialect>> {
    match dialect {
        DialectId::Postgres => Some(Box::new(Postgres::new(version))),
        DialectId::Sqlite => Some(Box::new(Sqlite::new(version))),
        DialectId::MySql => Some(Box::new(mysql::Engine::mysql(version, settings))),
        DialectId::MariaDb => Some(Box::new(mariadb::engine(version, settings))),
    }
}
