//! How a table is spelled out where that means nothing.

use std::collections::BTreeMap;

use trueup_dialect::mysql;
use trueup_schema::{ConstraintKind, DialectId, Ident, KEY_BLOCK_SIZE, SPELLED, Spelling, Table};

use super::shown::{Shown, ShownKey};

/// What the definition that the server printed spells out of `table`.
#[must_use]
pub fn spelling_of(table: &Table, definition: &str, dialect: DialectId) -> Spelling {
    spelling(table, &Shown::read(&mysql::tokens(definition)), dialect)
}

/// The same, of one that was read.
pub(super) fn spelling(table: &Table, shown: &Shown, dialect: DialectId) -> Spelling {
    let fold = |name: &Ident| name.as_str().to_lowercase();
    let said = |name: &str, method: Option<&String>| {
        shown.keys.get(name).map(|key| key_words(key, method)).unwrap_or_default()
    };
    let primary = table.constraints.iter().find(|each| matches!(each.kind, ConstraintKind::PrimaryKey(_)));
    let indexes = table.indexes.iter().map(|index| (index, said(&fold(&index.name), index.method.as_ref())));
    // MariaDB keeps no memory of a character set that is the table's.
    let keeps_charsets = dialect == DialectId::MySql;
    let columns = table.columns.iter().filter(|column| keeps_charsets && shown.charsets.contains(&fold(&column.name)));
    Spelling {
        columns: columns.map(|column| column.name.clone()).collect(),
        primary_key: primary.map(|key| said("primary", key.parameters.get("using"))).unwrap_or_default(),
        indexes: indexes.filter(|(_, said)| !said.is_empty()).map(|(index, said)| (index.name.clone(), said)).collect(),
    }
}

fn key_words(key: &ShownKey, method: Option<&String>) -> BTreeMap<String, String> {
    let using = key.using.as_ref().filter(|word| Some(*word) != method).map(|word| (SPELLED, word));
    let size = key.options.get(KEY_BLOCK_SIZE).map(|size| (KEY_BLOCK_SIZE, size));
    using.into_iter().chain(size).map(|(name, value)| (name.to_owned(), value.clone())).collect()
}
