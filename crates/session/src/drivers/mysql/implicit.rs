//! Which statements end an open transaction by themselves.

/// Words that begin a statement with an implicit commit, whether it succeeds or fails.
const COMMITTING: &[&str] = &[
    "ALTER",
    "ANALYZE",
    "BEGIN",
    "CACHE",
    "CREATE",
    "DROP",
    "FLUSH",
    "GRANT",
    "INSTALL",
    "LOCK",
    "OPTIMIZE",
    "RENAME",
    "REPAIR",
    "RESET",
    "REVOKE",
    "START",
    "TRUNCATE",
    "UNINSTALL",
];

/// Whether `sql` commits implicitly. Temporary tables are made and dropped inside the transaction.
pub(super) fn commits(sql: &str) -> bool {
    let mut words = words(sql);
    let first = words.next().unwrap_or_default();
    if !COMMITTING.iter().any(|word| word.eq_ignore_ascii_case(first)) {
        return false;
    }
    let mut second = words.next().unwrap_or_default();
    if second.eq_ignore_ascii_case("OR") {
        // CREATE OR REPLACE TEMPORARY TABLE
        second = words.nth(1).unwrap_or_default();
    }
    !second.eq_ignore_ascii_case("TEMPORARY")
}

/// The words of `sql` up to the first character that neither belongs to a word nor is white space or comment.
fn words(sql: &str) -> impl Iterator<Item = &str> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        rest = after_blank(rest);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

fn after_blank(sql: &str) -> &str {
    let mut rest = sql.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("/*").filter(|text| !text.starts_with(['!', 'M'])) {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else if rest.starts_with('#') || rest.starts_with("-- ") || rest.starts_with("--\n") {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else {
            // Versioned comments are run: their words count. So does what stands in brackets.
            let inner = rest.trim_start_matches("/*M!").trim_start_matches("/*!").trim_start_matches('(');
            let inner = if inner.len() == rest.len() { return rest } else { inner };
            inner.trim_start_matches(|c: char| c.is_ascii_digit())
        };
        rest = after.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ddl_commits_and_temporary_tables_do_not() {
        for sql in [
            "ALTER TABLE t ADD x INT",
            " /* why */ create table t (x int)",
            "-- why\nDROP TABLE t",
            "#why\nTRUNCATE t",
            "/*!50001 CREATE VIEW v AS SELECT 1 */",
        ] {
            assert!(commits(sql), "{sql}");
        }
        for sql in [
            "SELECT 1",
            "INSERT INTO t VALUES (1)",
            "CREATE TEMPORARY TABLE t (x INT)",
            "CREATE OR REPLACE TEMPORARY TABLE t (x INT)",
            "DROP TEMPORARY TABLE t",
            "(SELECT 1)",
            "",
        ] {
            assert!(!commits(sql), "{sql}");
        }
    }
}
