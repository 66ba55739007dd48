//! Other names.

use trueup_schema::{ObjectRef, QualName};

use super::flavour::Flavour;
use super::words::{Rendered, ident, run, unsupported};
use crate::sql::Sql;

pub(super) fn rename(flavour: &Flavour, from: &ObjectRef, to: &ObjectRef) -> Rendered {
    match (from, to) {
        (ObjectRef::Table(was), ObjectRef::Table(becomes))
        | (ObjectRef::View(was), ObjectRef::View(becomes))
        | (ObjectRef::Sequence(was), ObjectRef::Sequence(becomes)) => relation(was, becomes),
        (ObjectRef::Column(was), ObjectRef::Column(becomes)) => {
            let sql = Sql::new("ALTER TABLE").qualified(&becomes.table).words("RENAME COLUMN");
            Ok(vec![run(&sql.name(&was.name).words("TO").name(&becomes.name))])
        }
        (ObjectRef::Index(was), ObjectRef::Index(becomes)) => {
            let sql = Sql::new("ALTER TABLE").qualified(&becomes.table).words("RENAME KEY");
            Ok(vec![run(&sql.name(&was.name).words("TO").name(&becomes.name))])
        }
        (ObjectRef::Opaque(was), ObjectRef::Opaque(becomes)) if was.kind == "event" && becomes.kind == "event" => {
            let was = QualName::new(was.namespace.clone(), ident(flavour, &was.name)?);
            let becomes = QualName::new(becomes.namespace.clone(), ident(flavour, &becomes.name)?);
            Ok(vec![run(&Sql::new("ALTER EVENT").qualified(&was).words("RENAME TO").qualified(&becomes))])
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
        ) => Err(unsupported(flavour, from, "it cannot be renamed")),
    }
}

fn relation(was: &QualName, becomes: &QualName) -> Rendered {
    Ok(vec![run(&Sql::new("RENAME TABLE").qualified(was).words("TO").qualified(becomes))])
}
