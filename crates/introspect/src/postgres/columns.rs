//! Columns of tables and views, attributes of composites.

use std::collections::BTreeMap;

use trueup_dialect::NameKind;
use trueup_dialect::postgres::Postgres;
use trueup_schema::{
    Attribute, Column, DataType, Generated, Grant, Ident, Identity, PartId, QualName, SqlExpr, ViewColumn,
};
use trueup_session::Row;

use super::acl;
use super::build::Context;
use super::reader::{Reader, parameters, unclear};
use super::sql::class;
use super::types::data_type;
use crate::IntrospectError;

/// A column as the catalog keeps it.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) relation: i64,
    pub(super) number: i64,
    pub(super) name: Ident,
    pub(super) type_oid: i64,
    pub(super) type_text: &'a str,
    not_null: bool,
    collation: i64,
    type_collation: i64,
    default: Option<&'a str>,
    generated: &'a str,
    identity: &'a str,
    storage: Option<&'a str>,
    compression: &'a str,
    statistics: Option<i64>,
    options: Vec<&'a str>,
    foreign_options: Vec<&'a str>,
    acl: Vec<&'a str>,
    inherited: bool,
}

impl<'a> Raw<'a> {
    pub(super) fn read(row: &'a Row) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "columns");
        Ok(Self {
            relation: row.int()?,
            number: row.int()?,
            name: row.ident()?,
            type_oid: row.int()?,
            type_text: row.text()?,
            not_null: row.flag()?,
            collation: row.int()?,
            type_collation: row.int()?,
            default: row.text_or_null()?,
            generated: row.text()?,
            identity: row.text()?,
            storage: row.text_or_null()?,
            compression: row.text()?,
            statistics: row.int_or_null()?,
            options: row.texts()?,
            foreign_options: row.texts()?,
            acl: row.texts()?,
            inherited: row.flag()?,
        })
    }

    fn collation(&self, context: &Context<'_>) -> Option<QualName> {
        let differs = self.collation != 0 && self.collation != self.type_collation;
        differs.then(|| context.names.collations.get(&self.collation).cloned()).flatten()
    }

    fn comment(&self, context: &Context<'_>) -> Option<String> {
        context.comment(class::CLASS, self.relation, self.number)
    }

    /// Its number, with its type and collation.
    pub(super) const fn type_and_collation(&self) -> (i64, (i64, i64)) {
        (self.number, (self.type_oid, self.collation))
    }

    /// Privileges on this column.
    pub(super) fn grants(&self, owner: &str) -> Vec<Grant> {
        acl::column_grants(&self.acl, owner, &self.name)
    }

    /// The attributes that are not as they are by default.
    fn attributes(&self, context: &Context<'_>) -> trueup_schema::Parameters {
        let mut found = trueup_schema::Parameters::new();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                found.insert(name.to_owned(), value);
            }
        };
        add("storage", self.storage.and_then(storage).map(str::to_owned));
        add("compression", compression(self.compression).map(str::to_owned));
        add("statistics", self.statistics.map(|target| target.to_string()));
        let foreign = parameters(self.foreign_options.iter().copied());
        found.extend(foreign.map(|(name, value)| (format!("foreign.{name}"), value)));
        found.extend(parameters(self.options.iter().copied()));
        let rule = context.not_nulls.get(&(self.relation, self.number)).filter(|rule| !rule.inherited);
        if let Some(modifier) = rule.and_then(|rule| rule.modifier) {
            found.insert("not_null".to_owned(), modifier.to_owned());
        }
        found
    }
}

const fn storage(letter: &str) -> Option<&'static str> {
    match letter.as_bytes() {
        b"p" => Some("plain"),
        b"e" => Some("external"),
        b"m" => Some("main"),
        b"x" => Some("extended"),
        _ => None,
    }
}

const fn compression(letter: &str) -> Option<&'static str> {
    match letter.as_bytes() {
        b"p" => Some("pglz"),
        b"l" => Some("lz4"),
        _ => None,
    }
}

/// Rows of columns by relation, in order: they are read when their relation is put together.
#[derive(Debug)]
pub(super) struct ByRelation<'a>(BTreeMap<i64, Vec<&'a Row>>);

impl<'a> ByRelation<'a> {
    pub(super) fn of(context: &Context<'a>) -> Result<Self, IntrospectError> {
        let mut found: BTreeMap<i64, Vec<&'a Row>> = BTreeMap::new();
        for row in &context.raw.columns {
            found.entry(Reader::new(row, "columns").int()?).or_default().push(row);
        }
        Ok(Self(found))
    }

    pub(super) fn read(&self, relation: i64) -> Result<Vec<Raw<'a>>, IntrospectError> {
        let rows = self.0.get(&relation).map(Vec::as_slice).unwrap_or_default();
        rows.iter().map(|row| Raw::read(row)).collect()
    }
}

/// A column of `table`.
pub(super) fn column(context: &Context<'_>, table: &QualName, raw: &Raw<'_>) -> Result<Column, IntrospectError> {
    let mut column = Column::new(raw.name.clone(), data_type(raw.type_oid, raw.type_text)?);
    column.not_null = raw.not_null;
    column.not_null_clause = not_null_name(context, table, raw);
    column.inherited = raw.inherited;
    column.collation = raw.collation(context);
    match (raw.generated, raw.default) {
        ("s" | "v", Some(text)) => {
            column.generated = Some(Generated { expr: SqlExpr::new(text), stored: raw.generated == "s" });
        }
        ("s" | "v", None) => return Err(unclear(&format!("{table}.{}", raw.name), "generated, but from nothing")),
        (_, default) => column.default = default.map(SqlExpr::new),
    }
    if !raw.identity.is_empty() {
        column.identity = Some(Box::new(identity(context, table, raw)?));
    }
    column.attributes = raw.attributes(context);
    column.comment = raw.comment(context);
    column.depends_on = context.depends(class::CLASS, raw.relation, raw.number);
    let own = trueup_schema::ObjectRef::Column(PartId { table: table.clone(), name: raw.name.clone() });
    column.depends_on.retain(|dependency| dependency.on != own);
    Ok(column)
}

/// The name of its NOT NULL, where it is not the one that the server would choose.
fn not_null_name(context: &Context<'_>, table: &QualName, raw: &Raw<'_>) -> Option<String> {
    let rule = context.not_nulls.get(&(raw.relation, raw.number)).filter(|rule| !rule.inherited)?;
    let chosen = Postgres::chosen_name(NameKind::NotNull, &table.name, std::slice::from_ref(&raw.name));
    (chosen.as_ref() != Some(&rule.name)).then(|| rule.name.as_str().to_owned())
}

/// In a family of partitions each NOT NULL says its name: a partition has that of its parent, or one that it brought along.
pub(super) fn name_not_nulls<'a>(
    context: &Context<'_>,
    table: &mut trueup_schema::Table,
    raws: impl Iterator<Item = &'a Raw<'a>>,
) {
    if table.partitioning.is_none() && table.partition_of.is_none() {
        return;
    }
    for (column, raw) in table.columns.iter_mut().zip(raws) {
        let rule = context.not_nulls.get(&(raw.relation, raw.number)).filter(|_| column.not_null);
        column.not_null_clause = rule.map(|rule| rule.name.as_str().to_owned());
    }
}

fn identity(context: &Context<'_>, table: &QualName, raw: &Raw<'_>) -> Result<Identity, IntrospectError> {
    let always = raw.identity == "a";
    let Some(sequence) = context.identities.get(&(raw.relation, raw.number)) else {
        return Err(unclear(&format!("{table}.{}", raw.name), "an identity without a sequence"));
    };
    let name = &sequence.name;
    let generated = name.namespace == table.namespace
        && Postgres::is_generated_name(NameKind::Sequence, &table.name, std::slice::from_ref(&raw.name), &name.name);
    let mut options = sequence.options.clone();
    if sequence.type_text == raw.type_text {
        options.data_type = None;
    } else {
        options.data_type = Some(sequence.type_text.to_owned());
    }
    Ok(Identity { always, options, sequence: (!generated).then(|| name.clone()) })
}

/// An output column of a view.
pub(super) fn view_column(context: &Context<'_>, materialized: bool, raw: &Raw<'_>) -> ViewColumn {
    ViewColumn {
        name: raw.name.clone(),
        data_type: raw.type_text.to_owned(),
        default: raw.default.map(SqlExpr::new),
        attributes: if materialized { raw.attributes(context) } else { trueup_schema::Parameters::new() },
        comment: raw.comment(context),
    }
}

/// An attribute of a composite type.
pub(super) fn attribute(context: &Context<'_>, raw: &Raw<'_>) -> Result<Attribute, IntrospectError> {
    let data_type: DataType = data_type(raw.type_oid, raw.type_text)?;
    Ok(Attribute {
        name: raw.name.clone(),
        data_type,
        collation: raw.collation(context),
        comment: raw.comment(context),
    })
}
