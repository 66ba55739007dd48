//! Indexes, part by part.

use std::collections::BTreeMap;

use trueup_schema::{Ident, Index, IndexKey, IndexPart, ObjectRef, QualName, SqlExpr};
use trueup_session::Row;

use super::build::Context;
use super::reader::{Reader, parameters, unclear};
use super::sql::class;
use crate::IntrospectError;

/// Bits of `indoption`.
const DESC: i64 = 1;
const NULLS_FIRST: i64 = 2;

/// An index as the catalog keeps it.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) oid: i64,
    pub(super) table: i64,
    pub(super) name: Ident,
    method: i64,
    kind: &'a str,
    pub(super) tablespace: i64,
    pub(super) parameters: Vec<&'a str>,
    unique: bool,
    valid: bool,
    pub(super) clustered: bool,
    pub(super) replica_identity: bool,
    pub(super) nulls_not_distinct: bool,
    key_parts: usize,
    columns: Vec<i64>,
    opclasses: Vec<i64>,
    collations: Vec<i64>,
    options: Vec<i64>,
    expressions: Option<Vec<&'a str>>,
    definition: Option<&'a str>,
    predicate: Option<&'a str>,
    pub(super) parent: Option<i64>,
    opclass_options: Vec<&'a str>,
    pub(super) statistics: Vec<&'a str>,
}

impl<'a> Raw<'a> {
    fn read(row: &'a Row) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "indexes");
        Ok(Self {
            oid: row.int()?,
            table: row.int()?,
            name: row.ident()?,
            method: row.int()?,
            kind: row.text()?,
            tablespace: row.int()?,
            parameters: row.texts()?,
            unique: row.flag()?,
            valid: row.flag()?,
            clustered: row.flag()?,
            replica_identity: row.flag()?,
            nulls_not_distinct: row.flag()?,
            key_parts: usize::try_from(row.int()?).unwrap_or_default(),
            columns: row.ints()?,
            opclasses: row.ints()?,
            collations: row.ints()?,
            options: row.ints()?,
            expressions: row.texts_or_null()?,
            definition: row.text_or_null()?,
            predicate: row.text_or_null()?,
            parent: row.int_or_null()?,
            opclass_options: row.texts()?,
            statistics: row.texts()?,
        })
    }

    /// Numbers of the columns that ride along.
    pub(super) fn include(&self) -> &[i64] {
        self.columns.get(self.key_parts..).unwrap_or_default()
    }
}

/// Rows of indexes by table: they are read when their table is put together.
#[derive(Debug)]
pub(super) struct ByTable<'a>(BTreeMap<i64, Vec<&'a Row>>);

impl<'a> ByTable<'a> {
    pub(super) fn of(context: &Context<'a>) -> Result<Self, IntrospectError> {
        let mut found: BTreeMap<i64, Vec<&'a Row>> = BTreeMap::new();
        for row in &context.raw.indexes {
            let mut reader = Reader::new(row, "indexes");
            let (_oid, table) = (reader.int()?, reader.int()?);
            found.entry(table).or_default().push(row);
        }
        Ok(Self(found))
    }

    pub(super) fn read(&self, table: i64) -> Result<Vec<Raw<'a>>, IntrospectError> {
        let rows = self.0.get(&table).map(Vec::as_slice).unwrap_or_default();
        rows.iter().map(|row| Raw::read(row)).collect()
    }
}

/// Types and collations of a relation's columns, by number.
pub(super) type ColumnTypes = BTreeMap<i64, (i64, i64)>;

/// The index with everything that it says.
pub(super) fn index(context: &Context<'_>, raw: &Raw<'_>, types: &ColumnTypes) -> Result<Index, IntrospectError> {
    let parts = (0..raw.key_parts).map(|at| part(context, raw, at, types)).collect::<Result<_, _>>()?;
    let mut index = Index::new(raw.name.clone(), parts);
    index.unique = raw.unique;
    index.method = context
        .names
        .access_methods
        .get(&raw.method)
        .map(|method| method.as_str().to_owned())
        .filter(|method| method != "btree");
    for number in raw.include() {
        let name = context.names.column(raw.table, *number).cloned();
        index.include.push(name.ok_or_else(|| unclear(raw.name.as_str(), "an included column is not there"))?);
    }
    index.nulls_not_distinct = raw.nulls_not_distinct;
    index.predicate = raw.predicate.map(SqlExpr::new);
    index.parameters = parameters(raw.parameters.iter().copied()).collect();
    index.tablespace = context.names.tablespaces.get(&raw.tablespace).cloned();
    index.partition_of = raw.parent.and_then(|parent| index_name(context, parent));
    let partitioned = raw.kind == "I";
    index.only = partitioned && !raw.valid;
    index.valid = partitioned || raw.valid;
    index.clustered = raw.clustered;
    index.comment = context.comment(class::CLASS, raw.oid, 0);
    index.depends_on = context.depends(class::CLASS, raw.oid, 0);
    Ok(index)
}

/// The name of an index as one in its namespace.
fn index_name(context: &Context<'_>, oid: i64) -> Option<QualName> {
    let ObjectRef::Index(index) = context.names.objects.get(&(class::CLASS, oid))? else { return None };
    Some(index.table.sibling(index.name.clone()))
}

fn part(context: &Context<'_>, raw: &Raw<'_>, at: usize, types: &ColumnTypes) -> Result<IndexPart, IntrospectError> {
    let number = raw.columns.get(at).copied().unwrap_or_default();
    let collation = raw.collations.get(at).copied().unwrap_or_default();
    let column = types.get(&number).copied();
    let (key, differs) = if number == 0 {
        let text = raw.expressions.as_ref().and_then(|texts| texts.get(at)).copied().unwrap_or_default();
        (IndexKey::Expr(SqlExpr::new(unwrapped(text))), says_collation(raw, text, collation))
    } else {
        let name = context.names.column(raw.table, number).cloned();
        let name = name.ok_or_else(|| unclear(raw.name.as_str(), "an indexed column is not there"))?;
        let own = column.map_or(0, |(_, collation)| collation);
        (IndexKey::Column(name), collation != 0 && collation != own)
    };
    let options = raw.options.get(at).copied().unwrap_or_default();
    let (descending, nulls_first) = (options & DESC != 0, options & NULLS_FIRST != 0);
    Ok(IndexPart {
        key,
        descending,
        nulls_first: (nulls_first != descending).then_some(nulls_first),
        opclass: opclass(context, raw, at, column.map(|(type_oid, _)| type_oid)),
        collation: differs.then(|| context.names.collations.get(&collation).cloned()).flatten(),
        prefix: None,
    })
}

/// The server puts everything but a function call in parentheses.
fn unwrapped(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}

/// Whether the server writes a collation behind an expression. What the expression's own collation is, only the server knows.
fn says_collation(raw: &Raw<'_>, text: &str, collation: i64) -> bool {
    let Some(definition) = raw.definition else { return false };
    let mut behind = definition.match_indices(text).map(|(at, _)| &definition[at + text.len()..]);
    collation != 0 && behind.any(|rest| rest.starts_with(" COLLATE "))
}

/// The operator class as the server writes it, where it is not the one that the type gets by itself.
fn opclass(context: &Context<'_>, raw: &Raw<'_>, at: usize, type_oid: Option<i64>) -> Option<String> {
    let opclasses = &context.names.opclasses;
    let opclass = opclasses.get(raw.opclasses.get(at)?)?;
    let options = raw.opclass_options.get(at).copied().unwrap_or_default();
    let own_of_type =
        |type_oid: i64| opclasses.values().any(|it| it.default && it.method == opclass.method && it.input == type_oid);
    let default = opclass.default && type_oid.is_none_or(|it| it == opclass.input || !own_of_type(it));
    if default && options.is_empty() {
        return None;
    }
    let visible = opclass.name.namespace.as_ref().is_some_and(|namespace| namespace.as_str() == "pg_catalog");
    let name = if visible { opclass.name.name.path_part() } else { opclass.name.to_string() };
    if options.is_empty() {
        return Some(name);
    }
    let options: Vec<String> =
        parameters(options.split(',')).map(|(name, value)| format!("{name}='{}'", value.replace('\'', "''"))).collect();
    Some(format!("{name} ({})", options.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_of_parentheses_is_the_servers() {
        assert_eq!(unwrapped("lower(a)"), "lower(a)");
        assert_eq!(unwrapped("((a || b))"), "(a || b)");
    }
}
