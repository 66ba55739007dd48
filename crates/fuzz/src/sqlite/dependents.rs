//! Indexes, views, triggers, virtual tables.

use crate::dice::Dice;
use crate::world::{Family, Object, Part, PartKind, World};

use super::expressions::{condition, named, value};
use super::names::{quote, relation, spell};

fn own_name(dice: &mut Dice, world: &World, name: Option<&str>, end: &str) -> Option<String> {
    name.map(ToOwned::to_owned).or_else(|| relation(dice, world, end))
}

pub(crate) fn index(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let table = (*dice.pick(&world.of(&["table"]))?).clone();
    let name = own_name(dice, world, name, "_idx")?;
    let columns = table.columns();
    let picked = dice.some(&columns, 3);
    let mut uses: Vec<String> = picked.iter().map(|part| table.part_key(&part.name)).collect();
    uses.push(table.key());
    let mut keys = Vec::new();
    for part in &picked {
        let text = if dice.chance(20) { value(dice, &named(&[part], "")).0 } else { spell(dice, &part.name) };
        let collate = dice.word(&["", "", "", "", " COLLATE NOCASE", " COLLATE BINARY", " COLLATE RTRIM"]);
        let order = dice.word(&["", "", "", " ASC", " DESC"]);
        keys.push(format!("{text}{collate}{order}"));
    }
    let filter =
        if dice.chance(25) { format!(" WHERE {}", condition(dice, &named(&picked, ""))) } else { String::new() };
    let unique = dice.maybe(25, "UNIQUE ");
    let spelled = spell(dice, &name);
    let on = spell(dice, &table.name);
    let head = format!("CREATE {unique}INDEX {spelled} ON {on} ({}){filter}", keys.join(", "));
    Some(Object::plain("index", &name, spelled, head, uses))
}

fn seen(name: &str, family: Family) -> Part {
    let mut part = Part::constraint(name, String::new(), Vec::new());
    part.kind = PartKind::Column;
    part.family = family;
    part
}

pub(crate) fn view(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let name = own_name(dice, world, name, "_v")?;
    let source = (*dice.pick(&world.of(&["table", "view", "virtual"]))?).clone();
    let columns = source.columns();
    let picked = dice.some(&columns, 4);
    let mut uses: Vec<String> = picked.iter().map(|part| source.part_key(&part.name)).collect();
    uses.push(source.key());
    let spelled = spell(dice, &name);
    let from = spell(dice, &source.name);
    let mut items: Vec<String> = picked.iter().map(|part| quote(&part.name)).collect();
    let mut parts: Vec<Part> = picked.iter().map(|part| seen(&part.name, part.family)).collect();
    let body = match dice.below(7) {
        0 => {
            let (text, family) = value(dice, &named(&picked, ""));
            items.push(format!("{text} AS plain_more"));
            parts.push(seen("plain_more", family));
            format!("SELECT {} FROM {from}", items.join(", "))
        }
        1 => {
            parts = vec![seen(&picked[0].name, picked[0].family), seen("plain_n", Family::Int)];
            format!(
                "SELECT {first}, count(*) AS plain_n FROM {from} GROUP BY {first} HAVING count(*) > 0",
                first = items[0]
            )
        }
        2 => format!("WITH x AS (SELECT * FROM {from}) SELECT {} FROM x", items.join(", ")),
        3 => format!("SELECT {all} FROM {from} UNION ALL SELECT {all} FROM {from}", all = items.join(", ")),
        4 => {
            let other = (*dice.pick(&world.of(&["table", "view"]))?).clone();
            let columns = other.columns();
            let joined = (*dice.pick(&columns)?).clone();
            uses.extend([other.part_key(&joined.name), other.key()]);
            let items: Vec<String> = items.iter().map(|item| format!("a.{item}")).collect();
            let join = dice.word(&["JOIN", "LEFT JOIN", "left outer join"]);
            format!(
                "SELECT {} FROM {from} AS a {join} {} b ON a.{} = b.{}",
                items.join(", "),
                quote(&other.name),
                quote(&picked[0].name),
                quote(&joined.name)
            )
        }
        5 => format!("SELECT {} FROM {from} WHERE {}", items.join(", "), condition(dice, &named(&picked, ""))),
        _ => format!("SELECT DISTINCT {} FROM {from} ORDER BY 1 DESC LIMIT 10", items.join(", ")),
    };
    let head = if dice.chance(25) {
        let names: Vec<String> = (0..parts.len()).map(|at| format!("plain_{at}")).collect();
        for (part, name) in parts.iter_mut().zip(&names) {
            part.name.clone_from(name);
        }
        format!("CREATE VIEW {spelled} ({}) AS {body}", names.join(", "))
    } else {
        format!("CREATE VIEW {spelled} AS {body}")
    };
    let mut view = Object::plain("view", &name, spelled, head, uses);
    view.parts = parts;
    Some(view)
}

pub(crate) fn trigger(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let target = (*dice.pick(&world.of(&["table", "table", "view"]))?).clone();
    let name = own_name(dice, world, name, "_trg")?;
    let columns = target.columns();
    let picked = dice.some(&columns, 2);
    let mut uses = vec![target.key()];
    uses.extend(picked.iter().map(|part| target.part_key(&part.name)));
    let event = match dice.below(4) {
        0 => "DELETE".to_owned(),
        // nothing sets a computed column
        1 if target.kind == "view" || picked.iter().all(|part| part.writable) => {
            format!("UPDATE OF {}", picked.iter().map(|part| quote(&part.name)).collect::<Vec<_>>().join(", "))
        }
        2 => "UPDATE".to_owned(),
        _ => "INSERT".to_owned(),
    };
    let timing = match target.kind {
        "view" => "INSTEAD OF",
        _ => dice.word(&["BEFORE", "AFTER", ""]),
    };
    let row = if event == "DELETE" { "old." } else { "new." };
    let mut body = Vec::new();
    for _ in 0..=dice.below(2) {
        body.push(step(dice, world, row, &picked, &mut uses));
    }
    let spelled = spell(dice, &name);
    let each = dice.maybe(60, " FOR EACH ROW");
    let when = if dice.chance(30) { format!(" WHEN {}", condition(dice, &named(&picked, row))) } else { String::new() };
    let head = format!(
        "CREATE TRIGGER {spelled} {timing} {event} ON {}{each}{when} BEGIN\n  {}\nEND",
        spell(dice, &target.name),
        body.join("\n  ")
    );
    Some(Object::plain("trigger", &name, spelled, head, uses))
}

fn step(dice: &mut Dice, world: &World, row: &str, picked: &[&Part], uses: &mut Vec<String>) -> String {
    let tables = world.of(&["table"]);
    let Some(other) = dice.pick(&tables) else { return "SELECT 1;".to_owned() };
    let columns: Vec<&Part> = other.columns().into_iter().filter(|part| part.writable).collect();
    let Some(column) = dice.pick(&columns) else { return "SELECT 1;".to_owned() };
    let (name, target) = (quote(&column.name), quote(&other.name));
    let mut named_too = || uses.extend([other.key(), other.part_key(&column.name)]);
    let (given, _) = value(dice, &named(picked, row));
    match dice.below(6) {
        0 => "SELECT RAISE(IGNORE) WHERE 1 = 2;".to_owned(),
        1 => {
            named_too();
            format!("INSERT OR IGNORE INTO {target} ({name}) VALUES ({given});")
        }
        2 => {
            named_too();
            format!("UPDATE {target} SET {name} = {given} WHERE {name} = 'no; such';")
        }
        3 => {
            named_too();
            format!("DELETE FROM {target} WHERE {name} = {given} AND 1 = 0;")
        }
        4 => {
            named_too();
            format!("SELECT CASE WHEN {name} = 77 THEN RAISE(ABORT, 'it''s; not') END FROM {target} LIMIT 1;")
        }
        _ => "SELECT 1;".to_owned(),
    }
}

pub(crate) fn virtual_table(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let name = own_name(dice, world, name, "_virt")?;
    let spelled = quote(&name);
    let mut uses = Vec::new();
    let (columns, module): (&[&str], String) = match dice.below(5) {
        0 => (&["code", "x0", "x1"], "rtree(code, x0, x1)".to_owned()),
        1 => (&["code", "x0", "x1", "y0", "y1"], "rtree_i32(code, x0, x1, y0, y1)".to_owned()),
        2 => {
            let table = (*dice.pick(&world.of(&["table"]))?).clone();
            let columns = table.columns();
            let text = (*dice.pick(&columns)?).clone();
            let own = format!("fts5({}, content='{}')", quote(&text.name), table.name.replace('\'', "''"));
            uses.extend([table.key(), table.part_key(&text.name)]);
            let mut made = Object::plain("virtual", &name, spelled.clone(), String::new(), uses);
            made.head = format!("CREATE VIRTUAL TABLE {spelled} USING {own}");
            made.parts = vec![seen(&text.name, text.family)];
            return Some(made);
        }
        3 => (&["name", "note"], "fts5(name, note, tokenize = 'porter unicode61')".to_owned()),
        _ => (&["name"], format!("fts5(name, prefix='2 3'{})", dice.maybe(50, ", detail=column"))),
    };
    let mut made = Object::plain(
        "virtual",
        &name,
        spelled.clone(),
        format!("CREATE VIRTUAL TABLE {spelled} USING {module}"),
        uses,
    );
    let family = if module.starts_with("rtree") { Family::Real } else { Family::Text };
    made.parts = columns.iter().map(|column| seen(column, family)).collect();
    Some(made)
}
