//! What objects need, from the catalog's own edges.

use std::collections::{BTreeMap, BTreeSet};

use trueup_schema::Dependency;

use super::comments::Site;
use super::names::Names;
use super::raw::Raw;
use super::reader::Reader;
use crate::IntrospectError;

/// Mentions by what mentions them.
pub(super) fn dependencies(
    raw: &Raw,
    names: &Names<'_>,
) -> Result<BTreeMap<Site, BTreeSet<Dependency>>, IntrospectError> {
    let mut found: BTreeMap<Site, BTreeSet<Dependency>> = BTreeMap::new();
    for row in &raw.depends {
        let (from, to) = edge(&mut Reader::new(row, "dependencies"))?;
        let mentions = names.mention(to.0, to.1, to.2);
        if !mentions.is_empty() && from != to {
            found.entry(from).or_default().extend(mentions);
        }
    }
    Ok(found)
}

/// Mentions of things outside what was read, each once.
pub(super) fn unknown(raw: &Raw, names: &Names<'_>) -> Result<BTreeSet<Site>, IntrospectError> {
    let mut found = BTreeSet::new();
    for row in &raw.depends {
        let (_, to) = edge(&mut Reader::new(row, "dependencies"))?;
        if names.is_unknown(to.0, to.1) {
            found.insert(to);
        }
    }
    Ok(found)
}

fn edge(row: &mut Reader<'_>) -> Result<(Site, Site), IntrospectError> {
    Ok(((row.int()?, row.int()?, row.int()?), (row.int()?, row.int()?, row.int()?)))
}
