//! Whole objects: made with everything that their value holds, and dropped.

use trueup_plan::Object;

use super::flavour::{Flavour, SequenceChange};
use super::words::{Rendered, run, unsupported};
use super::{index, namespace, opaque, routine, table, trigger, view};
use crate::sql::Sql;

pub(super) fn create(flavour: &Flavour, object: &Object) -> Rendered {
    match object {
        Object::Namespace(it) => namespace::create(flavour, it),
        Object::Sequence(it) => (flavour.sequence)(SequenceChange::Create(it)),
        Object::Table(it) => table::create(flavour, it),
        Object::View(it) => view::create(flavour, it, false),
        Object::Index(it) => {
            let definition = index::definition(flavour, &it.index)?;
            Ok(vec![run(&Sql::new("ALTER TABLE").qualified(&it.table).words("ADD").then(definition))])
        }
        Object::Routine(it) => routine::create(flavour, it),
        Object::Trigger(it) => trigger::create(flavour, it),
        Object::Opaque(it) => opaque::create(it),
        Object::Extension(_) | Object::Type(_) | Object::Policy(_) => none(flavour, object),
    }
}

pub(super) fn drop(flavour: &Flavour, object: &Object) -> Rendered {
    match object {
        Object::Namespace(it) => namespace::drop(it),
        Object::Sequence(it) => (flavour.sequence)(SequenceChange::Drop(it)),
        Object::Table(it) => table::drop(it),
        Object::View(it) => view::drop(it),
        Object::Index(it) => {
            let sql = Sql::new("ALTER TABLE").qualified(&it.table).words("DROP KEY").name(&it.index.name);
            Ok(vec![run(&sql)])
        }
        Object::Routine(it) => routine::drop(it),
        Object::Trigger(it) => trigger::drop(it),
        Object::Opaque(it) => opaque::drop(it),
        Object::Extension(_) | Object::Type(_) | Object::Policy(_) => none(flavour, object),
    }
}

fn none(flavour: &Flavour, object: &Object) -> Rendered {
    Err(unsupported(flavour, object.reference(), "there are no objects of its kind"))
}
