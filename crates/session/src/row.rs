//! Rows of an answer. A catalog has very many, of which each value would be larger by itself than what it holds: a row is one piece of
//! memory, whose values are read where they are asked for.

use std::fmt;

use crate::{DbError, DbErrorKind, Value};

/// One row; columns are taken by position, in the order of the query's select list.
///
/// Made of values, by `collect` or by a [`RowBuilder`].
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The width of an offset in bytes, the number of values in as many, where each value ends, and then the values.
    packed: Box<[u8]>,
}

/// What a packed value begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    False,
    True,
    Int,
    Float,
    Text,
    Bytes,
    Texts,
    Ints,
}

impl Kind {
    const ALL: [Self; 9] =
        [Self::Null, Self::False, Self::True, Self::Int, Self::Float, Self::Text, Self::Bytes, Self::Texts, Self::Ints];
}

impl Row {
    /// How many values it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.number(0)
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `at`, if the row is that long.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Value> {
        let (kind, mut rest) = self.packed(at)?;
        Some(match kind {
            Kind::Null => Value::Null,
            Kind::False => Value::Bool(false),
            Kind::True => Value::Bool(true),
            Kind::Int => Value::Int(take_int(&mut rest)?),
            Kind::Float => Value::Float(f64::from_le_bytes(rest.try_into().ok()?)),
            Kind::Text => Value::Text(std::str::from_utf8(rest).ok()?.to_owned()),
            Kind::Bytes => Value::Bytes(rest.to_vec()),
            Kind::Texts => Value::Texts(elements(rest, take_text).map(|text| text.map(str::to_owned)).collect()),
            Kind::Ints => Value::Ints(elements(rest, |_, rest| take_int(rest)).collect()),
        })
    }

    /// Every value in order.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Whether the value at `at` is NULL.
    #[must_use]
    pub fn is_null(&self, at: usize) -> bool {
        matches!(self.packed(at), Some((Kind::Null, _)))
    }

    /// The text at `at`.
    ///
    /// # Errors
    /// Kind `Decode` if it is NULL or no text.
    pub fn text(&self, at: usize) -> Result<&str, DbError> {
        self.text_or_null(at).ok().flatten().ok_or_else(|| self.wrong(at, "text"))
    }

    /// The text at `at`, or `None` for NULL.
    ///
    /// # Errors
    /// Kind `Decode` if it is neither.
    pub fn text_or_null(&self, at: usize) -> Result<Option<&str>, DbError> {
        match self.packed(at) {
            Some((Kind::Null, _)) => Ok(None),
            Some((Kind::Text, bytes)) => std::str::from_utf8(bytes).map(Some).map_err(|_| self.wrong(at, "text")),
            _ => Err(self.wrong(at, "text or NULL")),
        }
    }

    /// The integer at `at`.
    ///
    /// # Errors
    /// Kind `Decode` if it is NULL or no integer.
    pub fn int(&self, at: usize) -> Result<i64, DbError> {
        self.int_or_null(at).ok().flatten().ok_or_else(|| self.wrong(at, "an integer"))
    }

    /// The integer at `at`, or `None` for NULL.
    ///
    /// # Errors
    /// Kind `Decode` if it is neither.
    pub fn int_or_null(&self, at: usize) -> Result<Option<i64>, DbError> {
        match self.packed(at) {
            Some((Kind::Int, mut bytes)) => Ok(take_int(&mut bytes)),
            Some((Kind::Null, _)) => Ok(None),
            _ => Err(self.wrong(at, "an integer or NULL")),
        }
    }

    /// The boolean at `at`; integers count as true when not zero.
    ///
    /// # Errors
    /// Kind `Decode` if it is NULL or something else.
    pub fn bool(&self, at: usize) -> Result<bool, DbError> {
        match self.packed(at) {
            Some((Kind::False, _)) => Ok(false),
            Some((Kind::True, _)) => Ok(true),
            Some((Kind::Int, mut bytes)) => Ok(take_int(&mut bytes) != Some(0)),
            _ => Err(self.wrong(at, "a boolean")),
        }
    }

    /// The texts of the array at `at`; empty for NULL, NULL elements left out.
    ///
    /// # Errors
    /// Kind `Decode` if it is no array of texts.
    pub fn texts(&self, at: usize) -> Result<Vec<&str>, DbError> {
        match self.packed(at) {
            Some((Kind::Texts, bytes)) => Ok(elements(bytes, take_text).flatten().collect()),
            Some((Kind::Null, _)) => Ok(Vec::new()),
            _ => Err(self.wrong(at, "an array of texts")),
        }
    }

    /// The integers of the array at `at`; empty for NULL, NULL elements left out.
    ///
    /// # Errors
    /// Kind `Decode` if it is no array of integers.
    pub fn ints(&self, at: usize) -> Result<Vec<i64>, DbError> {
        match self.packed(at) {
            Some((Kind::Ints, bytes)) => Ok(elements(bytes, |_, rest| take_int(rest)).flatten().collect()),
            Some((Kind::Null, _)) => Ok(Vec::new()),
            _ => Err(self.wrong(at, "an array of integers")),
        }
    }

    fn wrong(&self, at: usize, wanted: &str) -> DbError {
        DbError::new(DbErrorKind::Decode, format!("column {at} should be {wanted}, got {:?}", self.get(at)))
    }

    /// The number in the head at this place: first how many values there are, then where each ends.
    fn number(&self, place: usize) -> usize {
        let Some((width, head)) = self.packed.split_first() else { return 0 };
        // written out for the usual widths: this is asked for every value of every catalog
        match *width {
            1 => head.get(place).copied().unwrap_or_default().into(),
            2 => {
                head.get(place * 2..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u16::from_le_bytes(*bytes).into())
            }
            width => {
                let (start, end) = (place * usize::from(width), (place + 1) * usize::from(width));
                let bytes = head.get(start..end).unwrap_or_default();
                bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
            }
        }
    }

    /// The kind and the bytes of the value at `at`.
    fn packed(&self, at: usize) -> Option<(Kind, &[u8])> {
        let length = self.len();
        if at >= length {
            return None;
        }
        let body = 1 + (length + 1) * usize::from(*self.packed.first()?);
        let start = if at == 0 { 0 } else { self.number(at) };
        let (kind, rest) = self.packed.get(body + start..body + self.number(at + 1))?.split_first()?;
        Some((*Kind::ALL.get(usize::from(*kind))?, rest))
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl FromIterator<Value> for Row {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut builder = RowBuilder::default();
        values.into_iter().for_each(|value| builder.push(&value));
        builder.finish()
    }
}

impl From<Vec<Value>> for Row {
    fn from(values: Vec<Value>) -> Self {
        values.into_iter().collect()
    }
}

/// Makes rows, value by value; used again for the next row, it keeps its memory.
#[derive(Debug, Default)]
pub struct RowBuilder {
    ends: Vec<usize>,
    body: Vec<u8>,
}

impl RowBuilder {
    /// Adds any value.
    pub fn push(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(flag) => self.bool(*flag),
            Value::Int(number) => self.int(*number),
            Value::Float(number) => self.float(*number),
            Value::Text(text) => self.text(text),
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::Texts(texts) => self.texts(texts.iter().map(Option::as_deref)),
            Value::Ints(numbers) => self.ints(numbers.iter().copied()),
        }
    }

    /// Adds SQL NULL.
    pub fn null(&mut self) {
        self.value(Kind::Null, |_| ());
    }

    /// Adds a boolean.
    pub fn bool(&mut self, flag: bool) {
        self.value(if flag { Kind::True } else { Kind::False }, |_| ());
    }

    /// Adds an integer.
    pub fn int(&mut self, number: i64) {
        self.value(Kind::Int, |body| put_int(body, number));
    }

    /// Adds a floating point number.
    pub fn float(&mut self, number: f64) {
        self.value(Kind::Float, |body| body.extend(number.to_le_bytes()));
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        self.value(Kind::Text, |body| body.extend(text.as_bytes()));
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.value(Kind::Bytes, |body| body.extend(bytes));
    }

    /// Adds an array of texts.
    pub fn texts<'t>(&mut self, texts: impl Iterator<Item = Option<&'t str>>) {
        self.value(Kind::Texts, |body| {
            for text in texts {
                // one more than the length, so that nothing tells NULL
                put_size(body, text.map_or(0, |text| text.len() as u64 + 1));
                body.extend(text.unwrap_or_default().as_bytes());
            }
        });
    }

    /// Adds an array of integers.
    pub fn ints(&mut self, numbers: impl Iterator<Item = Option<i64>>) {
        self.value(Kind::Ints, |body| {
            for number in numbers {
                put_size(body, number.is_some().into());
                number.into_iter().for_each(|number| put_int(body, number));
            }
        });
    }

    /// The row of what was added since the last one.
    pub fn finish(&mut self) -> Row {
        let widest = self.body.len().max(self.ends.len());
        let width = (1..size_of::<usize>()).find(|width| widest < 1 << (8 * width)).unwrap_or(size_of::<usize>());
        let mut packed = Vec::with_capacity(1 + (self.ends.len() + 1) * width + self.body.len());
        packed.push(u8::try_from(width).unwrap_or_default());
        for number in std::iter::once(&self.ends.len()).chain(&self.ends) {
            packed.extend(number.to_le_bytes().iter().take(width));
        }
        packed.extend(&self.body);
        self.ends.clear();
        self.body.clear();
        Row { packed: packed.into_boxed_slice() }
    }

    fn value(&mut self, kind: Kind, put: impl FnOnce(&mut Vec<u8>)) {
        self.body.push(kind as u8);
        put(&mut self.body);
        self.ends.push(self.body.len());
    }
}

/// Seven bits a byte, the lowest first; the eighth says that more follows.
fn put_size(body: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        body.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    body.push(number.to_le_bytes()[0]);
}

/// Numbers near zero are short, whatever their sign.
fn put_int(body: &mut Vec<u8>, number: i64) {
    put_size(body, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

fn take_size(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take_int(bytes: &mut &[u8]) -> Option<i64> {
    let number = take_size(bytes)?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

/// The elements of an array: each begins with a size, which is nothing for NULL.
fn elements<'b, T>(
    mut rest: &'b [u8],
    take: impl Fn(u64, &mut &'b [u8]) -> Option<T>,
) -> impl Iterator<Item = Option<T>> {
    std::iter::from_fn(move || {
        let size = take_size(&mut rest)?;
        if size == 0 { Some(None) } else { take(size, &mut rest).map(Some) }
    })
}

/// A text of one byte less than its size says.
fn take_text<'b>(size: u64, bytes: &mut &'b [u8]) -> Option<&'b str> {
    let (text, rest) = bytes.split_at_checked(usize::try_from(size).ok()? - 1)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            (-100_i64..100).prop_map(Value::Int),
            any::<f64>().prop_filter("NaN is nothing's like", |it| !it.is_nan()).prop_map(Value::Float),
            ".{0,12}".prop_map(Value::Text),
            proptest::collection::vec(any::<u8>(), 0..300).prop_map(Value::Bytes),
            proptest::collection::vec(proptest::option::of(".{0,200}"), 0..5).prop_map(Value::Texts),
            proptest::collection::vec(proptest::option::of(any::<i64>()), 0..9).prop_map(Value::Ints),
        ]
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again(values in proptest::collection::vec(value(), 0..40)) {
            let row: Row = values.iter().cloned().collect();
            prop_assert_eq!(row.len(), values.len());
            prop_assert_eq!(row.values().collect::<Vec<_>>(), values.clone());
            prop_assert_eq!(row.get(values.len()), None);
            for (at, value) in values.iter().enumerate() {
                prop_assert_eq!(row.is_null(at), *value == Value::Null);
                if let Value::Text(text) = value { prop_assert_eq!(row.text(at).unwrap(), text); }
                if let Value::Int(number) = value { prop_assert_eq!(row.int(at).unwrap(), *number); }
            }
        }
    }

    #[test]
    fn long_rows_keep_their_places() {
        let text = "x".repeat(70_000);
        let row: Row = vec![Value::Int(-1), Value::Text(text.clone()), Value::Int(i64::MIN)].into();
        assert_eq!((row.int(0).unwrap(), row.text(1).unwrap(), row.int(2).unwrap()), (-1, text.as_str(), i64::MIN));
        let many: Row = (0..70_000).map(Value::Int).collect();
        assert_eq!((many.len(), many.int(69_999).unwrap()), (70_000, 69_999));
    }

    #[test]
    fn a_row_of_a_catalog_is_small() {
        let texts = ["name", "character varying(100)", "", "x", ""].map(|text| Value::Text(text.to_owned()));
        let numbers = [24_576, 3, 1043, 100, 100].map(Value::Int);
        let row: Row = numbers.into_iter().chain(texts).chain([Value::Null, Value::Bool(true)]).collect();
        assert!(row.packed.len() < 80, "{}", row.packed.len());
    }

    #[test]
    fn arrays_leave_null_out_and_other_kinds_are_errors() {
        let ints = Value::Ints(vec![Some(7), None, Some(-9)]);
        let texts = Value::Texts(vec![None, Some(String::new()), Some("a".to_owned())]);
        let row: Row = vec![ints, texts, Value::Null, Value::Int(1)].into();
        assert_eq!(row.ints(0).unwrap(), [7, -9]);
        assert_eq!(row.texts(1).unwrap(), ["", "a"]);
        assert!(row.ints(2).unwrap().is_empty() && row.texts(2).unwrap().is_empty());
        assert_eq!(row.text_or_null(2).unwrap(), None);
        assert!(row.bool(3).unwrap());
        let error = row.text(0).unwrap_err();
        assert_eq!(error.kind, DbErrorKind::Decode);
        assert!(error.message.contains("column 0 should be text, got Some(Ints(["), "{}", error.message);
        assert!(row.int(9).is_err() && row.text(2).is_err() && row.int(2).is_err() && row.bool(2).is_err());
    }
}
