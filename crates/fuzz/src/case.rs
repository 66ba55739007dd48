//! Pairs kept as files: plain SQL, each statement below a line `-- #`.

use std::fmt::Write as _;

use crate::judge::Pair;

const STATEMENT: &str = "-- #\n";
const TO: &str = "-- to\n";
const ROWS: &str = "-- with rows\n";

/// A pair as a file, with a sentence about it.
#[must_use]
pub fn write(about: &str, pair: &Pair) -> String {
    let mut out = String::new();
    for line in about.lines() {
        // a String takes everything
        let _always = writeln!(out, "-- {line}");
    }
    if pair.seeded {
        out.push_str(ROWS);
    }
    for statement in &pair.from {
        let _always = writeln!(out, "{STATEMENT}{statement};");
    }
    out.push_str(TO);
    for statement in &pair.to {
        let _always = writeln!(out, "{STATEMENT}{statement};");
    }
    out
}

/// The pair of a file.
#[must_use]
pub fn read(text: &str) -> Pair {
    let (from, to) = text.split_once(TO).unwrap_or((text, ""));
    let statements = |text: &str| {
        let pieces = text.split(STATEMENT).skip(1).map(str::trim_end);
        pieces.map(|statement| statement.strip_suffix(';').unwrap_or(statement).to_owned()).collect()
    };
    let seeded = from.split(STATEMENT).next().is_some_and(|head| head.contains(ROWS));
    Pair { from: statements(from), to: statements(to), seeded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_as_what_was_written() {
        let from = vec!["CREATE TABLE t (a)".to_owned(), "CREATE TRIGGER g BEGIN\n  SELECT 1;\nEND".to_owned()];
        let pair = Pair { from, to: Vec::new(), seeded: true };
        let text = write("seed 7\nit failed", &pair);
        assert!(text.starts_with("-- seed 7\n-- it failed\n-- with rows\n-- #\nCREATE TABLE t (a);\n"), "{text}");
        assert_eq!(read(&text), pair);
        let other = Pair { from: Vec::new(), to: pair.from, seeded: false };
        assert_eq!(read(&write("", &other)), other);
    }
}
