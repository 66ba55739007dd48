//! The server's values as ours.

use sqlx::mysql::{MySql, MySqlRow, MySqlTypeInfo, MySqlValueRef};
use sqlx::{Column, Decode, Row as _, Type, TypeInfo, ValueRef};

use crate::drivers::common::undecodable;
use crate::{DbError, Row, RowBuilder, Value};

/// How the values of a result travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Of a plain statement: everything as text.
    Text,
    /// Of a prepared statement.
    Binary,
}

/// Every column of `row`.
pub(super) fn row(row: &MySqlRow, protocol: Protocol) -> Result<Row, DbError> {
    let mut packed = RowBuilder::default();
    for (at, column) in row.columns().iter().enumerate() {
        let raw = row.try_get_raw(at).map_err(|error| undecodable(at, column.name(), &error.to_string()))?;
        packed.push(&value(raw, protocol).map_err(|what| undecodable(at, column.name(), &what))?);
    }
    Ok(packed.finish())
}

fn value(raw: MySqlValueRef<'_>, protocol: Protocol) -> Result<Value, String> {
    // Not `is_null`: the driver takes a zero date for one.
    let Ok(bytes) = <&[u8] as Decode<'_, MySql>>::decode(raw.clone()) else { return Ok(Value::Null) };
    let type_info: MySqlTypeInfo = raw.type_info().into_owned();
    let broken = |_| format!("holds no valid `{}`", type_info.name());
    if <i64 as Type<MySql>>::compatible(&type_info) {
        return <i64 as Decode<'_, MySql>>::decode(raw).map(Value::Int).map_err(broken);
    }
    if <u64 as Type<MySql>>::compatible(&type_info) {
        let number = <u64 as Decode<'_, MySql>>::decode(raw).map_err(broken)?;
        return i64::try_from(number)
            .map(Value::Int)
            .map_err(|_| format!("is {number}, more than a signed integer holds"));
    }
    let as_text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Value::Text(text.to_owned())),
        Err(_) => Err(format!("holds no valid `{}`", type_info.name())),
    };
    match type_info.name() {
        "FLOAT" | "DOUBLE" => <f64 as Decode<'_, MySql>>::decode(raw).map(Value::Float).map_err(broken),
        "NULL" => Ok(Value::Null),
        "DECIMAL" | "JSON" => as_text(bytes),
        "DATE" | "DATETIME" | "TIMESTAMP" if protocol == Protocol::Binary => {
            let date = moment(bytes, type_info.name() == "DATE");
            date.map(Value::Text).ok_or_else(|| format!("holds no valid `{}`", type_info.name()))
        }
        "TIME" if protocol == Protocol::Binary => {
            time(bytes).map(Value::Text).ok_or_else(|| "holds no valid `TIME`".to_owned())
        }
        "DATE" | "DATETIME" | "TIMESTAMP" | "TIME" | "SET" => as_text(bytes),
        // Whether bytes are text is a question of their collation.
        _ if <str as Type<MySql>>::compatible(&type_info) => as_text(bytes),
        _ => Ok(Value::Bytes(bytes.to_vec())),
    }
}

/// A fraction is only sent where it is not zero.
fn fraction(bytes: &[u8]) -> Option<String> {
    let micros = u32::from_le_bytes(bytes.try_into().ok()?);
    Some(format!(".{micros:06}"))
}

/// Length, year (two bytes), month, day, then perhaps a time, then perhaps microseconds.
fn moment(bytes: &[u8], date_only: bool) -> Option<String> {
    let (_, rest) = bytes.split_first()?;
    let at = |index: usize| rest.get(index).copied().unwrap_or_default();
    let year = u16::from_le_bytes([at(0), at(1)]);
    let date = format!("{year:04}-{:02}-{:02}", at(2), at(3));
    if date_only {
        return Some(date);
    }
    let fraction = if rest.len() > 7 { fraction(rest.get(7..)?)? } else { String::new() };
    Some(format!("{date} {:02}:{:02}:{:02}{fraction}", at(4), at(5), at(6)))
}

/// Length, sign, days (four bytes), hours, minutes, seconds, then perhaps microseconds.
fn time(bytes: &[u8]) -> Option<String> {
    let (_, rest) = bytes.split_first()?;
    if rest.is_empty() {
        return Some("00:00:00".to_owned());
    }
    let days = u32::from_le_bytes(rest.get(1..5)?.try_into().ok()?);
    let (hours, minutes, seconds) = (u32::from(*rest.get(5)?), rest.get(6)?, rest.get(7)?);
    let sign = if *rest.first()? == 0 { "" } else { "-" };
    let fraction = if rest.len() > 8 { fraction(rest.get(8..)?)? } else { String::new() };
    Some(format!("{sign}{:02}:{minutes:02}:{seconds:02}{fraction}", days.checked_mul(24)?.checked_add(hours)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_printed_as_the_server_prints_them() {
        assert_eq!(moment(&[0], true).as_deref(), Some("0000-00-00"));
        assert_eq!(moment(&[4, 0xea, 0x07, 11, 30], true).as_deref(), Some("2026-11-30"));
        assert_eq!(moment(&[4, 0xea, 0x07, 11, 30], false).as_deref(), Some("2026-11-30 00:00:00"));
        assert_eq!(moment(&[7, 0xea, 0x07, 11, 30, 1, 2, 3], false).as_deref(), Some("2026-11-30 01:02:03"));
        assert_eq!(
            moment(&[11, 0xea, 0x07, 11, 30, 1, 2, 3, 1, 0, 0, 0], false).as_deref(),
            Some("2026-11-30 01:02:03.000001")
        );
        assert_eq!(moment(&[], false), None);
    }

    #[test]
    fn times_may_be_negative_and_longer_than_a_day() {
        assert_eq!(time(&[0]).as_deref(), Some("00:00:00"));
        assert_eq!(time(&[8, 1, 1, 0, 0, 0, 2, 3, 4]).as_deref(), Some("-26:03:04"));
        assert_eq!(time(&[12, 0, 0, 0, 0, 0, 2, 3, 4, 1, 0, 0, 0]).as_deref(), Some("02:03:04.000001"));
        assert_eq!(time(&[8, 1, 1]), None);
    }
}
