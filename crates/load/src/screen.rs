//! Which statements a declaration may hold.
//!
//! Declared SQL is hostile to the server that it is loaded on until shown otherwise: an allow-list of statement heads decides.

use trueup_dialect::mysql::Quoting;
use trueup_schema::DialectId;

use crate::lex::{Piece, first_piece};
use crate::screen_mysql;
use crate::split::SqlStatement;

/// What to do with a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Load it.
    Load,
    /// Leave it out and say so; empty where there is nothing worth saying.
    Skip(String),
    /// Refuse the whole declaration.
    Refuse(String),
    /// It is no statement of any engine.
    Unknown(String),
}

/// What a caller allows beyond the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowances {
    /// `DO` blocks (PostgreSQL).
    pub do_blocks: bool,
}

fn skip(why: &str) -> Verdict {
    Verdict::Skip(why.to_owned())
}

fn refuse(why: &str) -> Verdict {
    Verdict::Refuse(why.to_owned())
}

/// Judges one statement by its first words.
pub(crate) fn screen(dialect: DialectId, statement: &SqlStatement, allowances: Allowances) -> Verdict {
    if matches!(dialect, DialectId::MySql | DialectId::MariaDb)
        && let Some(verdict) = screen_mysql::screen(&statement.text, statement.quoting)
    {
        return verdict;
    }
    let head: Vec<&str> = statement.head.iter().map(String::as_str).collect();
    match head.first().copied().unwrap_or("") {
        "CREATE" => create(dialect, &head),
        "ALTER" => alter(&head),
        "COMMENT" | "GRANT" | "REVOKE" | "SECURITY" if dialect != DialectId::Sqlite => match head.get(2).copied() {
            Some("DATABASE" | "ROLE" | "TABLESPACE") if head[0] == "COMMENT" => {
                skip("comments on databases, roles and tablespaces are not part of a schema")
            }
            _ => Verdict::Load,
        },
        "INSERT" | "REPLACE" => skip("rows are not part of a schema: INSERT left out"),
        "COPY" if dialect == DialectId::Postgres => {
            let text = statement.text.to_ascii_uppercase();
            if text.contains("FROM STDIN") {
                skip("rows are not part of a schema: COPY left out")
            } else {
                refuse("COPY may only read the rows that stand in the file itself")
            }
        }
        "DROP" => drop(&head),
        "SET" | "RESET" => set(dialect, &head),
        "SELECT" => select(dialect, statement),
        "DO" if dialect == DialectId::Postgres => {
            if allowances.do_blocks {
                Verdict::Load
            } else if makes_only_roles(&statement.text) {
                skip("roles are not part of a schema: left out")
            } else {
                refuse("DO runs arbitrary code, which only --allow-do lets run, in the dev database")
            }
        }
        "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" => skip(""),
        "USE" => skip("USE left out: the connection's database is the default"),
        "LOCK" | "UNLOCK" | "ANALYZE" | "VACUUM" | "REINDEX" | "OPTIMIZE" | "REFRESH" => {
            Verdict::Skip(format!("{} is not part of a schema: left out", head[0]))
        }
        "PRAGMA" if dialect == DialectId::Sqlite => pragma(&statement.text),
        "ATTACH" | "DETACH" => refuse("a declaration describes one database; ATTACH is not allowed"),
        "UPDATE" | "DELETE" | "TRUNCATE" | "MERGE" => refuse("a declaration describes a schema, not changes to rows"),
        other if OTHER_STATEMENTS.contains(&other) => {
            Verdict::Refuse(format!("a statement that begins with {other} cannot be part of a declaration"))
        }
        other => Verdict::Unknown(format!("no statement begins with {other}")),
    }
}

/// What else engines take, and a declaration does not.
const OTHER_STATEMENTS: &[&str] = &[
    "ABORT",
    "BINLOG",
    "CACHE",
    "CALL",
    "CHANGE",
    "CHECK",
    "CHECKPOINT",
    "CHECKSUM",
    "CLOSE",
    "CLUSTER",
    "COMMENT",
    "COPY",
    "DEALLOCATE",
    "DECLARE",
    "DESC",
    "DESCRIBE",
    "DISCARD",
    "DO",
    "EXECUTE",
    "EXPLAIN",
    "FETCH",
    "FLUSH",
    "GET",
    "GRANT",
    "HANDLER",
    "HELP",
    "IMPORT",
    "INSTALL",
    "KILL",
    "LISTEN",
    "LOAD",
    "MOVE",
    "NOTIFY",
    "PRAGMA",
    "PREPARE",
    "PURGE",
    "REASSIGN",
    "RELEASE",
    "RENAME",
    "REPAIR",
    "RESIGNAL",
    "RESTART",
    "REVOKE",
    "SAVEPOINT",
    "SECURITY",
    "SHOW",
    "SHUTDOWN",
    "SIGNAL",
    "STOP",
    "TABLE",
    "UNINSTALL",
    "UNLISTEN",
    "VALUES",
    "WITH",
    "XA",
];

/// Whether a DO block does nothing but make roles that do not exist, as dumps and test setups write it: no other word is in it.
fn makes_only_roles(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "DO",
        "LANGUAGE",
        "PLPGSQL",
        "BEGIN",
        "IF",
        "NOT",
        "EXISTS",
        "SELECT",
        "FROM",
        "PG_CATALOG",
        "PG_ROLES",
        "PG_USER",
        "PG_AUTHID",
        "WHERE",
        "ROLNAME",
        "USENAME",
        "THEN",
        "CREATE",
        "ROLE",
        "USER",
        "WITH",
        "LOGIN",
        "NOLOGIN",
        "INHERIT",
        "NOINHERIT",
        "END",
    ];
    let Some(open) = text.find('$') else { return false };
    let Some(tag) = text[open + 1..].find('$').map(|end| &text[open..=open + 1 + end]) else { return false };
    let body = text.replace(tag, " ");
    let mut rest = body.as_str();
    let mut after_role = false;
    let mut makes = false;
    while !rest.is_empty() {
        let Ok((piece, length)) = first_piece(DialectId::Postgres, Quoting::default(), rest) else { return false };
        let (part, later) = rest.split_at(length);
        rest = later;
        match piece {
            Piece::Space | Piece::Comment => {}
            Piece::Word => {
                let word = part.to_ascii_uppercase();
                if std::mem::take(&mut after_role) {
                    continue;
                }
                if !WORDS.contains(&word.as_str()) {
                    return false;
                }
                after_role = word == "ROLE" || word == "USER";
                makes |= after_role;
            }
            // a string is compared with a role's name, a quoted name is a role's
            Piece::Quoted => after_role = false,
            Piece::Symbol if ["(", ")", ";", "=", ".", "1", "*"].contains(&part) => {}
            Piece::Symbol => return false,
        }
    }
    makes
}

fn create(dialect: DialectId, head: &[&str]) -> Verdict {
    let words: Vec<&str> =
        head[1..].iter().copied().filter(|word| !matches!(*word, "OR" | "REPLACE" | "IF" | "NOT" | "EXISTS")).collect();
    match words.first().copied().unwrap_or("") {
        "TEMP" | "TEMPORARY" => refuse("temporary objects cannot be declared"),
        "DATABASE" if dialect == DialectId::Postgres => {
            skip("CREATE DATABASE left out: the connection's database is the target")
        }
        "ROLE" | "USER" | "GROUP" if words.get(1) != Some(&"MAPPING") => {
            skip("roles are not part of a schema: left out")
        }
        "TABLESPACE" => refuse("tablespaces belong to the server and cannot be declared"),
        "SUBSCRIPTION" => refuse("a subscription connects to another server and cannot be loaded in a dev database"),
        "LANGUAGE" if dialect == DialectId::Postgres => Verdict::Load,
        _ => Verdict::Load,
    }
}

fn alter(head: &[&str]) -> Verdict {
    match head.get(1).copied().unwrap_or("") {
        "SYSTEM" => refuse("ALTER SYSTEM changes the server and cannot be declared"),
        "ROLE" | "USER" | "GROUP" if head.get(2) != Some(&"MAPPING") => {
            skip("roles are not part of a schema: left out")
        }
        "DATABASE" => skip("settings of the database are not part of a schema: left out"),
        "INSTANCE" => refuse("ALTER INSTANCE changes the server and cannot be declared"),
        "SUBSCRIPTION" | "TABLESPACE" => refuse("the statement changes the server and cannot be declared"),
        _ => Verdict::Load,
    }
}

fn drop(head: &[&str]) -> Verdict {
    if head.windows(2).any(|pair| pair == ["IF", "EXISTS"]) {
        skip("DROP … IF EXISTS left out: the dev database starts empty")
    } else {
        refuse("a declaration says what there is; what it does not name is dropped. Remove the DROP")
    }
}

/// Settings that dumps write and that change nothing outside the session.
const HARMLESS_SETTINGS: &[&str] = &[
    "SEARCH_PATH",
    "CHECK_FUNCTION_BODIES",
    "DEFAULT_TABLESPACE",
    "DEFAULT_TABLE_ACCESS_METHOD",
    "DEFAULT_WITH_OIDS",
    "DEFAULT_TOAST_COMPRESSION",
    "QUOTE_ALL_IDENTIFIERS",
];

fn set(dialect: DialectId, head: &[&str]) -> Verdict {
    if dialect == DialectId::Sqlite {
        return refuse("SQLite has no SET");
    }
    let names = &head[1..];
    if names.iter().any(|word| matches!(*word, "GLOBAL" | "PERSIST" | "PERSIST_ONLY")) {
        return refuse("SET GLOBAL changes the server and cannot be declared");
    }
    match dialect {
        DialectId::Postgres => {
            let name = names.iter().copied().find(|word| !matches!(*word, "SESSION" | "LOCAL")).unwrap_or("");
            match name {
                "ROLE" | "AUTHORIZATION" => skip("SET ROLE left out: the connection's role is used"),
                name if HARMLESS_SETTINGS.contains(&name) => Verdict::Load,
                _ => skip(""),
            }
        }
        DialectId::MySql | DialectId::MariaDb => skip(""),
        DialectId::Sqlite => refuse("SQLite has no SET"),
    }
}

fn select(dialect: DialectId, statement: &SqlStatement) -> Verdict {
    let words: String = statement.text.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let call = words.strip_prefix("select ").unwrap_or("").trim_start_matches("pg_catalog.");
    let single = !words.contains(';') && words.matches(" from ").count() == 0 && words.matches("select").count() == 1;
    if dialect == DialectId::Postgres && single && call.starts_with("set_config(") && !call[1..].contains("),") {
        Verdict::Load
    } else if dialect == DialectId::Postgres && single && call.starts_with("setval(") {
        skip("positions of sequences are not part of a schema: setval left out")
    } else {
        refuse("a declaration may not hold queries")
    }
}

fn pragma(text: &str) -> Verdict {
    let name = text.split_whitespace().nth(1).unwrap_or("").to_ascii_lowercase();
    match name.split(['=', '(', ';']).next().unwrap_or("") {
        "foreign_keys" | "journal_mode" | "synchronous" | "encoding" | "page_size" | "auto_vacuum" | "cache_size"
        | "temp_store" | "user_version" | "application_id" | "defer_foreign_keys" | "recursive_triggers"
        | "locking_mode" | "busy_timeout" => skip("PRAGMA left out: settings of the file are not part of a schema"),
        other => Verdict::Refuse(format!("PRAGMA {other} cannot be part of a declaration")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::split;
    use crate::{Source, SourceKind};

    fn judge(dialect: DialectId, sql: &str) -> Verdict {
        let source = Source { name: "t.sql".to_owned(), kind: SourceKind::Sql, text: sql.to_owned() };
        screen(dialect, &split(dialect, &source).unwrap().statements[0], Allowances::default())
    }

    #[test]
    fn definitions_are_loaded() {
        for sql in [
            "create table t (a int)",
            "alter table t add b int",
            "comment on table t is 'x'",
            "grant select on t to r",
            "create or replace view v as select 1",
        ] {
            assert_eq!(judge(DialectId::Postgres, sql), Verdict::Load, "{sql}");
        }
    }

    #[test]
    fn what_reaches_beyond_the_database_is_refused() {
        for sql in [
            "alter system set fsync = off",
            "copy t from program 'id'",
            "copy t to '/x'",
            "create subscription s connection '' publication p",
            "select pg_terminate_backend(1)",
            "select pg_catalog.set_config('a', 'b', false), pg_read_file('x')",
            "delete from t",
            "drop table t",
            "do $$ begin end $$",
            "call p()",
            "load 'x'",
            "create temp table t (a int)",
            "execute x",
            "listen x",
            "create tablespace t location '/x'",
            "select set_config('a', (select pg_read_file('x')), false)",
        ] {
            assert!(matches!(judge(DialectId::Postgres, sql), Verdict::Refuse(_)), "{sql}");
        }
        for sql in ["attach 'x' as y", "pragma writable_schema = on", "select load_extension('x')", "set a = 1"] {
            assert!(matches!(judge(DialectId::Sqlite, sql), Verdict::Refuse(_)), "{sql}");
        }
        for sql in ["set global a = 1", "set persist a = 1", "load data infile 'x' into table t", "drop database d"] {
            assert!(matches!(judge(DialectId::MySql, sql), Verdict::Refuse(_)), "{sql}");
        }
    }

    #[test]
    fn a_block_that_only_makes_roles_is_left_out() {
        let sql =
            "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'r') THEN CREATE ROLE r; END IF; END $$";
        assert!(matches!(judge(DialectId::Postgres, sql), Verdict::Skip(_)));
        for body in ["CREATE ROLE r; DELETE FROM t;", "PERFORM f();", "CREATE ROLE r SUPERUSER;", "SELECT pg_sleep(1);"]
        {
            let sql = format!("DO $$ BEGIN {body} END $$");
            assert!(matches!(judge(DialectId::Postgres, &sql), Verdict::Refuse(_)), "{body}");
        }
    }

    #[test]
    fn user_mappings_are_no_users() {
        for sql in ["create user mapping for public server s", "alter user mapping for u server s options (add x '1')"]
        {
            assert!(matches!(judge(DialectId::Postgres, sql), Verdict::Load), "{sql}");
        }
    }

    #[test]
    fn what_dumps_write_besides_definitions_is_left_out() {
        for sql in [
            "insert into t values (1)",
            "drop table if exists t",
            "create database d",
            "set statement_timeout = 0",
            "select pg_catalog.setval('s', 3, true)",
            "begin",
            "alter user u with password 'x'",
        ] {
            assert!(matches!(judge(DialectId::Postgres, sql), Verdict::Skip(_)), "{sql}");
        }
    }
}
