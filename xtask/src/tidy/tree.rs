//! What the rules look at: the packages of the workspace and the files that are, or would be, committed.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::context::Context;

/// Everything that most rules need.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
    pub(crate) files: Vec<SourceFile>,
}

/// A package of the workspace, as `cargo metadata` tells of it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A direct dependency.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// None for a normal one, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Dependency {
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A text file of the repository.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file is test code, by its folder or its name: `tests.rs` and `test_….rs`.
    pub(crate) fn is_test(&self) -> bool {
        let folders = ["tests", "benches", "examples"];
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name == "tests.rs" || name.starts_with("test_") || self.path.split('/').any(|part| folders.contains(&part))
    }
}

impl Workspace {
    pub(crate) fn read(context: &Context) -> Result<Self> {
        let packages = packages(context)?;
        let paths = paths(&context.root)?;
        // What is no text, or was removed and not yet committed, has nothing to check.
        let read = |path: &str| std::fs::read_to_string(context.root.join(path)).ok();
        let files = paths.into_iter().filter_map(|path| read(&path).map(|text| SourceFile { path, text }));
        Ok(Self { packages, files: files.collect() })
    }
}

/// The packages of the workspace.
pub(crate) fn packages(context: &Context) -> Result<Vec<Package>> {
    let metadata = output(&mut context.cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    Ok(serde_json::from_str::<Metadata>(&metadata).context("cargo metadata")?.packages)
}

/// The files that are, or would be, committed; outside a repository every file but what was built.
fn paths(root: &Path) -> Result<Vec<String>> {
    if !root.join(".git").exists() {
        let mut paths = Vec::new();
        walk(root, "", &mut paths)?;
        return Ok(paths);
    }
    let mut git = Command::new("git");
    // A checkout that belongs to somebody else, as in a container, is read all the same.
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = output(git.current_dir(root))?;
    Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            if path != "target" {
                walk(root, &format!("{path}/"), paths)?;
            }
        } else {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(())
}

/// What `command` prints; an error if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    ensure!(output.status.success(), "{} failed: {}", words.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    /// A package; a dependency is written `name` or `name:kind`.
    pub(crate) fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependency = |text: &&str| {
            let (name, kind) = text.split_once(':').map_or((*text, None), |(name, kind)| (name, Some(kind.to_owned())));
            Dependency { name: name.to_owned(), kind }
        };
        Package { name: name.to_owned(), dependencies: dependencies.iter().map(dependency).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_their_place() {
        for path in ["crates/a/tests/it/main.rs", "crates/a/src/b/tests.rs", "crates/a/src/test_x.rs", "tests/x.rs"] {
            assert!(samples::file(path, "").is_test(), "{path}");
        }
        assert!(!samples::file("crates/testkit/src/lib.rs", "").is_test());
    }

    #[test]
    fn a_folder_that_is_no_repository_is_walked() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/b", "target/debug", "a/target"] {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
            std::fs::write(folder.path().join(path).join("x.rs"), "").unwrap();
        }
        assert_eq!(paths(folder.path()).unwrap(), ["a/b/x.rs", "a/target/x.rs"]);
    }

    #[test]
    fn a_failing_program_is_an_error() {
        assert!(output(Command::new("sh").args(["-c", "exit 1"])).is_err());
    }
}
