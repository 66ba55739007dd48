//! COMMENT ON, and how every kind of object is called there.

use trueup_plan::{Flavor, Statement};
use trueup_schema::{Constraint, DialectId, Ident, Index, ObjectRef, PartId, QualName};

use super::words::{Rendered, run};
use super::{opaque, routine};
use crate::RenderError;
use crate::sql::Sql;

pub(super) fn set(on: &ObjectRef, flavor: Flavor, text: Option<&str>) -> Rendered {
    Ok(vec![statement(target(on, flavor)?, text)])
}

/// `COMMENT ON target IS text`; without a text the comment goes.
pub(super) fn statement(target: Sql, text: Option<&str>) -> Statement {
    let sql = Sql::new("COMMENT ON").then(target).words("IS");
    run(&match text {
        Some(text) => sql.literal(text),
        None => sql.words("NULL"),
    })
}

/// What the object is called: `TABLE "n"."t"`, `CONSTRAINT "c" ON DOMAIN "d"`.
pub(super) fn target(on: &ObjectRef, flavor: Flavor) -> Result<Sql, RenderError> {
    let part = |word: &'static str, part: &PartId| Sql::new(word).name(&part.name).words("ON").qualified(&part.table);
    Ok(match on {
        ObjectRef::Namespace(name) => Sql::new("SCHEMA").name(name),
        ObjectRef::Extension(name) => Sql::new("EXTENSION").name(name),
        ObjectRef::Type(name) => Sql::new(if flavor == Flavor::Domain { "DOMAIN" } else { "TYPE" }).qualified(name),
        ObjectRef::Sequence(name) => Sql::new("SEQUENCE").qualified(name),
        ObjectRef::Table(name) => {
            Sql::new(if flavor == Flavor::Foreign { "FOREIGN TABLE" } else { "TABLE" }).qualified(name)
        }
        ObjectRef::View(name) => {
            Sql::new(if flavor == Flavor::Materialized { "MATERIALIZED VIEW" } else { "VIEW" }).qualified(name)
        }
        ObjectRef::Column(it) => Sql::new("COLUMN").words(column_path(it)),
        ObjectRef::Constraint(it) if flavor == Flavor::Domain => {
            Sql::new("CONSTRAINT").name(&it.name).words("ON DOMAIN").qualified(&it.table)
        }
        ObjectRef::Constraint(it) => part("CONSTRAINT", it),
        ObjectRef::Index(it) => Sql::new("INDEX").qualified(&it.table.sibling(it.name.clone())),
        ObjectRef::Routine(id) => routine::target(id, flavor),
        ObjectRef::Trigger(it) => part("TRIGGER", it),
        ObjectRef::Policy(it) => part("POLICY", it),
        ObjectRef::Opaque(id) => opaque::target(id)?,
    })
}

/// `"n"."t"."c"`.
pub(super) fn column_path(column: &PartId) -> String {
    format!("{}.{}", column.table.quoted(DialectId::Postgres), column.name.quoted(DialectId::Postgres))
}

pub(super) fn of_column(table: &QualName, name: &Ident, text: Option<&str>) -> Vec<Statement> {
    let path = column_path(&PartId { table: table.clone(), name: name.clone() });
    text.map(|text| statement(Sql::new("COLUMN").words(path), Some(text))).into_iter().collect()
}

pub(super) fn of_constraint(table: &QualName, constraint: &Constraint) -> Vec<Statement> {
    let (Some(name), Some(text)) = (&constraint.name, &constraint.comment) else { return Vec::new() };
    vec![statement(Sql::new("CONSTRAINT").name(name).words("ON").qualified(table), Some(text))]
}

pub(super) fn of_index(table: &QualName, index: &Index) -> Vec<Statement> {
    let target = Sql::new("INDEX").qualified(&table.sibling(index.name.clone()));
    index.comment.as_deref().map(|text| statement(target, Some(text))).into_iter().collect()
}
