//! Tables with their columns, keys and partitions.

use crate::dice::Dice;
use crate::world::{Family, Object, Part, PartKind, World};

use super::Flavour;
use super::expressions::{condition, default, named, quote, value};

const NAMES: [&str; 16] = [
    "users",
    "orders",
    "order items",
    "Invoice",
    "select",
    "naïve",
    "tag",
    "audit_log",
    "we`ird",
    "a.b",
    "accounts",
    "sessions",
    "T1",
    "notes",
    "x'y",
    "items",
];
const COLUMNS: [&str; 17] = [
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
    "x`y",
    "code",
    "rank",
    "key",
];

const TYPES: [(&str, Family); 37] = [
    ("int", Family::Int),
    ("int", Family::Int),
    ("bigint", Family::Int),
    ("int unsigned", Family::Int),
    ("smallint", Family::Int),
    ("tinyint(1)", Family::Bool),
    ("mediumint unsigned", Family::Int),
    ("int(10) unsigned zerofill", Family::Int),
    ("decimal(10,2)", Family::Real),
    ("decimal(12,4) unsigned", Family::Real),
    ("float", Family::Real),
    ("double", Family::Real),
    ("varchar(20)", Family::Text),
    ("varchar(255)", Family::Text),
    ("varchar(40) CHARACTER SET latin1", Family::Text),
    ("varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", Family::Text),
    ("varchar(10) BINARY", Family::Text),
    ("char(3)", Family::Text),
    ("text", Family::Text),
    ("mediumtext", Family::Text),
    ("longtext", Family::Text),
    ("enum('new','open','it''s')", Family::Text),
    ("enum('new','closed')", Family::Text),
    ("set('new','b','c')", Family::Text),
    ("datetime", Family::Time),
    ("datetime(3)", Family::Time),
    ("timestamp", Family::Time),
    ("date", Family::Time),
    ("time", Family::Other),
    ("year", Family::Other),
    ("json", Family::Other),
    ("blob", Family::Other),
    ("varbinary(16)", Family::Other),
    ("binary(8)", Family::Other),
    ("bit(4)", Family::Other),
    ("point", Family::Other),
    ("boolean", Family::Bool),
];

/// A name that no object has.
pub(crate) fn free_name(dice: &mut Dice, world: &World, name: Option<&str>, end: &str) -> Option<String> {
    if let Some(name) = name {
        return Some(name.to_owned());
    }
    let free: Vec<String> =
        NAMES.iter().map(|name| format!("{name}{end}")).filter(|name| !world.has_name(name)).collect();
    dice.pick(&free).cloned()
}

pub(crate) fn table(dice: &mut Dice, flavour: Flavour, world: &World, name: Option<&str>) -> Option<Object> {
    let name = free_name(dice, world, name, "")?;
    let spelled = quote(&name);
    let mut table = Object::plain("table", &name, spelled.clone(), format!("CREATE TABLE {spelled} (\n  "), Vec::new());
    table.tail = tail(dice, flavour);
    if table.tail.contains("PARTITION") || dice.chance(85) {
        table.parts.push(primary_key(dice));
    }
    for _ in 0..=dice.below(6) {
        if let Some(part) = part(dice, flavour, &table, PartKind::Column, None) {
            table.parts.push(part);
        }
    }
    for _ in 0..dice.below(4) {
        if let Some(part) = part(dice, flavour, &table, PartKind::Constraint, None) {
            table.parts.push(part);
        }
    }
    Some(table)
}

/// Options and partitions.
fn tail(dice: &mut Dice, flavour: Flavour) -> String {
    let options = dice.word(&[
        "",
        "",
        "",
        " COMMENT='what it''s for; x'",
        " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci",
        " DEFAULT CHARSET=latin1",
        " ROW_FORMAT=COMPRESSED",
        " ROW_FORMAT=DYNAMIC STATS_PERSISTENT=0",
    ]);
    let partitions = match dice.below(16) {
        0 => " PARTITION BY HASH (id) PARTITIONS 3".to_owned(),
        1 => format!(
            " PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN ({}), PARTITION p1 VALUES LESS THAN (100), PARTITION pm VALUES LESS THAN MAXVALUE)",
            10 + dice.below(3)
        ),
        2 => " PARTITION BY LIST (id) (PARTITION a VALUES IN (1, 2, 3), PARTITION b VALUES IN (4, 5))".to_owned(),
        3 => " PARTITION BY KEY (id) PARTITIONS 2".to_owned(),
        _ => String::new(),
    };
    let versioned = if flavour == Flavour::MariaDb && partitions.is_empty() {
        dice.maybe(7, " WITH SYSTEM VERSIONING")
    } else {
        ""
    };
    format!("\n){options}{versioned}{partitions}")
}

fn column_part(name: &str, data_type: &str, family: Family, sql: String, uses: Vec<String>, writable: bool) -> Part {
    let kind = PartKind::Column;
    Part { kind, name: name.to_owned(), sql, data_type: data_type.to_owned(), family, writable, uses }
}

fn primary_key(dice: &mut Dice) -> Part {
    let (data_type, rest) = match dice.below(6) {
        0 => ("bigint unsigned", " NOT NULL AUTO_INCREMENT PRIMARY KEY"),
        1 => ("int", " NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'counts'"),
        2 => ("bigint", " PRIMARY KEY"),
        _ => ("int", " PRIMARY KEY"),
    };
    column_part("id", data_type, Family::Int, format!("`id` {data_type}{rest}"), Vec::new(), true)
}

pub(crate) fn part(
    dice: &mut Dice,
    flavour: Flavour,
    table: &Object,
    kind: PartKind,
    name: Option<&str>,
) -> Option<Part> {
    match kind {
        PartKind::Column if name == Some("id") => Some(primary_key(dice)),
        PartKind::Column => a_column(dice, flavour, table, name),
        PartKind::Constraint => constraint(dice, flavour, table, name),
    }
}

fn a_column(dice: &mut Dice, flavour: Flavour, table: &Object, name: Option<&str>) -> Option<Part> {
    let free: Vec<&str> =
        COLUMNS.iter().copied().filter(|name| !table.parts.iter().any(|part| part.name == *name)).collect();
    let name = name.or_else(|| dice.pick(&free).copied())?.to_owned();
    let (data_type, family) = *dice.pick(&TYPES)?;
    let spelled = quote(&name);
    let plain: Vec<&Part> = table
        .columns()
        .into_iter()
        .filter(|part| part.writable && part.name != name && !part.sql.contains("AUTO_INCREMENT"))
        .collect();
    if dice.chance(10) && !plain.is_empty() {
        let picked = dice.some(&plain, 1);
        let uses = picked.iter().map(|part| table.part_key(&part.name)).collect();
        let (text, made) = value(dice, &named(&picked, ""));
        let data_type = match made {
            Family::Int | Family::Bool => "bigint",
            Family::Real => "decimal(20,4)",
            Family::Text | Family::Time | Family::Other => "varchar(300)",
        };
        let how = dice.word(&[" STORED", " VIRTUAL", ""]);
        let sql = format!("{spelled} {data_type} GENERATED ALWAYS AS ({text}){how}");
        return Some(column_part(&name, data_type, made, sql, uses, false));
    }
    let mut sql = format!("{spelled} {data_type}");
    if dice.chance(30) {
        sql.push_str(" NOT NULL");
    } else if data_type == "timestamp" {
        sql.push_str(" NULL");
    }
    if dice.chance(40) {
        let given = default(dice, data_type, family);
        let is_long = ["text", "mediumtext", "longtext", "json", "blob"].contains(&data_type);
        let contradicts = sql.ends_with("NOT NULL") && given == "NULL";
        if !contradicts && !is_long {
            sql.push_str(" DEFAULT ");
            sql.push_str(given);
        }
    }
    let hidden = match flavour {
        Flavour::MySql => dice.maybe(4, " INVISIBLE"),
        Flavour::MariaDb if sql.contains("DEFAULT") => dice.maybe(4, " INVISIBLE"),
        Flavour::MariaDb => "",
    };
    sql.push_str(hidden);
    if dice.chance(10) {
        sql.push_str(dice.word(&[" COMMENT 'a note'", " COMMENT 'it''s; x'"]));
    }
    if dice.chance(8) && !matches!(data_type, "text" | "mediumtext" | "longtext" | "json" | "blob" | "point") {
        sql.push_str(" UNIQUE");
    }
    if dice.chance(10) {
        let text = condition(dice, &[(spelled, family)]);
        let clause = format!(" CHECK ({text})");
        sql.push_str(&clause);
    }
    Some(column_part(&name, data_type, family, sql, Vec::new(), true))
}

fn is_long(part: &Part) -> bool {
    part.data_type.ends_with("text") || part.data_type == "blob"
}

fn constraint(dice: &mut Dice, flavour: Flavour, table: &Object, name: Option<&str>) -> Option<Part> {
    let name = name.map_or_else(|| format!("k{}", dice.below(1000)), ToOwned::to_owned);
    let columns: Vec<&Part> =
        table.columns().into_iter().filter(|part| !matches!(part.data_type.as_str(), "json" | "point")).collect();
    let picked = dice.some(&columns, 3);
    if picked.is_empty() {
        return None;
    }
    let uses: Vec<String> = picked.iter().map(|part| table.part_key(&part.name)).collect();
    let spelled = quote(&name);
    let mut keys = Vec::new();
    for part in &picked {
        let prefix = if is_long(part) { "(10)" } else { "" };
        let order = if flavour == Flavour::MySql {
            dice.word(&["", "", "", " DESC"])
        } else {
            dice.word(&["", "", "", " ASC"])
        };
        keys.push(format!("{}{prefix}{order}", quote(&part.name)));
    }
    if flavour == Flavour::MySql && dice.chance(12) {
        keys.push(format!("({})", value(dice, &named(&picked[..1], "")).0));
    }
    let texts: Vec<&&Part> =
        picked.iter().filter(|part| part.family == Family::Text && !part.data_type.contains("('")).collect();
    let comment = dice.maybe(8, " COMMENT 'fast'");
    let sql = match dice.below(10) {
        0..3 => format!("UNIQUE KEY {spelled} ({}){comment}", keys.join(", ")),
        3 if !texts.is_empty() => format!("FULLTEXT KEY {spelled} ({})", quote(&texts[0].name)),
        3..7 => {
            let hidden = match flavour {
                Flavour::MySql => dice.maybe(8, " INVISIBLE"),
                Flavour::MariaDb => dice.maybe(8, " IGNORED"),
            };
            format!("KEY {spelled} ({}){comment}{hidden}", keys.join(", "))
        }
        _ => {
            let enforced = if flavour == Flavour::MySql { dice.maybe(10, " NOT ENFORCED") } else { "" };
            // names of checks are unique in a database
            let full = quote(&format!("{} {name}", table.name));
            format!("CONSTRAINT {full} CHECK ({}){enforced}", condition(dice, &named(&picked, "")))
        }
    };
    Some(Part::constraint(&name, sql, uses))
}

/// A foreign key, added once both tables are there.
pub(crate) fn reference(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let tables: Vec<&Object> =
        world.of(&["table"]).into_iter().filter(|table| !table.tail.contains("PARTITION")).collect();
    let table = *dice.pick(&tables)?;
    let name = name.map_or_else(|| format!("fk{}", dice.below(1000)), ToOwned::to_owned);
    let columns: Vec<&Part> = table.columns().into_iter().filter(|part| part.writable).collect();
    let own = *dice.pick(&columns)?;
    let mut found = None;
    for target in &tables {
        for part in target.columns() {
            let keyed = part.sql.contains("PRIMARY KEY") || part.sql.contains(" UNIQUE");
            if keyed && part.data_type == own.data_type && (found.is_none() || dice.chance(40)) {
                found = Some((*target, part));
            }
        }
    }
    let (target, part) = found?;
    let uses = vec![table.key(), table.part_key(&own.name), target.key(), target.part_key(&part.name)];
    let mut head = format!(
        "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({})",
        table.spelled,
        quote(&name),
        quote(&own.name),
        target.spelled,
        quote(&part.name)
    );
    for event in ["DELETE", "UPDATE"] {
        if dice.chance(35) {
            let action = dice.word(&["CASCADE", "SET NULL", "RESTRICT", "NO ACTION"]);
            let clause = format!(" ON {event} {action}");
            head.push_str(&clause);
        }
    }
    Some(Object::plain("reference", &name, quote(&name), head, uses))
}

pub(crate) fn retouch(dice: &mut Dice, flavour: Flavour, object: &mut Object) {
    if object.kind == "table" {
        object.tail = tail(dice, flavour);
    }
}
