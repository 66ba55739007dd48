//! Where schemas are put: one server, or a folder of SQLite files, and the client programs that serve as the measure.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::generate::Words;

/// A server or folder.
#[derive(Debug)]
pub(crate) enum Place {
    Postgres { url: String, dump: Option<Vec<String>> },
    MariaDb { url: String },
    Sqlite { folder: PathBuf },
}

impl Place {
    pub(crate) const fn words(&self) -> Words {
        match self {
            Self::Postgres { .. } => Words::Postgres,
            Self::MariaDb { .. } => Words::MariaDb,
            Self::Sqlite { .. } => Words::Sqlite,
        }
    }

    /// What the engine's own tool for looking at a schema is called.
    pub(crate) const fn measure(&self) -> &'static str {
        match self {
            Self::Postgres { .. } => "pg_dump -s",
            Self::MariaDb { .. } => "mariadb-dump --no-data",
            Self::Sqlite { .. } => "sqlite3 .schema",
        }
    }

    pub(crate) fn url(&self, database: &str) -> String {
        match self {
            Self::Postgres { url, .. } | Self::MariaDb { url } => format!("{url}/{database}"),
            Self::Sqlite { folder } => format!("sqlite://{}", folder.join(database).display()),
        }
    }

    /// The account of a server.
    pub(crate) fn account(&self) -> Result<Account> {
        match self {
            Self::Postgres { url, .. } | Self::MariaDb { url } => account(url),
            Self::Sqlite { .. } => bail!("a folder has no account"),
        }
    }

    /// The engine's own tool, looking at `database`; none where the machine has none of the right version.
    pub(crate) fn dump(&self, database: &str) -> Result<Option<Command>> {
        Ok(match self {
            Self::Postgres { dump: None, .. } => None,
            Self::Postgres { dump: Some(words), .. } => {
                let (program, more) = words.split_first().context("an empty pg_dump command")?;
                let mut command = Command::new(program);
                command.args(more).args(["-s", "-d", &self.url(database)]);
                Some(command)
            }
            Self::MariaDb { url } => {
                let mut command = mariadb("mariadb-dump", url)?;
                command.args(["--no-data", "--skip-comments", database]);
                Some(command)
            }
            Self::Sqlite { folder } => {
                let mut command = Command::new("sqlite3");
                command.arg(folder.join(database)).arg(".schema");
                Some(command)
            }
        })
    }

    /// The engine's client, running the statements of `file` in one transaction where there is such a thing.
    pub(crate) fn script(&self, database: &str, file: &Path) -> Result<Command> {
        let file = file.display().to_string();
        Ok(match self {
            Self::Postgres { .. } => psql(&self.url(database), &["-1", "-f", &file])?,
            Self::MariaDb { url } => {
                let mut command = mariadb("mariadb", url)?;
                command.args([database, "-e", &format!("source {file}")]);
                command
            }
            Self::Sqlite { folder } => {
                let mut command = Command::new("sqlite3");
                let read = format!(".read {file}");
                command.arg("-bail").arg(folder.join(database)).args(["BEGIN", &read, "COMMIT"]);
                command
            }
        })
    }

    /// The engine's client, running the statements of `file` as they come, each in a transaction of its own if the file opens none.
    pub(crate) fn autocommit(&self, database: &str, file: &Path) -> Result<Command> {
        let text = file.display().to_string();
        Ok(match self {
            Self::Postgres { .. } => psql(&self.url(database), &["-f", &text])?,
            Self::MariaDb { .. } => self.script(database, file)?,
            Self::Sqlite { folder } => {
                let mut command = Command::new("sqlite3");
                command.arg("-bail").arg(folder.join(database)).arg(format!(".read {text}"));
                command
            }
        })
    }

    /// The engine's client, reading the facts of a schema in the fewest statements that hold them; PostgreSQL's measure is its own tool.
    pub(crate) fn floor(&self, database: &str) -> Result<Option<Command>> {
        Ok(match self {
            Self::Postgres { .. } => None,
            Self::MariaDb { url } => {
                let mut command = mariadb("mariadb", url)?;
                command.args([database, "-e", MARIADB_READS]);
                Some(command)
            }
            Self::Sqlite { folder } => {
                let mut command = Command::new("sqlite3");
                command.arg(folder.join(database)).args(SQLITE_READS);
                Some(command)
            }
        })
    }

    /// Makes `database` anew.
    pub(crate) fn create(&self, database: &str) -> Result<()> {
        self.drop(database)?;
        let sql = format!("CREATE DATABASE {database}");
        match self {
            Self::Postgres { .. } => done(&mut psql(&self.url("postgres"), &["-c", &sql])?),
            Self::MariaDb { url } => done(mariadb("mariadb", url)?.args(["-e", &sql])),
            Self::Sqlite { .. } => Ok(()),
        }
    }

    pub(crate) fn drop(&self, database: &str) -> Result<()> {
        let sql = format!("DROP DATABASE IF EXISTS {database}");
        match self {
            Self::Postgres { .. } => done(&mut psql(&self.url("postgres"), &["-c", &sql])?),
            Self::MariaDb { url } => done(mariadb("mariadb", url)?.args(["-e", &sql])),
            Self::Sqlite { folder } => match std::fs::remove_file(folder.join(database)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            },
        }
    }

    /// Lets the server know how large its tables are.
    pub(crate) fn settle(&self, database: &str) -> Result<()> {
        match self {
            Self::Postgres { .. } => done(&mut psql(&self.url(database), &["-c", "VACUUM ANALYZE"])?),
            Self::MariaDb { .. } | Self::Sqlite { .. } => Ok(()),
        }
    }
}

/// Every fact of tables and their parts, of one schema.
const MARIADB_READS: &str = "\
    SELECT table_name, table_type, engine, row_format, table_collation, create_options, table_comment \
    FROM information_schema.tables WHERE table_schema = DATABASE();\
    SELECT table_name, column_name, ordinal_position, column_default, is_nullable, column_type, character_set_name, collation_name, extra, \
    column_comment, generation_expression FROM information_schema.columns WHERE table_schema = DATABASE();\
    SELECT table_name, index_name, non_unique, seq_in_index, column_name, collation, sub_part, index_type, index_comment \
    FROM information_schema.statistics WHERE table_schema = DATABASE();\
    SELECT table_name, constraint_name, ordinal_position, column_name, referenced_table_schema, referenced_table_name, referenced_column_name \
    FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL;\
    SELECT table_name, constraint_name, update_rule, delete_rule \
    FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE();\
    SELECT constraint_name, check_clause FROM information_schema.check_constraints WHERE constraint_schema = DATABASE();\
    SELECT table_name, view_definition, check_option, security_type FROM information_schema.views WHERE table_schema = DATABASE();";

/// Every fact of tables and their parts.
const SQLITE_READS: [&str; 4] = [
    "SELECT type, name, tbl_name, sql FROM sqlite_schema",
    "SELECT m.name, c.* FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view')",
    "SELECT m.name, i.*, c.* FROM sqlite_schema m, pragma_index_list(m.name) i, pragma_index_xinfo(i.name) c WHERE m.type = 'table'",
    "SELECT m.name, f.* FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
];

/// Runs what must succeed.
pub(crate) fn done(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn psql(url: &str, words: &[&str]) -> Result<Command> {
    let mut command = Command::new(clients("psql").pop().context("no psql: install postgresql-client")?);
    command.args(["-qX", "-v", "ON_ERROR_STOP=1", "-d", url]).args(words);
    // what does not exist is said to be skipped
    command.env("PGOPTIONS", "-c client_min_messages=warning");
    Ok(command)
}

/// How a client gets into a server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) user: String,
    pub(crate) host: String,
    pub(crate) port: String,
}

/// The account in a server's URL, `…://user@host:port`.
fn account(url: &str) -> Result<Account> {
    let (user, place) = url.rsplit('/').next().and_then(|rest| rest.split_once('@')).context("no user in the URL")?;
    let (host, port) = place.split_once(':').context("no port in the URL")?;
    Ok(Account { user: user.to_owned(), host: host.to_owned(), port: port.to_owned() })
}

/// A client of MariaDB, connected to the server at `url`.
fn mariadb(program: &str, url: &str) -> Result<Command> {
    let Account { user, host, port } = account(url)?;
    let mut command = Command::new(program);
    command.args(["--no-defaults", "-h", &host, "-P", &port, "-u", &user]);
    Ok(command)
}

/// Every such program of Debian's PostgreSQL packages, oldest first.
fn clients(name: &str) -> Vec<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = folders.map(|folder| folder.path().join("bin").join(name)).collect();
    found.retain(|path| path.exists());
    found.sort();
    found
}

/// The command of a `pg_dump` of this major version: a dump of another version reads other catalogs, or refuses.
pub(crate) fn dump_of(major: &str, given: &[String]) -> Option<Vec<String>> {
    let given = given.iter().map(|command| command.split_whitespace().map(str::to_owned).collect());
    let packaged = clients("pg_dump").into_iter().map(|path| vec![path.display().to_string()]);
    let of_major = |command: &Vec<String>| {
        let output = Command::new(&command[0]).args(&command[1..]).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&format!("(PostgreSQL) {major}.")))
    };
    given.chain(packaged).filter(|command| !command.is_empty()).find(of_major)
}
