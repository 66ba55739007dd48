//! Views, triggers, routines, events, sequences.

use crate::dice::Dice;
use crate::world::{Family, Object, Part, PartKind, World};

use super::Flavour;
use super::expressions::{condition, named, quote, value};
use super::table::free_name;

fn seen(name: &str, family: Family) -> Part {
    let mut part = Part::constraint(name, String::new(), Vec::new());
    part.kind = PartKind::Column;
    part.family = family;
    part
}

pub(crate) fn view(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let name = free_name(dice, world, name, "_v")?;
    let sources = world.of(&["table", "table", "view"]);
    let source = (*dice.pick(&sources)?).clone();
    let columns = source.columns();
    let picked = dice.some(&columns, 4);
    let mut uses: Vec<String> = picked.iter().map(|part| source.part_key(&part.name)).collect();
    uses.push(source.key());
    let (spelled, from) = (quote(&name), &source.spelled);
    let mut items: Vec<String> = picked.iter().map(|part| quote(&part.name)).collect();
    let mut parts: Vec<Part> = picked.iter().map(|part| seen(&part.name, part.family)).collect();
    let body = match dice.below(6) {
        0 => {
            let (text, family) = value(dice, &named(&picked, ""));
            items.push(format!("{text} AS more"));
            parts.push(seen("more", family));
            format!("SELECT {} FROM {from}", items.join(", "))
        }
        1 => {
            parts = vec![seen(&picked.first()?.name, picked.first()?.family), seen("n", Family::Int)];
            format!("SELECT {first}, count(*) AS n FROM {from} GROUP BY {first} HAVING count(*) > 0", first = items[0])
        }
        2 => format!("SELECT {all} FROM {from} UNION ALL SELECT {all} FROM {from}", all = items.join(", ")),
        3 => {
            let others = world.of(&["table"]);
            let other = (*dice.pick(&others)?).clone();
            let columns = other.columns();
            let joined = (*dice.pick(&columns)?).clone();
            uses.extend([other.part_key(&joined.name), other.key()]);
            let items: Vec<String> = items.iter().map(|item| format!("a.{item}")).collect();
            let join = dice.word(&["JOIN", "LEFT JOIN"]);
            let (left, right) = (quote(&picked[0].name), quote(&joined.name));
            format!("SELECT {} FROM {from} a {join} {} b ON a.{left} = b.{right}", items.join(", "), other.spelled)
        }
        4 => format!("SELECT {} FROM {from} WHERE {}", items.join(", "), condition(dice, &named(&picked, ""))),
        _ => format!("SELECT {} FROM {from} ORDER BY 1 DESC LIMIT 10", items.join(", ")),
    };
    let how = dice.word(&["", "", "", "ALGORITHM=MERGE ", "ALGORITHM=TEMPTABLE ", "SQL SECURITY INVOKER "]);
    let check = if body.contains(" WHERE ") && !how.contains("TEMPTABLE") {
        dice.maybe(15, " WITH CASCADED CHECK OPTION")
    } else {
        ""
    };
    let mut view =
        Object::plain("view", &name, spelled.clone(), format!("CREATE {how}VIEW {spelled} AS {body}{check}"), uses);
    view.parts = parts;
    Some(view)
}

pub(crate) fn trigger(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let tables = world.of(&["table"]);
    let target = *dice.pick(&tables)?;
    let name = free_name(dice, world, name, "_trg")?;
    let columns: Vec<&Part> = target.columns();
    let picked = dice.some(&columns, 1);
    let mut uses = vec![target.key()];
    uses.extend(picked.iter().map(|part| target.part_key(&part.name)));
    let event = dice.word(&["INSERT", "UPDATE", "DELETE"]);
    let row = if event == "DELETE" { "OLD." } else { "NEW." };
    let (given, _) = value(dice, &named(&picked, row));
    let body = match dice.below(3) {
        0 => format!("SET @last = {given}"),
        1 => format!(
            "BEGIN\n  SET @n = 1;\n  IF {} THEN SET @n = 2; END IF;\nEND",
            condition(dice, &named(&picked, row))
        ),
        _ => "SET @n = 'a;b'".to_owned(),
    };
    let spelled = quote(&name);
    let timing = dice.word(&["BEFORE", "AFTER"]);
    let head = format!("CREATE TRIGGER {spelled} {timing} {event} ON {} FOR EACH ROW {body}", target.spelled);
    Some(Object::plain("trigger", &name, spelled, head, uses))
}

pub(crate) fn routine(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let name = free_name(dice, world, name, "_fn")?;
    let spelled = quote(&name);
    let more = dice.word(&[
        "DETERMINISTIC",
        "DETERMINISTIC NO SQL",
        "READS SQL DATA",
        "DETERMINISTIC SQL SECURITY INVOKER",
        "DETERMINISTIC COMMENT 'x;y'",
    ]);
    let head = match dice.below(3) {
        0 => format!(
            "CREATE FUNCTION {spelled}(a int, b varchar(20)) RETURNS varchar(50) {more} RETURN concat(a, b, '{}')",
            dice.below(3)
        ),
        1 => format!(
            "CREATE FUNCTION {spelled}(a int) RETURNS int {more} BEGIN DECLARE x int DEFAULT {}; RETURN a + x; END",
            dice.below(3)
        ),
        _ => format!(
            "CREATE PROCEDURE {spelled}(IN a int, OUT b int, INOUT c decimal(10,2)) {} BEGIN SET b = a; END",
            dice.word(&["", "COMMENT 'does'"])
        ),
    };
    Some(Object::plain("routine", &name, spelled, head, Vec::new()))
}

pub(crate) fn event(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let name = free_name(dice, world, name, "_evt")?;
    let spelled = quote(&name);
    let every = dice.word(&["1 DAY", "2 HOUR", "'1:30' MINUTE_SECOND"]);
    let more = dice.word(&["", " ON COMPLETION PRESERVE", " DISABLE", " ON COMPLETION PRESERVE DISABLE COMMENT 'x'"]);
    let head = format!(
        "CREATE EVENT {spelled} ON SCHEDULE EVERY {every} STARTS '2030-01-01 00:00:00'{more} DO SET @x = {}",
        dice.below(3)
    );
    Some(Object::plain("event", &name, spelled, head, Vec::new()))
}

pub(crate) fn sequence(dice: &mut Dice, flavour: Flavour, world: &World, name: Option<&str>) -> Option<Object> {
    if flavour == Flavour::MySql {
        return None;
    }
    let name = free_name(dice, world, name, "_seq")?;
    let spelled = quote(&name);
    let options = dice.word(&[
        "",
        " START WITH 100 INCREMENT BY 10",
        " MINVALUE 1 MAXVALUE 1000 CYCLE",
        " NOCACHE",
        " INCREMENT BY -1",
    ]);
    Some(Object::plain("sequence", &name, spelled.clone(), format!("CREATE SEQUENCE {spelled}{options}"), Vec::new()))
}
