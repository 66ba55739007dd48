//! A script as a file that the engine's own client could run.

use std::fmt::Write as _;

use trueup_schema::DialectId;

use crate::{Script, ScriptSegment, Statement};

/// Ends a statement in the MySQL and MariaDB clients while a body with semicolons is sent.
const BODY_DELIMITER: &str = "//";

impl Script {
    /// The whole script as SQL text with transaction lines: what a dry run shows.
    #[must_use]
    pub fn to_sql(&self) -> String {
        self.print(true)
    }

    /// The whole script as SQL text without `BEGIN` and `COMMIT`, for callers that bring their own transaction.
    #[must_use]
    pub fn to_sql_without_transactions(&self) -> String {
        self.print(false)
    }

    fn print(&self, transactions: bool) -> String {
        let mut text = String::new();
        for line in &self.blocked {
            comment(&mut text, line);
        }
        self.statements(&mut text, &self.setup);
        for segment in &self.segments {
            self.segment(&mut text, segment, transactions);
        }
        self.statements(&mut text, &self.teardown);
        text
    }

    fn segment(&self, text: &mut String, segment: &ScriptSegment, transactions: bool) {
        let wrapped = transactions && segment.transactional;
        if wrapped {
            separate(text);
            text.push_str("BEGIN;\n");
        }
        for step in &segment.steps {
            separate(text);
            for id in &step.operations {
                comment(text, &id.0);
            }
            for statement in &step.statements {
                self.statement(text, statement);
            }
        }
        if wrapped {
            text.push_str("\nCOMMIT;\n");
        }
    }

    fn statements(&self, text: &mut String, statements: &[Statement]) {
        if !statements.is_empty() {
            separate(text);
        }
        for statement in statements {
            self.statement(text, statement);
        }
    }

    fn statement(&self, text: &mut String, statement: &Statement) {
        if let Some(message) = &statement.assert {
            comment(text, &format!("must be true, else: {message}"));
        }
        let sql = statement.sql.trim_end();
        let body = match self.dialect {
            DialectId::MySql | DialectId::MariaDb => sql.contains(';'),
            DialectId::Postgres | DialectId::Sqlite => false,
        };
        let end = if body { BODY_DELIMITER } else { ";" };
        if body {
            push(text, &format!("DELIMITER {BODY_DELIMITER}\n"));
        }
        text.push_str(sql);
        // A comment in the last line would swallow the mark.
        let last = sql.rsplit('\n').next().unwrap_or_default();
        if last.contains("--") || last.contains('#') {
            text.push('\n');
        }
        push(text, &format!("{end}\n"));
        if body {
            text.push_str("DELIMITER ;\n");
        }
    }
}

fn push(text: &mut String, part: &str) {
    text.push_str(part);
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
}

/// A comment line. A line end inside it would turn the rest into SQL, so control characters are escaped.
fn comment(text: &mut String, words: &str) {
    text.push_str("-- ");
    for c in words.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            // Writing to a string cannot fail.
            write!(text, "{}", c.escape_default()).unwrap_or_default();
        } else {
            text.push(c);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budgets, OpId, ScriptStep};

    fn script(dialect: DialectId, sql: &str, id: &str) -> Script {
        let step = ScriptStep {
            leftover: None,
            operations: vec![OpId(id.to_owned())],
            statements: vec![Statement::run(sql)],
            budgets: Budgets::default(),
        };
        Script {
            dialect,
            plan_hash: "0".repeat(16),
            setup: vec![Statement::run("SET a = 1")],
            segments: vec![ScriptSegment { transactional: true, steps: vec![step] }],
            teardown: vec![Statement::run("RESET a")],
            checks: Vec::new(),
            losses: Vec::new(),
            blocked: vec!["blocked x".to_owned()],
        }
    }

    #[test]
    fn transactions_and_steps_are_marked() {
        let script = script(DialectId::Postgres, "DROP TABLE t", "drop-table:t");
        assert_eq!(
            script.to_sql(),
            "-- blocked x\n\nSET a = 1;\n\nBEGIN;\n\n-- drop-table:t\nDROP TABLE t;\n\nCOMMIT;\n\nRESET a;\n"
        );
        assert_eq!(
            script.to_sql_without_transactions(),
            "-- blocked x\n\nSET a = 1;\n\n-- drop-table:t\nDROP TABLE t;\n\nRESET a;\n"
        );
    }

    #[test]
    fn a_line_end_in_a_name_stays_in_its_comment() {
        let script = script(DialectId::Postgres, "SELECT 1", "drop-table:t\nDROP TABLE u");
        assert!(script.to_sql().contains("-- drop-table:t\\nDROP TABLE u\n"));
    }

    #[test]
    fn bodies_stay_whole() {
        let sql = "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; END -- done";
        let text = script(DialectId::MySql, sql, "create-trigger:t.x").to_sql();
        assert!(text.contains(&format!("DELIMITER //\n{sql}\n//\nDELIMITER ;\n")), "{text}");
        let text = script(DialectId::Sqlite, sql, "create-trigger:t.x").to_sql();
        assert!(text.contains(&format!("{sql}\n;\n")), "{text}");
    }
}
