//! Views and materialized views.

use trueup_schema::{Column, DataType, Parameters, View, ViewColumn};

use super::words::{Rendered, option_actions, parameters, run, unsupported};
use super::{column, index};
use crate::RenderError;
use crate::sql::Sql;

/// The view, the defaults of its columns, its indexes.
pub(super) fn create(view: &View) -> Rendered {
    let mut statements = vec![run(&definition(view, false)?)];
    for column in view.columns.iter().filter(|column| column.default.is_some()) {
        let alter = Sql::new("ALTER VIEW").qualified(&view.name).words("ALTER COLUMN").name(&column.name);
        if let Some(default) = &column.default {
            statements.push(run(&alter.words("SET DEFAULT").expr(default)));
        }
    }
    for column in &view.columns {
        statements.extend(attributes(view, &Parameters::new(), column)?);
    }
    for it in &view.indexes {
        statements.extend(index::create(&view.name, it)?);
    }
    Ok(statements)
}

pub(super) fn drop(view: &View) -> Rendered {
    Ok(vec![run(&Sql::new("DROP").words(word(view)).qualified(&view.name))])
}

/// Replacing puts the options as well: those that are not said are reset.
pub(super) fn replace(after: &View) -> Rendered {
    if after.materialized {
        return Err(unsupported(&after.name, "the query of a materialized view cannot be replaced"));
    }
    Ok(vec![run(&definition(after, true)?)])
}

pub(super) fn alter(before: &View, after: &View) -> Rendered {
    if before.materialized != after.materialized {
        return Err(unsupported(&after.name, "a view stays materialized or not"));
    }
    let head = || Sql::new("ALTER").words(word(after)).qualified(&after.name);
    let mut statements = Vec::new();
    // ALTER VIEW takes one action at a time.
    for action in option_actions(&before.options, &after.options)? {
        statements.push(run(&head().then(action)));
    }
    for column in &after.columns {
        let plain = ViewColumn::new(column.name.clone());
        let was = before.columns.iter().find(|it| it.name == column.name).unwrap_or(&plain);
        statements.extend(attributes(after, &was.attributes, column)?);
        if was.default == column.default {
            continue;
        }
        let alter = head().words("ALTER COLUMN").name(&column.name);
        statements.push(run(&match &column.default {
            Some(default) => alter.words("SET DEFAULT").expr(default),
            None => alter.words("DROP DEFAULT"),
        }));
    }
    Ok(statements)
}

/// Storage, compression, statistics of a column that a materialized view stores.
fn attributes(view: &View, before: &Parameters, after: &ViewColumn) -> Rendered {
    let mut column = Column::new(after.name.clone(), DataType::builtin(&after.data_type));
    column.attributes = after.attributes.clone();
    let head = || Sql::new("ALTER").words(word(view)).qualified(&view.name);
    Ok(column::attributes(before, &column)?.into_iter().map(|action| run(&head().then(action))).collect())
}

/// What SQL calls it.
pub(super) const fn word(view: &View) -> &'static str {
    if view.materialized { "MATERIALIZED VIEW" } else { "VIEW" }
}

/// The column list is written wherever it is known: then the names hold whatever the query says.
fn definition(view: &View, replace: bool) -> Result<Sql, RenderError> {
    let head = if replace { "CREATE OR REPLACE" } else { "CREATE" };
    let mut sql = Sql::new(head).words(word(view)).qualified(&view.name);
    if !view.columns.is_empty() {
        sql = sql.names(view.columns.iter().map(|column| &column.name));
    }
    if !view.options.is_empty() {
        sql = parameters(sql.words("WITH"), &view.options)?;
    }
    sql = sql.words("AS").expr(&view.query);
    Ok(sql.words_if(view.materialized && !view.populated, "WITH NO DATA"))
}
