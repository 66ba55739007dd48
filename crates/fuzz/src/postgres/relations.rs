//! Indexes, views, statistics.

use crate::dice::Dice;
use crate::world::{Family, Object, Part, PartKind, World};

use super::expressions::{condition, named, value};
use super::names::{place, quote};

pub(crate) fn index(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let tables = world.of(&["table", "table", "table", "matview"]);
    let table = (*dice.pick(&tables)?).clone();
    // an index lives where its table does
    let own = match name {
        Some(name) => name.to_owned(),
        None => format!("{}_idx{}", table.name.rsplit('/').next().unwrap_or_default(), dice.below(30)),
    };
    let columns = table.columns();
    let picked = dice.some(&columns, 3);
    let mut uses: Vec<String> = picked.iter().map(|part| table.part_key(&part.name)).collect();
    uses.push(table.key());
    let first = *picked.first()?;
    let method = match (first.data_type.as_str(), dice.below(6)) {
        ("jsonb" | "tsvector" | "integer[]" | "text[]", _) => "gin",
        ("int4range" | "tstzrange" | "point", _) => "gist",
        (_, 0) => "hash",
        (_, 1) => "brin",
        _ => "btree",
    };
    let mut keys = Vec::new();
    for part in picked.iter().take(if method == "btree" { 3 } else { 1 }) {
        keys.push(index_key(dice, method, part));
    }
    let filter =
        if dice.chance(20) { format!(" WHERE {}", condition(dice, &named(&picked, ""))) } else { String::new() };
    let unique = if method == "btree" { dice.maybe(20, "UNIQUE ") } else { "" };
    let include = if method == "btree" && dice.chance(10) {
        format!(" INCLUDE ({})", quote(&columns[0].name))
    } else {
        String::new()
    };
    let nulls = if unique.is_empty() { "" } else { dice.maybe(20, " NULLS NOT DISTINCT") };
    let options = if method == "btree" { dice.maybe(10, " WITH (fillfactor = 80)") } else { "" };
    let spelled = quote(&own);
    let head = format!(
        "CREATE {unique}INDEX {spelled} ON {} USING {method} ({}){include}{nulls}{options}{filter}",
        table.spelled,
        keys.join(", ")
    );
    let mut made = Object::plain("index", &own, spelled.clone(), head, uses);
    let namespace = table.name.split_once('/').map_or("public", |(namespace, _)| namespace);
    let full = format!("{}.{spelled}", quote(namespace));
    if dice.chance(8) {
        made.more.push(format!("COMMENT ON INDEX {full} IS 'fast'"));
    }
    if dice.chance(5) {
        made.more.push(format!("ALTER TABLE {} CLUSTER ON {spelled}", table.spelled));
    }
    Some(made)
}

fn index_key(dice: &mut Dice, method: &str, part: &Part) -> String {
    let plain = quote(&part.name);
    let text =
        if dice.chance(20) && method == "btree" { format!("({})", value(dice, &named(&[part], "")).0) } else { plain };
    let class = if method == "btree" && part.data_type == "text" && !text.starts_with('(') {
        dice.word(&["", "", "", " text_pattern_ops", " COLLATE \"C\"", " COLLATE \"C\" text_pattern_ops"])
    } else {
        ""
    };
    let order = if method == "btree" {
        dice.word(&["", "", "", " ASC", " DESC", " DESC NULLS LAST", " NULLS FIRST"])
    } else {
        ""
    };
    format!("{text}{class}{order}")
}

fn seen(name: &str, family: Family) -> Part {
    let mut part = Part::constraint(name, String::new(), Vec::new());
    part.kind = PartKind::Column;
    part.family = family;
    part
}

pub(crate) fn view(dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object> {
    let (kind, end) = if kind == "matview" { ("matview", "_mv") } else { ("view", "_v") };
    let (name, spelled, mut uses) = place(dice, world, name, end)?;
    let sources = world.of(&["table", "table", "view", "matview"]);
    let source = (*dice.pick(&sources)?).clone();
    let columns = source.columns();
    let picked = dice.some(&columns, 4);
    uses.extend(picked.iter().map(|part| source.part_key(&part.name)));
    uses.push(source.key());
    let (body, parts) = query(dice, world, &source, &picked, &mut uses)?;
    let head = match kind {
        "view" => {
            let options = dice.word(&["", "", "", " WITH (security_barrier=true)", " WITH (security_invoker=true)"]);
            let check = if body.contains(" WHERE ") { dice.maybe(20, " WITH LOCAL CHECK OPTION") } else { "" };
            format!("CREATE VIEW {spelled}{options} AS {body}{check}")
        }
        _ => format!("CREATE MATERIALIZED VIEW {spelled} AS {body}{}", dice.maybe(20, " WITH NO DATA")),
    };
    let mut view = Object::plain(kind, &name, spelled.clone(), head, uses);
    view.parts = parts;
    let words = if kind == "view" { "VIEW" } else { "MATERIALIZED VIEW" };
    if dice.chance(15) {
        view.more.push(format!("COMMENT ON {words} {spelled} IS 'seen; through'"));
    }
    if dice.chance(15) {
        view.more.push(format!("GRANT SELECT ON {spelled} TO PUBLIC"));
    }
    if dice.chance(6) && kind == "view" {
        let column = quote(&view.parts.first()?.name);
        view.more.push(format!("COMMENT ON COLUMN {spelled}.{column} IS 'of a view'"));
    }
    Some(view)
}

/// A query over `source`, and the columns that it gives.
fn query(
    dice: &mut Dice,
    world: &World,
    source: &Object,
    picked: &[&Part],
    uses: &mut Vec<String>,
) -> Option<(String, Vec<Part>)> {
    let from = &source.spelled;
    let mut items: Vec<String> = picked.iter().map(|part| quote(&part.name)).collect();
    let mut parts: Vec<Part> = picked.iter().map(|part| seen(&part.name, part.family)).collect();
    let body = match dice.below(8) {
        0 => {
            let (text, family) = value(dice, &named(picked, ""));
            items.push(format!("{text} AS more"));
            parts.push(seen("more", family));
            format!("SELECT {} FROM {from}", items.join(", "))
        }
        1 => {
            parts = vec![seen(&picked.first()?.name, picked.first()?.family), seen("n", Family::Int)];
            format!("SELECT {first}, count(*) AS n FROM {from} GROUP BY {first} HAVING count(*) > 0", first = items[0])
        }
        2 => format!("WITH x AS (SELECT * FROM {from}) SELECT {} FROM x", items.join(", ")),
        3 => format!("SELECT {all} FROM {from} UNION ALL SELECT {all} FROM {from}", all = items.join(", ")),
        4 => {
            let others = world.of(&["table", "view"]);
            let other = (*dice.pick(&others)?).clone();
            let columns = other.columns();
            let joined = (*dice.pick(&columns)?).clone();
            uses.extend([other.part_key(&joined.name), other.key()]);
            let items: Vec<String> = items.iter().map(|item| format!("a.{item}")).collect();
            let join = dice.word(&["JOIN", "LEFT JOIN"]);
            let (left, right) = (quote(&picked[0].name), quote(&joined.name));
            format!(
                "SELECT {} FROM {from} AS a {join} {} b ON a.{left}::text = b.{right}::text",
                items.join(", "),
                other.spelled
            )
        }
        5 => format!("SELECT {} FROM {from} WHERE {}", items.join(", "), condition(dice, &named(picked, ""))),
        6 => format!("SELECT {} FROM {from} ORDER BY 1 DESC LIMIT 10", items.join(", ")),
        _ => {
            let functions = world.of(&["function"]);
            let calls: Vec<&&Object> = functions.iter().filter(|object| object.head.contains("(a integer")).collect();
            match dice.pick(&calls) {
                Some(function) => {
                    uses.push(function.key());
                    items.push(format!("{}(7) AS called", function.spelled));
                    parts.push(seen("called", Family::Other));
                }
                None => items.push("1 AS one".to_owned()),
            }
            format!("SELECT {} FROM {from}", items.join(", "))
        }
    };
    Some((body, parts))
}

pub(crate) fn statistics(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let (name, spelled, mut uses) = place(dice, world, name, "_stat")?;
    let tables = world.of(&["table"]);
    let table = *dice.pick(&tables)?;
    let columns: Vec<&Part> =
        table.columns().into_iter().filter(|part| matches!(part.family, Family::Int | Family::Text)).collect();
    let [first, second, ..] = dice.some(&columns, 3)[..] else { return None };
    uses.extend([table.key(), table.part_key(&first.name), table.part_key(&second.name)]);
    let kinds = dice.word(&["", " (ndistinct)", " (ndistinct, mcv)", " (dependencies)"]);
    let list = format!("{}, {}", quote(&first.name), quote(&second.name));
    let head = format!("CREATE STATISTICS {spelled}{kinds} ON {list} FROM {}", table.spelled);
    Some(Object::plain("statistics", &name, spelled, head, uses))
}
