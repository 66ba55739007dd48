//! One spelling for texts that mean the same to SQLite.
//!
//! Blanks and comments say nothing, letter case of bare words says nothing, and quotes around a name that is known say nothing. Quotes
//! around anything else may make a string of it, so they stay. Parentheses stay, too: two texts that differ in them are two texts.

use std::collections::BTreeSet;

use trueup_schema::{Schema, Table, TableKind};

use super::grammar::{Text, is_symbol, name_of};
use super::tokens::{is_name_char, tokens};
use super::words::{is_keyword, is_reserved};
use crate::{Token, TokenKind};

/// Names that a schema defines, folded: what double quotes make a name of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    known: BTreeSet<String>,
    all: bool,
}

/// The case-folding of SQLite: ASCII letters only.
pub(crate) fn fold(name: &str) -> String {
    name.to_ascii_lowercase()
}

impl Names {
    /// Every name in `schema`: tables, columns, views, indexes, triggers, arguments of virtual tables, aliases in views.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut names = Self::default();
        for table in schema.tables.values() {
            names.add(table.name.name.as_str());
            for column in &table.columns {
                names.add(column.name.as_str());
            }
            for index in &table.indexes {
                names.add(index.name.as_str());
            }
            if let TableKind::Virtual { using } = &table.kind {
                names.add_arguments(using.as_str());
            }
        }
        for view in schema.views.values() {
            names.add(view.name.name.as_str());
            for column in &view.columns {
                names.add(column.name.as_str());
            }
            names.add_aliases(view.query.as_str());
        }
        for id in schema.triggers.keys() {
            names.add(id.name.as_str());
        }
        names
    }

    /// Whatever is in double quotes is a name: for comparing texts of which one was made from the other.
    pub(crate) const fn all() -> Self {
        Self { known: BTreeSet::new(), all: true }
    }

    /// What an expression over one table's columns may name.
    pub(crate) fn of_columns(table: &Table) -> Self {
        let mut names = Self::default();
        table.columns.iter().for_each(|column| names.add(column.name.as_str()));
        ["rowid", "oid", "_rowid_"].iter().for_each(|name| names.add(name));
        names
    }

    pub(crate) fn add(&mut self, name: &str) {
        self.known.insert(fold(name));
    }

    fn add_arguments(&mut self, using: &str) {
        for token in tokens(using) {
            if let Some(name) = token.name() {
                self.add(&name);
            }
        }
    }

    fn add_aliases(&mut self, query: &str) {
        let mut after_as = false;
        for token in tokens(query).iter().filter(|token| token.is_solid()) {
            if let (true, Some(name)) = (after_as, token.name()) {
                self.add(&name);
            }
            after_as = token.is_word("AS");
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.all || self.known.contains(&fold(name))
    }
}

/// What a text is, where that changes how its words are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role<'a> {
    /// An expression or the statement of a trigger.
    Expr,
    /// An expression over the columns of one table.
    Own(&'a Names),
    /// A query whose aliases name its columns, letter case included.
    Query,
}

/// The statement of a trigger, or an expression of a table whose columns are not known.
pub(crate) fn expr(sql: &str, names: &Names) -> String {
    canonical(sql, names, Role::Expr)
}

/// An expression that can mean the columns of its own table alone, which `columns` holds: anything else in double quotes is a string
/// there. SQLite itself writes it as one when it next alters the table.
pub(crate) fn own_expr(sql: &str, names: &Names, columns: &Names) -> String {
    canonical(sql, names, Role::Own(columns))
}

/// The query of a view.
pub(crate) fn query(sql: &str, names: &Names) -> String {
    canonical(sql, names, Role::Query)
}

/// The words of a type, upper case.
pub(crate) fn type_words(sql: &str) -> String {
    let mut line = Line::default();
    for token in tokens(sql).into_iter().filter(Token::is_solid) {
        let text = if token.kind == TokenKind::Word { token.text.to_ascii_uppercase() } else { token.text };
        if text == "(" {
            line.glue = true;
        }
        line.push(Piece { kind: token.kind, text });
        line.glue = line.text.ends_with(',');
    }
    line.text
}

/// What follows DEFAULT: a literal as it is, anything else in parentheses.
///
/// No name can be meant in a default, so that a bare word or one in double quotes is a string, letter case included.
pub(crate) fn default(sql: &str) -> String {
    let text = Text::new(sql);
    let mut cursor = text.cursor();
    if cursor.at_symbol("(")
        && let Ok(mut inside) = cursor.group()
        && cursor.is_done()
    {
        return match inside.peek() {
            Some(token) if inside.len() == 1 && matches!(token.kind, TokenKind::Number | TokenKind::Text) => {
                value(token)
            }
            _ => format!("({})", expr(inside.rest(), &Names::default())),
        };
    }
    let mut literal = text.cursor();
    let mut sign = String::new();
    while literal.at_symbol("-") || literal.at_symbol("+") {
        sign.push_str(if literal.at_symbol("-") { "-" } else { "+" });
        literal.next();
    }
    match (literal.next(), literal.is_done()) {
        (Some(token), true) if sign.is_empty() || (sign.len() == 1 && token.kind == TokenKind::Number) => {
            match token.kind {
                TokenKind::Word if is_value_word(&token.text) => format!("{sign}{}", token.text.to_ascii_uppercase()),
                TokenKind::Word | TokenKind::QuotedName => token.text.clone(),
                TokenKind::Text | TokenKind::Number => format!("{sign}{}", value(token)),
                TokenKind::Parameter | TokenKind::Symbol | TokenKind::Space | TokenKind::Comment => token.text.clone(),
            }
        }
        _ => format!("({})", expr(sql, &Names::default())),
    }
}

/// Whether a default, in its canonical spelling, is a word that is taken for a string.
pub(crate) fn is_word_default(default: &str) -> bool {
    let found = tokens(default);
    match found.as_slice() {
        [only] => match only.kind {
            TokenKind::Word => !is_value_word(&only.text),
            TokenKind::QuotedName => true,
            TokenKind::Text
            | TokenKind::Number
            | TokenKind::Parameter
            | TokenKind::Symbol
            | TokenKind::Space
            | TokenKind::Comment => false,
        },
        _ => false,
    }
}

/// `USING` and what follows. Arguments are the module's own language: only blanks and comments go.
pub(crate) fn module(sql: &str) -> String {
    let mut line = Line::default();
    for (at, token) in tokens(sql).into_iter().filter(Token::is_solid).enumerate() {
        let text = match (at, token.kind) {
            (0, TokenKind::Word) => token.text.to_ascii_uppercase(),
            (1, TokenKind::Word) => token.text.to_ascii_lowercase(),
            _ => token.text,
        };
        line.push(Piece { kind: token.kind, text });
    }
    line.text
}

/// A name as the canonical spelling of texts has it.
pub(crate) fn name(name: &str) -> String {
    let folded = fold(name);
    if is_plain(&folded) { word(&folded) } else { quote(&folded) }
}

fn is_value_word(word: &str) -> bool {
    ["NULL", "TRUE", "FALSE", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]
        .iter()
        .any(|value| value.eq_ignore_ascii_case(word))
}

/// Numbers and blobs have no letter case.
fn value(token: &Token) -> String {
    let is_blob = token.kind == TokenKind::Text && token.text.starts_with(['x', 'X']);
    if is_blob || token.kind == TokenKind::Number { token.text.to_ascii_lowercase() } else { token.text.clone() }
}

fn is_plain(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii());
    starts_well && name.chars().all(is_name_char) && !is_reserved(name)
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn word(text: &str) -> String {
    if is_keyword(text) { text.to_ascii_uppercase() } else { fold(text) }
}

fn canonical(sql: &str, names: &Names, role: Role<'_>) -> String {
    let solid: Vec<Token> = tokens(sql).into_iter().filter(Token::is_solid).collect();
    let mut line = Line::default();
    // For each open parenthesis, whether it is that of a CAST, where AS is followed by a type.
    let mut casts = Vec::new();
    for (at, token) in solid.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| solid.get(at));
        let calls = solid.get(at + 1).is_some_and(|next| is_symbol(next, "("));
        if is_symbol(token, "(") {
            casts.push(before.is_some_and(|before| before.is_word("CAST")));
        } else if is_symbol(token, ")") {
            casts.pop();
        }
        let in_cast = casts.last() == Some(&true);
        let is_alias = role == Role::Query && !in_cast && !calls && before.is_some_and(|before| before.is_word("AS"));
        let text = match token.kind {
            TokenKind::Word if is_alias => token.text.clone(),
            TokenKind::Word if role == Role::Query && !calls && !in_cast => query_word(&token.text, names),
            TokenKind::Word => word(&token.text),
            TokenKind::QuotedName => match role {
                Role::Own(columns) if !in_cast && is_string(token, columns, before, solid.get(at + 1)) => string(token),
                Role::Own(_) | Role::Expr | Role::Query => quoted_name(token, names, is_alias),
            },
            TokenKind::Text | TokenKind::Number => value(token),
            TokenKind::Parameter | TokenKind::Symbol | TokenKind::Space | TokenKind::Comment => token.text.clone(),
        };
        line.push(Piece { kind: token.kind, text });
    }
    line.text
}

/// An unknown word in a query may be an alias without AS: its letter case shows in the view's columns.
fn query_word(text: &str, names: &Names) -> String {
    if is_keyword(text) || names.has(text) { word(text) } else { text.to_owned() }
}

fn quoted_name(token: &Token, names: &Names, is_alias: bool) -> String {
    let Some(inner) = name_of(token) else { return token.text.clone() };
    if is_alias {
        return if is_plain(&inner) { inner } else { quote(&inner) };
    }
    if names.has(&inner) { name(&inner) } else { token.text.clone() }
}

/// Whether double quotes make a string, because no column of the table is called so.
fn is_string(token: &Token, columns: &Names, before: Option<&Token>, after: Option<&Token>) -> bool {
    let names_a_column = || name_of(token).is_none_or(|inner| columns.has(&inner));
    let is_path = before.is_some_and(|token| is_symbol(token, ".") || token.is_word("COLLATE"))
        || after.is_some_and(|token| is_symbol(token, ".") || is_symbol(token, "("));
    token.text.starts_with('"') && !is_path && !names_a_column()
}

fn string(token: &Token) -> String {
    let inner = name_of(token).unwrap_or_default();
    format!("'{}'", inner.replace('\'', "''"))
}

struct Piece {
    kind: TokenKind,
    text: String,
}

/// A text that grows piece by piece, with blanks where they help reading or keep two tokens apart.
#[derive(Default)]
struct Line {
    text: String,
    last: Option<Piece>,
    /// No blank before the next piece, whatever it is.
    glue: bool,
    /// The last piece is a sign or complement of what follows.
    is_unary: bool,
}

impl Line {
    fn push(&mut self, piece: Piece) {
        let glue = std::mem::take(&mut self.glue);
        if let Some(last) = &self.last
            && !glue
            && needs_blank(last, &piece, self.is_unary)
        {
            self.text.push(' ');
        }
        self.is_unary = piece.kind == TokenKind::Symbol
            && matches!(piece.text.as_str(), "-" | "+" | "~")
            && self.last.as_ref().is_none_or(opens_operand);
        self.text.push_str(&piece.text);
        self.last = Some(piece);
    }
}

/// Whether what follows `last` starts an operand, so that a sign there is no operator.
fn opens_operand(last: &Piece) -> bool {
    match last.kind {
        TokenKind::Symbol => last.text != ")",
        TokenKind::Word => is_keyword(&last.text),
        TokenKind::QuotedName
        | TokenKind::Text
        | TokenKind::Number
        | TokenKind::Parameter
        | TokenKind::Space
        | TokenKind::Comment => false,
    }
}

fn needs_blank(last: &Piece, next: &Piece, after_unary: bool) -> bool {
    let symbol =
        |piece: &Piece, texts: &[&str]| piece.kind == TokenKind::Symbol && texts.contains(&piece.text.as_str());
    if symbol(last, &["("]) || symbol(next, &[")", ",", ";"]) {
        return false;
    }
    if symbol(last, &["."]) || symbol(next, &["."]) {
        return last.kind == TokenKind::Number || next.kind == TokenKind::Number;
    }
    if symbol(next, &["("]) {
        let calls = match last.kind {
            TokenKind::Word => !is_keyword(&last.text) || matches!(last.text.as_str(), "CAST" | "RAISE" | "REPLACE"),
            TokenKind::QuotedName => true,
            TokenKind::Text
            | TokenKind::Number
            | TokenKind::Parameter
            | TokenKind::Symbol
            | TokenKind::Space
            | TokenKind::Comment => false,
        };
        return !calls;
    }
    !(after_unary && next.kind != TokenKind::Symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(list: &[&str]) -> Names {
        let mut names = Names::default();
        list.iter().for_each(|name| names.add(name));
        names
    }

    #[test]
    fn blanks_comments_and_case_say_nothing() {
        let names = known(&["Price", "order", "odd name"]);
        let one = expr("Price>0 and\n [ORDER] in (1,2) -- why\n AND lower( \"Odd Name\" )<>'A  b'", &names);
        assert_eq!(one, "price > 0 AND \"order\" IN (1, 2) AND lower(\"odd name\") <> 'A  b'");
        assert_eq!(expr(&one, &names), one);
    }

    #[test]
    fn an_unknown_name_in_quotes_may_be_a_string() {
        let names = known(&["a"]);
        assert_eq!(expr("\"A\" = \"B\"", &names), "a = \"B\"");
        assert_ne!(expr("a = \"B\"", &names), expr("a = 'B'", &names));
        assert_ne!(expr("a = \"B\"", &names), expr("a = \"b\"", &names));
    }

    #[test]
    fn what_no_column_is_called_is_a_string_in_a_tables_own_expression() {
        let (names, columns) = (known(&["a", "b"]), known(&["a"]));
        assert_eq!(own_expr("json_extract(a, \"$.It's\")", &names, &columns), "json_extract(a, '$.It''s')");
        // `b` belongs to another table
        assert_eq!(own_expr("\"A\" = \"b\"", &names, &columns), "a = 'b'");
        for kept in ["t.\"x\"", "\"f\"(a)", "a COLLATE \"mine\"", "[x]", "CAST(a AS \"x y\")"] {
            assert!(!own_expr(kept, &names, &columns).contains('\''), "{kept}");
        }
    }

    #[test]
    fn signs_stay_apart() {
        let names = known(&["a"]);
        for (sql, text) in
            [("- 1", "-1"), ("a - -1", "a - -1"), ("- - 1", "- -1"), ("a--b\n+1", "a + 1"), ("(-a)", "(-a)")]
        {
            let one = expr(sql, &names);
            assert_eq!(one, text);
            assert_eq!(expr(&one, &names), one);
        }
    }

    #[test]
    fn defaults_are_values() {
        for (sql, text) in [
            ("('x')", "'x'"),
            ("( 5 )", "5"),
            ("- 1", "-1"),
            ("(-1)", "(-1)"),
            ("null", "NULL"),
            ("Abc", "Abc"),
            ("\"Abc\"", "\"Abc\""),
            ("current_timestamp", "CURRENT_TIMESTAMP"),
            ("(DATETIME('now'))", "(datetime('now'))"),
            ("datetime('now')", "(datetime('now'))"),
            ("X'AB'", "x'ab'"),
            ("(1) + (2)", "((1) + (2))"),
            ("1E3", "1e3"),
        ] {
            assert_eq!(default(sql), text);
            assert_eq!(default(text), text);
        }
    }

    #[test]
    fn a_word_is_a_string_only_as_a_default() {
        for (default, is_word) in
            [("abc", true), ("\"abc\"", true), ("NULL", false), ("'abc'", false), ("(abc)", false)]
        {
            assert_eq!(is_word_default(default), is_word, "{default}");
        }
    }

    #[test]
    fn aliases_keep_their_case() {
        let names = known(&["t", "a"]);
        let one = query("select A as \"Total\", cast(A AS Integer) B, count(*) AS [n o] from T", &names);
        assert_eq!(one, "SELECT a AS Total, CAST(a AS integer) B, count(*) AS \"n o\" FROM t");
        assert_eq!(query(&one, &names), one);
    }

    #[test]
    fn types_and_modules() {
        assert_eq!(type_words("varchar ( 30 )"), "VARCHAR(30)");
        assert_eq!(type_words("decimal(10 , 2)"), "DECIMAL(10,2)");
        assert_eq!(type_words("unsigned /* x */ big int"), "UNSIGNED BIG INT");
        assert_eq!(
            module("using FTS5(Title,  body, tokenize = 'porter')"),
            "USING fts5(Title, body, tokenize = 'porter')"
        );
    }
}
