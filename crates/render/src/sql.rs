//! Statements in pieces. sea-query's builder of an engine writes the names, tables and columns among them; the words are ours.

use std::borrow::Cow;

use sea_query::{Alias, ColumnDef, DynIden, IntoIden, IntoTableRef, SchemaBuilder, SchemaStatementBuilder, TableRef};
use trueup_schema::{Ident, QualName, SqlExpr};

/// A statement, or a part of one. Pieces stand one blank apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sql {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Words(Cow<'static, str>),
    Name(DynIden),
    Qualified(TableRef),
    Column(Box<ColumnDef>),
    Literal(String),
    List { items: Vec<Sql>, parentheses: bool },
}

/// A checked name as sea-query takes it.
pub(crate) fn iden(name: &Ident) -> DynIden {
    Alias::new(name.as_str()).into_iden()
}

/// A checked name of a relation as sea-query takes it.
pub(crate) fn table_ref(name: &QualName) -> TableRef {
    match &name.namespace {
        Some(namespace) => (iden(namespace), iden(&name.name)).into_table_ref(),
        None => iden(&name.name).into_table_ref(),
    }
}

impl Sql {
    /// Starts with fixed words.
    pub(crate) fn new(words: impl Into<Cow<'static, str>>) -> Self {
        Self::default().words(words)
    }

    /// Fixed words, or text that is SQL already.
    pub(crate) fn words(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        let words = words.into();
        if !words.is_empty() {
            self.pieces.push(Piece::Words(words));
        }
        self
    }

    /// Fixed words, if so.
    pub(crate) fn words_if(self, condition: bool, words: &'static str) -> Self {
        if condition { self.words(words) } else { self }
    }

    /// A quoted name.
    pub(crate) fn name(mut self, name: &Ident) -> Self {
        self.pieces.push(Piece::Name(iden(name)));
        self
    }

    /// A quoted name with its namespace.
    pub(crate) fn qualified(mut self, name: &QualName) -> Self {
        self.pieces.push(Piece::Qualified(table_ref(name)));
        self
    }

    /// A column definition.
    pub(crate) fn column(mut self, column: ColumnDef) -> Self {
        self.pieces.push(Piece::Column(Box::new(column)));
        self
    }

    /// A string between single quotes.
    pub(crate) fn literal(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Literal(text.into()));
        self
    }

    /// SQL text of the schema. A comment at its end cannot swallow what follows.
    pub(crate) fn expr(self, expr: &SqlExpr) -> Self {
        self.words(self::expr(expr))
    }

    /// SQL text of the schema, in parentheses.
    pub(crate) fn parenthesised(self, expr: &SqlExpr) -> Self {
        self.list([Self::default().expr(expr)])
    }

    /// Items between commas, in parentheses.
    pub(crate) fn list(mut self, items: impl IntoIterator<Item = Self>) -> Self {
        self.pieces.push(Piece::List { items: items.into_iter().collect(), parentheses: true });
        self
    }

    /// Names between commas, in parentheses.
    pub(crate) fn names<'a>(self, names: impl IntoIterator<Item = &'a Ident>) -> Self {
        self.list(names.into_iter().map(|name| Self::default().name(name)))
    }

    /// Items between commas.
    pub(crate) fn series(mut self, items: impl IntoIterator<Item = Self>) -> Self {
        self.pieces.push(Piece::List { items: items.into_iter().collect(), parentheses: false });
        self
    }

    /// All pieces of another one.
    pub(crate) fn then(mut self, other: Self) -> Self {
        self.pieces.extend(other.pieces);
        self
    }

    fn write<T: SchemaBuilder>(&self, builder: &T, text: &mut String) {
        for (at, piece) in self.pieces.iter().enumerate() {
            if at > 0 {
                text.push(' ');
            }
            piece.write(builder, text);
        }
    }
}

impl Piece {
    fn write<T: SchemaBuilder>(&self, builder: &T, text: &mut String) {
        match self {
            Self::Words(words) => text.push_str(words),
            Self::Name(name) => builder.prepare_iden(name, text),
            Self::Qualified(name) => builder.prepare_table_ref_table_stmt(name, text),
            Self::Column(column) => builder.prepare_column_def(column, text),
            Self::Literal(value) => text.push_str(&literal(value)),
            Self::List { items, parentheses } => {
                if *parentheses {
                    text.push('(');
                }
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        text.push_str(", ");
                    }
                    item.write(builder, text);
                }
                if *parentheses {
                    text.push(')');
                }
            }
        }
    }
}

impl SchemaStatementBuilder for Sql {
    fn build<T: SchemaBuilder>(&self, schema_builder: T) -> String {
        let mut text = String::new();
        self.write(&schema_builder, &mut text);
        text
    }
}

/// A standard string literal: only the quote is special. Holds on PostgreSQL with `standard_conforming_strings`, and on SQLite.
pub(crate) fn literal(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// SQL text of the schema without blanks and semicolons around it, and with a line end where it holds a line comment.
pub(crate) fn expr(expr: &SqlExpr) -> String {
    let text = expr.as_str().trim().trim_end_matches(';').trim_end();
    if text.contains("--") { format!("{text}\n") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use sea_query::PostgresQueryBuilder;
    use trueup_schema::DialectId;

    use super::*;

    #[test]
    fn sea_query_quotes_names_like_we_do() {
        for text in ["a", "a\"b", "\"", "x; DROP TABLE t; --", "ä\\'`$1?", "a.b"] {
            let name = Ident::new(text).unwrap();
            let qualified = QualName::new(Some(name.clone()), name.clone());
            let sql = Sql::default().name(&name).build(PostgresQueryBuilder);
            assert_eq!(sql, name.quoted(DialectId::Postgres));
            let sql = Sql::default().qualified(&qualified).build(PostgresQueryBuilder);
            assert_eq!(sql, qualified.quoted(DialectId::Postgres));
        }
    }

    #[test]
    fn comments_in_texts_end_before_what_follows() {
        let sql = Sql::new("CHECK").parenthesised(&SqlExpr::new("a > 1 -- positive; ")).words("NOT VALID");
        assert_eq!(sql.build(PostgresQueryBuilder), "CHECK (a > 1 -- positive\n) NOT VALID");
    }
}
