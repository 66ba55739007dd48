//! What objects need, from the catalog's own edges.

use std::collections::{BTreeMap, BTreeSet};

use trueup_schema::Dependency;
use trueup_session::Row;

use super::comments::Site;
use super::names::Names;
use super::raw::Raw;
use super::reader::Reader;
use crate::IntrospectError;

/// Mentions by what mentions them.
pub(super) fn dependencies(raw: &Raw, names: &Names<'_>) -> BTreeMap<Site, Vec<Dependency>> {
    let mut found: BTreeMap<Site, Vec<Dependency>> = BTreeMap::new();
    for (from, to) in &raw.depends {
        let mentions = names.mention(to.0, to.1, to.2);
        if !mentions.is_empty() && from != to {
            found.entry(*from).or_default().extend(mentions);
        }
    }
    for mentions in found.values_mut() {
        mentions.sort();
        mentions.dedup();
        mentions.shrink_to_fit();
    }
    found
}

/// Mentions of things outside what was read, each once.
pub(super) fn unknown(raw: &Raw, names: &Names<'_>) -> BTreeSet<Site> {
    raw.depends.iter().map(|(_, to)| *to).filter(|to| names.is_unknown(to.0, to.1)).collect()
}

/// What mentions what, of rows of which there are more than of anything else.
pub(super) fn edges(rows: &[Row]) -> Result<Vec<(Site, Site)>, IntrospectError> {
    let edge = |row| {
        let mut row = Reader::new(row, "dependencies");
        Ok(((row.int()?, row.int()?, row.int()?), (row.int()?, row.int()?, row.int()?)))
    };
    rows.iter().map(edge).collect()
}
