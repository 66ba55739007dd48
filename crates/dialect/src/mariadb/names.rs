//! Names that MariaDB makes up.

use trueup_schema::Ident;

/// Unnamed checks are counted table by table.
pub(super) fn check_stem(_: &Ident) -> String {
    "CONSTRAINT_".to_owned()
}
