//! What can go wrong before a server greets.

use std::io;
use std::path::{Path, PathBuf};

/// Why a server could not be installed, started or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// No such server is known.
    #[error("no server is called `{name}`")]
    UnknownName {
        /// What was asked for.
        name: String,
    },
    /// A file or folder could not be made, read or removed.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A program could not be run.
    #[error("cannot run `{program}`")]
    CannotRun {
        /// The program.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// A program ran and failed.
    #[error("`{command}` failed:\n{output}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// The end of what it printed.
        output: String,
    },
    /// Something that is needed cannot be had on this machine.
    #[error("{what} is missing; {fix}")]
    Missing {
        /// What is missing.
        what: String,
        /// What to do about it.
        fix: String,
    },
    /// A server ended, or did not greet in time.
    #[error("server `{name}` {what}:\n{log}")]
    NotUp {
        /// The server.
        name: String,
        /// What it did instead.
        what: &'static str,
        /// The end of its log.
        log: String,
    },
    /// A server answered with something that is no greeting.
    #[error("unexpected greeting on port {port}: {what}")]
    Greeting {
        /// The port.
        port: u16,
        /// What came instead.
        what: String,
    },
}

impl ServerError {
    /// For `map_err` on file operations.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
