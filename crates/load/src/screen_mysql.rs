//! Which statements a declaration for MySQL or MariaDB may hold.
//!
//! Much of what these servers call CREATE or ALTER reaches beyond a database, and nothing can be rolled back: the list is short.

use trueup_dialect::Token;
use trueup_dialect::mysql::{self, Quoting};

use crate::modes::is_code;
use crate::screen::Verdict;

fn skip(why: &str) -> Verdict {
    Verdict::Skip(why.to_owned())
}

fn refuse(why: &str) -> Verdict {
    Verdict::Refuse(why.to_owned())
}

/// Objects of a database.
const OBJECTS: [&str; 8] = ["TABLE", "VIEW", "INDEX", "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "SEQUENCE"];

/// Judges a statement; `None` leaves it to the rules for all engines.
pub(crate) fn screen(text: &str, quoting: Quoting) -> Option<Verdict> {
    let list: Vec<Token> = mysql::tokens_under(text, quoting).into_iter().filter(is_code).collect();
    let Some(first) = list.first() else { return Some(skip("")) };
    Some(match first.text.to_ascii_uppercase().as_str() {
        "CREATE" => create(&list),
        "ALTER" => alter(&list),
        "DROP" => drop(&list),
        "SET" => set(&list),
        "USE" => Verdict::Load,
        "GRANT" | "REVOKE" => skip("privileges are not managed on this engine: left out"),
        "COMMENT" | "SECURITY" | "RENAME" | "RESET" => {
            Verdict::Refuse(format!("a statement that begins with {} cannot be part of a declaration", first.text))
        }
        _ => return None,
    })
}

/// The first word that says what sort of object it is.
fn kind(list: &[Token]) -> String {
    const KINDS: [&str; 11] = [
        "DATABASE",
        "SCHEMA",
        "USER",
        "ROLE",
        "SERVER",
        "TABLESPACE",
        "LOGFILE",
        "RESOURCE",
        "REFERENCE",
        "INSTANCE",
        "PACKAGE",
    ];
    let is_kind = |token: &&Token| OBJECTS.iter().chain(&KINDS).any(|word| token.is_word(word));
    list.iter().find(is_kind).map(|token| token.text.to_ascii_uppercase()).unwrap_or_default()
}

fn create(list: &[Token]) -> Verdict {
    match kind(list).as_str() {
        "FUNCTION" if list.iter().any(|token| token.is_word("SONAME")) => {
            refuse("a function of a shared library is loaded into the whole server and cannot be declared")
        }
        "TABLE" | "SEQUENCE" if list.iter().take(6).any(|token| token.is_word("TEMPORARY")) => {
            refuse("temporary objects cannot be declared")
        }
        "USER" | "ROLE" => skip("roles are not part of a schema: left out"),
        // Packages are not modelled: loaded, so that the plan says so by their names.
        "DATABASE" | "SCHEMA" | "PACKAGE" => Verdict::Load,
        word if OBJECTS.contains(&word) => Verdict::Load,
        _ => refuse("the statement reaches beyond a database and cannot be declared"),
    }
}

fn alter(list: &[Token]) -> Verdict {
    match kind(list).as_str() {
        "USER" | "ROLE" => skip("roles are not part of a schema: left out"),
        "DATABASE" | "SCHEMA" => skip("settings of the database are not part of a schema: left out"),
        word if OBJECTS.contains(&word) => Verdict::Load,
        _ => refuse("the statement changes the server and cannot be declared"),
    }
}

/// Dumps make a stand-in for every view first, and drop it before they make the view.
fn drop(list: &[Token]) -> Verdict {
    let if_exists = list.windows(2).any(|pair| pair[0].is_word("IF") && pair[1].is_word("EXISTS"));
    let kind = kind(list);
    if !if_exists {
        return refuse("a declaration says what there is; what it does not name is dropped. Remove the DROP");
    }
    if OBJECTS.contains(&kind.as_str()) {
        Verdict::Load
    } else {
        skip("DROP … IF EXISTS left out: the dev database starts empty")
    }
}

/// Settings that decide what a statement means, and reach no further than the session.
const MEANINGFUL: [&str; 6] = [
    "sql_mode",
    "time_zone",
    "explicit_defaults_for_timestamp",
    "default_storage_engine",
    "storage_engine",
    "default_collation_for_utf8mb4",
];

fn set(list: &[Token]) -> Verdict {
    let mut harmless = true;
    for assignment in split(&list[1..]) {
        let Some(equals) = equals(assignment) else { return skip("") };
        let target = target(&assignment[..equals]);
        let is_global = ["global", "@@global", "persist", "@@persist"].iter().any(|word| target.starts_with(word));
        if is_global && !target.ends_with("gtid_purged") {
            return refuse("SET GLOBAL changes the server and cannot be declared");
        }
        let name = setting(&target);
        let is_variable = target.starts_with('@') && !target.starts_with("@@");
        harmless = harmless && !is_global && (is_variable || MEANINGFUL.contains(&name));
    }
    // A dump saves and restores much that shapes nothing: character sets of the client, checks of foreign keys.
    if harmless { Verdict::Load } else { skip("") }
}

fn equals(assignment: &[Token]) -> Option<usize> {
    assignment.iter().position(|token| matches!(token.text.as_str(), "=" | ":="))
}

fn target(list: &[Token]) -> String {
    list.iter().map(|token| token.text.to_ascii_lowercase()).collect()
}

/// A setting's name without what says that it is the session's.
fn setting(target: &str) -> &str {
    let name = target.trim_start_matches("@@").trim_start_matches("session").trim_start_matches("local");
    name.trim_start_matches(['.', '@'])
}

/// What is set and to what, of what follows SET: variables with their `@`, settings of the session by their names.
pub(crate) fn assignments(list: &[Token]) -> Vec<(String, &[Token])> {
    let read = |assignment: &'_ [Token]| {
        let target = target(&assignment[..equals(assignment)?]);
        let is_variable = target.starts_with('@') && !target.starts_with("@@");
        Some(if is_variable { target } else { setting(&target).to_owned() })
    };
    let items = split(list).into_iter();
    items.filter_map(|item| Some((read(item)?, &item[equals(item)? + 1..]))).collect()
}

/// The items between commas outside of parentheses.
fn split(list: &[Token]) -> Vec<&[Token]> {
    let mut items = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, token) in list.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                items.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[from..]);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(sql: &str) -> char {
        match screen(sql, Quoting::default()) {
            Some(Verdict::Load) => 'L',
            Some(Verdict::Skip(_)) => 'S',
            Some(Verdict::Refuse(_)) => 'R',
            Some(Verdict::Unknown(_)) => 'U',
            None => '-',
        }
    }

    #[test]
    fn what_reaches_beyond_a_database_is_not_loaded() {
        for (sql, expected) in [
            ("create table t (a int)", 'L'),
            ("CREATE DEFINER=`a`@`b` /*!50017 */ TRIGGER t BEFORE INSERT ON u FOR EACH ROW SET @a = 1", 'L'),
            ("/*!50001 CREATE ALGORITHM=UNDEFINED */ /*!50001 VIEW v AS select 1 */", 'L'),
            ("create unique index i on t (a)", 'L'),
            ("create function f returns integer soname 'x.so'", 'R'),
            ("create temporary table t (a int)", 'R'),
            ("create server s foreign data wrapper mysql options (host 'h')", 'R'),
            ("create tablespace s add datafile 'x'", 'R'),
            ("create user u", 'S'),
            ("grant all on *.* to u", 'S'),
            ("alter user u identified by 'x'", 'S'),
            ("alter instance rotate innodb master key", 'R'),
            ("alter table t add b int", 'L'),
            ("drop view if exists v", 'L'),
            ("drop database if exists d", 'S'),
            ("drop table t", 'R'),
            ("rename table a to b", 'R'),
            ("/*!40101 SET NAMES utf8 */", 'S'),
            ("/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */", 'L'),
            ("SET @@session.sql_mode = 'ANSI'", 'L'),
            ("SET SESSION sql_mode = @trueup_sql_mode", 'L'),
            ("set time_zone = '+00:00'", 'L'),
            ("SET @saved_cs_client = @@character_set_client", 'L'),
            ("set character_set_client = @saved_cs_client", 'S'),
            ("/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */", 'S'),
            ("SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ ''", 'S'),
            ("set global sql_mode = ''", 'R'),
            ("set @@persist.sql_mode = ''", 'R'),
            ("set password for u = 'sql_mode'", 'S'),
            ("use shop", 'L'),
            ("load data infile 'x' into table t", '-'),
        ] {
            assert_eq!(letter(sql), expected, "{sql}");
        }
    }
}
