//! The clauses of a `CREATE TABLE`. A constraint written at its column is shown like the same one written for the table.

use super::oracle::key_list;
use super::tokens::{Kind, Token, group_end, split_commas, text_of, tokens};

const STARTS: [&str; 11] =
    ["constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references", "generated", "as"];

pub(crate) fn table_lines(sql: &str, known: &(dyn Fn(&str) -> bool + Sync)) -> Vec<String> {
    let all = tokens(sql, known);
    let Some(opens) = all.iter().position(|token| token.is_sign("(")) else { return vec![text_of(&all)] };
    let inner = &all[opens + 1..group_end(&all, opens).saturating_sub(1)];
    let mut out = Vec::new();
    for clause in split_commas(inner) {
        let is_constraint = clause[0].is_word(&["constraint", "primary", "unique", "check", "foreign"]);
        if is_constraint && clause.len() > 1 {
            out.push(table_constraint(clause));
        } else {
            out.extend(Column::read(clause));
        }
    }
    out
}

fn table_constraint(clause: &[Token]) -> String {
    let (name, clause) = match clause {
        [first, name, rest @ ..] if first.is_word(&["constraint"]) => (format!("constraint {} ", name.raw), rest),
        all => (String::new(), all),
    };
    let Some(head) = clause.first() else { return name };
    if head.is_word(&["check"]) {
        return format!("{name}check {}", text_of(&clause[1..]));
    }
    let opens = clause.iter().position(|token| token.is_sign("(")).unwrap_or(0);
    let end = group_end(clause, opens);
    if head.is_word(&["foreign"]) {
        return format!("{name}foreign key {} {}", text_of(&clause[opens..end]), reference(&clause[end..]));
    }
    let conflict = conflict(&clause[end..]);
    format!("{name}{} {}{conflict}", text_of(&clause[..opens]), key_list(&clause[opens..end]))
}

fn conflict(tokens: &[Token]) -> String {
    match text_of(tokens).as_str() {
        "" | "on conflict abort" => String::new(),
        text => format!(" {text}"),
    }
}

fn reference(tokens: &[Token]) -> String {
    let mut text = text_of(tokens);
    for default in [" not deferrable initially deferred", " not deferrable initially immediate", " not deferrable"] {
        if let Some(short) = text.strip_suffix(default) {
            text = short.to_owned();
        }
    }
    if let Some(short) = text.strip_suffix(" deferrable initially immediate") {
        text = format!("{short} deferrable");
    }
    // the order in which the two actions stand says nothing
    let mut actions = Vec::new();
    for event in ["delete", "update"] {
        for action in ["no action", "cascade", "restrict", "set null", "set default"] {
            let clause = format!(" on {event} {action}");
            if text.contains(&clause) {
                text = text.replace(&clause, "");
                if action != "no action" {
                    actions.push(clause);
                }
            }
        }
    }
    text + &actions.concat()
}

struct Column<'a> {
    clause: &'a [Token],
    at: usize,
    own: Vec<String>,
    lifted: Vec<String>,
}

impl<'a> Column<'a> {
    fn read(clause: &'a [Token]) -> Vec<String> {
        let mut column = Self { clause, at: 1, own: Vec::new(), lifted: Vec::new() };
        let end = column.until_start(1);
        let kind = text_of(&clause[1..end]);
        column.at = end;
        let mut label = String::new();
        while let Some(token) = clause.get(column.at) {
            if token.is_word(&["constraint"]) {
                let name = clause.get(column.at + 1).map_or("", |name| name.raw.as_str());
                label = format!("constraint {name} ");
                column.at += 2;
                continue;
            }
            let before = column.at;
            column.constraint(&label);
            column.at = column.at.max(before + 1);
            label.clear();
        }
        column.own.sort();
        let own = column.own.iter().map(|text| format!(" {text}")).collect::<String>();
        let first = format!("column {} {kind}{own}", clause[0].raw);
        std::iter::once(first).chain(column.lifted).collect()
    }

    fn until_start(&self, mut at: usize) -> usize {
        while let Some(token) = self.clause.get(at).filter(|token| !token.is_word(&STARTS)) {
            at = if token.is_sign("(") { group_end(self.clause, at) } else { at + 1 };
        }
        at
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.clause.get(at).is_some_and(|token| token.is_word(words))
    }

    fn constraint(&mut self, label: &str) {
        let (clause, at) = (self.clause, self.at);
        let name = clause[0].text.clone();
        if self.is(at, &["default"]) {
            self.default(label);
        } else if self.is(at, &["references"]) {
            let end = self.reference_end();
            self.lifted.push(format!("{label}foreign key ( {name} ) {}", reference(&clause[at..end])));
            self.at = end;
        } else if self.is(at, &["not"]) && self.is(at + 1, &["null"]) {
            self.at = self.until_start(at + 2);
            self.own.push(format!("{label}not null{}", conflict(&clause[at + 2..self.at])));
        } else if self.is(at, &["collate"]) {
            let named = clause.get(at + 1).map(|token| token.raw.to_lowercase()).unwrap_or_default();
            if named != "binary" {
                self.own.push(format!("{label}collate {named}"));
            }
            self.at = at + 2;
        } else if self.is(at, &["check"]) {
            let end = group_end(clause, at + 1);
            self.lifted.push(format!("{label}check {}", text_of(&clause[at + 1..end])));
            self.at = self.until_start(end);
        } else if self.is(at, &["generated", "as"]) {
            let opens = (at..clause.len()).find(|at| clause[*at].is_sign("(")).unwrap_or(at);
            let shut = group_end(clause, opens);
            self.at = self.until_start(shut);
            let stored = clause[shut..self.at].iter().any(|token| token.is_word(&["stored"]));
            let how = if stored { " stored" } else { "" };
            self.own.push(format!("{label}as {}{how}", text_of(&clause[opens..shut])));
        } else {
            self.key(label, &name);
        }
    }

    fn default(&mut self, label: &str) {
        let start = self.at + 1;
        let end = match self.clause.get(start) {
            Some(token) if token.is_sign("(") => group_end(self.clause, start),
            Some(token) if token.is_sign("+") || token.is_sign("-") => start + 2,
            _ => start + 1,
        };
        let end = end.min(self.clause.len());
        let given = match &self.clause[start..end] {
            [_, literal, _] if literal.kind == Kind::Literal => std::slice::from_ref(literal),
            given => given,
        };
        self.own.push(format!("{label}default {}", text_of(given)));
        self.at = end;
    }

    fn reference_end(&self) -> usize {
        let mut end = self.at + 2;
        loop {
            end = match self.clause.get(end) {
                Some(token) if token.is_sign("(") => group_end(self.clause, end),
                _ if self.is(end, &["on"]) => end + if self.is(end + 2, &["set", "no"]) { 4 } else { 3 },
                _ if self.is(end, &["match", "initially"]) => end + 2,
                _ if self.is(end, &["deferrable"]) => end + 1,
                _ if self.is(end, &["not"]) && self.is(end + 1, &["deferrable"]) => end + 2,
                _ => return end.min(self.clause.len()),
            };
        }
    }

    /// `PRIMARY KEY`, `UNIQUE`, `NULL`.
    fn key(&mut self, label: &str, name: &str) {
        let (clause, at) = (self.clause, self.at);
        self.at = self.until_start(at + 1);
        let rest: Vec<Token> = clause[at..self.at].iter().filter(|token| !token.is_word(&["asc"])).cloned().collect();
        let special = rest.iter().any(|token| token.is_word(&["desc", "autoincrement"]));
        if rest[0].is_word(&["unique"]) {
            self.lifted.push(format!("{label}unique ({name}){}", conflict(&rest[1..])));
        } else if rest[0].is_word(&["primary"]) && !special {
            self.lifted.push(format!("{label}primary key ({name}){}", conflict(rest.get(2..).unwrap_or_default())));
        } else if !rest[0].is_word(&["null"]) {
            self.own.push(format!("{label}{}", text_of(&rest)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(sql: &str) -> Vec<String> {
        let mut lines = table_lines(sql, &|name| name.len() < 3);
        lines.sort();
        lines
    }

    #[test]
    fn a_constraint_reads_the_same_at_its_column_and_at_the_table() {
        let at_column =
            "CREATE TABLE t (a INT NOT NULL UNIQUE CHECK (a > 0) REFERENCES \"p\" (x) ON DELETE SET NULL, b)";
        let at_table = "create table \"t\" (\"b\", \"a\" INT NOT NULL, unique (a), check (\"a\">0), \
             foreign key (a) references p(x) on update no action on delete set null not deferrable)";
        assert_eq!(lines(at_column), lines(at_table));
    }

    #[test]
    fn what_differs_shows() {
        let plain = lines("CREATE TABLE t (a INT DEFAULT 1 COLLATE NOCASE)");
        for other in [
            "CREATE TABLE t (a INT DEFAULT 2 COLLATE NOCASE)",
            "CREATE TABLE t (a INT DEFAULT 1)",
            "CREATE TABLE t (a INT DEFAULT 1 COLLATE NOCASE UNIQUE)",
            "CREATE TABLE t (a INT DEFAULT '1' COLLATE NOCASE)",
            "CREATE TABLE t (a INT CONSTRAINT d DEFAULT 1 COLLATE NOCASE)",
        ] {
            assert_ne!(plain, lines(other), "{other}");
        }
        assert_eq!(plain, lines("CREATE TABLE t (a int COLLATE nocase DEFAULT (1))"));
    }
}
