//! Types, of the server's and of one's own.

use crate::dice::Dice;
use crate::world::{Family, Object, World};

use super::names::place;

const TYPES: [(&str, Family); 38] = [
    ("integer", Family::Int),
    ("integer", Family::Int),
    ("bigint", Family::Int),
    ("bigint", Family::Int),
    ("smallint", Family::Int),
    ("numeric", Family::Int),
    ("numeric(10,2)", Family::Real),
    ("numeric(12,4)", Family::Real),
    ("real", Family::Real),
    ("double precision", Family::Real),
    ("text", Family::Text),
    ("text", Family::Text),
    ("varchar(20)", Family::Text),
    ("character varying(255)", Family::Text),
    ("varchar", Family::Text),
    ("char(3)", Family::Text),
    ("timestamp", Family::Time),
    ("timestamptz", Family::Time),
    ("timestamp(3) with time zone", Family::Time),
    ("date", Family::Time),
    ("boolean", Family::Bool),
    ("bool", Family::Bool),
    ("jsonb", Family::Other),
    ("json", Family::Other),
    ("uuid", Family::Other),
    ("bytea", Family::Other),
    ("integer[]", Family::Other),
    ("text[]", Family::Other),
    ("varchar(5)[]", Family::Other),
    ("interval", Family::Other),
    ("interval day to second(2)", Family::Other),
    ("inet", Family::Other),
    ("bit(4)", Family::Other),
    ("bit varying(8)", Family::Other),
    ("int4range", Family::Other),
    ("tstzrange", Family::Other),
    ("point", Family::Other),
    ("tsvector", Family::Other),
];

/// A type for a column: its text, its family, what it names.
pub(crate) fn pick(dice: &mut Dice, world: &World) -> (String, Family, Vec<String>) {
    let own = world.of(&["enum", "domain", "composite", "range"]);
    if dice.chance(20)
        && let Some(object) = dice.pick(&own)
    {
        let array = dice.maybe(15, "[]");
        let family = match object.kind {
            "domain" if array.is_empty() => domain_family(object),
            _ => Family::Other,
        };
        return (format!("{}{array}", object.spelled), family, vec![object.key()]);
    }
    let (name, family) = dice.pick(&TYPES).copied().unwrap_or(("integer", Family::Int));
    (name.to_owned(), family, Vec::new())
}

fn domain_family(domain: &Object) -> Family {
    if domain.head.contains(" AS text") || domain.head.contains(" AS varchar") { Family::Text } else { Family::Int }
}

const LABELS: [&str; 7] = ["new", "open", "closed", "it's", "In Review", "x", "done"];

pub(crate) fn own(dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object> {
    let end = match kind {
        "enum" => "_enum",
        "domain" => "_dom",
        "composite" => "_comp",
        _ => "_rng",
    };
    let (name, spelled, mut uses) = place(dice, world, name, end)?;
    let (kind, head) = match kind {
        "enum" => {
            let labels: Vec<String> =
                dice.some(&LABELS, 5).iter().map(|label| format!("'{}'", label.replace('\'', "''"))).collect();
            ("enum", format!("CREATE TYPE {spelled} AS ENUM ({})", labels.join(", ")))
        }
        "domain" => ("domain", domain(dice, &spelled)),
        "composite" => {
            let mut fields = Vec::new();
            for at in 0..=dice.below(3) {
                let (data_type, _, used) = pick(dice, world);
                uses.extend(used);
                fields.push(format!("f{at} {data_type}"));
            }
            ("composite", format!("CREATE TYPE {spelled} AS ({})", fields.join(", ")))
        }
        _ => {
            let subtype = dice.word(&["float8, SUBTYPE_DIFF = float8mi", "text", "time", "float8"]);
            ("range", format!("CREATE TYPE {spelled} AS RANGE (SUBTYPE = {subtype})"))
        }
    };
    let mut made = Object::plain(kind, &name, spelled.clone(), head, uses);
    let word = if kind == "domain" { "DOMAIN" } else { "TYPE" };
    if dice.chance(20) {
        made.more.push(format!("COMMENT ON {word} {spelled} IS 'a {kind}; it''s'"));
    }
    if dice.chance(10) {
        made.more.push(format!("GRANT USAGE ON {word} {spelled} TO pg_monitor"));
    }
    Some(made)
}

fn domain(dice: &mut Dice, spelled: &str) -> String {
    let text = dice.chance(50);
    let base = if text {
        dice.word(&["text", "varchar(30)", "text COLLATE \"C\""])
    } else {
        dice.word(&["integer", "bigint"])
    };
    let default = match text {
        true => dice.word(&["", " DEFAULT 'v1'"]),
        false => dice.word(&["", " DEFAULT 7"]),
    };
    let not_null = dice.maybe(15, " NOT NULL");
    let check = match text {
        true => dice.word(&["", " CHECK (VALUE <> '')", " CONSTRAINT short CHECK (length(VALUE) < 40)"]),
        false => dice.word(&["", " CHECK (VALUE > 0)", " CONSTRAINT small CHECK (VALUE < 1000) CHECK (VALUE <> 13)"]),
    };
    format!("CREATE DOMAIN {spelled} AS {base}{default}{not_null}{check}")
}
