//! Sequences: those that stand alone or belong to a column, and those behind identities.

use std::collections::BTreeMap;

use trueup_schema::{PartId, QualName, Sequence, SequenceOptions};

use super::build::Context;
use super::reader::Reader;
use super::relations::Relation;
use crate::IntrospectError;

/// A sequence's own entry.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) name: QualName,
    pub(super) type_text: &'a str,
    /// What differs from the defaults of its type and direction.
    pub(super) options: SequenceOptions,
    /// The column that it belongs to, by numbers.
    owner: Option<(i64, i64)>,
    is_identity: bool,
}

/// Every sequence by number.
pub(super) fn entries<'a>(
    raw: &'a super::raw::Raw,
    names: &super::names::Names<'_>,
) -> Result<BTreeMap<i64, Entry<'a>>, IntrospectError> {
    let mut found = BTreeMap::new();
    for row in &raw.sequences {
        let mut row = Reader::new(row, "sequences");
        let oid = row.int()?;
        let type_text = row.text()?;
        let numbers = [row.int()?, row.int()?, row.int()?, row.int()?, row.int()?];
        let cycle = row.flag()?;
        let owner = row.int_or_null()?.zip(row.int_or_null()?);
        let is_identity = row.text_or_null()? == Some("i");
        let Some(name) = names.relation(oid).cloned() else { continue };
        let options = options(type_text, numbers, cycle);
        found.insert(oid, Entry { name, type_text, options, owner, is_identity });
    }
    Ok(found)
}

/// Sequences behind identities, taken out of `entries`, by table and column.
pub(super) fn identities<'a>(entries: &mut BTreeMap<i64, Entry<'a>>) -> BTreeMap<(i64, i64), Entry<'a>> {
    let (identities, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
        std::mem::take(entries).into_iter().partition(|(_, entry)| entry.is_identity);
    *entries = rest;
    identities.into_values().filter_map(|entry| entry.owner.map(|owner| (owner, entry))).collect()
}

/// `start`, `increment`, `min`, `max` and `cache`, where they are not the default.
fn options(type_text: &str, [start, increment, min, max, cache]: [i64; 5], cycle: bool) -> SequenceOptions {
    let (lowest, highest) = match type_text {
        "smallint" => (i64::from(i16::MIN), i64::from(i16::MAX)),
        "integer" => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    let (default_min, default_max) = if increment > 0 { (1, highest) } else { (lowest, -1) };
    let default_start = if increment > 0 { min } else { max };
    let other = |value: i64, default: i64| (value != default).then_some(value);
    SequenceOptions {
        data_type: (type_text != "bigint").then(|| type_text.to_owned()),
        start: other(start, default_start),
        increment: other(increment, 1),
        min: other(min, default_min),
        max: other(max, default_max),
        cache: other(cache, 1),
        cycle,
    }
}

/// A sequence that is no identity's.
pub(super) fn sequence(
    context: &Context<'_>,
    relation: &Relation<'_>,
    entry: &Entry<'_>,
) -> Result<Sequence, IntrospectError> {
    let owned_by = entry.owner.and_then(|(table, column)| {
        let table_name = context.names.relation(table)?.clone();
        Some(PartId { table: table_name, name: context.names.column(table, column)?.clone() })
    });
    Ok(Sequence {
        name: entry.name.clone(),
        options: entry.options.clone(),
        unlogged: relation.persistence == "u",
        owned_by,
        common: relation.common(context)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_every_type_and_direction_are_left_out() {
        let max = i64::MAX;
        assert_eq!(options("bigint", [1, 1, 1, max, 1], false), SequenceOptions::default());
        let small = options("smallint", [1, 1, 1, 32767, 1], false);
        assert_eq!(small, SequenceOptions { data_type: Some("smallint".to_owned()), ..SequenceOptions::default() });
        let down = options("bigint", [-1, -1, i64::MIN, -1, 1], false);
        assert_eq!(down, SequenceOptions { increment: Some(-1), ..SequenceOptions::default() });
        let odd = options("bigint", [10, 5, 2, 100, 20], true);
        assert_eq!((odd.start, odd.increment, odd.min, odd.max), (Some(10), Some(5), Some(2), Some(100)));
        assert_eq!((odd.cache, odd.cycle), (Some(20), true));
    }
}
