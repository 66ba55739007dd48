//! The server's own record of what it was told.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context, Result};
use trueup::schema::DialectId;

use crate::arena::Arena;

/// One statement that the server was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// The server's end of the session that told it.
    pub(crate) backend: i64,
    pub(crate) sql: String,
}

/// The log of one arena's database, from when it was opened on.
#[derive(Debug)]
pub(crate) enum Log {
    /// The general log, on a server of our own.
    General,
    /// The log file of a PostgreSQL server of our own, from a position on.
    File(PathBuf, u64),
    /// The engine keeps none, or the server is not ours.
    None,
}

/// What a line of the file begins with: process and database.
const PREFIX: &str = "SET log_line_prefix = '%p|%d|'";

impl Log {
    /// Tells the server to write down what it is told from now on.
    pub(crate) async fn open(arena: &Arena) -> Result<Self> {
        if arena.place.pid.is_none() {
            return Ok(Self::None);
        }
        let mut session = arena.session().await?;
        let log = match arena.place.dialect() {
            DialectId::MySql | DialectId::MariaDb => {
                for sql in [
                    "SET GLOBAL log_output = 'TABLE'",
                    "SET GLOBAL general_log = ON",
                    "TRUNCATE TABLE mysql.general_log",
                ] {
                    session.execute(sql).await?;
                }
                Self::General
            }
            DialectId::Postgres => {
                for sql in [
                    &format!("ALTER SYSTEM {PREFIX}"),
                    "ALTER SYSTEM SET log_statement = 'all'",
                    "SELECT pg_catalog.pg_reload_conf()",
                ] {
                    session.execute(sql).await?;
                }
                // the sessions that are looked at come later
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
                let path = crate::servers::log(&arena.place)?;
                let at = path.metadata()?.len();
                Self::File(path, at)
            }
            DialectId::Sqlite => Self::None,
        };
        session.close().await?;
        Ok(log)
    }

    /// Every statement so far, in order; `None` where nobody wrote them down.
    pub(crate) async fn statements(&self, arena: &Arena) -> Result<Option<Vec<Logged>>> {
        match self {
            Self::None => Ok(None),
            Self::File(path, at) => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(*at))?;
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                Ok(Some(parse(&String::from_utf8_lossy(&bytes), arena.name())))
            }
            Self::General => {
                let mut session = arena.session().await?;
                let sql = "SELECT CAST(thread_id AS SIGNED), CONVERT(argument USING utf8mb4) FROM mysql.general_log \
                           WHERE command_type IN ('Query', 'Execute') ORDER BY event_time";
                let rows = session.query(sql, &[]).await?;
                session.close().await?;
                let read = rows.iter().map(|row| Ok(Logged { backend: row.int(0)?, sql: row.text(1)?.to_owned() }));
                read.collect::<Result<_>>().map(Some).context("the general log")
            }
        }
    }

    /// Those of them that change the schema and are not about our own tables.
    pub(crate) async fn schema_changes(&self, arena: &Arena) -> Result<Option<Vec<Logged>>> {
        let all = self.statements(arena).await?;
        Ok(all.map(|all| all.into_iter().filter(|one| changes_schema(&one.sql)).collect()))
    }
}

/// Whether a statement changes the schema, our own tables aside.
pub(crate) fn changes_schema(sql: &str) -> bool {
    let word = sql.split_whitespace().next().unwrap_or_default().to_uppercase();
    ["CREATE", "ALTER", "DROP", "RENAME", "COMMENT"].contains(&word.as_str())
        && !sql.contains("_trueup_")
        && !sql.contains(" DATABASE ")
        && !sql.contains("SCHEMA IF NOT EXISTS")
        && !sql.starts_with("ALTER SYSTEM")
}

/// The statements about `database` in the text of a log; what a line goes on with is indented.
fn parse(text: &str, database: &str) -> Vec<Logged> {
    let mut found: Vec<Logged> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some(more) = line.strip_prefix('\t') {
            if let Some(last) = found.last_mut().filter(|_| is_open) {
                last.sql = format!("{}\n{more}", last.sql);
            }
            continue;
        }
        is_open = false;
        let mut parts = line.splitn(3, '|');
        let (Some(pid), Some(of), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (Ok(backend), true) = (pid.parse(), of == database) else { continue };
        let Some(said) = rest.trim_start().strip_prefix("LOG:") else { continue };
        let said = said.trim_start();
        let is_statement = said.starts_with("statement: ") || said.starts_with("execute ");
        if let Some((_, sql)) = said.split_once(": ").filter(|_| is_statement) {
            found.push(Logged { backend, sql: sql.to_owned() });
            is_open = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_file_is_read_by_database() {
        let text = "12|a|LOG:  statement: CREATE TABLE t (\n\tid int\n\t)\n12|b|LOG:  statement: DROP TABLE x\n\
                    13|a|LOG:  execute <unnamed>: SELECT 1\n13|a|DETAIL:  parameters: $1 = '1'\n13|a|ERROR:  no\n\tmore\n";
        let found = parse(text, "a");
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], Logged { backend: 12, sql: "CREATE TABLE t (\nid int\n)".to_owned() });
        assert_eq!(found[1], Logged { backend: 13, sql: "SELECT 1".to_owned() });
        assert!(changes_schema(&found[0].sql) && !changes_schema(&found[1].sql));
    }

    #[test]
    fn our_own_tables_are_no_schema() {
        assert!(!changes_schema("CREATE TABLE IF NOT EXISTS `_trueup_lock` (x int)"));
        assert!(changes_schema("alter table a add b int"));
    }
}
