//! MariaDB's own words.

use trueup_schema::{DialectId, FkAction};

use super::{sequence, versioning};
use crate::mysql::{Attribute, Flavour};

/// MariaDB's words.
pub(crate) static MARIADB: Flavour = Flavour {
    id: DialectId::MariaDb,
    unused_index: ["IGNORED", "NOT IGNORED"],
    drop_check: "DROP CONSTRAINT",
    not_enforced: false,
    silent_action: FkAction::Restrict,
    srid: "REF_SYSTEM_ID=",
    replaces_routines: true,
    attribute,
    versioning: versioning::clauses,
    set_versioning: versioning::actions,
    is_versioned: versioning::is_versioned,
    sequence: sequence::change,
};

fn attribute(name: &str, value: &str) -> Option<Attribute> {
    match (name, value) {
        ("row", "start") => Some(Attribute::Whole("GENERATED ALWAYS AS ROW START")),
        ("row", "end") => Some(Attribute::Whole("GENERATED ALWAYS AS ROW END")),
        ("without_versioning", _) => Some(Attribute::Plain("WITHOUT SYSTEM VERSIONING")),
        ("compressed", "" | "true") => Some(Attribute::OfType("COMPRESSED".to_owned())),
        ("compressed", method) if method.chars().all(|c| c.is_ascii_alphanumeric()) => {
            Some(Attribute::OfType(format!("COMPRESSED={method}")))
        }
        _ => None,
    }
}
