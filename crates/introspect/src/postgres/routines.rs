//! Functions, procedures and aggregates.

use trueup_schema::{Dependency, DialectId, ObjectRef, Routine, RoutineId, RoutineKind, Schema, SqlExpr};
use trueup_session::Row;

use super::acl::{self, Acl};
use super::build::Context;
use super::reader::Reader;
use super::scan::KnownNames;
use super::sql::class;
use crate::IntrospectError;

struct Raw<'a> {
    oid: i64,
    kind: &'a str,
    identity: &'a str,
    arguments: &'a str,
    result: Option<&'a str>,
    definition: Option<&'a str>,
    tracked: bool,
    body: Option<&'a str>,
    owner: &'a str,
    acl: Option<Vec<&'a str>>,
    default_acl: Option<Vec<&'a str>>,
    aggregate: Vec<&'a str>,
}

impl<'a> Raw<'a> {
    fn read(row: &'a Row) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "routines");
        let oid = row.int()?;
        let (_namespace, _name) = (row.int()?, row.text()?);
        let kind = row.text()?;
        let _types = row.text()?;
        Ok(Self {
            oid,
            kind,
            identity: row.text()?,
            arguments: row.text()?,
            result: row.text_or_null()?,
            definition: row.text_or_null()?,
            tracked: row.flag()?,
            body: row.text_or_null()?,
            owner: row.text()?,
            acl: row.texts_or_null()?,
            default_acl: row.texts_or_null()?,
            aggregate: row.texts()?,
        })
    }
}

/// Puts every routine into `schema`. Tables, views, types and sequences must be there already: bodies are scanned for their names.
pub(super) fn build(context: &Context<'_>, schema: &mut Schema) -> Result<(), IntrospectError> {
    let known = KnownNames::of(&context.names);
    for row in &context.raw.routines {
        let raw = Raw::read(row)?;
        if let Some(ObjectRef::Routine(id)) = context.names.objects.get(&(class::PROC, raw.oid)) {
            schema.insert(routine(context, id, &raw, &known)?);
        }
    }
    Ok(())
}

fn routine(
    context: &Context<'_>,
    id: &RoutineId,
    raw: &Raw<'_>,
    known: &KnownNames<'_>,
) -> Result<Routine, IntrospectError> {
    let kind = match raw.kind {
        "p" => RoutineKind::Procedure,
        "a" => RoutineKind::Aggregate,
        _ => RoutineKind::Function,
    };
    let definition = match raw.definition {
        Some(text) => text.trim_end().to_owned(),
        None => aggregate(id, raw),
    };
    let mut signature = format!("({})", raw.arguments);
    if let Some(result) = raw.result {
        signature = format!("{signature} RETURNS {result}");
    }
    let acl = Acl { owner: raw.owner, list: raw.acl.as_deref(), default: raw.default_acl.as_deref() };
    let mut common = context.common(class::PROC, raw.oid, raw.owner, acl::grants(acl))?;
    if let Some(body) = raw.body {
        let own = ObjectRef::Routine(id.clone());
        let used = known.mentioned(body, id.name.namespace.as_ref());
        let is_new = |on: &ObjectRef| *on != own && !common.depends_on.iter().any(|known| known.on == *on);
        let soft: Vec<Dependency> = used.into_iter().filter(is_new).map(Dependency::soft).collect();
        common.depends_on.extend(soft);
    }
    Ok(Routine {
        id: id.clone(),
        kind,
        definition: SqlExpr::new(definition),
        signature,
        tracked: raw.tracked,
        settings: trueup_schema::Parameters::new(),
        common,
    })
}

/// The server prints no statement for an aggregate.
fn aggregate(id: &RoutineId, raw: &Raw<'_>) -> String {
    let arguments = if raw.identity.is_empty() { "*" } else { raw.identity };
    let name = id.name.quoted(DialectId::Postgres);
    format!("CREATE OR REPLACE AGGREGATE {name}({arguments}) (\n    {}\n)", raw.aggregate.join(",\n    "))
}
