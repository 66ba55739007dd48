//! What MariaDB does to dependents of a rename.

use trueup_plan::Change;
use trueup_schema::ObjectRef;

use crate::{Carries, mysql};

/// A renamed column is renamed in checks, defaults and generation expressions of its table, too.
pub(super) fn carries(rename: &Change, dependent: &ObjectRef) -> Carries {
    mysql::rest(rename, dependent)
}
