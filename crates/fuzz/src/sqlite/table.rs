//! Tables with their columns and constraints.

use crate::dice::Dice;
use crate::world::{Family, Object, Part, PartKind, World};

use super::expressions::{condition, default, named, value};
use super::names::{column, quote, relation, spell};

const LOOSE: [(&str, Family); 16] = [
    ("INTEGER", Family::Int),
    ("INT", Family::Int),
    ("BIGINT", Family::Int),
    ("BOOLEAN", Family::Bool),
    ("TEXT", Family::Text),
    ("VARCHAR(20)", Family::Text),
    ("varchar(255)", Family::Text),
    ("CHARACTER VARYING (40)", Family::Text),
    ("REAL", Family::Real),
    ("DOUBLE PRECISION", Family::Real),
    ("NUMERIC", Family::Real),
    ("DECIMAL(10, 2)", Family::Real),
    ("DATETIME", Family::Time),
    ("DATE", Family::Time),
    ("BLOB", Family::Other),
    ("", Family::Other),
];
const STRICT: [(&str, Family); 6] = [
    ("INTEGER", Family::Int),
    ("INT", Family::Int),
    ("TEXT", Family::Text),
    ("REAL", Family::Real),
    ("BLOB", Family::Other),
    ("ANY", Family::Other),
];
const CONFLICTS: [&str; 5] = ["ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"];

pub(crate) fn table(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let name = name.map(ToOwned::to_owned).or_else(|| relation(dice, world, ""))?;
    let spelled = spell(dice, &name);
    let mut table = Object::plain("table", &name, spelled.clone(), format!("CREATE TABLE {spelled} (\n  "), Vec::new());
    table.tail =
        dice.word(&["\n)", "\n)", "\n)", "\n) STRICT", "\n) WITHOUT ROWID", "\n) STRICT, WITHOUT ROWID"]).to_owned();
    if table.tail.contains("ROWID") || dice.chance(75) {
        let key = primary_key(dice, &table);
        table.parts.push(key);
    }
    for _ in 0..=dice.below(6) {
        if let Some(part) = part(dice, world, &table, PartKind::Column, None) {
            table.parts.push(part);
        }
    }
    for _ in 0..dice.below(4) {
        if let Some(part) = part(dice, world, &table, PartKind::Constraint, None) {
            table.parts.push(part);
        }
    }
    Some(table)
}

fn primary_key(dice: &mut Dice, table: &Object) -> Part {
    let without_rowid = table.tail.contains("ROWID");
    let (data_type, family, rest) = match dice.below(6) {
        0 if !without_rowid => ("INTEGER", Family::Int, " PRIMARY KEY AUTOINCREMENT"),
        1 => ("TEXT", Family::Text, " PRIMARY KEY"),
        2 => ("INT", Family::Int, " NOT NULL PRIMARY KEY DESC"),
        3 => ("INTEGER", Family::Int, " PRIMARY KEY ON CONFLICT REPLACE"),
        _ => ("INTEGER", Family::Int, " PRIMARY KEY"),
    };
    column_part("id", data_type, family, format!("id {data_type}{rest}"), Vec::new(), true)
}

fn column_part(name: &str, data_type: &str, family: Family, sql: String, uses: Vec<String>, writable: bool) -> Part {
    let kind = PartKind::Column;
    Part { kind, name: name.to_owned(), sql, data_type: data_type.to_owned(), family, writable, uses }
}

pub(crate) fn part(dice: &mut Dice, world: &World, table: &Object, kind: PartKind, name: Option<&str>) -> Option<Part> {
    match kind {
        PartKind::Column if name == Some("id") => Some(primary_key(dice, table)),
        PartKind::Column => a_column(dice, world, table, name),
        PartKind::Constraint => constraint(dice, world, table, name),
    }
}

fn a_column(dice: &mut Dice, world: &World, table: &Object, name: Option<&str>) -> Option<Part> {
    let name = name.map(ToOwned::to_owned).or_else(|| column(dice, table))?;
    let types: &[(&str, Family)] = if table.tail.contains("STRICT") { &STRICT } else { &LOOSE };
    let (mut data_type, mut family) = *dice.pick(types)?;
    let spelled = spell(dice, &name);
    let mut sql = format!("{spelled} {data_type}").trim_end().to_owned();
    let mut uses = Vec::new();
    let plain: Vec<&Part> = table.columns().into_iter().filter(|part| part.writable && part.name != name).collect();
    let mut writable = true;
    if dice.chance(12) && !plain.is_empty() {
        let picked = dice.some(&plain, 2);
        uses.extend(picked.iter().map(|part| table.part_key(&part.name)));
        let (text, _) = value(dice, &named(&picked, ""));
        if table.tail.contains("STRICT") {
            // what is computed need not be of the declared type, and nobody asks the rows about that
            (data_type, family) = ("ANY", Family::Other);
            sql = format!("{spelled} ANY");
        }
        let how = dice.word(&[" STORED", " VIRTUAL", ""]);
        let words = dice.word(&["GENERATED ALWAYS AS", "AS"]);
        let clause = format!(" {words} ({text}){how}");
        sql.push_str(&clause);
        writable = false;
    } else if dice.chance(35) {
        let label = dice.maybe(8, " CONSTRAINT df");
        let clause = format!("{label} DEFAULT {}", default(dice, family));
        sql.push_str(&clause);
    }
    if dice.chance(25) {
        sql.push_str(dice.word(&[" NOT NULL", " NOT NULL", " CONSTRAINT \"must be\" NOT NULL", " NULL"]));
        if sql.ends_with("NOT NULL") {
            sql.push_str(&on_conflict(dice));
        }
    }
    if dice.chance(15) {
        sql.push_str(dice.word(&[" COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY", " collate nocase"]));
    }
    if dice.chance(12) {
        let clause = format!(" UNIQUE{}", on_conflict(dice));
        sql.push_str(&clause);
    }
    if dice.chance(15) {
        let label = if dice.chance(30) { format!(" CONSTRAINT \"valid {name}\"") } else { String::new() };
        let text = condition(dice, &[(spelled, family)]);
        let clause = format!("{label} CHECK ({text})");
        sql.push_str(&clause);
    }
    if dice.chance(15)
        && let Some((text, used)) = reference(dice, world, table, 1)
    {
        let clause = format!(" {text}");
        sql.push_str(&clause);
        uses.extend(used);
    }
    Some(column_part(&name, data_type, family, sql, uses, writable))
}

fn on_conflict(dice: &mut Dice) -> String {
    if dice.chance(15) { format!(" ON CONFLICT {}", dice.word(&CONFLICTS)) } else { String::new() }
}

/// `REFERENCES …` to as many columns.
fn reference(dice: &mut Dice, world: &World, table: &Object, columns: usize) -> Option<(String, Vec<String>)> {
    let mut tables = world.of(&["table"]);
    tables.push(table);
    let target = (*dice.pick(&tables)?).clone();
    let keyed: Vec<&Part> = target
        .columns()
        .into_iter()
        .filter(|part| columns > 1 || part.sql.contains("PRIMARY KEY") || part.sql.contains(" UNIQUE"))
        .collect();
    if keyed.len() < columns {
        return None;
    }
    let mut picked = dice.some(&keyed, columns);
    while picked.len() < columns {
        let more = keyed.iter().find(|part| !picked.contains(part)).copied()?;
        picked.push(more);
    }
    let is_self = target.name == table.name;
    let mut uses: Vec<String> = picked.iter().map(|part| target.part_key(&part.name)).collect();
    if !is_self {
        uses.push(target.key());
    }
    let primary = picked.len() == 1 && picked[0].sql.contains("PRIMARY KEY");
    let list = if primary && dice.chance(30) {
        String::new()
    } else {
        format!("({})", picked.iter().map(|part| quote(&part.name)).collect::<Vec<_>>().join(", "))
    };
    let mut text = format!("REFERENCES {}{list}", quote(&target.name));
    for event in ["DELETE", "UPDATE"] {
        if dice.chance(35) {
            let action = dice.word(&["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"]);
            let clause = format!(" ON {event} {action}");
            text.push_str(&clause);
        }
    }
    if dice.chance(25) {
        text.push_str(dice.word(&[
            " DEFERRABLE INITIALLY DEFERRED",
            " DEFERRABLE",
            " NOT DEFERRABLE",
            " DEFERRABLE INITIALLY IMMEDIATE",
        ]));
    }
    Some((text, uses))
}

fn constraint(dice: &mut Dice, world: &World, table: &Object, name: Option<&str>) -> Option<Part> {
    let name = name.map_or_else(|| format!("c{}", dice.below(1000)), ToOwned::to_owned);
    let columns = table.columns();
    let picked = dice.some(&columns, 3);
    // of two references of one column only the order in which they are written tells which is which
    if picked.is_empty() || picked.iter().any(|part| part.sql.contains("REFERENCES")) {
        return None;
    }
    let mut uses: Vec<String> = picked.iter().map(|part| table.part_key(&part.name)).collect();
    // a reference is to a key that compares as its columns do
    let own = format!("{}.", table.key());
    let is_key = world
        .objects
        .iter()
        .flat_map(|object| &object.parts)
        .any(|part| part.uses.iter().any(|used| used.starts_with(&own)));
    let list = |dice: &mut Dice| {
        let text: Vec<String> = picked
            .iter()
            .map(|part| {
                let collate = dice.maybe(if is_key { 0 } else { 10 }, " COLLATE NOCASE");
                let order = dice.maybe(12, " DESC");
                format!("{}{collate}{order}", spell(dice, &part.name))
            })
            .collect();
        text.join(", ")
    };
    let label = if dice.chance(50) { format!("CONSTRAINT {} ", spell(dice, &name)) } else { String::new() };
    let has_key = table.parts.iter().any(|part| part.sql.contains("PRIMARY KEY"));
    let sql = match dice.below(10) {
        // the same key written twice is one
        0..3 if picked.len() > 1 || !picked[0].sql.contains(" UNIQUE") => {
            format!("{label}UNIQUE ({}){}", list(dice), on_conflict(dice))
        }
        3 if !has_key => format!("{label}PRIMARY KEY ({})", list(dice)),
        3..6 => format!("{label}CHECK ({})", condition(dice, &named(&picked, ""))),
        _ => {
            let (text, used) = reference(dice, world, table, picked.len())?;
            uses.extend(used);
            let own: Vec<String> = picked.iter().map(|part| quote(&part.name)).collect();
            format!("{label}FOREIGN KEY ({}) {text}", own.join(", "))
        }
    };
    Some(Part::constraint(&name, sql, uses))
}

/// Makes a table strict or not, with or without row ids.
pub(crate) fn retouch(dice: &mut Dice, table: &mut Object) {
    let columns = table.columns();
    let strict = columns.iter().all(|part| STRICT.iter().any(|(name, _)| *name == part.data_type));
    let keyed = table.parts.iter().any(|part| part.sql.contains("PRIMARY KEY"));
    let counted = table.parts.iter().any(|part| part.sql.contains("AUTOINCREMENT"));
    let mut tails = vec!["\n)"];
    if strict {
        tails.push("\n) STRICT");
    }
    if keyed && !counted {
        tails.push("\n) WITHOUT ROWID");
    }
    table.tail = dice.word(&tails).to_owned();
}
