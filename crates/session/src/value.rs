//! Values that travel between trueup and a server.

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
