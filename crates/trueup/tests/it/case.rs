//! A case file: two schemas, and the plan between them.
//!
//! ```text
//! What it is about, in a line or two.
//! # flags: no-renames
//! -- before sqlite
//! CREATE TABLE a (…);
//! -- after sqlite
//! CREATE TABLE a (…);
//! -- plan sqlite
//! lossy    drop-column:a.note
//! -- sql sqlite
//! ALTER TABLE …
//! ```
//!
//! An engine's sections decide which engines a case is for. `-- rows sqlite` is SQL that fills the tables before the plan is
//! carried out.

use std::fmt::Write as _;

/// One case file, section by section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// What stands before the first section.
    head: String,
    sections: Vec<(String, String)>,
}

impl Case {
    pub(crate) fn parse(text: &str) -> Self {
        let mut case = Self { head: String::new(), sections: Vec::new() };
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("-- ").filter(|name| is_section(name)) {
                case.sections.push((name.to_owned(), String::new()));
                continue;
            }
            let part = case.sections.last_mut().map_or(&mut case.head, |(_, text)| text);
            writeln!(part, "{line}").unwrap();
        }
        case
    }

    pub(crate) fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(found, _)| found == name).map(|(_, text)| text.as_str())
    }

    /// Sets what a section should say.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        let text = text.trim_end().to_owned() + "\n";
        match self.sections.iter_mut().find(|(found, _)| found == name) {
            Some((_, found)) => *found = text,
            None => self.sections.push((name.to_owned(), text)),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        let flags = self.head.lines().filter_map(|line| line.strip_prefix("# flags:"));
        flags.flat_map(str::split_whitespace).any(|flag| flag == name)
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.head)?;
        self.sections.iter().try_for_each(|(name, text)| write!(f, "-- {name}\n{text}"))
    }
}

fn is_section(name: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    matches!(
        words.as_slice(),
        ["before" | "after" | "rows" | "plan" | "sql", "sqlite" | "postgres" | "mysql" | "mariadb"]
    )
}

#[test]
fn a_case_survives_its_round_trip() {
    let text = "About.\n# flags: safe\n-- before sqlite\nCREATE TABLE a (x);\n-- not a section\n-- after sqlite\n";
    let case = Case::parse(text);
    assert_eq!(case.to_string(), text);
    assert_eq!(case.section("before sqlite"), Some("CREATE TABLE a (x);\n-- not a section\n"));
    assert!(case.flag("safe") && !case.flag("no-renames"));
}
