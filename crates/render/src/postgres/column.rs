//! Columns: how they are defined and the actions that change them.

use trueup_schema::Parameters;

use sea_query::{Alias, ColumnDef};
use trueup_dialect::NameKind;
use trueup_dialect::postgres::Postgres;
use trueup_schema::{Column, DataType, Generated, Ident, Identity, QualName};

use super::sequence;
use super::words::{Rendered, collate, run, text, type_sql, unsupported};
use crate::RenderError;
use crate::sql::{Sql, expr, iden};

/// The definition in CREATE TABLE and ADD COLUMN. What only an ALTER takes is in [`attributes`].
pub(super) fn definition(table: &QualName, column: &Column) -> ColumnDef {
    let mut sql = collate(Sql::default(), column.collation.as_ref());
    if let Some(default) = &column.default {
        sql = sql.words("DEFAULT").expr(default);
    }
    if let Some(generated) = &column.generated {
        sql = sql.then(self::generated(generated));
    }
    if let Some(identity) = &column.identity {
        sql = sql.then(self::identity(identity));
    }
    sql = not_null(sql, table, column);
    let mut definition = ColumnDef::new(iden(&column.name));
    definition.custom(Alias::new(type_sql(&column.data_type)));
    let rest = text(&sql);
    if !rest.is_empty() {
        definition.extra(rest);
    }
    definition
}

fn not_null(sql: Sql, table: &QualName, column: &Column) -> Sql {
    match own_name(table, column) {
        _ if !column.not_null => sql,
        Some(name) => sql.words("CONSTRAINT").name(&name).words("NOT NULL"),
        None => sql.words("NOT NULL"),
    }
}

/// The name of its NOT NULL, where the server would choose another.
fn own_name(table: &QualName, column: &Column) -> Option<Ident> {
    let name = Ident::new(column.not_null_clause.as_ref()?).ok()?;
    let chosen = Postgres::chosen_name(NameKind::NotNull, &table.name, std::slice::from_ref(&column.name));
    (chosen.as_ref() != Some(&name)).then_some(name)
}

fn generated(generated: &Generated) -> Sql {
    let word = if generated.stored { "STORED" } else { "VIRTUAL" };
    Sql::new("GENERATED ALWAYS AS").parenthesised(&generated.expr).words(word)
}

fn identity(identity: &Identity) -> Sql {
    let sql = Sql::new("GENERATED").words(when(identity)).words("AS IDENTITY");
    let mut options = Vec::new();
    if let Some(name) = &identity.sequence {
        options.push(Sql::new("SEQUENCE NAME").qualified(name));
    }
    options.extend(sequence::options(&identity.options));
    match options.into_iter().reduce(Sql::then) {
        Some(options) => sql.list([options]),
        None => sql,
    }
}

const fn when(identity: &Identity) -> &'static str {
    if identity.always { "ALWAYS" } else { "BY DEFAULT" }
}

fn alter(column: &Column) -> Sql {
    Sql::new("ALTER COLUMN").name(&column.name)
}

pub(super) fn set_type(after: &Column, using: Option<&trueup_schema::SqlExpr>) -> Sql {
    let sql = collate(alter(after).words("TYPE").words(type_sql(&after.data_type)), after.collation.as_ref());
    match using {
        Some(using) => sql.words("USING").expr(using),
        None => sql,
    }
}

pub(super) fn set_default(after: &Column) -> Sql {
    match &after.default {
        Some(default) => alter(after).words("SET DEFAULT").expr(default),
        None => alter(after).words("DROP DEFAULT"),
    }
}

/// A NOT NULL with a name of its own is a constraint; the others are known by their column.
pub(super) fn set_not_null(table: &QualName, after: &Column) -> Sql {
    match own_name(table, after) {
        Some(name) => Sql::new("ADD CONSTRAINT").name(&name).words("NOT NULL").name(&after.name),
        None => alter(after).words("SET NOT NULL"),
    }
}

/// The rule stays and gets another name.
pub(super) fn rename_not_null(table: &QualName, before: &Column, after: &Column) -> Rendered {
    let (was, becomes) = (not_null_name(table, before)?, not_null_name(table, after)?);
    let sql = Sql::new("ALTER TABLE").qualified(table).words("RENAME CONSTRAINT").name(&was);
    Ok(if was == becomes { Vec::new() } else { vec![run(&sql.words("TO").name(&becomes))] })
}

fn not_null_name(table: &QualName, column: &Column) -> Result<Ident, RenderError> {
    match &column.not_null_clause {
        Some(name) => super::words::ident(name),
        None => Postgres::chosen_name(NameKind::NotNull, &table.name, std::slice::from_ref(&column.name))
            .ok_or_else(|| unsupported(&column.name, "its NOT NULL has no name")),
    }
}

pub(super) fn drop_not_null(after: &Column) -> Sql {
    alter(after).words("DROP NOT NULL")
}

/// The position of the sequence is never touched.
pub(super) fn set_identity(before: &Column, after: &Column) -> Result<Vec<Sql>, RenderError> {
    match (&before.identity, &after.identity) {
        (None, Some(becomes)) => Ok(vec![alter(after).words("ADD").then(identity(becomes))]),
        (Some(_), None) => Ok(vec![alter(after).words("DROP IDENTITY")]),
        (Some(was), Some(becomes)) => {
            if was.sequence != becomes.sequence {
                return Err(unsupported(&after.name, "the sequence of an identity keeps its name"));
            }
            let mut sql = alter(after);
            if was.always != becomes.always {
                sql = sql.words("SET GENERATED").words(when(becomes));
            }
            for option in sequence::option_changes(&was.options, &becomes.options) {
                sql = sql.words("SET").then(option);
            }
            Ok(if was.always == becomes.always && was.options == becomes.options { Vec::new() } else { vec![sql] })
        }
        (None, None) => Err(unsupported(&after.name, "columns count up by identity alone")),
    }
}

pub(super) fn set_generated(before: &Column, after: &Column) -> Result<Sql, RenderError> {
    match (&before.generated, &after.generated) {
        (Some(_), None) => Ok(alter(after).words("DROP EXPRESSION")),
        (Some(was), Some(becomes)) if was.stored == becomes.stored => {
            Ok(alter(after).words("SET EXPRESSION AS").parenthesised(&becomes.expr))
        }
        (Some(_), Some(_)) => Err(unsupported(&after.name, "a generated column stays stored or virtual")),
        (None, _) => Err(unsupported(&after.name, "a plain column cannot become a generated one")),
    }
}

/// Actions for what CREATE TABLE does not take: storage, compression, statistics.
pub(super) fn attributes(before: &Parameters, after: &Column) -> Result<Vec<Sql>, RenderError> {
    let mut actions = Vec::new();
    let mut options = (Parameters::new(), Parameters::new());
    let mut foreign = (Parameters::new(), Parameters::new());
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.attributes.keys()).collect();
    for name in names {
        let (was, becomes) = (before.get(name), after.attributes.get(name));
        if was == becomes {
            continue;
        }
        match name.as_str() {
            "storage" => actions.push(alter(after).words("SET STORAGE").words(storage(after, becomes)?)),
            "compression" => actions.push(alter(after).words("SET COMPRESSION").words(compression(after, becomes)?)),
            "statistics" => actions.push(alter(after).words("SET STATISTICS").words(statistics(after, becomes)?)),
            "n_distinct" | "n_distinct_inherited" => {
                options.0.extend(was.map(|value| (name.clone(), value.clone())));
                options.1.extend(becomes.map(|value| (name.clone(), value.clone())));
            }
            _ if name.starts_with("foreign.") => {
                let name = name.trim_start_matches("foreign.");
                foreign.0.extend(was.map(|value| (name.to_owned(), value.clone())));
                foreign.1.extend(becomes.map(|value| (name.to_owned(), value.clone())));
            }
            _ => return Err(unsupported(format!("{}: {name}", after.name), "columns have no such attribute")),
        }
    }
    for action in super::words::option_actions(&options.0, &options.1)? {
        actions.push(alter(after).then(action));
    }
    for action in super::table_options::foreign_options(&foreign.0, &foreign.1)? {
        actions.push(alter(after).then(action));
    }
    Ok(actions)
}

fn storage(column: &Column, value: Option<&String>) -> Result<&'static str, RenderError> {
    let Some(value) = value else { return Ok(default_storage(&column.data_type)) };
    ["PLAIN", "EXTERNAL", "EXTENDED", "MAIN"]
        .into_iter()
        .find(|word| word.eq_ignore_ascii_case(value))
        .ok_or_else(|| unsupported(&column.name, "its storage is none of plain, external, extended, main"))
}

/// `SET STORAGE DEFAULT` came with 16; the default of the engine's own types is known.
fn default_storage(data_type: &DataType) -> &'static str {
    let DataType::Builtin(words) = data_type else { return "DEFAULT" };
    if words.ends_with("[]") {
        return "EXTENDED";
    }
    match words.split('(').next().unwrap_or_default().trim() {
        "numeric" | "inet" | "cidr" => "MAIN",
        "text" | "character varying" | "character" | "bytea" | "json" | "jsonb" | "xml" | "bit" | "bit varying"
        | "tsvector" | "path" | "polygon" => "EXTENDED",
        _ => "DEFAULT",
    }
}

fn compression(column: &Column, value: Option<&String>) -> Result<&'static str, RenderError> {
    let Some(value) = value else { return Ok("default") };
    ["pglz", "lz4", "default"]
        .into_iter()
        .find(|word| word.eq_ignore_ascii_case(value))
        .ok_or_else(|| unsupported(&column.name, "its compression is neither pglz nor lz4"))
}

fn statistics(column: &Column, value: Option<&String>) -> Result<String, RenderError> {
    let Some(value) = value else { return Ok("-1".to_owned()) };
    let target: i32 =
        value.trim().parse().map_err(|_| unsupported(&column.name, "its statistics target is not a number"))?;
    Ok(target.to_string())
}

/// `UPDATE … SET column = value WHERE column IS NULL`.
pub(super) fn backfill(table: &QualName, column: &Column, value: &trueup_schema::SqlExpr) -> Rendered {
    let sql = Sql::new("UPDATE")
        .qualified(table)
        .words("SET")
        .name(&column.name)
        .words("=")
        .words(expr(value))
        .words("WHERE")
        .name(&column.name)
        .words("IS NULL");
    Ok(vec![run(&sql)])
}
