//! The server's binary values as ours.
//!
//! Rows always come in the binary form: the driver asks for it wherever a statement is prepared, and one form needs one
//! decoder. Types whose binary form is not their text (numeric, dates, `regtype` and its like) are cast in the query.

use sqlx::postgres::{PgRow, PgTypeInfo, PgTypeKind};
use sqlx::{Column, Row as _, TypeInfo, ValueRef};

use crate::drivers::common::undecodable;
use crate::{DbError, Row, RowBuilder};

/// How the bytes of a type are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Bool,
    /// Signed, as long as the bytes are.
    Int,
    /// Unsigned: oid and its like.
    Unsigned,
    Float,
    Text,
    /// Text after one byte of version.
    Jsonb,
    Uuid,
    Bytes,
    Void,
    IntArray,
    UnsignedArray,
    TextArray,
}

/// By the oid that the server sends; these are fixed for all versions.
fn form(oid: u32) -> Option<Form> {
    Some(match oid {
        16 => Form::Bool,
        20 | 21 | 23 => Form::Int,
        // oid, xid, cid, xid8
        26 | 28 | 29 | 5069 => Form::Unsigned,
        700 | 701 => Form::Float,
        // "char", name, text, json, xml, pg_node_tree, unknown, bpchar, varchar, cstring
        18 | 19 | 25 | 114 | 142 | 194 | 705 | 1042 | 1043 | 2275 => Form::Text,
        3802 => Form::Jsonb,
        2950 => Form::Uuid,
        17 => Form::Bytes,
        2278 => Form::Void,
        // int2vector, int2[], int4[], int8[]
        22 | 1005 | 1007 | 1016 => Form::IntArray,
        // oidvector, oid[], xid[]
        30 | 1028 | 1011 => Form::UnsignedArray,
        // "char"[], name[], text[], bpchar[], varchar[], json[]
        1002 | 1003 | 1009 | 1014 | 1015 | 199 => Form::TextArray,
        _ => return None,
    })
}

fn form_of(type_info: &PgTypeInfo) -> Option<Form> {
    if let Some(form) = type_info.oid().and_then(|oid| form(oid.0)) {
        return Some(form);
    }
    // Labels travel as their text.
    match type_info.kind() {
        PgTypeKind::Enum(_) => Some(Form::Text),
        PgTypeKind::Array(element) if matches!(element.kind(), PgTypeKind::Enum(_)) => Some(Form::TextArray),
        PgTypeKind::Domain(base) => form_of(base),
        PgTypeKind::Simple
        | PgTypeKind::Pseudo
        | PgTypeKind::Composite(_)
        | PgTypeKind::Array(_)
        | PgTypeKind::Range(_) => None,
    }
}

/// Every column of `row`.
pub(super) fn row(row: &PgRow, into: &mut RowBuilder) -> Result<Row, DbError> {
    for (at, column) in row.columns().iter().enumerate() {
        let name = column.name();
        let raw = row.try_get_raw(at).map_err(|error| undecodable(at, name, &error.to_string()))?;
        if raw.is_null() {
            into.null();
            continue;
        }
        let type_info = raw.type_info();
        let form = form_of(&type_info).ok_or_else(|| {
            undecodable(at, name, &format!("is of type `{}`, which is not read; cast it to text", type_info.name()))
        })?;
        let bytes = raw.as_bytes().map_err(|error| undecodable(at, name, &error.to_string()))?;
        let broken = || undecodable(at, name, &format!("holds no valid `{}`", type_info.name()));
        value(form, bytes, into).ok_or_else(broken)?;
    }
    Ok(into.finish())
}

/// Adds the value to the row; nothing where the bytes are none of the form.
fn value(form: Form, bytes: &[u8], into: &mut RowBuilder) -> Option<()> {
    match form {
        Form::Bool => into.bool(*bytes.first()? != 0),
        Form::Int => into.int(signed(bytes)?),
        Form::Unsigned => into.int(unsigned(bytes)?),
        Form::Float => into.float(float(bytes)?),
        Form::Text => into.text(text(bytes)?),
        Form::Jsonb => into.text(text(bytes.strip_prefix(&[1])?)?),
        Form::Uuid => into.text(&uuid(bytes)?),
        Form::Bytes => into.bytes(bytes),
        Form::Void => into.null(),
        Form::IntArray => into.ints(array(bytes, signed)?.into_iter()),
        Form::UnsignedArray => into.ints(array(bytes, unsigned)?.into_iter()),
        Form::TextArray => into.texts(array(bytes, text)?.into_iter()),
    }
    Some(())
}

fn signed(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        2 => i16::from_be_bytes(bytes.try_into().ok()?).into(),
        4 => i32::from_be_bytes(bytes.try_into().ok()?).into(),
        8 => i64::from_be_bytes(bytes.try_into().ok()?),
        _ => return None,
    })
}

fn unsigned(bytes: &[u8]) -> Option<i64> {
    match bytes.len() {
        4 => Some(u32::from_be_bytes(bytes.try_into().ok()?).into()),
        8 => i64::try_from(u64::from_be_bytes(bytes.try_into().ok()?)).ok(),
        _ => None,
    }
}

fn float(bytes: &[u8]) -> Option<f64> {
    Some(match bytes.len() {
        4 => f32::from_be_bytes(bytes.try_into().ok()?).into(),
        8 => f64::from_be_bytes(bytes.try_into().ok()?),
        _ => return None,
    })
}

/// A `"char"` of zero is sent as one NUL byte and printed as nothing.
fn text(bytes: &[u8]) -> Option<&str> {
    if bytes == [0] {
        return Some("");
    }
    std::str::from_utf8(bytes).ok()
}

fn uuid(bytes: &[u8]) -> Option<String> {
    let number = u128::from_be_bytes(bytes.try_into().ok()?);
    let digits = format!("{number:032x}");
    Some(format!("{}-{}-{}-{}-{}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]))
}

/// One dimension, or none at all; any lower bound.
fn array<'b, T>(bytes: &'b [u8], element: impl Fn(&'b [u8]) -> Option<T>) -> Option<Vec<Option<T>>> {
    let mut rest = bytes;
    let dimensions = take_i32(&mut rest)?;
    let (_has_nulls, _element_type) = (take_i32(&mut rest)?, take_i32(&mut rest)?);
    if dimensions == 0 {
        return Some(Vec::new());
    }
    if dimensions != 1 {
        return None;
    }
    let (length, _lower_bound) = (take_i32(&mut rest)?, take_i32(&mut rest)?);
    let mut elements = Vec::new();
    for _ in 0..length {
        match usize::try_from(take_i32(&mut rest)?) {
            Ok(size) => {
                let (own, after) = rest.split_at_checked(size)?;
                elements.push(Some(element(own)?));
                rest = after;
            }
            // A length of -1 is NULL.
            Err(_) => elements.push(None),
        }
    }
    Some(elements)
}

fn take_i32(bytes: &mut &[u8]) -> Option<i32> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(i32::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn read(form: Form, bytes: &[u8]) -> Option<Value> {
        let mut row = RowBuilder::default();
        value(form, bytes, &mut row)?;
        row.finish().get(0)
    }

    #[test]
    fn scalars_are_read_by_their_length() {
        assert_eq!(read(Form::Int, &[0xff, 0xfe]), Some(Value::Int(-2)));
        assert_eq!(read(Form::Unsigned, &[0xff, 0xff, 0xff, 0xff]), Some(Value::Int(4_294_967_295)));
        assert_eq!(read(Form::Unsigned, &[0xff; 8]), None);
        assert_eq!(read(Form::Float, &1.5f32.to_be_bytes()), Some(Value::Float(1.5)));
        assert_eq!(read(Form::Text, &[0]), Some(Value::Text(String::new())));
        assert_eq!(read(Form::Text, &[0xff]), None);
        assert_eq!(read(Form::Jsonb, b"\x01{}"), Some(Value::Text("{}".into())));
        assert_eq!(read(Form::Uuid, &[0x12; 16]), Some(Value::Text("12121212-1212-1212-1212-121212121212".into())));
        assert_eq!(read(Form::Int, &[1, 2, 3]), None);
    }

    #[test]
    fn arrays_of_one_dimension_are_read_and_others_refused() {
        let mut bytes = Vec::new();
        for number in [1i32, 1, 23, 2, 0, 4, 7, -1] {
            bytes.extend(number.to_be_bytes());
        }
        assert_eq!(read(Form::IntArray, &bytes), Some(Value::Ints(vec![Some(7), None])));
        assert_eq!(read(Form::IntArray, &[0; 12]), Some(Value::Ints(vec![])));
        bytes[3] = 2;
        assert_eq!(read(Form::IntArray, &bytes), None);
        assert_eq!(read(Form::IntArray, &bytes[..9]), None);
    }
}
