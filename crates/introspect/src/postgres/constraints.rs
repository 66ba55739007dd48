//! Keys, checks, foreign keys and exclusions.

use std::collections::BTreeMap;

use trueup_schema::{Constraint, ConstraintKind, Deferrable, FkAction, ForeignKey, Ident, IndexPart, Key, SqlExpr};
use trueup_session::Row;

use super::build::Context;
use super::external::{column_name, table_name};
use super::indexes;
use super::reader::{Reader, parameters, unclear};
use super::sql::class;
use crate::IntrospectError;

/// A constraint as the catalog keeps it.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) oid: i64,
    pub(super) table: i64,
    pub(super) domain: i64,
    pub(super) name: Ident,
    pub(super) kind: &'a str,
    deferrable: bool,
    deferred: bool,
    pub(super) validated: bool,
    no_inherit: bool,
    pub(super) index: i64,
    pub(super) references: i64,
    columns: Vec<i64>,
    pub(super) referenced: Vec<i64>,
    on_update: &'a str,
    on_delete: &'a str,
    match_type: &'a str,
    on_delete_columns: Vec<i64>,
    period: bool,
    enforced: bool,
    pub(super) text: Option<&'a str>,
    /// It is its parent's: no object of its own.
    inherited: bool,
}

impl<'a> Raw<'a> {
    pub(super) fn read(row: &'a Row) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "constraints");
        Ok(Self {
            oid: row.int()?,
            table: row.int()?,
            domain: row.int()?,
            name: row.ident()?,
            kind: row.text()?,
            deferrable: row.flag()?,
            deferred: row.flag()?,
            validated: row.flag()?,
            no_inherit: row.flag()?,
            index: row.int()?,
            references: row.int()?,
            columns: row.ints()?,
            referenced: row.ints()?,
            on_update: row.text()?,
            on_delete: row.text()?,
            match_type: row.text()?,
            on_delete_columns: row.ints()?,
            period: row.flag()?,
            enforced: row.flag()?,
            text: row.text_or_null()?,
            inherited: row.flag()?,
        })
    }
}

/// What is told of a NOT NULL beyond that it is one (PostgreSQL 18).
#[derive(Debug)]
pub(super) struct NotNull {
    /// Its name.
    pub(super) name: Ident,
    /// What else it says.
    pub(super) modifier: Option<&'static str>,
    /// Whether it is there because a parent has it.
    pub(super) inherited: bool,
}

/// NOT NULL constraints by table and column.
pub(super) fn not_nulls(raw: &super::raw::Raw) -> Result<BTreeMap<(i64, i64), NotNull>, IntrospectError> {
    let mut found = BTreeMap::new();
    for row in &raw.constraints {
        let row = Raw::read(row)?;
        let (true, Some(column)) = (row.kind == "n" && row.table != 0, row.columns.first()) else {
            continue;
        };
        let modifier = match (row.validated, row.no_inherit) {
            (false, false) => Some("not valid"),
            (true, true) => Some("no inherit"),
            (false, true) => Some("no inherit not valid"),
            (true, false) => None,
        };
        found.insert((row.table, *column), NotNull { name: row.name, modifier, inherited: row.inherited });
    }
    Ok(found)
}

/// Rows of constraints by table: they are read when their table is put together.
pub(super) fn by_table<'a>(context: &Context<'a>) -> Result<BTreeMap<i64, Vec<&'a Row>>, IntrospectError> {
    let mut found: BTreeMap<i64, Vec<&'a Row>> = BTreeMap::new();
    for row in &context.raw.constraints {
        let read = Raw::read(row)?;
        if read.table != 0 && read.kind != "n" && !read.inherited {
            found.entry(read.table).or_default().push(row);
        }
    }
    Ok(found)
}

/// The constraint with everything that it says; `indexes` are those of its table.
pub(super) fn constraint(
    context: &Context<'_>,
    raw: &Raw<'_>,
    indexes: &[indexes::Raw<'_>],
) -> Result<Constraint, IntrospectError> {
    let index = indexes.iter().find(|index| index.oid == raw.index);
    let kind = match raw.kind {
        "p" | "u" => {
            let key = key(context, raw, index)?;
            if raw.kind == "p" { ConstraintKind::PrimaryKey(key) } else { ConstraintKind::Unique(key) }
        }
        "c" => ConstraintKind::Check { expr: text(raw)?, no_inherit: raw.no_inherit, column: None },
        "f" => ConstraintKind::ForeignKey(foreign_key(context, raw)?),
        _ => ConstraintKind::Exclude { definition: exclusion(raw)? },
    };
    let mut constraint = Constraint::new(Some(raw.name.clone()), kind);
    constraint.deferrable = match (raw.deferrable, raw.deferred) {
        (false, _) => Deferrable::No,
        (true, false) => Deferrable::InitiallyImmediate,
        (true, true) => Deferrable::InitiallyDeferred,
    };
    constraint.validated = raw.validated || !raw.enforced;
    constraint.enforced = raw.enforced;
    if let Some(index) = index.filter(|_| matches!(raw.kind, "p" | "u")) {
        constraint.parameters = parameters(index.parameters.iter().copied()).collect();
    }
    constraint.comment = context.comment(class::CONSTRAINT, raw.oid, 0);
    constraint.depends_on = context.depends(class::CONSTRAINT, raw.oid, 0);
    Ok(constraint)
}

fn text(raw: &Raw<'_>) -> Result<SqlExpr, IntrospectError> {
    raw.text.map(SqlExpr::new).ok_or_else(|| unclear(raw.name.as_str(), "a check without a condition"))
}

/// What follows the word EXCLUDE; when it is checked is said elsewhere.
fn exclusion(raw: &Raw<'_>) -> Result<SqlExpr, IntrospectError> {
    let text = raw.text.unwrap_or_default();
    let text = text.strip_prefix("EXCLUDE ").ok_or_else(|| unclear(raw.name.as_str(), "no exclusion"))?;
    let text = text.strip_suffix(" INITIALLY DEFERRED").unwrap_or(text);
    let text = text.strip_suffix(" DEFERRABLE").unwrap_or(text);
    Ok(SqlExpr::new(text))
}

fn key(context: &Context<'_>, raw: &Raw<'_>, index: Option<&indexes::Raw<'_>>) -> Result<Key, IntrospectError> {
    let parts = columns(context, raw, raw.table, &raw.columns)?;
    let include = match index {
        Some(index) => columns(context, raw, raw.table, index.include())?,
        None => Vec::new(),
    };
    Ok(Key {
        columns: parts.into_iter().map(IndexPart::column).collect(),
        include,
        nulls_not_distinct: index.is_some_and(|index| index.nulls_not_distinct),
        without_overlaps: raw.period,
    })
}

fn columns(context: &Context<'_>, raw: &Raw<'_>, table: i64, numbers: &[i64]) -> Result<Vec<Ident>, IntrospectError> {
    let name = |number: &i64| {
        column_name(&context.names, table, *number)
            .ok_or_else(|| unclear(raw.name.as_str(), &format!("column {number} is not there")))
    };
    numbers.iter().map(name).collect()
}

fn foreign_key(context: &Context<'_>, raw: &Raw<'_>) -> Result<ForeignKey, IntrospectError> {
    let references = table_name(&context.names, raw.references)
        .ok_or_else(|| unclear(raw.name.as_str(), "the referenced table is not there"))?;
    let match_type = match raw.match_type {
        "f" => Some("FULL".to_owned()),
        "p" => Some("PARTIAL".to_owned()),
        _ => None,
    };
    Ok(ForeignKey {
        columns: columns(context, raw, raw.table, &raw.columns)?,
        references,
        referenced_columns: columns(context, raw, raw.references, &raw.referenced)?,
        on_delete: action(raw.on_delete),
        on_delete_columns: columns(context, raw, raw.table, &raw.on_delete_columns)?,
        on_update: action(raw.on_update),
        match_type,
        period: raw.period,
    })
}

const fn action(letter: &str) -> FkAction {
    match letter.as_bytes() {
        b"r" => FkAction::Restrict,
        b"c" => FkAction::Cascade,
        b"n" => FkAction::SetNull,
        b"d" => FkAction::SetDefault,
        _ => FkAction::NoAction,
    }
}
