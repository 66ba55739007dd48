//! The folder that keeps compiled declarations between runs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueup::CompileCache;

use crate::target::environment;

/// More files than this are never kept; the oldest go first.
const MOST_FILES: usize = 128;

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Which program writes the entries: another build may understand a declaration otherwise.
    program: String,
}

/// The user's cache, where there is a place for one.
pub(crate) fn of_user() -> Option<Arc<dyn CompileCache>> {
    let folder = environment("TRUEUP_CACHE_DIR").map(PathBuf::from).or_else(|| {
        let base = environment("XDG_CACHE_HOME").map(PathBuf::from);
        let base = base.or_else(|| environment("HOME").map(|home| Path::new(&home).join(".cache")))?;
        Some(base.join("trueup").join("compiled"))
    })?;
    Some(Arc::new(Folder { path: folder, program: program()? }))
}

/// This program's file, by size and age.
fn program() -> Option<String> {
    let file = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let age = file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{:x}-{:x}", file.len(), age.as_nanos()))
}

impl CompileCache for Folder {
    fn get(&self, key: &str) -> Option<String> {
        if !is_private(&self.path) {
            return None;
        }
        fs::read_to_string(self.file(key)).ok()
    }

    fn put(&self, key: &str, text: &str) {
        // A cache that cannot be written costs time and nothing else.
        self.write(key, text).ok();
    }
}

impl Folder {
    fn file(&self, key: &str) -> PathBuf {
        self.path.join(format!("{}-{key}", self.program))
    }

    fn write(&self, key: &str, text: &str) -> std::io::Result<()> {
        make(&self.path)?;
        if !is_private(&self.path) {
            return Ok(());
        }
        // Another process sees the old text or the new one, never half of one.
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        file.write_all(text.as_bytes())?;
        file.persist(self.file(key)).map_err(|error| error.error)?;
        self.prune()
    }

    fn prune(&self) -> std::io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            files.push((entry.metadata()?.modified()?, entry.path()));
        }
        if files.len() > MOST_FILES {
            files.sort();
            for (_, path) in files.iter().take(files.len() - MOST_FILES / 2) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn make(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

/// Whether nobody else may write there: entries are believed.
#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(folder).is_ok_and(|meta| meta.permissions().mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_private(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: PathBuf) -> Folder {
        Folder { path, program: program().unwrap() }
    }

    #[test]
    fn what_is_put_is_there_and_old_entries_go() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path().join("deep").join("cache"));
        assert_eq!(folder.get("a"), None);
        folder.put("a", "text");
        assert_eq!(folder.get("a").as_deref(), Some("text"));
        for at in 0..=MOST_FILES {
            folder.put(&format!("k{at}"), "x");
        }
        assert!(fs::read_dir(&folder.path).unwrap().count() <= MOST_FILES);
        assert_eq!(folder.get(&format!("k{MOST_FILES}")).as_deref(), Some("x"));
        assert_eq!(folder.get("a"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_write_to_is_not_believed() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path().join("cache"));
        folder.put("a", "text");
        fs::set_permissions(&folder.path, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(folder.get("a"), None);
        folder.put("b", "text");
        assert!(!folder.file("b").exists());
    }
}
