//! Other names and other namespaces.

use trueup_plan::{Flavor, Statement};
use trueup_schema::{Ident, ObjectRef, PartId, QualName};

use super::words::{Rendered, ident, run, unsupported};
use super::{comment, opaque, routine};
use crate::sql::Sql;

pub(super) fn rename(from: &ObjectRef, to: &ObjectRef, flavor: Flavor) -> Rendered {
    match (from, to) {
        (ObjectRef::Namespace(_), ObjectRef::Namespace(name)) => {
            Ok(vec![run(&Sql::new("ALTER").then(comment::target(from, flavor)?).words("RENAME TO").name(name))])
        }
        (ObjectRef::Type(was), ObjectRef::Type(becomes)) => {
            Ok(relation(was, becomes, if flavor == Flavor::Domain { "DOMAIN" } else { "TYPE" }))
        }
        (ObjectRef::Sequence(was), ObjectRef::Sequence(becomes)) => Ok(relation(was, becomes, "SEQUENCE")),
        (ObjectRef::Table(was), ObjectRef::Table(becomes)) => {
            Ok(relation(was, becomes, if flavor == Flavor::Foreign { "FOREIGN TABLE" } else { "TABLE" }))
        }
        (ObjectRef::View(was), ObjectRef::View(becomes)) => {
            Ok(relation(was, becomes, if flavor == Flavor::Materialized { "MATERIALIZED VIEW" } else { "VIEW" }))
        }
        (ObjectRef::Index(was), ObjectRef::Index(becomes)) => {
            let was = becomes.table.sibling(was.name.clone());
            Ok(relation(&was, &becomes.table.sibling(becomes.name.clone()), "INDEX"))
        }
        (ObjectRef::Column(was), ObjectRef::Column(becomes)) => Ok(vec![column(was, becomes, flavor)]),
        (ObjectRef::Constraint(was), ObjectRef::Constraint(becomes)) => {
            let head = if flavor == Flavor::Domain { "ALTER DOMAIN" } else { "ALTER TABLE" };
            Ok(vec![run(&renamed(Sql::new(head).qualified(&becomes.table).words("RENAME CONSTRAINT"), was, becomes))])
        }
        (ObjectRef::Trigger(was), ObjectRef::Trigger(becomes)) => Ok(vec![part("ALTER TRIGGER", was, becomes)]),
        (ObjectRef::Policy(was), ObjectRef::Policy(becomes)) => Ok(vec![part("ALTER POLICY", was, becomes)]),
        (ObjectRef::Routine(was), ObjectRef::Routine(becomes)) => {
            let head = |name: &QualName| {
                let id = trueup_schema::RoutineId { name: name.clone(), arguments: was.arguments.clone() };
                Sql::new("ALTER").then(routine::target(&id, flavor))
            };
            Ok(moved(&was.name, &becomes.name, head))
        }
        (ObjectRef::Opaque(was), ObjectRef::Opaque(becomes)) if was.namespace == becomes.namespace => {
            let name = ident(&becomes.name)?;
            Ok(vec![run(&Sql::new("ALTER").then(opaque::target(was)?).words("RENAME TO").name(&name))])
        }
        (
            ObjectRef::Namespace(_)
            | ObjectRef::Extension(_)
            | ObjectRef::Type(_)
            | ObjectRef::Sequence(_)
            | ObjectRef::Table(_)
            | ObjectRef::View(_)
            | ObjectRef::Column(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
            | ObjectRef::Opaque(_),
            _,
        ) => Err(unsupported(from, "it cannot be renamed")),
    }
}

fn relation(was: &QualName, becomes: &QualName, word: &'static str) -> Vec<Statement> {
    moved(was, becomes, |name| Sql::new("ALTER").words(word).qualified(name))
}

/// First to its namespace, then to its name.
fn moved(was: &QualName, becomes: &QualName, head: impl Fn(&QualName) -> Sql) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut now = was.clone();
    if was.namespace != becomes.namespace
        && let Some(namespace) = &becomes.namespace
    {
        statements.push(run(&head(&now).words("SET SCHEMA").name(namespace)));
        now.namespace = Some(namespace.clone());
    }
    if was.name != becomes.name {
        statements.push(run(&head(&now).words("RENAME TO").name(&becomes.name)));
    }
    statements
}

/// A part is renamed on its table as that is called by now: tables are renamed before their parts.
fn column(was: &PartId, becomes: &PartId, flavor: Flavor) -> Statement {
    let (head, what) = match flavor {
        Flavor::Composite => ("ALTER TYPE", "RENAME ATTRIBUTE"),
        Flavor::View => ("ALTER VIEW", "RENAME COLUMN"),
        Flavor::Materialized => ("ALTER MATERIALIZED VIEW", "RENAME COLUMN"),
        Flavor::Foreign => ("ALTER FOREIGN TABLE", "RENAME COLUMN"),
        Flavor::Plain | Flavor::Procedure | Flavor::Aggregate | Flavor::Domain => ("ALTER TABLE", "RENAME COLUMN"),
    };
    run(&renamed(Sql::new(head).qualified(&becomes.table).words(what), was, becomes))
}

fn renamed(sql: Sql, was: &PartId, becomes: &PartId) -> Sql {
    sql.name(&was.name).words("TO").name(&becomes.name)
}

fn part(head: &'static str, was: &PartId, becomes: &PartId) -> Statement {
    let name: &Ident = &becomes.name;
    run(&Sql::new(head).name(&was.name).words("ON").qualified(&becomes.table).words("RENAME TO").name(name))
}
