//! Options of tables.

use trueup_schema::Parameters;

use trueup_schema::Table;

use super::flavour::Flavour;
use super::words::{literal, unsupported, word};
use crate::RenderError;
use crate::sql::Sql;

/// Options whose values are texts.
const TEXTS: [&str; 6] = [
    "compression",
    "connection",
    "data_directory",
    "engine_attribute",
    "index_directory",
    "secondary_engine_attribute",
];

/// Options that an engine brings along (MariaDB); any other refuses to hear of them.
pub(super) const OF_ONE_ENGINE: [&str; 4] =
    ["encrypted", "encryption_key_id", "page_compressed", "page_compression_level"];

/// The options of a new table, engine and character set first.
pub(super) fn of_new(flavour: &Flavour, table: &Table) -> Result<Vec<Sql>, RenderError> {
    refuse_others(flavour, table)?;
    let mut list = changes(flavour, &Parameters::new(), &table.options.parameters)?;
    list.extend(table.common.comment.as_deref().map(comment));
    Ok(list)
}

/// The comment of a table; an empty one is none.
pub(super) fn comment(text: &str) -> Sql {
    Sql::new(format!("COMMENT={}", literal(text)))
}

/// Options to say so that `before` becomes `after`.
pub(super) fn changes(flavour: &Flavour, before: &Parameters, after: &Parameters) -> Result<Vec<Sql>, RenderError> {
    let differs = |name: &str| before.get(name) != after.get(name);
    let mut list = Vec::new();
    if let Some(engine) = after.get("engine").filter(|_| differs("engine")) {
        list.push(Sql::new(format!("ENGINE={}", word(flavour, engine)?)));
    }
    // A character set alone would bring its default collation.
    if differs("charset") || differs("collation") {
        if let Some(charset) = after.get("charset") {
            list.push(Sql::new(format!("DEFAULT CHARSET={}", word(flavour, charset)?)));
        }
        if let Some(collation) = after.get("collation") {
            list.push(Sql::new(format!("COLLATE={}", word(flavour, collation)?)));
        }
    }
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        if matches!(name.as_str(), "engine" | "charset" | "collation") || !differs(name) {
            continue;
        }
        list.push(option(flavour, name, after.get(name))?);
    }
    Ok(list)
}

/// One option as it is set, or set back.
pub(super) fn option(flavour: &Flavour, name: &str, value: Option<&String>) -> Result<Sql, RenderError> {
    let shown = match name {
        "data_directory" | "index_directory" => name.replace('_', " "),
        _ => word(flavour, name)?,
    };
    let value = match value {
        Some(text) if TEXTS.contains(&name) => literal(text),
        Some(text) if word(flavour, text).is_ok() => text.clone(),
        Some(text) => literal(text),
        None => default(name).to_owned(),
    };
    Ok(Sql::new(format!("{}={value}", shown.to_ascii_uppercase())))
}

/// What an option is set to so that it is as if nobody had said it.
fn default(name: &str) -> &'static str {
    match name {
        "key_block_size" | "max_rows" | "min_rows" | "avg_row_length" | "checksum" | "table_checksum"
        | "delay_key_write" => "0",
        "compression" | "connection" | "engine_attribute" | "secondary_engine_attribute" => "''",
        "secondary_engine" => "NULL",
        "encryption" => "'N'",
        "insert_method" => "NO",
        _ => "DEFAULT",
    }
}

/// What tables of other engines have.
pub(super) fn refuse_others(flavour: &Flavour, table: &Table) -> Result<(), RenderError> {
    let options = &table.options;
    let foreign = options.unlogged
        || options.strict
        || options.without_rowid
        || options.access_method.is_some()
        || options.replica_identity.is_some()
        || !table.inherits.is_empty()
        || table.partition_of.is_some()
        || table.kind != trueup_schema::TableKind::Ordinary;
    if foreign { Err(unsupported(flavour, &table.name, "it has options of another engine")) } else { Ok(()) }
}
