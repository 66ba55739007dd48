//! Packages of the npm registry, through its own client.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::account::is_root;
use super::command::run;
use super::{ServerError, debian};

/// Unpacks the newest version of `package` that starts with `version.` into `folder/package`.
pub(crate) fn unpack(package: &str, version: &str, folder: &Path) -> Result<(), ServerError> {
    if run(Command::new("npm").arg("--version")).is_err() {
        if !is_root() {
            return Err(ServerError::Missing {
                what: "npm".to_owned(),
                fix: "install it, or run once as root so that it is installed".to_owned(),
            });
        }
        debian::install(&["npm"])?;
    }
    let listed = run(Command::new("npm").args(["view", package, "versions", "--json"]))?;
    let versions: Vec<String> = serde_json::from_str(&listed).map_err(|error| ServerError::io(folder)(error.into()))?;
    let newest = newest(&versions, version).ok_or_else(|| ServerError::Missing {
        what: format!("version {version} of `{package}`"),
        fix: "look at the registry that npm is set up for".to_owned(),
    })?;
    run(Command::new("npm").args(["pack", "--silent", &format!("{package}@{newest}")]).current_dir(folder))?;
    let entries = fs::read_dir(folder).map_err(ServerError::io(folder))?.flatten();
    for archive in entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "tgz")) {
        run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(folder))?;
        fs::remove_file(&archive).map_err(ServerError::io(&archive))?;
    }
    Ok(())
}

/// The greatest version of the line, by its numbers.
fn newest<'a>(versions: &'a [String], line: &str) -> Option<&'a str> {
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    };
    let in_line = |text: &&String| text.strip_prefix(line).is_some_and(|rest| rest.starts_with('.'));
    versions.iter().filter(in_line).max_by_key(|text| numbers(text)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_compares_numbers() {
        let versions = ["14.9.0-beta.9", "14.9.0-beta.10", "14.10.0-beta.1", "1.14.0", "140.1.0"].map(str::to_owned);
        assert_eq!(newest(&versions, "14"), Some("14.10.0-beta.1"));
        assert_eq!(newest(&versions, "15"), None);
    }
}
