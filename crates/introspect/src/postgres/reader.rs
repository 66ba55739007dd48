//! Taking the values of a row in the order of the select list.

use trueup_schema::{Ident, QualName};
use trueup_session::{DbError, Row};

use crate::IntrospectError;

/// Walks over one row.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    row: &'a Row,
    at: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(row: &'a Row, what: &'static str) -> Self {
        Self { row, at: 0, what }
    }

    fn next<T>(&mut self, read: impl Fn(&'a Row, usize) -> Result<T, DbError>) -> Result<T, IntrospectError> {
        let value = read(self.row, self.at).map_err(|source| IntrospectError::Query { what: self.what, source })?;
        self.at += 1;
        Ok(value)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, IntrospectError> {
        self.next(Row::text)
    }

    pub(super) fn text_or_null(&mut self) -> Result<Option<&'a str>, IntrospectError> {
        self.next(Row::text_or_null)
    }

    pub(super) fn int(&mut self) -> Result<i64, IntrospectError> {
        self.next(Row::int)
    }

    pub(super) fn int_or_null(&mut self) -> Result<Option<i64>, IntrospectError> {
        self.next(Row::int_or_null)
    }

    pub(super) fn flag(&mut self) -> Result<bool, IntrospectError> {
        self.next(Row::bool)
    }

    pub(super) fn texts(&mut self) -> Result<Vec<&'a str>, IntrospectError> {
        self.next(Row::texts)
    }

    /// An array, told apart from NULL.
    pub(super) fn texts_or_null(&mut self) -> Result<Option<Vec<&'a str>>, IntrospectError> {
        let null = self.row.is_null(self.at);
        self.texts().map(|texts| (!null).then_some(texts))
    }

    pub(super) fn ints(&mut self) -> Result<Vec<i64>, IntrospectError> {
        self.next(Row::ints)
    }

    pub(super) fn ident(&mut self) -> Result<Ident, IntrospectError> {
        let text = self.text()?;
        ident(text)
    }
}

/// A name from the catalog.
pub(super) fn ident(text: &str) -> Result<Ident, IntrospectError> {
    Ident::new(text).map_err(|error| unclear(text, &error.to_string()))
}

/// An error about an entry that is not understood.
pub(super) fn unclear(object: &str, why: &str) -> IntrospectError {
    IntrospectError::Catalog { object: format!("`{object}`"), why: why.to_owned() }
}

/// A name as SQL prints it, quoted where it must be, qualified where it is not visible: `public."Odd name"`.
pub(super) fn printed_name(text: &str) -> Result<QualName, IntrospectError> {
    let name = QualName::parse(text).map_err(|error| unclear(text, &error.to_string()))?;
    // What is not qualified under an empty search path lives in the one namespace that is always searched.
    match name.namespace {
        Some(_) => Ok(name),
        None => Ok(QualName::new(Some(ident("pg_catalog")?), name.name)),
    }
}

/// `name=value` texts, as storage parameters and options of foreign things are kept.
pub(super) fn parameters<'a>(texts: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = (String, String)> {
    texts.into_iter().map(|text| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.to_owned(), value.to_owned())
    })
}
