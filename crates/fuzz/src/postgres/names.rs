//! Names that people give.

use crate::dice::Dice;
use crate::world::{Object, World, key};

const RELATIONS: [&str; 16] = [
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
    "notes",
    "x'y",
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

/// A name in the quotes that it needs.
pub(crate) fn quote(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
    if plain && !matches!(name, "select" | "group") {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A free name, in a namespace, as SQL writes it, and what that names.
pub(crate) fn place(
    dice: &mut Dice,
    world: &World,
    name: Option<&str>,
    end: &str,
) -> Option<(String, String, Vec<String>)> {
    let kept = name.and_then(|name| {
        // an old object keeps its place
        name.split_once('/').map(|(namespace, own)| (namespace.to_owned(), own.to_owned()))
    });
    let (namespace, own) = match kept {
        Some(kept) => kept,
        None => {
            let mut namespaces: Vec<String> = vec!["public".to_owned(); 3];
            namespaces.extend(world.of(&["schema"]).iter().map(|object| object.name.clone()));
            let namespace = dice.pick(&namespaces)?.clone();
            let taken = |name: &str| world.objects.iter().any(|object| object.name.ends_with(&format!("/{name}")));
            let free: Vec<String> =
                RELATIONS.iter().map(|name| format!("{name}{end}")).filter(|name| !taken(name)).collect();
            (namespace, dice.pick(&free)?.clone())
        }
    };
    let (spelled, uses) = match namespace.as_str() {
        "public" => (format!("public.{}", quote(&own)), Vec::new()),
        other => (format!("{}.{}", quote(other), quote(&own)), vec![key("schema", other)]),
    };
    Some((format!("{namespace}/{own}"), spelled, uses))
}

/// A name that no column of the table has.
pub(crate) fn column(dice: &mut Dice, table: &Object) -> Option<String> {
    let free: Vec<&str> =
        COLUMNS.iter().copied().filter(|name| !table.parts.iter().any(|part| part.name == *name)).collect();
    dice.pick(&free).map(|name| (*name).to_owned())
}
