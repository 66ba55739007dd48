//! What a runner is told to do, and where it is hit.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use trueup::session::DatabaseUrl;

/// One run in a process of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The database.
    pub(crate) url: String,
    /// The declared schema as a document.
    pub(crate) document: String,
    /// Where the run is hit; `None` lets it through.
    pub(crate) strike: Option<Strike>,
    /// Where to write every call of the run.
    pub(crate) trace: Option<PathBuf>,
    /// The lease in milliseconds.
    pub(crate) lease_ms: u64,
    /// The wait for the lock in milliseconds.
    pub(crate) lock_wait_ms: u64,
    /// The most pages that its file may have (SQLite): a disk that is full then.
    pub(crate) pages: Option<i64>,
    /// Whether it works beside live traffic.
    pub(crate) online: bool,
    /// What it says of itself on its standard error, everything shown that can be shown.
    pub(crate) talk: Talk,
}

/// How much a run says on its standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Talk {
    /// Nothing.
    #[default]
    Silent,
    /// Every trace of every library, and every value that it has.
    Loud,
    /// The same, and then it panics with all of them.
    Panic,
}

impl Job {
    /// A run towards `document` that nobody hits.
    pub(crate) fn new(url: &DatabaseUrl, document: &str) -> Self {
        Self {
            url: url.secret_text().to_owned(),
            document: document.to_owned(),
            strike: None,
            trace: None,
            lease_ms: 30_000,
            lock_wait_ms: 30_000,
            pages: None,
            online: false,
            talk: Talk::Silent,
        }
    }
}

/// Where and how a run is hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Strike {
    /// The call, from 0.
    pub(crate) at: usize,
    /// Before, during or after it.
    pub(crate) when: When,
    /// How.
    pub(crate) blow: Blow,
}

/// On which side of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum When {
    /// It never reaches the server.
    Before,
    /// So many microseconds after it was sent, if there is no answer yet; else right after the answer.
    During(u64),
    /// The server has answered, and the run does not know yet.
    After,
}

/// What happens there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Blow {
    /// The process kills itself.
    Kill,
    /// The server's end of the session is ended.
    EndBackend,
    /// The server is killed.
    EndServer {
        /// Its process.
        pid: i32,
    },
    /// The connection is reset.
    Reset,
    /// The network swallows everything from now on.
    BlackHole,
    /// The process is stopped, until somebody lets it go on.
    Stop,
    /// The session is idle for so many milliseconds, and the process goes on.
    Pause(u64),
}

/// One call of a run, as it was traced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// What was asked for.
    pub(crate) kind: CallKind,
    /// The text.
    pub(crate) sql: String,
    /// The first parameter, where it is a text.
    pub(crate) first: String,
    /// How long it took.
    pub(crate) micros: u64,
}

/// The kinds of calls of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CallKind {
    /// One statement.
    Execute,
    /// One query.
    Query,
    /// The begin of a transaction that writes.
    Begin,
    /// The begin of one that reads.
    Read,
    /// Commit.
    Commit,
    /// Rollback.
    Rollback,
}

/// How a runner ended, on its standard output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// The status, or the error.
    pub(crate) status: Result<String, String>,
    /// Statements that it ran.
    pub(crate) statements: usize,
}
