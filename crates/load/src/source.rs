//! Finding and reading what a caller names.

use std::path::{Path, PathBuf};

use crate::LoadError;

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// SQL statements.
    Sql,
    /// A JSON document.
    Json,
    /// A TOML document.
    Toml,
}

/// A file as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name for messages.
    pub name: String,
    /// What it holds.
    pub kind: SourceKind,
    /// Its text, without a byte order mark.
    pub text: String,
}

/// Reads every file that `paths` name: files, folders (every `.sql` file below, in order of its path) and glob patterns.
///
/// A document stands alone: it cannot be mixed with other files.
///
/// # Errors
/// [`LoadError`] for a path that leads nowhere, a folder without SQL files, an unreadable, too large or non-UTF-8 file, or a mix.
pub fn read_sources(paths: &[PathBuf]) -> Result<Vec<Source>, LoadError> {
    let mut files = Vec::new();
    for path in paths {
        for file in expand(path)? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    let sources = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let documents = sources.iter().filter(|source| source.kind != SourceKind::Sql).count();
    if documents > 0 && sources.len() > 1 {
        return Err(LoadError::Mixed);
    }
    Ok(sources)
}

fn expand(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if path.is_dir() {
        let mut found = Vec::new();
        walk(path, &mut found)?;
        found.sort();
        return if found.is_empty() { Err(LoadError::EmptyFolder(path.display().to_string())) } else { Ok(found) };
    }
    let text = path.display().to_string();
    if !text.contains(['*', '?', '[']) {
        return Err(LoadError::NotFound(text));
    }
    let matches = glob::glob(&text).map_err(|source| LoadError::Pattern { pattern: text.clone(), source })?;
    let mut found: Vec<PathBuf> = matches.filter_map(Result::ok).filter(|file| file.is_file()).collect();
    found.sort();
    if found.is_empty() { Err(LoadError::NotFound(text)) } else { Ok(found) }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), LoadError> {
    let failed = |source| LoadError::Read { path: folder.display().to_string(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sql")) {
            found.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Source, LoadError> {
    let name = path.display().to_string();
    let failed = |source| LoadError::Read { path: name.clone(), source };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > MAX_BYTES {
        return Err(LoadError::TooLarge { path: name, bytes: size });
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| LoadError::NotUtf8(name.clone()))?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let kind = match extension.as_deref() {
        Some("json") => SourceKind::Json,
        Some("toml") => SourceKind::Toml,
        _ => SourceKind::Sql,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    Ok(Source { name, kind, text })
}
