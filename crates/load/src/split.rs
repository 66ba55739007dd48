//! Cutting a script into statements.

use trueup_dialect::mysql::Quoting;
use trueup_schema::DialectId;

use crate::lex::{Piece, first_piece};
use crate::modes::Modes;
use crate::{LoadError, Source};

/// One statement of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlStatement {
    /// Its text: from its first word to its last, without the terminator.
    pub text: String,
    /// Its file.
    pub file: String,
    /// The line, from 1, of its first word.
    pub line: usize,
    /// Its first words in upper case, comments and blanks left out; at most eight.
    pub head: Vec<String>,
    /// What quotes mean in it (MySQL, MariaDB): the mode that the server has, or that statements before it set.
    pub quoting: Quoting,
}

/// A comment line that speaks to trueup, or a line that speaks to a client program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// Its text without the marks of a comment.
    pub text: String,
    /// Its file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A script in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// Its statements, in order.
    pub statements: Vec<SqlStatement>,
    /// What follows `-- trueup:`, in order.
    pub directives: Vec<Aside>,
    /// What was left out: client commands and COPY data, in words.
    pub skipped: Vec<Aside>,
}

impl SqlStatement {
    /// `file:line`.
    #[must_use]
    pub fn at(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The statement on one line, cut after some eighty characters.
    #[must_use]
    pub fn summary(&self) -> String {
        let line = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > 80 { format!("{}…", line.chars().take(80).collect::<String>()) } else { line }
    }
}

/// Cuts `source` into statements by the lexical rules of `dialect`.
///
/// Knows dollar quotes with tags, nested comments, `BEGIN ATOMIC … END` bodies, COPY data and psql's backslash commands
/// (PostgreSQL), trigger bodies (SQLite), and DELIMITER (MySQL, MariaDB).
///
/// # Errors
/// [`LoadError::Unclosed`] with file and line of what is opened and never closed.
pub fn split(dialect: DialectId, source: &Source) -> Result<Script, LoadError> {
    split_under(dialect, source, Quoting::default())
}

/// The same for a server whose own `sql_mode` gives quotes another meaning (MySQL, MariaDB).
///
/// # Errors
/// As [`split`].
pub fn split_under(dialect: DialectId, source: &Source, quoting: Quoting) -> Result<Script, LoadError> {
    Splitter::new(dialect, source, quoting).run()
}

struct Splitter<'a> {
    dialect: DialectId,
    source: &'a Source,
    at: usize,
    line: usize,
    delimiter: String,
    script: Script,
    /// Start and line of the statement being read.
    start: Option<(usize, usize)>,
    /// End of its last piece that is not blank or comment.
    end: usize,
    head: Vec<String>,
    /// Open BEGIN, CASE and the like inside a body.
    depth: usize,
    /// The word before, upper case.
    previous: String,
    /// What quotes mean (MySQL, MariaDB).
    modes: Modes,
}

impl<'a> Splitter<'a> {
    fn new(dialect: DialectId, source: &'a Source, quoting: Quoting) -> Self {
        Self {
            dialect,
            source,
            at: 0,
            line: 1,
            delimiter: ";".to_owned(),
            script: Script::default(),
            start: None,
            end: 0,
            head: Vec::new(),
            depth: 0,
            previous: String::new(),
            modes: Modes::new(quoting),
        }
    }

    fn run(mut self) -> Result<Script, LoadError> {
        while self.at < self.source.text.len() {
            if self.start.is_none() && self.client_line() {
                continue;
            }
            let rest = &self.source.text[self.at..];
            if rest.starts_with(self.delimiter.as_str()) && self.depth == 0 {
                self.advance(self.delimiter.len());
                self.finish();
                continue;
            }
            let (piece, mut length) = first_piece(self.dialect, self.modes.now(), rest)
                .map_err(|what| LoadError::Unclosed { at: format!("{}:{}", self.source.name, self.line), what })?;
            // A delimiter of characters that names may have ends a word all the same: `END$$`.
            if piece == Piece::Word
                && self.delimiter != ";"
                && let Some(at) = rest[..length].find(self.delimiter.as_str())
            {
                length = at;
            }
            let text = &rest[..length];
            match piece {
                Piece::Space => {}
                Piece::Comment => self.comment(text),
                Piece::Word => self.word(text),
                Piece::Quoted | Piece::Symbol => self.open(),
            }
            self.advance(length);
            if !matches!(piece, Piece::Space | Piece::Comment) {
                self.end = self.at;
            }
        }
        self.finish();
        Ok(self.script)
    }

    fn advance(&mut self, length: usize) {
        self.line += self.source.text[self.at..self.at + length].matches('\n').count();
        self.at += length;
    }

    fn open(&mut self) {
        self.start.get_or_insert((self.at, self.line));
    }

    fn comment(&mut self, text: &str) {
        let body = text.strip_prefix("--").or_else(|| text.strip_prefix('#')).map(str::trim);
        if let Some(directive) = body.and_then(|body| body.strip_prefix("trueup:")) {
            self.script.directives.push(Aside {
                text: directive.trim().to_owned(),
                file: self.source.name.clone(),
                line: self.line,
            });
        }
    }

    fn word(&mut self, text: &str) {
        self.open();
        let word = text.to_ascii_uppercase();
        if self.head.len() < 8 {
            self.head.push(word.clone());
        }
        if self.has_body() {
            self.track_body(&word);
        }
        self.previous = word;
    }

    /// Whether the statement may hold semicolons of its own.
    fn has_body(&self) -> bool {
        let creates = |kinds: &[&str]| {
            self.head.first().is_some_and(|word| word == "CREATE")
                && self.head.iter().any(|word| kinds.contains(&word.as_str()))
        };
        match self.dialect {
            DialectId::Sqlite => creates(&["TRIGGER"]),
            DialectId::Postgres => creates(&["FUNCTION", "PROCEDURE"]),
            // there DELIMITER says where a body ends; without it a body of one statement is all there can be
            DialectId::MySql | DialectId::MariaDb => {
                self.delimiter == ";" && creates(&["TRIGGER", "FUNCTION", "PROCEDURE", "EVENT"])
            }
        }
    }

    fn track_body(&mut self, word: &str) {
        match word {
            "ATOMIC" if self.dialect == DialectId::Postgres && self.previous == "BEGIN" => self.depth += 1,
            "BEGIN" if self.dialect != DialectId::Postgres => self.depth += 1,
            "CASE" if self.depth > 0 && self.previous != "END" => self.depth += 1,
            "IF" | "LOOP" | "WHILE" | "REPEAT"
                if self.depth > 0
                    && self.previous != "END"
                    && matches!(self.dialect, DialectId::MySql | DialectId::MariaDb)
                    && self.starts_block(word) =>
            {
                self.depth += 1;
            }
            "END" if self.depth > 0 => self.depth -= 1,
            _ => {}
        }
    }

    /// Whether IF, WHILE or REPEAT opens a block here rather than calling the function of that name or saying IF EXISTS.
    fn starts_block(&self, word: &str) -> bool {
        let before = self.source.text[..self.at].trim_end();
        let opens_statement = before.ends_with([';', ':'])
            || ["BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"].contains(&self.previous.as_str());
        opens_statement && (word != "LOOP" || self.previous != "END")
    }

    fn finish(&mut self) {
        let head = std::mem::take(&mut self.head);
        self.depth = 0;
        self.previous.clear();
        let Some((start, line)) = self.start.take() else { return };
        let text = self.source.text[start..self.end].to_owned();
        if text.is_empty() {
            return;
        }
        let copies_in = self.dialect == DialectId::Postgres
            && head.first().is_some_and(|word| word == "COPY")
            && text.to_ascii_uppercase().contains("FROM STDIN");
        if copies_in {
            self.skip_copy_data();
        }
        let quoting = self.modes.now();
        if matches!(self.dialect, DialectId::MySql | DialectId::MariaDb) {
            self.modes.after(&text);
        }
        self.script.statements.push(SqlStatement { text, file: self.source.name.clone(), line, head, quoting });
    }

    /// Leaves out the rows behind COPY … FROM stdin, up to the line `\.`.
    fn skip_copy_data(&mut self) {
        let rest = &self.source.text[self.at..];
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            length += line.len();
            if line.trim_end_matches(['\r', '\n']) == "\\." {
                break;
            }
        }
        self.advance(length);
    }

    /// Takes a line that is for a client program: psql's backslash commands, DELIMITER.
    fn client_line(&mut self) -> bool {
        let rest = &self.source.text[self.at..];
        let at_line_start = self.at == 0 || self.source.text[..self.at].ends_with('\n');
        let line = rest.lines().next().unwrap_or("");
        let mysql = matches!(self.dialect, DialectId::MySql | DialectId::MariaDb);
        if self.dialect == DialectId::Postgres && at_line_start && line.starts_with('\\') {
            self.script.skipped.push(Aside {
                text: line.trim().to_owned(),
                file: self.source.name.clone(),
                line: self.line,
            });
        } else if mysql
            && line.len() >= 10
            && line.is_char_boundary(10)
            && line[..10].eq_ignore_ascii_case("delimiter ")
        {
            let delimiter = line[10..].trim();
            if delimiter.is_empty() {
                return false;
            }
            self.delimiter = delimiter.to_owned();
        } else {
            return false;
        }
        self.advance(line.len());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceKind;

    fn texts(dialect: DialectId, sql: &str) -> Vec<String> {
        let source = Source { name: "t.sql".to_owned(), kind: SourceKind::Sql, text: sql.to_owned() };
        split(dialect, &source).unwrap().statements.into_iter().map(|statement| statement.text).collect()
    }

    #[test]
    fn quotes_and_comments_hide_semicolons() {
        let sql = "-- a; b\nselect 'x;''y', \"q;\" /* ; */ ;\n\n select 2";
        assert_eq!(texts(DialectId::Postgres, sql), ["select 'x;''y', \"q;\"", "select 2"]);
    }

    #[test]
    fn dollar_quotes_with_tags_nest_by_tag() {
        let sql = "create function f() returns int as $a$ select $b$;$b$; $a$ language sql; select $1;";
        assert_eq!(texts(DialectId::Postgres, sql).len(), 2);
    }

    #[test]
    fn nested_comments_end_where_postgres_ends_them() {
        assert_eq!(texts(DialectId::Postgres, "select 1 /* a /* ; */ b; */ + 1; select 2").len(), 2);
        assert_eq!(texts(DialectId::Sqlite, "select 1 /* a /* ; */ + 1; select 2").len(), 2);
    }

    #[test]
    fn a_standard_body_is_one_statement() {
        let sql = "create function f(a int) returns int begin atomic select case when a > 0 then 1 end; select 2; end; select 3;";
        assert_eq!(texts(DialectId::Postgres, sql).len(), 2);
    }

    #[test]
    fn a_trigger_body_is_one_statement() {
        let sql = "create trigger t after insert on a begin update b set x = case when 1 then 2 end; delete from c; end; create table z(a);";
        assert_eq!(texts(DialectId::Sqlite, sql).len(), 2);
    }

    #[test]
    fn copy_data_and_client_commands_are_left_out() {
        let sql = "\\restrict abc\ncopy t (a) from stdin;\n1;'\n\\.\nselect 1;";
        let source = Source { name: "t.sql".to_owned(), kind: SourceKind::Sql, text: sql.to_owned() };
        let script = split(DialectId::Postgres, &source).unwrap();
        assert_eq!(script.statements.len(), 2);
        assert_eq!(script.statements[1].line, 5);
        assert_eq!(script.skipped.len(), 1);
    }

    #[test]
    fn delimiter_changes_where_a_statement_ends() {
        let sql = "DELIMITER //\ncreate procedure p() begin select 1; select 2; end//\nDELIMITER ;\nselect 3;";
        assert_eq!(texts(DialectId::MySql, sql).len(), 2);
        let sql = "DELIMITER $$\ncreate procedure p() begin select 1; end$$\nDELIMITER ;\nselect a$$b;";
        assert_eq!(texts(DialectId::MySql, sql), ["create procedure p() begin select 1; end", "select a$$b"]);
    }

    #[test]
    fn a_body_without_delimiter_is_kept_whole() {
        let sql = "create trigger t before insert on a for each row begin if new.x then set new.y = if(1, 2, 3); end if; end; select 3;";
        assert_eq!(texts(DialectId::MariaDb, sql).len(), 2);
    }

    #[test]
    fn what_is_never_closed_is_named_with_its_line() {
        let source =
            Source { name: "t.sql".to_owned(), kind: SourceKind::Sql, text: "select 1;\nselect 'a".to_owned() };
        let error = split(DialectId::Sqlite, &source).unwrap_err();
        assert_eq!(error.to_string(), "t.sql:2: a string is never closed");
    }

    #[test]
    fn directives_are_found_anywhere() {
        let source = Source {
            name: "t.sql".to_owned(),
            kind: SourceKind::Sql,
            text: "create table a (\n  x int -- trueup: rename column a.y to x\n);".to_owned(),
        };
        let script = split(DialectId::Sqlite, &source).unwrap();
        assert_eq!(script.directives[0].text, "rename column a.y to x");
        assert_eq!(script.directives[0].line, 2);
    }

    #[test]
    fn a_mode_that_is_set_changes_what_quotes_mean() {
        let sql = r"select '\';'; set sql_mode = 'NO_BACKSLASH_ESCAPES'; select '\'; select 2";
        assert_eq!(texts(DialectId::MySql, sql).len(), 4);
    }
}
