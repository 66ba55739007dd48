//! Names that people give, and how they are written.

use crate::dice::Dice;
use crate::world::{Object, World};

const TABLES: [&str; 18] = [
    "users",
    "orders",
    "order items",
    "Invoice",
    "select",
    "naïve",
    "tag",
    "audit_log",
    "we\"ird",
    "a.b",
    "accounts",
    "sessions",
    "T1",
    "main",
    "notes",
    "x'y",
    "Group",
    "items",
];
const COLUMNS: [&str; 18] = [
    "id",
    "name",
    "email",
    "group",
    "First Name",
    "createdAt",
    "price",
    "qty",
    "note",
    "parent_id",
    "owner_id",
    "data",
    "déjà",
    "state",
    "x\"y",
    "code",
    "rank",
    "key",
];
const PLAIN: [&str; 12] =
    ["id", "name", "email", "price", "qty", "note", "parent_id", "owner_id", "data", "state", "code", "createdat"];

/// A name in the quotes that it needs.
pub(crate) fn quote(name: &str) -> String {
    if PLAIN.contains(&name) || name.starts_with("plain_") {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A name in some quotes.
pub(crate) fn spell(dice: &mut Dice, name: &str) -> String {
    match dice.below(6) {
        0 if !name.contains(']') => format!("[{name}]"),
        1 if !name.contains('`') => format!("`{name}`"),
        2 => format!("\"{}\"", name.replace('"', "\"\"")),
        _ => quote(name),
    }
}

/// A name that no object has.
pub(crate) fn relation(dice: &mut Dice, world: &World, end: &str) -> Option<String> {
    let free: Vec<String> =
        TABLES.iter().map(|name| format!("{name}{end}")).filter(|name| !world.has_name(name)).collect();
    dice.pick(&free).cloned()
}

/// A name that no column or constraint of the table has.
pub(crate) fn column(dice: &mut Dice, table: &Object) -> Option<String> {
    let taken = |name: &str| table.parts.iter().any(|part| part.name.eq_ignore_ascii_case(name));
    let free: Vec<&str> = COLUMNS.iter().copied().filter(|name| !taken(name)).collect();
    dice.pick(&free).map(|name| (*name).to_owned())
}
