//! Where the workspace and the downloads are.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use trueup_testkit::servers::Home;

/// What every verb gets.
#[derive(Debug)]
pub(crate) struct Context {
    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
}

impl Context {
    pub(crate) fn new() -> Result<Self> {
        let own = variable("CARGO_MANIFEST_DIR").unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = own.parent().context("the automation's folder has no parent")?.to_owned();
        Ok(Self { root })
    }

    /// `cargo` with these words, run at the root.
    pub(crate) fn cargo(&self, words: &[&str]) -> Command {
        let mut command = Command::new(variable("CARGO").unwrap_or_else(|| PathBuf::from("cargo")));
        command.args(words).current_dir(&self.root);
        command
    }

    /// The place of servers.
    pub(crate) fn servers(&self) -> Result<Home> {
        Ok(Home::new(self.cache()?, |text| eprintln!("  {text}")))
    }

    /// Where the programs of servers are kept.
    #[expect(clippy::unused_self, reason = "whoever has a context may ask")]
    pub(crate) fn cache(&self) -> Result<PathBuf> {
        Ok(cache()?.join("servers"))
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder for downloads, outside the checkout. As root it must be one that the servers' account can enter.
fn cache() -> Result<PathBuf> {
    if let Some(chosen) = variable("TRUEUP_CACHE") {
        return Ok(chosen);
    }
    let of_user = [variable("XDG_CACHE_HOME"), variable("HOME").map(|home| home.join(".cache"))];
    let candidates = of_user.into_iter().flatten().chain([PathBuf::from("/var/cache"), std::env::temp_dir()]);
    let is_root = rustix::process::geteuid().is_root();
    for candidate in candidates {
        let folder = candidate.join("trueup");
        if (!is_root || is_open(&candidate)) && std::fs::create_dir_all(&folder).is_ok() {
            return Ok(folder);
        }
    }
    bail!("no folder for downloads: set TRUEUP_CACHE")
}

/// Whether anybody may enter a folder and all above it. What does not exist yet is open.
fn is_open(folder: &Path) -> bool {
    folder.ancestors().all(|part| std::fs::metadata(part).map_or(true, |meta| meta.mode() & 0o001 != 0))
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_closed_parent_closes_what_is_below() {
        let folder = tempfile::tempdir().unwrap();
        set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        assert!(is_open(&folder.path().join("a")));
        set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        assert!(!is_open(&folder.path().join("a")));
    }
}
