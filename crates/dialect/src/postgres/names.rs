//! Names: those that PostgreSQL makes up by itself, and those that it would cut.

use std::collections::BTreeMap;

use trueup_schema::{Ident, ObjectRef, PartId, QualName, Schema, Table};

use crate::{BadName, NameKind};

/// Longest name in bytes.
pub(super) const MAX_NAME: usize = 63;

/// The word at the end of a generated name.
const fn label(kind: NameKind) -> &'static str {
    match kind {
        NameKind::PrimaryKey => "pkey",
        NameKind::Unique => "key",
        NameKind::Check => "check",
        NameKind::ForeignKey => "fkey",
        NameKind::Exclude => "excl",
        NameKind::Index => "idx",
        NameKind::Sequence => "seq",
        NameKind::NotNull => "not_null",
    }
}

/// The name that the server tries first.
pub(super) fn generated(kind: NameKind, table: &Ident, columns: &[Ident]) -> Option<Ident> {
    Ident::new(compose(table.as_str(), &addition(kind, columns), label(kind))).ok()
}

/// The name that the server ends up with: a number is counted up until nobody has the name.
pub(super) fn numbered(
    kind: NameKind,
    table: &Ident,
    columns: &[Ident],
    is_taken: impl Fn(&Ident) -> bool,
) -> Option<Ident> {
    let addition = addition(kind, columns);
    let first = Ident::new(compose(table.as_str(), &addition, label(kind))).ok()?;
    if !is_taken(&first) {
        return Some(first);
    }
    let further = (1..10_000_u32)
        .filter_map(|number| Ident::new(compose(table.as_str(), &addition, &format!("{}{number}", label(kind)))).ok());
    further.into_iter().find(|name| !is_taken(name))
}

/// Whether `name` is what the server would choose, a number behind it included: it counts up until the name is free.
pub(super) fn is_generated(kind: NameKind, table: &Ident, columns: &[Ident], name: &Ident) -> bool {
    let name = name.as_str();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[stem.len()..];
    if number.len() > 6 || number.starts_with('0') {
        return false;
    }
    let addition = addition(kind, columns);
    name == compose(table.as_str(), &addition, label(kind))
        || name == compose(table.as_str(), &addition, &format!("{}{number}", label(kind)))
}

/// The middle of the name: the columns, cut where the server's buffer ends.
fn addition(kind: NameKind, columns: &[Ident]) -> String {
    if kind == NameKind::PrimaryKey {
        return String::new();
    }
    let mut joined = String::new();
    for column in columns {
        if !joined.is_empty() {
            joined.push('_');
        }
        joined.push_str(column.as_str());
        if joined.len() > MAX_NAME {
            break;
        }
    }
    joined
}

/// `first_second_label` in at most 63 bytes: the longer of the first two gives way, never in the middle of a character.
fn compose(first: &str, second: &str, label: &str) -> String {
    let overhead = label.len() + 1 + usize::from(!second.is_empty());
    let room = MAX_NAME.saturating_sub(overhead);
    let (mut one, mut two) = (first.len(), second.len());
    while one + two > room {
        if one > two {
            one -= 1;
        } else {
            two -= 1;
        }
    }
    let mut name = clip(first, one).to_owned();
    if !second.is_empty() {
        name.push('_');
        name.push_str(clip(second, two));
    }
    name.push('_');
    name.push_str(label);
    name
}

/// At most `bytes` bytes of `text`, whole characters only.
fn clip(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Every name that the server would cut, and every pair of names that it could not tell apart afterwards.
pub(super) fn check(schema: &Schema) -> Vec<BadName> {
    let mut found = Vec::new();
    let mut taken: BTreeMap<(Space, Option<Ident>, String), ObjectRef> = BTreeMap::new();
    for object in schema.object_refs() {
        check_one(&object, own_name(&object), &mut found);
        let Some((spaces, namespace, name)) = spaces(&object) else { continue };
        let keys = spaces.iter().map(|space| (*space, namespace.clone(), clip(name, MAX_NAME).to_owned()));
        let keys: Vec<_> = keys.collect();
        if let Some(other) = keys.iter().find_map(|key| taken.get(key)) {
            let why =
                format!("{} `{object}` and {} `{other}` have one name on this server", object.kind(), other.kind());
            found.push(BadName { object, why });
        } else {
            taken.extend(keys.into_iter().map(|key| (key, object.clone())));
        }
    }
    schema.tables.values().for_each(|table| check_parts(table, &mut found));
    found
}

fn check_parts(table: &Table, found: &mut Vec<BadName>) {
    let part = |name: &Ident| PartId { table: table.name.clone(), name: name.clone() };
    let mut columns: BTreeMap<&str, &Ident> = BTreeMap::new();
    for column in &table.columns {
        let object = ObjectRef::Column(part(&column.name));
        check_one(&object, Some(&column.name), found);
        if let Some(other) = columns.insert(clip(column.name.as_str(), MAX_NAME), &column.name)
            && *other != column.name
        {
            let why = format!("columns `{object}` and `{other}` have one name on this server");
            found.push(BadName { object, why });
        }
    }
    let mut constraints: BTreeMap<&str, &Ident> = BTreeMap::new();
    for name in table.constraints.iter().filter_map(|constraint| constraint.name.as_ref()) {
        let object = ObjectRef::Constraint(part(name));
        check_one(&object, Some(name), found);
        if let Some(other) = constraints.insert(clip(name.as_str(), MAX_NAME), name)
            && other != name
        {
            let why = format!("constraints `{object}` and `{other}` have one name on this server");
            found.push(BadName { object, why });
        }
    }
}

fn check_one(object: &ObjectRef, name: Option<&Ident>, found: &mut Vec<BadName>) {
    if let Some(name) = name
        && name.as_str().len() > MAX_NAME
    {
        let why = format!(
            "the name of {} `{object}` is {} bytes long; PostgreSQL would cut it to `{}`",
            object.kind(),
            name.as_str().len(),
            clip(name.as_str(), MAX_NAME)
        );
        found.push(BadName { object: object.clone(), why });
    }
}

fn own_name(object: &ObjectRef) -> Option<&Ident> {
    match object {
        ObjectRef::Namespace(name) | ObjectRef::Extension(name) => Some(name),
        ObjectRef::Type(name) | ObjectRef::Sequence(name) | ObjectRef::Table(name) | ObjectRef::View(name) => {
            Some(&name.name)
        }
        ObjectRef::Column(part)
        | ObjectRef::Constraint(part)
        | ObjectRef::Index(part)
        | ObjectRef::Trigger(part)
        | ObjectRef::Policy(part) => Some(&part.name),
        ObjectRef::Routine(id) => Some(&id.name.name),
        // Its statements are the server's own text.
        ObjectRef::Opaque(_) => None,
    }
}

/// A set of names of which nobody has another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    /// Tables, views, sequences, indexes.
    Relations,
    /// Types, and the row types of tables and views.
    Types,
}

/// The spaces that the object's name is taken in, its namespace and its name.
fn spaces(object: &ObjectRef) -> Option<(&'static [Space], Option<Ident>, &str)> {
    let of = |spaces: &'static [Space], name: &QualName| (spaces, name.namespace.clone());
    let (spaces, namespace) = match object {
        ObjectRef::Table(name) | ObjectRef::View(name) => of(&[Space::Relations, Space::Types], name),
        ObjectRef::Sequence(name) => of(&[Space::Relations], name),
        ObjectRef::Type(name) => of(&[Space::Types], name),
        ObjectRef::Index(part) => of(&[Space::Relations], &part.table),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => return None,
    };
    own_name(object).map(|name| (spaces, namespace, name.as_str()))
}

#[cfg(test)]
mod tests {
    use trueup_schema::{Column, DataType, DialectId};

    use super::*;

    fn ident(text: &str) -> Ident {
        Ident::new(text).unwrap()
    }

    #[test]
    fn names_follow_the_servers_rule() {
        let cases = [
            (NameKind::PrimaryKey, "users", &["id"][..], "users_pkey"),
            (NameKind::Unique, "users", &["a", "b"][..], "users_a_b_key"),
            (NameKind::Check, "users", &[][..], "users_check"),
            (NameKind::Check, "users", &["age"][..], "users_age_check"),
            (NameKind::ForeignKey, "posts", &["user_id"][..], "posts_user_id_fkey"),
            (NameKind::Exclude, "r", &["during"][..], "r_during_excl"),
            (NameKind::Index, "users", &["email"][..], "users_email_idx"),
            (NameKind::Sequence, "users", &["id"][..], "users_id_seq"),
        ];
        for (kind, table, columns, expected) in cases {
            let columns: Vec<Ident> = columns.iter().map(|name| ident(name)).collect();
            assert_eq!(generated(kind, &ident(table), &columns).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn long_names_share_the_room() {
        let name = generated(NameKind::Unique, &ident(&"t".repeat(50)), &[ident(&"c".repeat(40))]).unwrap();
        assert_eq!(name.as_str().len(), 63);
        assert_eq!(name.as_str(), format!("{}_{}_key", "t".repeat(29), "c".repeat(29)));
        let umlauts = generated(NameKind::PrimaryKey, &ident(&"ä".repeat(31)), &[]).unwrap();
        assert_eq!(umlauts.as_str(), format!("{}_pkey", "ä".repeat(29)));
    }

    #[test]
    fn numbers_behind_a_generated_name_are_generated_too() {
        let (table, columns) = (ident("t"), [ident("a")]);
        for (name, expected) in
            [("t_a_key", true), ("t_a_key1", true), ("t_a_key12", true), ("t_a_key01", false), ("t_b_key", false)]
        {
            assert_eq!(is_generated(NameKind::Unique, &table, &columns, &ident(name)), expected, "{name}");
        }
    }

    #[test]
    fn an_index_and_a_type_may_share_a_name() {
        let mut schema = Schema::new(DialectId::Postgres);
        let mut table = Table::new(QualName::parse("public.t").unwrap());
        table.indexes.push(trueup_schema::Index::new(ident("mood"), Vec::new()));
        schema.insert(table);
        let type_named = |name: &str| trueup_schema::UserType {
            name: QualName::parse(name).unwrap(),
            kind: trueup_schema::UserTypeKind::Enum { labels: Vec::new() },
            common: trueup_schema::Common::default(),
        };
        schema.insert(type_named("public.mood"));
        assert_eq!(check(&schema), []);
        schema.insert(type_named("public.t"));
        assert_eq!(check(&schema).len(), 1);
    }

    #[test]
    fn names_that_would_be_cut_or_collide_are_reported() {
        let mut schema = Schema::new(DialectId::Postgres);
        let long = "x".repeat(64);
        let mut table = Table::new(QualName::parse(&format!("public.{long}1")).unwrap());
        table.columns.push(Column::new(ident(&format!("{long}a")), DataType::builtin("integer")));
        table.columns.push(Column::new(ident(&format!("{long}b")), DataType::builtin("integer")));
        schema.insert(table);
        schema.insert(Table::new(QualName::parse(&format!("public.{long}2")).unwrap()));
        let found = check(&schema);
        assert_eq!(found.len(), 6, "{found:?}");
        assert!(found.iter().any(|bad| bad.why.contains("is 65 bytes long")));
        assert_eq!(found.iter().filter(|bad| bad.why.contains("have one name")).count(), 2);
    }
}
