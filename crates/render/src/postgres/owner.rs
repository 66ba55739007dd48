//! Owners.

use trueup_plan::Flavor;
use trueup_schema::{Ident, ObjectRef};

use super::comment;
use super::words::{Rendered, run, unsupported};
use crate::sql::Sql;

pub(super) fn set(on: &ObjectRef, flavor: Flavor, owner: &Ident) -> Rendered {
    match on {
        ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_) => return Err(unsupported(on, "it has no owner of its own")),
        ObjectRef::Namespace(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Opaque(_) => {}
    }
    Ok(vec![run(&Sql::new("ALTER").then(comment::target(on, flavor)?).words("OWNER TO").name(owner))])
}
