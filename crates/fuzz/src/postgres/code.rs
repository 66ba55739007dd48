//! Routines, triggers, policies, rules, and what else runs.

use crate::dice::Dice;
use crate::world::{Object, World};

use super::expressions::{condition, named};
use super::names::{place, quote};

pub(crate) fn function(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let (name, spelled, mut uses) = place(dice, world, name, "_fn")?;
    let volatility = dice.word(&["", " IMMUTABLE", " STABLE", " VOLATILE"]);
    let more = dice.word(&[
        "",
        "",
        " STRICT",
        " SECURITY DEFINER",
        " PARALLEL SAFE",
        " COST 7",
        " SET search_path TO 'public'",
        " LEAKPROOF",
    ]);
    let tables = world.of(&["table", "view"]);
    let mut signature = "(integer)".to_owned();
    let head = match dice.below(8) {
        0 => format!(
            "CREATE FUNCTION {spelled}(a integer DEFAULT 1) RETURNS integer LANGUAGE plpgsql{volatility}{more} AS $$ BEGIN RETURN a + 1; END $$"
        ),
        1 => format!(
            "CREATE FUNCTION {spelled}(a integer) RETURNS integer LANGUAGE sql{volatility}{more} RETURN a * {}",
            2 + dice.below(3)
        ),
        2 => format!(
            "CREATE FUNCTION {spelled}(a integer) RETURNS text LANGUAGE sql{volatility}{more} AS 'SELECT a::text || ''; x'''"
        ),
        3 if !tables.is_empty() => {
            let table = *dice.pick(&tables)?;
            uses.push(table.key());
            signature = "()".to_owned();
            format!(
                "CREATE FUNCTION {spelled}() RETURNS bigint LANGUAGE sql STABLE{more} BEGIN ATOMIC SELECT count(*) FROM {}; END",
                table.spelled
            )
        }
        4 if !tables.is_empty() => {
            let table = *dice.pick(&tables)?;
            uses.push(table.key());
            signature = "()".to_owned();
            format!(
                "CREATE FUNCTION {spelled}() RETURNS SETOF {table} LANGUAGE sql{volatility} ROWS 10 AS $$ SELECT * FROM {table} $$",
                table = table.spelled
            )
        }
        5 => {
            signature = "(text, integer[])".to_owned();
            format!(
                "CREATE FUNCTION {spelled}(name text, VARIADIC many integer[], OUT n integer, OUT t text) LANGUAGE plpgsql{more} AS $$ BEGIN n := 1; t := name; END $$"
            )
        }
        _ => format!(
            "CREATE FUNCTION {spelled}(a integer) RETURNS integer LANGUAGE sql{volatility}{more} AS $body$ SELECT a - {} $body$",
            dice.below(3)
        ),
    };
    let mut made = Object::plain("function", &name, spelled.clone(), head, uses);
    extras(dice, &mut made, "FUNCTION", &signature);
    Some(made)
}

fn extras(dice: &mut Dice, made: &mut Object, word: &str, signature: &str) {
    let spelled = made.spelled.clone();
    if dice.chance(15) {
        made.more.push(format!("COMMENT ON {word} {spelled}{signature} IS 'does; things'"));
    }
    if dice.chance(10) {
        made.more.push(format!("REVOKE EXECUTE ON {word} {spelled}{signature} FROM PUBLIC"));
    }
    if dice.chance(10) {
        made.more.push(format!("GRANT EXECUTE ON {word} {spelled}{signature} TO pg_monitor"));
    }
}

pub(crate) fn procedure(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let (name, spelled, uses) = place(dice, world, name, "_proc")?;
    let head = match dice.below(2) {
        0 => format!(
            "CREATE PROCEDURE {spelled}(INOUT a integer) LANGUAGE plpgsql AS $$ BEGIN a := {}; COMMIT; END $$",
            dice.below(5)
        ),
        _ => format!("CREATE PROCEDURE {spelled}(a integer) LANGUAGE sql AS 'SELECT 1'"),
    };
    let mut made = Object::plain("procedure", &name, spelled, head, uses);
    let signature = if made.head.contains("INOUT") { "(INOUT integer)" } else { "(integer)" };
    extras(dice, &mut made, "PROCEDURE", signature);
    Some(made)
}

pub(crate) fn aggregate(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let (name, spelled, uses) = place(dice, world, name, "_agg")?;
    let options = dice.word(&["", ", INITCOND = '0'", ", INITCOND = '7', PARALLEL = SAFE", ", COMBINEFUNC = int4pl"]);
    let head = format!("CREATE AGGREGATE {spelled}(integer) (SFUNC = int4pl, STYPE = integer{options})");
    let mut made = Object::plain("aggregate", &name, spelled, head, uses);
    extras(dice, &mut made, "AGGREGATE", "(integer)");
    Some(made)
}

pub(crate) fn trigger_function(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let (name, spelled, uses) = place(dice, world, name, "_tf")?;
    let body = dice.word(&["RETURN NEW;", "RETURN NULL;", "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW;"]);
    let head = format!("CREATE FUNCTION {spelled}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$");
    Some(Object::plain("trigger function", &name, spelled, head, uses))
}

pub(crate) fn trigger(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let functions = world.of(&["trigger function"]);
    let function = *dice.pick(&functions)?;
    let targets = world.of(&["table", "table", "table", "view"]);
    let target = *dice.pick(&targets)?;
    let name = name.map_or_else(|| format!("Trg {}", dice.below(100)), ToOwned::to_owned);
    let columns = target.columns();
    let picked = dice.some(&columns, 2);
    let mut uses = vec![target.key(), function.key()];
    uses.extend(picked.iter().map(|part| target.part_key(&part.name)));
    let list: Vec<String> = picked.iter().map(|part| quote(&part.name)).collect();
    let spelled = quote(&name);
    let event = match dice.below(5) {
        0 => "DELETE".to_owned(),
        1 if target.kind == "table" => format!("UPDATE OF {}", list.join(", ")),
        2 => "INSERT OR UPDATE".to_owned(),
        3 => "UPDATE".to_owned(),
        _ => "INSERT".to_owned(),
    };
    let call = format!("EXECUTE FUNCTION {}({})", function.spelled, dice.word(&["", "'a'", "'it''s', 'b'"]));
    let row = if event == "DELETE" { "OLD." } else { "NEW." };
    let when = if dice.chance(25) && target.kind == "table" && (event == "DELETE" || !event.contains("OR")) {
        format!(" WHEN ({})", condition(dice, &named(&picked, row)))
    } else {
        String::new()
    };
    let head = match (target.kind, dice.below(5)) {
        ("view", _) => format!("CREATE TRIGGER {spelled} INSTEAD OF {event} ON {} FOR EACH ROW {call}", target.spelled),
        (_, 0) => format!(
            "CREATE CONSTRAINT TRIGGER {spelled} AFTER {event} ON {} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW{when} {call}",
            target.spelled
        ),
        (_, 1) => format!(
            "CREATE TRIGGER {spelled} AFTER INSERT ON {} REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT {call}",
            target.spelled
        ),
        (_, 2) => format!("CREATE TRIGGER {spelled} AFTER {event} ON {} FOR EACH STATEMENT {call}", target.spelled),
        _ => format!(
            "CREATE TRIGGER {spelled} {} {event} ON {} FOR EACH ROW{when} {call}",
            dice.word(&["BEFORE", "AFTER"]),
            target.spelled
        ),
    };
    let mut made = Object::plain("trigger", &name, spelled.clone(), head, uses);
    if dice.chance(15) && target.kind == "table" {
        let how = dice.word(&["DISABLE", "ENABLE ALWAYS", "ENABLE REPLICA"]);
        made.more.push(format!("ALTER TABLE {} {how} TRIGGER {spelled}", target.spelled));
    }
    if dice.chance(15) {
        made.more.push(format!("COMMENT ON TRIGGER {spelled} ON {} IS 'fires'", target.spelled));
    }
    Some(made)
}

pub(crate) fn policy(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let tables = world.of(&["table"]);
    let table = *dice.pick(&tables)?;
    let name = name.map_or_else(|| format!("may {}", dice.below(100)), ToOwned::to_owned);
    let columns = table.columns();
    let picked = dice.some(&columns, 2);
    let mut uses = vec![table.key()];
    uses.extend(picked.iter().map(|part| table.part_key(&part.name)));
    let how = dice.word(&["", " AS RESTRICTIVE"]);
    let roles = dice.word(&["", " TO pg_monitor", " TO PUBLIC", " TO pg_monitor, pg_read_all_data"]);
    let using = condition(dice, &named(&picked, ""));
    let what = match dice.below(4) {
        0 => format!(" FOR SELECT{roles} USING ({using})"),
        1 => format!(" FOR INSERT{roles} WITH CHECK ({using})"),
        2 => format!(" FOR UPDATE{roles} USING ({using}) WITH CHECK (true)"),
        _ => format!("{roles} USING ({using})"),
    };
    let spelled = quote(&name);
    let head = format!("CREATE POLICY {spelled} ON {}{how}{what}", table.spelled);
    let mut made = Object::plain("policy", &name, spelled.clone(), head, uses);
    if dice.chance(15) {
        made.more.push(format!("COMMENT ON POLICY {spelled} ON {} IS 'who'", table.spelled));
    }
    Some(made)
}

pub(crate) fn rule(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let tables = world.of(&["table", "view"]);
    let table = *dice.pick(&tables)?;
    let name = name.map_or_else(|| format!("rule{}", dice.below(100)), ToOwned::to_owned);
    let event = dice.word(&["INSERT", "UPDATE", "DELETE"]);
    let spelled = quote(&name);
    let what = dice.word(&["INSTEAD NOTHING", "ALSO SELECT 1", "ALSO NOTIFY changed"]);
    let head = format!("CREATE RULE {spelled} AS ON {event} TO {} DO {what}", table.spelled);
    Some(Object::plain("rule", &name, spelled, head, vec![table.key()]))
}

pub(crate) fn publication(dice: &mut Dice, world: &World, name: Option<&str>) -> Option<Object> {
    let tables = world.of(&["table"]);
    let picked = dice.some(&tables, 2);
    let name = name.map_or_else(|| format!("pub{}", dice.below(10)), ToOwned::to_owned);
    let list: Vec<&str> = picked.iter().map(|table| table.spelled.as_str()).collect();
    let uses = picked.iter().map(|table| table.key()).collect();
    let options = dice.word(&["", " WITH (publish = 'insert, update')", " WITH (publish_via_partition_root = true)"]);
    let what = if list.is_empty() { "ALL TABLES".to_owned() } else { format!("TABLE {}", list.join(", ")) };
    let head = format!("CREATE PUBLICATION {} FOR {what}{options}", quote(&name));
    Some(Object::plain("publication", &name, quote(&name), head, uses))
}

pub(crate) fn other(dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object> {
    match kind {
        "event trigger" => {
            let name = name.map_or_else(|| format!("evt{}", dice.below(10)), ToOwned::to_owned);
            let event = dice.word(&["ddl_command_end", "sql_drop"]);
            let tags = dice.maybe(40, " WHEN TAG IN ('DROP TABLE', 'CREATE TABLE')");
            let function = format!("public.{name}_fn");
            let head = format!(
                "CREATE FUNCTION {function}() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; END $$"
            );
            let mut made = Object::plain("event trigger", &name, quote(&name), head, Vec::new());
            made.more.push(format!("CREATE EVENT TRIGGER {name} ON {event}{tags} EXECUTE FUNCTION {function}()"));
            Some(made)
        }
        "collation" => {
            let (name, spelled, uses) = place(dice, world, name, "_coll")?;
            let from = dice.word(&["(LOCALE = 'C')", "FROM \"C\"", "(LC_COLLATE = 'C', LC_CTYPE = 'POSIX')"]);
            Some(Object::plain("collation", &name, spelled.clone(), format!("CREATE COLLATION {spelled} {from}"), uses))
        }
        _ => {
            let enums = world.of(&["enum"]);
            let source = *dice.pick(&enums)?;
            let name = format!("cast {}", source.name);
            let function = format!("public.enum_to_int_{}", dice.below(1000));
            let head = format!(
                "CREATE FUNCTION {function}({}) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1'",
                source.spelled
            );
            let mut made = Object::plain("cast", &name, name.clone(), head, vec![source.key()]);
            let how = dice.word(&["", " AS ASSIGNMENT"]);
            made.more.push(format!(
                "CREATE CAST ({source} AS integer) WITH FUNCTION {function}({source}){how}",
                source = source.spelled
            ));
            Some(made)
        }
    }
}
