//! Values that travel between trueup and a server.

use crate::{DbError, DbErrorKind};

/// One value of a row or a parameter. Catalog queries cast to one of these.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A boolean (PostgreSQL). The others answer with integers.
    Bool(bool),
    /// Any integer.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An array of texts (PostgreSQL `text[]`, `name[]`).
    Texts(Vec<Option<String>>),
    /// An array of integers (PostgreSQL `int2[]`, `int4[]`, `int8[]`, `oid[]`, `int2vector`, `oidvector`).
    Ints(Vec<Option<i64>>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}
impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// One row; columns are taken by position, in the order of the query's select list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row(pub Vec<Value>);

impl Row {
    fn wrong(&self, at: usize, wanted: &str) -> DbError {
        DbError::new(DbErrorKind::Decode, format!("column {at} should be {wanted}, got {:?}", self.0.get(at)))
    }

    /// The value at `at`, if the row is that long.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&Value> {
        self.0.get(at)
    }

    /// The text at `at`.
    ///
    /// # Errors
    /// Kind `Decode` if it is NULL or no text.
    pub fn text(&self, at: usize) -> Result<&str, DbError> {
        match self.0.get(at) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(self.wrong(at, "text")),
        }
    }

    /// The text at `at`, or `None` for NULL.
    ///
    /// # Errors
    /// Kind `Decode` if it is neither.
    pub fn text_or_null(&self, at: usize) -> Result<Option<&str>, DbError> {
        match self.0.get(at) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(self.wrong(at, "text or NULL")),
        }
    }

    /// The integer at `at`.
    ///
    /// # Errors
    /// Kind `Decode` if it is NULL or no integer.
    pub fn int(&self, at: usize) -> Result<i64, DbError> {
        match self.0.get(at) {
            Some(Value::Int(number)) => Ok(*number),
            _ => Err(self.wrong(at, "an integer")),
        }
    }

    /// The integer at `at`, or `None` for NULL.
    ///
    /// # Errors
    /// Kind `Decode` if it is neither.
    pub fn int_or_null(&self, at: usize) -> Result<Option<i64>, DbError> {
        match self.0.get(at) {
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            _ => Err(self.wrong(at, "an integer or NULL")),
        }
    }

    /// The boolean at `at`; integers count as true when not zero.
    ///
    /// # Errors
    /// Kind `Decode` if it is NULL or something else.
    pub fn bool(&self, at: usize) -> Result<bool, DbError> {
        match self.0.get(at) {
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::Int(number)) => Ok(*number != 0),
            _ => Err(self.wrong(at, "a boolean")),
        }
    }

    /// The texts of the array at `at`; empty for NULL, NULL elements left out.
    ///
    /// # Errors
    /// Kind `Decode` if it is no array of texts.
    pub fn texts(&self, at: usize) -> Result<Vec<&str>, DbError> {
        match self.0.get(at) {
            Some(Value::Texts(texts)) => Ok(texts.iter().filter_map(Option::as_deref).collect()),
            Some(Value::Null) => Ok(Vec::new()),
            _ => Err(self.wrong(at, "an array of texts")),
        }
    }

    /// The integers of the array at `at`; empty for NULL, NULL elements left out.
    ///
    /// # Errors
    /// Kind `Decode` if it is no array of integers.
    pub fn ints(&self, at: usize) -> Result<Vec<i64>, DbError> {
        match self.0.get(at) {
            Some(Value::Ints(numbers)) => Ok(numbers.iter().filter_map(|n| *n).collect()),
            Some(Value::Null) => Ok(Vec::new()),
            _ => Err(self.wrong(at, "an array of integers")),
        }
    }
}
