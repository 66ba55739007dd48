//! Tables and views, put together from their parts.

use std::collections::BTreeMap;

use trueup_plan::Unmanaged;
use trueup_schema::{
    Index, ObjectRef, PartitionOf, Partitioning, QualName, RowSecurity, Schema, SqlExpr, Table, TableKind,
    TableOptions, View,
};
use trueup_session::Row;

use super::build::Context;
use super::columns::{self, ByRelation, column, view_column};
use super::constraints::{self, constraint};
use super::external::table_name;
use super::indexes::{self, ColumnTypes, index};
use super::reader::{ident, parameters, unclear};
use super::relations::Relation;
use super::sql::class;
use super::unmanaged;
use crate::IntrospectError;

/// What tables are put together from, by the number of the table.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) columns: ByRelation<'a>,
    pub(super) constraints: BTreeMap<i64, Vec<&'a Row>>,
    pub(super) indexes: indexes::ByTable<'a>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(context: &Context<'a>) -> Result<Self, IntrospectError> {
        Ok(Self {
            columns: ByRelation::of(context)?,
            constraints: constraints::by_table(context)?,
            indexes: indexes::ByTable::of(context)?,
        })
    }
}

/// Puts tables, views and sequences into `schema`; returns properties that have no place there.
pub(super) fn build(
    context: &Context<'_>,
    parts: &Parts<'_>,
    schema: &mut Schema,
) -> Result<Vec<Unmanaged>, IntrospectError> {
    let mut others = Vec::new();
    for row in &context.raw.relations {
        let relation = Relation::read(row)?;
        let Some(name) = context.names.relation(relation.oid).cloned() else { continue };
        if context.names.extension_of(class::CLASS, relation.oid).is_some() {
            continue;
        }
        match relation.kind {
            "S" => {
                if let Some(entry) = context.sequences.get(&relation.oid) {
                    schema.insert(super::sequences::sequence(context, &relation, entry)?);
                }
            }
            "v" | "m" => drop(schema.insert(view(context, parts, &relation, name)?)),
            "r" | "p" | "f" => {
                let indexes = parts.indexes.read(relation.oid)?;
                others.extend(oddities(context, parts, &indexes, &relation, &name)?);
                schema.insert(table(context, parts, &indexes, &relation, name)?);
            }
            _ => {}
        }
    }
    Ok(others)
}

fn table(
    context: &Context<'_>,
    parts: &Parts<'_>,
    indexes: &[indexes::Raw<'_>],
    relation: &Relation<'_>,
    name: QualName,
) -> Result<Table, IntrospectError> {
    let mut table = Table::new(name);
    table.kind = kind(relation)?;
    let raws = parts.columns.read(relation.oid)?;
    table.columns.reserve_exact(raws.len());
    for raw in &raws {
        table.columns.push(column(context, &table.name, raw)?);
    }
    for row in parts.constraints.get(&relation.oid).into_iter().flatten() {
        table.constraints.push(constraint(context, &constraints::Raw::read(row)?, indexes)?);
    }
    table.constraints.sort_by(|a, b| a.name.cmp(&b.name));
    table.indexes = indexes_of(context, indexes, &raws)?;
    table.options = options(context, indexes, relation);
    inheritance(context, relation, &mut table)?;
    columns::name_not_nulls(context, &mut table, raws.iter());
    table.row_security = RowSecurity { enabled: relation.row_security, forced: relation.forced_row_security };
    table.common = relation.common(context)?;
    let mut grants = Vec::new();
    for raw in &raws {
        grants.extend(raw.grants(relation.owner));
    }
    if !grants.is_empty() {
        let all = table.common.grants.get_or_insert_default();
        all.extend(grants);
        all.sort();
    }
    let own = ObjectRef::Table(table.name.clone());
    table.common.depends_on.retain(|dependency| dependency.on != own);
    table.shrink_to_fit();
    Ok(table)
}

fn kind(relation: &Relation<'_>) -> Result<TableKind, IntrospectError> {
    let Some(server) = relation.server.filter(|_| relation.kind == "f") else { return Ok(TableKind::Ordinary) };
    let options = parameters(relation.server_options.iter().copied()).collect();
    Ok(TableKind::Foreign { server: ident(server)?, options })
}

fn options(context: &Context<'_>, indexes: &[indexes::Raw<'_>], relation: &Relation<'_>) -> TableOptions {
    let mut options = TableOptions { unlogged: relation.persistence == "u", ..TableOptions::default() };
    options.parameters = parameters(relation.parameters.iter().copied()).collect();
    let toast = parameters(relation.toast_parameters.iter().copied());
    options.parameters.extend(toast.map(|(name, value)| (format!("toast.{name}"), value)));
    options.tablespace = context.names.tablespaces.get(&relation.tablespace).cloned();
    let access_method = context.names.access_methods.get(&relation.access_method);
    options.access_method = access_method.filter(|method| method.as_str() != "heap").cloned();
    // Rows of a foreign table are not replicated from here, which the server says in the same way.
    options.replica_identity = match relation.replica_identity {
        _ if relation.kind == "f" => None,
        "f" => Some("full".to_owned()),
        "n" => Some("nothing".to_owned()),
        "i" => replica_index(indexes),
        _ => None,
    };
    options
}

/// The index that identifies rows for replication; one that was dropped since leaves nothing behind.
fn replica_index(indexes: &[indexes::Raw<'_>]) -> Option<String> {
    let index = indexes.iter().find(|index| index.replica_identity)?;
    Some(format!("index {}", index.name.as_str()))
}

fn inheritance(context: &Context<'_>, relation: &Relation<'_>, table: &mut Table) -> Result<(), IntrospectError> {
    let name = |oid: &i64| {
        table_name(&context.names, *oid).ok_or_else(|| unclear(&table.name.to_string(), "its parent is not there"))
    };
    let mut parents: Vec<QualName> = relation.parents.iter().map(name).collect::<Result<_, _>>()?;
    if let Some(key) = relation.partition_key {
        table.partitioning = Some(Partitioning { by: SqlExpr::new(key), partitions: Vec::new() });
    }
    match (relation.bound, parents.pop()) {
        (Some(bound), Some(parent)) => {
            table.partition_of = Some(PartitionOf { parent, bound: SqlExpr::new(bound) });
        }
        (None, Some(last)) => {
            parents.push(last);
            table.inherits = parents;
        }
        (_, None) => {}
    }
    Ok(())
}

fn indexes_of(
    context: &Context<'_>,
    raws: &[indexes::Raw<'_>],
    columns: &[columns::Raw<'_>],
) -> Result<Vec<Index>, IntrospectError> {
    let types: ColumnTypes = columns.iter().map(columns::Raw::type_and_collation).collect();
    let mut indexes = Vec::new();
    for raw in raws.iter().filter(|raw| !context.behind.contains(&raw.oid)) {
        indexes.push(index(context, raw, &types)?);
    }
    indexes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(indexes)
}

fn view(
    context: &Context<'_>,
    parts: &Parts<'_>,
    relation: &Relation<'_>,
    name: QualName,
) -> Result<View, IntrospectError> {
    let query = relation.query.unwrap_or_default().trim().trim_end_matches(';');
    let mut view = View::new(name, SqlExpr::new(query));
    view.materialized = relation.kind == "m";
    let raws = parts.columns.read(relation.oid)?;
    view.columns = raws.iter().map(|raw| view_column(context, view.materialized, raw)).collect();
    view.options = parameters(relation.parameters.iter().copied()).collect();
    if let Some(tablespace) = context.names.tablespaces.get(&relation.tablespace) {
        view.options.insert("tablespace".to_owned(), tablespace.as_str().to_owned());
    }
    let access_method = context.names.access_methods.get(&relation.access_method);
    if let Some(method) = access_method.filter(|method| view.materialized && method.as_str() != "heap") {
        view.options.insert("access_method".to_owned(), method.as_str().to_owned());
    }
    view.indexes = indexes_of(context, &parts.indexes.read(relation.oid)?, &raws)?;
    view.populated = relation.populated;
    view.common = relation.common(context)?;
    let grants: Vec<_> = raws.iter().flat_map(|raw| raw.grants(relation.owner)).collect();
    if !grants.is_empty() {
        let all = view.common.grants.get_or_insert_default();
        all.extend(grants);
        all.sort();
    }
    // A column's own mentions are its default's.
    view.common.depends_on.extend(context.depends_of_parts(class::CLASS, relation.oid));
    let own = ObjectRef::View(view.name.clone());
    view.common.depends_on.retain(|dependency| dependency.on != own);
    Ok(view)
}

/// Properties that have no place in the model.
fn oddities(
    context: &Context<'_>,
    parts: &Parts<'_>,
    indexes: &[indexes::Raw<'_>],
    relation: &Relation<'_>,
    name: &QualName,
) -> Result<Vec<Unmanaged>, IntrospectError> {
    let mut found = Vec::new();
    let mut inherited = Vec::new();
    for parent in &relation.parents {
        inherited.extend(parts.indexes.read(*parent)?);
    }
    if relation.of_type != 0 {
        let of = context.names.mention(class::TYPE, relation.of_type, 0);
        let of: Vec<String> = of.iter().map(|dependency| dependency.on.to_string()).collect();
        found.push(unmanaged::property("typed table", name, of.join(", ")));
    }
    for index in indexes.iter().filter(|index| context.behind.contains(&index.oid)) {
        if let Some(tablespace) = context.names.tablespaces.get(&index.tablespace) {
            found.push(unmanaged::property("tablespace of a key", name, format!("{}: {tablespace}", index.name)));
        }
        if let Some(inherited) = inherited_parameters(&inherited, index) {
            found.push(unmanaged::property("parameters of an inherited key", name, inherited));
        }
        if index.clustered {
            found.push(unmanaged::property("clustered key", name, index.name.to_string()));
        }
    }
    for index in indexes.iter().filter(|index| !index.statistics.is_empty()) {
        let definition = format!("{}: {}", index.name, index.statistics.join(", "));
        found.push(unmanaged::property("index statistics target", name, definition));
    }
    Ok(found)
}

/// Storage parameters of the index behind a partition's key that are not those of its parent's.
fn inherited_parameters(parents: &[indexes::Raw<'_>], index: &indexes::Raw<'_>) -> Option<String> {
    let parent = parents.iter().find(|parent| Some(parent.oid) == index.parent)?;
    let differs = index.parameters != parent.parameters;
    differs.then(|| format!("{}: {}", index.name, index.parameters.join(", ")))
}
