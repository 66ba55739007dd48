//! What tells MariaDB from MySQL.

use std::collections::BTreeMap;

use trueup_schema::{DialectId, FkAction};

use super::{algorithm, capabilities, changes, charsets, dependents, names};
use crate::mysql::{Engine, Flavour, Spelling, Words};

static MARIADB: Flavour = Flavour {
    id: DialectId::MariaDb,
    capabilities: capabilities::CAPABILITIES,
    spelling: Spelling { widths: true, collection: "geometrycollection", year_width: true },
    // LOCALTIME and the like are printed as they are by newer servers.
    words: Words {
        now: "current_timestamp",
        nows: &["CURRENT_TIMESTAMP", "NOW"],
        now_end: "()",
        number: str::to_owned,
    },
    check_stem: names::check_stem,
    own_collation: charsets::own_collation,
    column_checks: true,
    unenforced: false,
    silent_action: FkAction::Restrict,
    verdict: changes::verdict,
    carries: dependents::carries,
    locks_instants: true,
    partitions_assert: false,
    predict: algorithm::predict,
};

/// MariaDB of `version`: major, minor, patch. `settings` are those of the live facts; what they lack has the server's own default.
#[must_use]
pub fn engine(version: [u32; 3], settings: &BTreeMap<String, String>) -> Engine {
    Engine::new(&MARIADB, version, settings)
}
