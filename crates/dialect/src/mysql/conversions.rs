//! What becomes of values under another type.

use trueup_schema::{Column, SqlExpr};

use super::charsets::{bytes_per_char, is_superset};
use super::types::Type;
use crate::TypeChange;

const fn keeps(rewrite: bool) -> TypeChange {
    TypeChange::Keeps { rewrite }
}

const GUARDED: TypeChange = TypeChange::Guarded { rewrite: true };

fn lossy(what: &str) -> TypeChange {
    TypeChange::Lossy { what: what.to_owned(), rewrite: true }
}

/// What sort of values a type holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Integer,
    Decimal,
    Float,
    Bit,
    Text,
    Bytes,
    Members,
    Moment,
    Json,
    /// UUID and network addresses.
    Tag,
    Geometry,
    Other,
}

pub(super) fn family(of: &Type) -> Family {
    match of.name.as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => Family::Integer,
        "decimal" => Family::Decimal,
        "float" | "double" => Family::Float,
        "bit" => Family::Bit,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => Family::Text,
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Family::Bytes,
        "enum" | "set" => Family::Members,
        "date" | "datetime" | "timestamp" | "time" => Family::Moment,
        "json" => Family::Json,
        "uuid" | "inet4" | "inet6" => Family::Tag,
        "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring" | "multipolygon"
        | "geometrycollection" => Family::Geometry,
        _ => Family::Other,
    }
}

/// Least and greatest value of an integer type.
pub(super) fn range(of: &Type) -> (i128, i128) {
    let bits = match of.name.as_str() {
        "year" => return (0, 2155),
        "tinyint" => 8,
        "smallint" => 16,
        "mediumint" => 24,
        "int" => 32,
        _ => 64,
    };
    if of.unsigned { (0, (1 << bits) - 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) }
}

/// Most digits before and behind the point.
pub(super) fn digits(of: &Type) -> (u64, u64) {
    let number = |at: usize| of.args.get(at).and_then(|arg| arg.parse::<u64>().ok()).unwrap_or_default();
    (number(0).saturating_sub(number(1)), number(1))
}

/// Most bytes of a text or byte string, and most characters.
pub(super) fn capacity(of: &Type, charset: Option<&str>) -> (u64, u64) {
    let width = charset.map_or(1, bytes_per_char);
    let whole = |bytes: u64| (bytes, bytes);
    match of.name.as_str() {
        "tinytext" | "tinyblob" => whole(255),
        "text" | "blob" => whole(65_535),
        "mediumtext" | "mediumblob" => whole(16_777_215),
        "longtext" | "longblob" | "json" => whole(4_294_967_295),
        _ => of.length().map_or((0, 0), |length| (length.saturating_mul(width), length)),
    }
}

/// Most bytes of a text or byte string.
pub(crate) fn varchar_bytes(column: &Column) -> u64 {
    let read = Type::read(&column.data_type.to_string());
    capacity(&read, column.attributes.get("charset").map(String::as_str)).0
}

/// What becomes of the values of `before` in `after`.
pub(crate) fn type_change(before: &Column, after: &Column, using: Option<&SqlExpr>) -> TypeChange {
    if using.is_some() {
        let why = "an ALTER converts values in the server's own way, and takes no expression for it".to_owned();
        return TypeChange::NeedsUsing { why, suggestion: None };
    }
    let (from, to) = (Type::read(&before.data_type.to_string()), Type::read(&after.data_type.to_string()));
    let charset = |column: &Column| column.attributes.get("charset").cloned();
    let (old, new) = (charset(before), charset(after));
    let recodes = matches!((&old, &new), (Some(old), Some(new)) if old != new);
    let widens = matches!((&old, &new), (Some(old), Some(new)) if is_superset(new, old));
    let change = pair(&from, &to, old.as_deref(), new.as_deref());
    match change {
        TypeChange::Keeps { .. } if recodes && widens => keeps(true),
        TypeChange::Keeps { .. } if recodes => GUARDED,
        TypeChange::Keeps { .. }
        | TypeChange::Guarded { .. }
        | TypeChange::Lossy { .. }
        | TypeChange::NeedsUsing { .. } => change,
    }
}

fn pair(from: &Type, to: &Type, old: Option<&str>, new: Option<&str>) -> TypeChange {
    use Family::{Bit, Bytes, Decimal, Float, Geometry, Integer, Json, Members, Moment, Other, Tag, Text};
    if from == to {
        return keeps(false);
    }
    match (family(from), family(to)) {
        (Integer, Integer) => integers(from, to),
        (Integer, Decimal) => {
            let greatest = range(from).1.to_string().len();
            let fits =
                u64::try_from(greatest).is_ok_and(|length| length <= digits(to).0) && (from.unsigned || !to.unsigned);
            if fits { keeps(true) } else { GUARDED }
        }
        (Integer, Float) => {
            let exact = if to.name == "double" { 1_i128 << 53 } else { 1 << 24 };
            if range(from).1 <= exact { keeps(true) } else { lossy("digits that the new type does not hold") }
        }
        (Decimal, Decimal) => {
            let ((whole, part), (new_whole, new_part)) = (digits(from), digits(to));
            let fits = new_whole >= whole && new_part >= part && (from.unsigned || !to.unsigned);
            if fits { keeps(true) } else { GUARDED }
        }
        (Float, Float) if from.name == "float" && to.name == "double" && to.args.is_empty() => keeps(true),
        (Float, Float) | (Decimal, Float) | (Float, Decimal | Integer) => {
            lossy("digits that the new type does not hold")
        }
        (Decimal, Integer) | (Bit, Integer | Decimal) | (Integer | Decimal, Bit) => GUARDED,
        (Bit, Bit) => {
            if to.length() >= from.length() {
                keeps(true)
            } else {
                GUARDED
            }
        }
        (Text, Text) | (Bytes, Bytes) | (Text, Bytes) => strings(from, to, old, new),
        (Bytes, Text) => GUARDED,
        (Members, Members) => members(from, to),
        (Members, Text) => {
            let longest = if from.name == "set" {
                from.args.join(",").chars().count()
            } else {
                from.args.iter().map(|it| it.chars().count()).max().unwrap_or_default()
            };
            let fits = u64::try_from(longest).is_ok_and(|longest| longest <= capacity(to, new).1);
            if fits { keeps(true) } else { GUARDED }
        }
        (Moment, Moment) => moments(from, to),
        (Integer | Decimal | Float | Moment | Tag | Json, Text) => {
            if capacity(to, new).1 >= printed(from) {
                keeps(true)
            } else {
                GUARDED
            }
        }
        (Text, Integer | Decimal | Float | Moment | Members | Json | Tag) => GUARDED,
        (Tag, Tag) if from.name == "inet4" && to.name == "inet6" => GUARDED,
        (Geometry, Geometry) => {
            if to.name == "geometry" {
                keeps(true)
            } else {
                GUARDED
            }
        }
        (Json, Json) | (Integer, Json) => keeps(true),
        (Other, Other) if from.name == to.name => GUARDED,
        (Integer | Decimal | Float | Bit | Text | Bytes | Members | Moment | Json | Tag | Geometry | Other, _) => {
            needs_using(from, to)
        }
    }
}

fn needs_using(from: &Type, to: &Type) -> TypeChange {
    TypeChange::NeedsUsing {
        why: format!("the server's own conversion from {} to {} is not meaningful", from.name, to.name),
        suggestion: None,
    }
}

/// Longest text that a value is printed as.
fn printed(of: &Type) -> u64 {
    match of.name.as_str() {
        "json" => 4_294_967_295,
        "uuid" | "inet6" => 39,
        "inet4" => 15,
        "date" => 10,
        "time" => 17,
        "datetime" | "timestamp" => 26,
        "float" | "double" => 25,
        "decimal" => digits(of).0 + digits(of).1 + 3,
        _ => 20,
    }
}

fn integers(from: &Type, to: &Type) -> TypeChange {
    let ((low, high), (new_low, new_high)) = (range(from), range(to));
    if from.name == to.name && from.unsigned == to.unsigned {
        // A width, or leading zeros, change how a value is printed only.
        return keeps(false);
    }
    if new_low <= low && new_high >= high { keeps(true) } else { GUARDED }
}

fn strings(from: &Type, to: &Type, old: Option<&str>, new: Option<&str>) -> TypeChange {
    let ((bytes, chars), (new_bytes, new_chars)) = (capacity(from, old), capacity(to, new));
    let (is_fixed, becomes_fixed) =
        (matches!(from.name.as_str(), "char" | "binary"), matches!(to.name.as_str(), "char" | "binary"));
    if to.name == "binary" && (from.name == "binary" || new_chars != bytes) {
        return lossy("the length of values, which are filled up with zero bytes");
    }
    let counts_chars = |of: &Type| matches!(of.name.as_str(), "char" | "varchar");
    let fits = if counts_chars(from) && counts_chars(to) { new_chars >= chars } else { new_bytes >= bytes };
    if !fits || (becomes_fixed && !is_fixed) {
        return GUARDED;
    }
    // A length up to 255 bytes is stored in one byte, a longer one in two.
    let same_shape = from.name == to.name && !is_fixed && matches!(from.name.as_str(), "varchar" | "varbinary");
    keeps(!(same_shape && (bytes <= 255) == (new_bytes <= 255)))
}

fn members(from: &Type, to: &Type) -> TypeChange {
    if from.name != to.name {
        return GUARDED;
    }
    let size = |of: &Type| match (of.name.as_str(), of.args.len()) {
        ("enum", count) => {
            if count < 256 {
                1
            } else {
                2
            }
        }
        (_, count) => count.div_ceil(8),
    };
    if to.args.starts_with(&from.args) {
        return keeps(size(from) != size(to));
    }
    let all_there = from.args.iter().all(|member| to.args.contains(member));
    if all_there { keeps(true) } else { GUARDED }
}

fn moments(from: &Type, to: &Type) -> TypeChange {
    let precision = |of: &Type| of.length().unwrap_or_default();
    let finer = precision(to) >= precision(from);
    match (from.name.as_str(), to.name.as_str()) {
        (a, b) if a == b => {
            if finer {
                keeps(true)
            } else {
                lossy("fractions of seconds")
            }
        }
        ("date", "datetime") => keeps(true),
        ("date", "timestamp") | ("datetime", "timestamp") if finer => GUARDED,
        ("timestamp", "datetime") => lossy("the moment in time: values become clock times in UTC"),
        ("datetime" | "timestamp", "date") => lossy("the time of day"),
        ("datetime" | "timestamp", "time") => lossy("the date"),
        _ => lossy("parts of dates and times that the new type does not hold"),
    }
}

#[cfg(test)]
mod tests {
    use trueup_schema::{DataType, Ident};

    use super::*;

    fn change_in(from: &str, to: &str, charsets: (&str, &str)) -> TypeChange {
        let column = |words: &str, charset: &str| {
            let mut column = Column::new(Ident::new("a").unwrap(), DataType::builtin(words));
            if Type::read(words).has_charset() {
                column.attributes.insert("charset".to_owned(), charset.to_owned());
            }
            column
        };
        type_change(&column(from, charsets.0), &column(to, charsets.1), None)
    }

    #[test]
    fn conversions_are_told_apart() {
        let letter = |from: &str, to: &str| match change_in(from, to, ("utf8mb4", "utf8mb4")) {
            TypeChange::Keeps { rewrite: false } => 'k',
            TypeChange::Keeps { rewrite: true } => 'K',
            TypeChange::Guarded { .. } => 'G',
            TypeChange::Lossy { .. } => 'L',
            TypeChange::NeedsUsing { .. } => 'U',
        };
        for (from, to, expected) in [
            ("int", "bigint", 'K'),
            ("bigint", "int", 'G'),
            ("int", "int unsigned", 'G'),
            ("int unsigned", "int", 'G'),
            ("int unsigned", "bigint", 'K'),
            ("int(11)", "int(10)", 'k'),
            ("int", "decimal(10,0)", 'K'),
            ("int", "decimal(10,2)", 'G'),
            ("int", "double", 'K'),
            ("bigint", "double", 'L'),
            ("decimal(5,2)", "decimal(7,3)", 'K'),
            ("decimal(5,2)", "decimal(5,3)", 'G'),
            ("double", "float", 'L'),
            ("float", "double", 'K'),
            ("varchar(10)", "varchar(63)", 'k'),
            ("varchar(10)", "varchar(64)", 'K'),
            ("varchar(64)", "varchar(200)", 'k'),
            ("varchar(20)", "varchar(10)", 'G'),
            ("varchar(10)", "text", 'K'),
            ("text", "mediumtext", 'K'),
            ("text", "varchar(100)", 'G'),
            ("varchar(10)", "char(20)", 'G'),
            ("char(10)", "varchar(10)", 'K'),
            ("varchar(10)", "int", 'G'),
            ("int", "varchar(20)", 'K'),
            ("int", "varchar(5)", 'G'),
            ("enum('a')", "enum('a','b')", 'k'),
            ("enum('a','b')", "enum('b','a')", 'K'),
            ("enum('a','b')", "enum('a')", 'G'),
            ("enum('a','bb')", "varchar(2)", 'K'),
            ("int", "enum('a')", 'U'),
            ("datetime", "datetime(3)", 'K'),
            ("datetime(3)", "datetime", 'L'),
            ("timestamp", "datetime", 'L'),
            ("datetime", "timestamp", 'G'),
            ("date", "datetime", 'K'),
            ("datetime", "date", 'L'),
            ("binary(4)", "binary(8)", 'L'),
            ("varbinary(4)", "varbinary(8)", 'k'),
            ("json", "longtext", 'K'),
            ("text", "json", 'G'),
            ("blob", "int", 'U'),
            ("point", "geometry", 'K'),
            ("date", "int", 'U'),
        ] {
            assert_eq!(letter(from, to), expected, "{from} to {to}");
        }
    }

    #[test]
    fn another_charset_asks_the_rows_unless_it_holds_all_of_the_old_one() {
        assert_eq!(change_in("varchar(10)", "varchar(10)", ("latin1", "utf8mb4")), keeps(true));
        assert_eq!(change_in("varchar(10)", "varchar(10)", ("utf8mb4", "latin1")), GUARDED);
        assert_eq!(change_in("varchar(10)", "varchar(10)", ("utf8mb3", "utf8mb4")), keeps(true));
    }
}
