//! Sequences, those behind identities included.

use trueup_plan::Statement;
use trueup_schema::{DialectId, PartId, QualName, Sequence, SequenceOptions};

use super::words::{Rendered, run};
use crate::sql::{Sql, literal};

/// Without its owner: that is tied once the owning column exists, by a change of its own.
pub(super) fn create(sequence: &Sequence) -> Rendered {
    let word = if sequence.unlogged { "CREATE UNLOGGED SEQUENCE" } else { "CREATE SEQUENCE" };
    let mut sql = Sql::new(word).qualified(&sequence.name);
    if let Some(data_type) = &sequence.options.data_type {
        sql = sql.words("AS").words(data_type.clone());
    }
    for option in options(&sequence.options) {
        sql = sql.then(option);
    }
    Ok(vec![run(&sql)])
}

/// A column's sequence goes alone when the column counts by another one from now on: its position is kept for that one.
pub(super) fn drop(sequence: &Sequence) -> Rendered {
    let drop = run(&Sql::new("DROP SEQUENCE").qualified(&sequence.name));
    let Some(owner) = &sequence.owned_by else { return Ok(vec![drop]) };
    let next = format!(
        "SELECT set_config({}, coalesce((SELECT last_value::text FROM {} WHERE is_called), ''), true)",
        literal(&position_setting(owner)),
        sequence.name.quoted(DialectId::Postgres)
    );
    Ok(vec![Statement::run(next), drop])
}

/// Goes on counting where the sequence left off that was dropped for it, if one was.
pub(super) fn resume(owner: &PartId) -> Statement {
    let setting = literal(&position_setting(owner));
    let table = literal(&owner.table.quoted(DialectId::Postgres));
    let column = literal(owner.name.as_str());
    Statement::run(format!(
        "SELECT setval(pg_get_serial_sequence({table}, {column}), current_setting({setting}, true)::bigint) \
         WHERE current_setting({setting}, true) <> ''"
    ))
}

/// The name of a setting that lives as long as the transaction.
fn position_setting(owner: &PartId) -> String {
    format!("trueup.position_{:016x}", trueup_schema::fnv1a64(owner.to_string().as_bytes()))
}

pub(super) fn alter(before: &Sequence, after: &Sequence) -> Rendered {
    let alter = || Sql::new("ALTER SEQUENCE").qualified(&after.name);
    let (was, becomes) = (&before.options, &after.options);
    let mut parts = vec![Vec::new(), option_changes(was, becomes)];
    if was.data_type != becomes.data_type {
        parts[0].push(Sql::new("AS").words(becomes.data_type.clone().unwrap_or_else(|| "bigint".to_owned())));
    }
    if was.counts_down() == becomes.counts_down() {
        parts = vec![parts.concat()];
    } else if width(becomes) < width(was) {
        // in one statement the server would choose the new type's bounds for the old way of counting; they must fit both types
        parts.reverse();
    }
    let parts = parts.into_iter().filter(|changes| !changes.is_empty());
    let mut statements: Vec<Statement> = catch_up(before, after).into_iter().collect();
    statements.extend(parts.map(|changes| run(&changes.into_iter().fold(alter(), Sql::then))));
    if before.unlogged != after.unlogged {
        statements.push(run(&alter().words(if after.unlogged { "SET UNLOGGED" } else { "SET LOGGED" })));
    }
    Ok(statements)
}

/// How wide the type is, in bytes.
fn width(options: &SequenceOptions) -> u8 {
    match options.data_type.as_deref() {
        Some("smallint") => 2,
        Some("integer") => 4,
        _ => 8,
    }
}

/// Remembers where an identity is, for the sequence that its column counts by from now on.
pub(super) fn keep_position(owner: &PartId) -> Statement {
    let table = literal(&owner.table.quoted(DialectId::Postgres));
    let column = literal(owner.name.as_str());
    let setting = literal(&position_setting(owner));
    Statement::run(format!(
        "SELECT set_config({setting}, \
         coalesce(pg_sequence_last_value(pg_get_serial_sequence({table}, {column})::regclass)::text, ''), true)"
    ))
}

pub(super) fn set_owner(name: &QualName, after: Option<&PartId>, resumes: bool) -> Rendered {
    let sql = Sql::new("ALTER SEQUENCE").qualified(name).words("OWNED BY");
    Ok(match after {
        Some(column) => {
            let mut statements = vec![run(&sql.words(super::comment::column_path(column)))];
            statements.extend(resumes.then(|| resume(column)));
            statements
        }
        None => vec![run(&sql.words("NONE"))],
    })
}

/// The options that are not the engine's own choice.
pub(super) fn options(options: &SequenceOptions) -> Vec<Sql> {
    differing(&SequenceOptions { data_type: options.data_type.clone(), ..SequenceOptions::default() }, options)
}

/// What turns one set of options into another, the type aside. What counts the other way from now on begins again, between the bounds
/// that the engine chooses for that way.
pub(super) fn option_changes(before: &SequenceOptions, after: &SequenceOptions) -> Vec<Sql> {
    if before.counts_down() == after.counts_down() {
        return differing(before, after);
    }
    let start = Some(starts(after));
    let unset = SequenceOptions { min: None, max: None, start, ..before.clone() };
    let wanted = SequenceOptions { min: None, max: None, start, ..after.clone() };
    let mut changes = differing(&unset, &wanted);
    changes.push(after.min.map_or_else(|| Sql::new("NO MINVALUE"), |value| number("MINVALUE", value)));
    changes.push(after.max.map_or_else(|| Sql::new("NO MAXVALUE"), |value| number("MAXVALUE", value)));
    changes.push(number("START WITH", starts(after)));
    changes.push(Sql::new("RESTART"));
    changes
}

fn number(words: &'static str, value: i64) -> Sql {
    Sql::new(words).words(value.to_string())
}

/// The options that differ. A value that goes is set to what the engine would have chosen.
fn differing(before: &SequenceOptions, after: &SequenceOptions) -> Vec<Sql> {
    let mut changes = Vec::new();
    if before.increment != after.increment {
        changes.push(number("INCREMENT BY", after.increment.unwrap_or(1)));
    }
    if before.min != after.min {
        changes.push(after.min.map_or_else(|| Sql::new("NO MINVALUE"), |value| number("MINVALUE", value)));
    }
    if before.max != after.max {
        changes.push(after.max.map_or_else(|| Sql::new("NO MAXVALUE"), |value| number("MAXVALUE", value)));
    }
    if starts(before) != starts(after) {
        changes.push(number("START WITH", starts(after)));
    }
    if before.cache != after.cache {
        changes.push(number("CACHE", after.cache.unwrap_or(1)));
    }
    if before.cycle != after.cycle {
        changes.push(Sql::new(if after.cycle { "CYCLE" } else { "NO CYCLE" }));
    }
    changes
}

/// Where it starts: if nothing is said, an ascending one at its least value, a descending one at its greatest.
fn starts(options: &SequenceOptions) -> i64 {
    let default = if options.counts_down() { options.max.unwrap_or(-1) } else { options.min.unwrap_or(1) };
    options.start.unwrap_or(default)
}

/// Where the bound that it starts from moves past where it is, it goes on from that bound. The server refuses to have it outside.
fn catch_up(before: &Sequence, after: &Sequence) -> Option<Statement> {
    let (was, becomes) = (&before.options, &after.options);
    let (sign, bound, moves) = match becomes.counts_down() {
        false => ("<", becomes.min.unwrap_or(1), becomes.min.unwrap_or(1) > was.min.unwrap_or(1)),
        true => (">", becomes.max.unwrap_or(-1), becomes.max.unwrap_or(-1) < was.max.unwrap_or(-1)),
    };
    let name = after.name.quoted(DialectId::Postgres);
    let moves = moves && was.counts_down() == becomes.counts_down();
    moves.then(|| {
        let text = literal(&name);
        Statement::run(format!("SELECT setval({text}, {bound}, false) FROM {name} WHERE last_value {sign} {bound}"))
    })
}
