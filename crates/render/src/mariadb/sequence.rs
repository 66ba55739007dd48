//! Sequences.

use trueup_schema::SequenceOptions;

use crate::mysql::{Rendered, SequenceChange, run, unsupported};
use crate::sql::Sql;

/// What the server takes for CACHE where nothing is said.
const CACHE: i64 = 1000;

pub(super) fn change(change: SequenceChange<'_>) -> Rendered {
    let sequence = change.sequence();
    if sequence.unlogged || sequence.owned_by.is_some() {
        let why = "sequences have no owner, and are written like other tables";
        return Err(unsupported(&super::MARIADB, &sequence.name, why));
    }
    let sql = match change {
        SequenceChange::Create(it) => {
            let mut sql = Sql::new("CREATE SEQUENCE").qualified(&it.name);
            if let Some(data_type) = &it.options.data_type {
                sql = sql.words("AS").words(data_type.clone());
            }
            let default = SequenceOptions { data_type: it.options.data_type.clone(), ..SequenceOptions::default() };
            options(&default, &it.options, false).into_iter().fold(sql, Sql::then)
        }
        SequenceChange::Alter(before, after) => {
            let mut sql = Sql::new("ALTER SEQUENCE").qualified(&after.name);
            if before.options.data_type != after.options.data_type {
                let data_type = after.options.data_type.clone().unwrap_or_else(|| "bigint".to_owned());
                sql = sql.words("AS").words(data_type);
            }
            let actions = options(&before.options, &after.options, true);
            actions.into_iter().fold(sql, Sql::then)
        }
        SequenceChange::Drop(it) => Sql::new("DROP SEQUENCE").qualified(&it.name),
    };
    Ok(vec![run(&sql)])
}

/// What turns one set of options into the other. What is no longer said is set to the server's own choice; so are the bounds of a
/// sequence that turns.
fn options(before: &SequenceOptions, after: &SequenceOptions, is_change: bool) -> Vec<Sql> {
    let number = |words: &'static str, value: i64| Sql::new(words).words(value.to_string());
    let turns = is_change && before.counts_down() != after.counts_down();
    let mut list = Vec::new();
    if turns || before.start != after.start || before.min != after.min || before.max != after.max {
        list.push(number("START WITH", after.start.unwrap_or_else(|| start(after))));
    }
    // A sequence that turns downwards is still held to the bounds of one that counts up, unless it is told its own.
    let own = if turns && after.counts_down() { least(after).map(|least| (least, -1)) } else { None };
    if turns || before.min != after.min {
        let least = after.min.or(own.map(|(least, _)| least));
        list.push(least.map_or_else(|| Sql::new("NO MINVALUE"), |value| number("MINVALUE", value)));
    }
    if turns || before.max != after.max {
        let greatest = after.max.or(own.map(|(_, greatest)| greatest));
        list.push(greatest.map_or_else(|| Sql::new("NO MAXVALUE"), |value| number("MAXVALUE", value)));
    }
    if before.increment != after.increment {
        list.push(number("INCREMENT BY", after.increment.unwrap_or(1)));
    }
    if before.cache != after.cache {
        list.push(match after.cache {
            Some(0) => Sql::new("NOCACHE"),
            size => number("CACHE", size.unwrap_or(CACHE)),
        });
    }
    if before.cycle != after.cycle {
        list.push(Sql::new(if after.cycle { "CYCLE" } else { "NOCYCLE" }));
    }
    if turns {
        // what counts the other way from now on begins again
        list.push(Sql::new("RESTART"));
    }
    list
}

/// The server's own choice of a least value: the first that the type holds stands for none left.
fn least(options: &SequenceOptions) -> Option<i64> {
    let name = options.data_type.as_deref().unwrap_or("bigint").to_ascii_lowercase();
    let bits = match name.split(['(', ' ']).next().unwrap_or_default() {
        _ if name.contains("unsigned") => return None,
        "tinyint" => 7,
        "smallint" => 15,
        "mediumint" => 23,
        "int" | "integer" => 31,
        _ => return Some(-i64::MAX),
    };
    Some(1 - (1_i64 << bits))
}

/// An ascending sequence starts at its least value, a descending one at its greatest.
fn start(options: &SequenceOptions) -> i64 {
    if options.increment.unwrap_or(1) > 0 { options.min.unwrap_or(1) } else { options.max.unwrap_or(-1) }
}
