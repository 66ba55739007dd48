//! SQLite: a copy of the file, rows included, beside the original.

use std::path::{Path, PathBuf};

use trueup_session::{ConnectOptions, Connector};

use super::{Branch, BranchError};

/// What branches are called, after the original's name.
const SUFFIX: &str = ".trueup_branch_";

pub(super) async fn make(parent: &dyn Connector) -> Result<Branch, BranchError> {
    let url = parent.url();
    let original = match url.database() {
        Some(path) if !url.is_in_memory() => path.to_owned(),
        _ => return Err(BranchError::Unsupported("a database in memory cannot be copied for a rehearsal".to_owned())),
    };
    let path = free_path(&original);
    let options = ConnectOptions::default();
    if Path::new(&original).exists() {
        trueup_session::copy_database(url, Path::new(&path), &options)
            .await
            .map_err(|source| BranchError::Database { doing: "copying the file", source })?;
    } else {
        // a database that does not exist yet is empty
        let copy = parent.with_database(&path);
        let create = ConnectOptions { create_if_missing: true, ..options };
        let session =
            copy.connect(&create).await.map_err(|source| BranchError::Database { doing: "making the file", source })?;
        session.close().await.map_err(|source| BranchError::Database { doing: "making the file", source })?;
    }
    Ok(Branch { mechanism: "copy", connector: parent.with_database(&path), name: path, filled: true })
}

/// A name beside the original that nothing has.
fn free_path(original: &str) -> String {
    let process = std::process::id();
    let candidates = (0_u32..).map(|number| format!("{original}{SUFFIX}{process}_{number}"));
    candidates
        .into_iter()
        .find(|path| !Path::new(path).exists())
        .unwrap_or_else(|| format!("{original}{SUFFIX}{process}"))
}

pub(super) fn drop(path: &str) -> Result<(), BranchError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let file = PathBuf::from(format!("{path}{suffix}"));
        match std::fs::remove_file(&file) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(BranchError::File { path: file.display().to_string(), doing: "removing it", source });
            }
            _ => {}
        }
    }
    Ok(())
}
