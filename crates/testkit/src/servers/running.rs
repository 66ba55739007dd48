//! A server that runs, and its end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use super::recipe::stop_signal;
use super::{ServerError, ServerName, greeting};

/// File inside a server's folder that says what runs there.
pub(crate) const RECORD: &str = "record.json";
/// File inside a server's folder that its owner keeps locked.
pub(crate) const LOCK: &str = "lock";

/// How long a server lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the [`RunningServer`] that started it. Should its process be killed, the next one cleans up.
    Owner,
    /// Until [`ServerRecord::stop`].
    Kept,
}

impl Lifetime {
    /// How the folders of such servers begin.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Owner => "trueup-test-",
            Self::Kept => "trueup-db-",
        }
    }
}

/// Where a server runs; enough to stop it from another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerRecord {
    /// Its name, as in `postgres15`.
    pub name: String,
    /// Its URL, without a database.
    pub url: String,
    /// Its port on the loopback interface.
    pub port: u16,
    /// Its process.
    pub pid: i32,
    /// Everything it has written.
    pub folder: PathBuf,
}

impl ServerRecord {
    /// The record in a server's folder, if there is a readable one.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(RECORD)).ok()?).ok()
    }

    /// Whether its process still runs: a process of that number whose arguments name that folder.
    #[must_use]
    pub fn is_running(&self) -> bool {
        let Ok(arguments) = fs::read(format!("/proc/{}/cmdline", self.pid)) else { return false };
        String::from_utf8_lossy(&arguments).contains(&*self.folder.to_string_lossy())
    }

    /// The version that the server reports of itself.
    ///
    /// # Errors
    /// [`ServerError::Greeting`] if it does not answer, [`ServerError::UnknownName`] if the name is none of ours.
    pub fn version(&self) -> Result<String, ServerError> {
        greeting::version(self.name.parse::<ServerName>()?.engine, self.port)
    }

    /// Stops the server and removes its data.
    ///
    /// # Errors
    /// [`ServerError::Io`] if the data cannot be removed.
    pub fn stop(&self) -> Result<(), ServerError> {
        self.stop_with(|| {})
    }

    /// Stops it; `reap` collects the process where it is a child of ours.
    fn stop_with(&self, mut reap: impl FnMut()) -> Result<(), ServerError> {
        let polite = self.name.parse::<ServerName>().map_or(Signal::TERM, |name| stop_signal(name.engine));
        for (signal, tenths) in [(polite, 150), (Signal::KILL, 50)] {
            if self.is_running()
                && let Some(pid) = Pid::from_raw(self.pid)
            {
                // It may end between the two calls, which is what is wanted.
                kill_process(pid, signal).ok();
            }
            for _ in 0..tenths {
                reap();
                if !self.is_running() {
                    break;
                }
                sleep(Duration::from_millis(100));
            }
        }
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(ServerError::io(&self.folder)(error)),
            _ => Ok(()),
        }
    }
}

/// A server that was started here.
#[derive(Debug)]
pub struct RunningServer {
    record: ServerRecord,
    child: Child,
    /// Held for as long as the server belongs to this process.
    owner: Option<File>,
}

impl RunningServer {
    pub(crate) fn new(record: ServerRecord, child: Child, owner: Option<File>) -> Self {
        Self { record, child, owner }
    }

    /// Where it runs.
    #[must_use]
    pub fn record(&self) -> &ServerRecord {
        &self.record
    }

    /// Lets it live on after this value.
    pub(crate) fn disown(&mut self) {
        self.owner = None;
    }

    /// Collects a process that has ended.
    pub(crate) fn reap(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// Puts another process in the place of one that has ended.
    pub(crate) fn replace(&mut self, record: ServerRecord, child: Child) {
        self.record = record;
        self.child = child;
    }

    /// Whether the process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        if self.owner.is_none() {
            return;
        }
        let Self { record, child, .. } = self;
        // The next start tries again to remove what could not be removed now.
        drop(record.stop_with(|| drop(child.try_wait())));
    }
}
