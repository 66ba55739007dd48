//! What tells one flavour of server from another.

use std::collections::BTreeMap;

use trueup_plan::Change;
use trueup_schema::{DialectId, FkAction, Ident, ObjectRef};

use super::algorithm::Prediction;
use super::defaults::Words;
use super::names::CheckStem;
use super::types::Spelling;
use super::{algorithm, capabilities, changes, charsets, defaults, dependents, names, types};
use crate::{Capabilities, Carries, Tables, Verdict};

/// What differs between servers that share the rest.
#[derive(Debug)]
pub(crate) struct Flavour {
    pub(crate) id: DialectId,
    pub(crate) capabilities: Capabilities,
    pub(crate) spelling: Spelling,
    pub(crate) words: Words,
    pub(crate) check_stem: CheckStem,
    /// The collation that a character set has by itself, where it is not the same on every server.
    pub(crate) own_collation: fn([u32; 3], &str) -> Option<&'static str>,
    /// Whether a check remembers the column that it was written at.
    pub(crate) column_checks: bool,
    /// Whether a check can be kept without being enforced.
    pub(crate) unenforced: bool,
    /// What a foreign key does that says nothing. RESTRICT and NO ACTION come to the same, but the server keeps which was said.
    pub(crate) silent_action: FkAction,
    pub(crate) verdict: fn(&Change, Tables<'_>) -> Verdict,
    pub(crate) carries: fn(&Change, &ObjectRef) -> Carries,
    /// Whether an instant change takes a word for its lock.
    pub(crate) locks_instants: bool,
    /// Whether clauses that change single partitions take one.
    pub(crate) partitions_assert: bool,
    /// How an existing table is altered by changes that share one ALTER.
    pub(crate) predict: fn([u32; 3], &[&Change], Tables<'_>) -> Option<Prediction>,
}

/// MySQL.
pub(crate) static MYSQL: Flavour = Flavour {
    id: DialectId::MySql,
    capabilities: capabilities::CAPABILITIES,
    spelling: types::SPELLING,
    words: defaults::WORDS,
    check_stem: names::check_stem,
    own_collation: |_, charset| (charset == "utf8mb4").then_some("utf8mb4_0900_ai_ci"),
    column_checks: false,
    unenforced: true,
    silent_action: FkAction::NoAction,
    verdict: changes::verdict,
    carries: dependents::carries,
    locks_instants: false,
    partitions_assert: true,
    predict: algorithm::predict,
};

/// What is known of the server at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) version: [u32; 3],
    /// Whether names of tables are compared without letter case.
    folds: bool,
    charset: Option<String>,
    collation: Option<String>,
    engine: Option<String>,
    /// Collations that the server's settings give to character sets, by character set.
    collations: BTreeMap<String, String>,
}

impl Server {
    /// A server of `version` with the settings that introspection reads.
    pub(crate) fn new(version: [u32; 3], settings: &BTreeMap<String, String>) -> Self {
        let text = |name: &str| settings.get(name).cloned().filter(|text| !text.is_empty());
        Self {
            version,
            folds: text("lower_case_table_names").is_some_and(|mode| mode != "0"),
            charset: text("default_charset"),
            collation: text("default_collation"),
            engine: text("default_storage_engine"),
            collations: collations(settings),
        }
    }

    /// What two names must share to be the same. Names of columns, indexes and routines are compared without letter case on every
    /// server; those that differ in nothing else are taken for different all the same, so that nothing is dropped by mistake.
    pub(crate) fn fold(&self, name: &Ident) -> String {
        if self.folds { name.as_str().to_lowercase() } else { name.as_str().to_owned() }
    }

    /// The collation of a database that says nothing.
    pub(crate) fn default_collation(&self, flavour: &Flavour) -> String {
        let charset = self.charset.as_deref().map(charsets::canonical);
        let known = self.collation.as_deref().map(charsets::canonical);
        known.unwrap_or_else(|| self.collation_of(flavour, charset.as_deref().unwrap_or("utf8mb4")))
    }

    /// The collation that `charset` has by itself.
    pub(crate) fn collation_of(&self, flavour: &Flavour, charset: &str) -> String {
        if let Some(collation) = self.collations.get(charset) {
            return collation.clone();
        }
        let shared = charsets::shared_default(charset);
        let own = (flavour.own_collation)(self.version, charset);
        own.or(shared).map_or_else(|| format!("{charset}_general_ci"), str::to_owned)
    }

    /// The storage engine of a table that says nothing.
    pub(crate) fn default_engine(&self) -> &str {
        self.engine.as_deref().unwrap_or("InnoDB")
    }
}

/// The collations that `default_collation_for_utf8mb4` (MySQL) and `character_set_collations` (MariaDB) name.
fn collations(settings: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let listed = settings.get("character_set_collations").map(String::as_str).unwrap_or_default();
    let listed = listed.split(',').filter_map(|pair| pair.split_once('='));
    let single = settings.get("default_collation_for_utf8mb4").map(|collation| ("utf8mb4", collation.as_str()));
    let all = listed.chain(single.filter(|(_, collation)| !collation.is_empty()));
    all.map(|(charset, collation)| (charsets::canonical(charset.trim()), charsets::canonical(collation.trim())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_decide_which_collation_a_character_set_has() {
        let server =
            |name: &str, value: &str| Server::new([9, 7, 0], &BTreeMap::from([(name.to_owned(), value.to_owned())]));
        let listed = server("character_set_collations", "utf8mb3=utf8mb3_unicode_ci,utf8mb4=utf8mb4_bin");
        assert_eq!(listed.collation_of(&MYSQL, "utf8mb3"), "utf8mb3_unicode_ci");
        assert_eq!(listed.collation_of(&MYSQL, "utf8mb4"), "utf8mb4_bin");
        assert_eq!(listed.collation_of(&MYSQL, "latin1"), "latin1_swedish_ci");
        let single = server("default_collation_for_utf8mb4", "utf8mb4_general_ci");
        assert_eq!(single.collation_of(&MYSQL, "utf8mb4"), "utf8mb4_general_ci");
        assert_eq!(server("character_set_collations", "").collation_of(&MYSQL, "utf8mb4"), "utf8mb4_0900_ai_ci");
    }
}
