//! Comments by what they are on.

use std::collections::BTreeMap;

use super::raw::Raw;
use super::reader::Reader;
use crate::IntrospectError;

/// Class, number and part of what is commented on.
pub(super) type Site = (i64, i64, i64);

/// Every comment.
pub(super) fn comments(raw: &Raw) -> Result<BTreeMap<Site, &str>, IntrospectError> {
    let mut found = BTreeMap::new();
    for row in &raw.comments {
        let mut row = Reader::new(row, "comments");
        let site = (row.int()?, row.int()?, row.int()?);
        found.insert(site, row.text()?);
    }
    Ok(found)
}
