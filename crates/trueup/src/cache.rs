//! What a dev database made of a declaration, kept for the next time.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use trueup_dialect::Dialect;
use trueup_load::{DevTarget, LoadOptions, Source};
use trueup_plan::{Desired, Hints, RenameHint, Unmanaged};
use trueup_schema::{Ident, ObjectRef, PartId, Schema, SqlExpr};
use trueup_session::{Connector, ServerInfo};
use trueup_snapshot::{Fingerprint, Snapshot};

/// Changes with everything that makes old entries wrong, besides the crate's version.
const FORMAT: u32 = 4;

/// Where compiled declarations are kept between runs. Without one, every plan of SQL files makes a dev database.
///
/// What is kept holds the declared schema, no secret. An implementation may forget anything at any time, and must keep others from
/// writing: an entry is believed.
pub trait CompileCache: Send + Sync + fmt::Debug {
    /// The text kept under `key`, a name of letters, digits and `-`.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps `text` under `key`, as well as it can.
    fn put(&self, key: &str, text: &str);
}

/// A cache, and what else decides what a dev database makes of a declaration.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    cache: Arc<dyn CompileCache>,
    surroundings: String,
}

impl Kept {
    /// `server` is where dev databases are made, `info` and `settings` are the target's.
    pub(crate) fn new(
        cache: Arc<dyn CompileCache>,
        server: &dyn Connector,
        (info, settings): (&ServerInfo, &str),
        target: &DevTarget,
        options: LoadOptions,
    ) -> Self {
        let url = server.url();
        let surroundings = format!(
            "{FORMAT} {}\n{} {:?}\n{}\n{settings}\n{target:?}\n{options:?}\n",
            env!("CARGO_PKG_VERSION"),
            url.place(),
            url.user(),
            info.version_text,
        );
        Self { cache, surroundings }
    }

    /// Under what declared SQL is kept.
    pub(crate) fn of_sources(&self, sources: &[Source]) -> Key {
        let heads: Vec<String> =
            sources.iter().map(|source| format!("{} {}\n", source.name, source.text.len())).collect();
        let files = sources.iter().zip(&heads).flat_map(|(source, head)| [head.as_str(), &source.text, "\n"]);
        Key::of(std::iter::once(self.surroundings.as_str()).chain(files))
    }

    /// Under what a schema that is not in the server's spelling is kept.
    pub(crate) fn of_schema(&self, snapshot: &Snapshot) -> Key {
        Key::of([self.surroundings.as_str(), &snapshot.root_as_spelled().to_string(), "\n"])
    }

    /// The declaration kept under `key`; nothing where there is none or it cannot be read.
    pub(crate) fn recall(&self, key: &Key, dialect: &dyn Dialect) -> Option<Desired> {
        let entry: Entry<'_> = serde_json::from_str(&self.cache.get(&key.0)?).ok()?;
        entry.into_desired(dialect)
    }

    /// The fingerprint of the declaration kept under `key`, which needs no schema to be read.
    pub(crate) fn recall_root(&self, key: &Key) -> Option<Fingerprint> {
        self.cache.get(&key.root())?.trim().parse().ok()
    }

    /// Keeps `desired` under `key`, unless it cannot be written down.
    pub(crate) fn keep(&self, key: &Key, desired: &Desired) {
        if let Ok(text) = serde_json::to_string(&Entry::of(desired)) {
            self.cache.put(&key.0, &text);
            self.keep_root(key, desired);
        }
    }

    /// Keeps only the fingerprint of `desired`.
    pub(crate) fn keep_root(&self, key: &Key, desired: &Desired) {
        self.cache.put(&key.root(), &desired.snapshot.root_as_spelled().to_string());
    }
}

/// A name in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// A fingerprint's 64 bits would be short for something that is believed.
    fn of<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Self {
        let mut hasher = Sha256::new();
        pieces.into_iter().for_each(|piece| hasher.update(piece));
        Self(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn root(&self) -> String {
        format!("{}-root", self.0)
    }
}

/// [`Desired`] without its snapshot's hashes, in a form that JSON holds.
#[derive(Serialize, Deserialize)]
struct Entry<'d> {
    schema: Cow<'d, Schema>,
    renames: Vec<RenameHint>,
    using: Vec<(PartId, SqlExpr)>,
    backfills: Vec<(PartId, SqlExpr)>,
    ignored: Vec<ObjectRef>,
    provenance: Vec<(ObjectRef, String)>,
    unmodelled: Vec<Unmanaged>,
    notes: Vec<String>,
    namespaces: BTreeSet<Ident>,
}

impl<'d> Entry<'d> {
    fn of(desired: &'d Desired) -> Self {
        let Desired { snapshot, hints, provenance, unmodelled, notes, elaborated: _, privileges: _, namespaces } =
            desired;
        let Hints { renames, using, backfills, ignored } = hints.clone();
        Self {
            schema: Cow::Borrowed(snapshot.schema()),
            renames,
            using: using.into_iter().collect(),
            backfills: backfills.into_iter().collect(),
            ignored,
            provenance: provenance.clone().into_iter().collect(),
            unmodelled: unmodelled.clone(),
            notes: notes.clone(),
            namespaces: namespaces.clone(),
        }
    }

    fn into_desired(self, dialect: &dyn Dialect) -> Option<Desired> {
        Some(Desired {
            snapshot: Snapshot::from_schema(self.schema.into_owned(), dialect).ok()?,
            hints: Hints {
                renames: self.renames,
                using: self.using.into_iter().collect(),
                backfills: self.backfills.into_iter().collect(),
                ignored: self.ignored,
            },
            provenance: self.provenance.into_iter().collect(),
            unmodelled: self.unmodelled,
            notes: self.notes,
            elaborated: true,
            privileges: true,
            namespaces: self.namespaces,
        })
    }
}
