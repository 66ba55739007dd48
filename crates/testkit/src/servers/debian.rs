//! Packages of Debian and Ubuntu: installed ones, and ones of any Debian release unpacked into a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::command::run;
use super::{Home, ServerError};

/// One installation at a time in this process; whether the lists are fresh.
static FRESH: Mutex<bool> = Mutex::new(false);

/// `apt-get` that asks nothing and starts no service.
fn apt(words: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1");
    command
}

/// Whether the machine's own sources have `package`. Fetches the lists first where there are none.
pub(crate) fn has(package: &str) -> bool {
    let known = || run(Command::new("apt-cache").args(["show", "--no-all-versions", package])).is_ok();
    known() || (update().is_ok() && known())
}

/// Fetches the package lists, once per process.
fn update() -> Result<(), ServerError> {
    let mut fresh = FRESH.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !*fresh {
        run(&mut apt(&["update", "-q"]))?;
        *fresh = true;
    }
    Ok(())
}

/// Installs `packages`; the caller is root.
pub(crate) fn install(packages: &[&str]) -> Result<(), ServerError> {
    update()?;
    let guard = FRESH.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let words = ["install", "-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"];
    run(apt(&words).args(packages))?;
    drop(guard);
    Ok(())
}

/// Packages of a Debian release, unpacked into a folder of their own; nothing is installed, nobody need be root.
#[derive(Debug)]
pub(crate) struct Unpacked {
    root: PathBuf,
}

impl Unpacked {
    /// The `packages` of `release` with everything that they need, kept under `name`.
    pub(crate) fn get(home: &Home, name: &str, release: &str, packages: &[&str]) -> Result<Self, ServerError> {
        home.download(name, |folder| unpack(folder, release, packages)).map(|root| Self { root })
    }

    /// A path inside, from `usr` on.
    pub(crate) fn usr(&self, path: &str) -> PathBuf {
        self.root.join("usr").join(path)
    }

    /// The words that run `program` with the C library that it was built for.
    pub(crate) fn run(&self, program: &str) -> Vec<String> {
        let (triple, loader) = if std::env::consts::ARCH == "aarch64" {
            ("aarch64-linux-gnu", "ld-linux-aarch64.so.1")
        } else {
            ("x86_64-linux-gnu", "ld-linux-x86-64.so.2")
        };
        let library = self.usr("lib").join(triple);
        // Older releases keep the C library outside `usr`.
        let old_library = self.root.join("lib").join(triple);
        let start = [&library, &old_library].map(|folder| folder.join(loader)).into_iter().find(|path| path.exists());
        let private = [library.join("mysql"), library.join("mysql/private"), self.usr("lib/mysql/private")];
        let paths: Vec<String> =
            [library, old_library].iter().chain(&private).map(|path| path.display().to_string()).collect();
        vec![
            start.map_or_else(|| loader.to_owned(), |path| path.display().to_string()),
            "--library-path".to_owned(),
            paths.join(":"),
            self.usr(program).display().to_string(),
        ]
    }
}

fn unpack(root: &Path, release: &str, packages: &[&str]) -> Result<(), ServerError> {
    let conf = root.join("apt");
    for folder in ["lists/partial", "cache/archives/partial"] {
        let folder = conf.join(folder);
        fs::create_dir_all(&folder).map_err(ServerError::io(&folder))?;
    }
    let at = conf.display();
    let settings = format!(
        "Dir::Etc::SourceList \"{at}/sources.list\";\nDir::Etc::SourceParts \"/dev/null\";\n\
         Dir::State::Lists \"{at}/lists\";\nDir::Cache \"{at}/cache\";\nDir::State::status \"{at}/status\";\n\
         APT::Install-Recommends \"false\";\nAPT::Sandbox::User \"root\";\n"
    );
    let source = format!("deb {}{} {release} main\n", keyring(), mirror());
    for (name, text) in [("sources.list", source.as_str()), ("status", ""), ("apt.conf", &settings)] {
        let path = conf.join(name);
        fs::write(&path, text).map_err(ServerError::io(&path))?;
    }
    let config = conf.join("apt.conf");
    run(apt(&["update", "-q"]).env("APT_CONFIG", &config))?;
    run(apt(&["install", "-y", "-q", "--download-only"]).args(packages).env("APT_CONFIG", &config))?;
    let archives = conf.join("cache/archives");
    let mut debs: Vec<PathBuf> =
        fs::read_dir(&archives).map_err(ServerError::io(&archives))?.flatten().map(|entry| entry.path()).collect();
    debs.retain(|path| path.extension().is_some_and(|extension| extension == "deb"));
    debs.sort();
    for deb in debs {
        run(Command::new("dpkg").arg("-x").arg(&deb).arg(root))?;
    }
    fs::remove_dir_all(&conf).map_err(ServerError::io(&conf))
}

/// The Debian mirror that this machine uses, else the public one.
fn mirror() -> String {
    let extra = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = std::iter::once(PathBuf::from("/etc/apt/sources.list")).chain(extra).collect();
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    texts.into_iter().find_map(|text| mirror_in(&text)).unwrap_or_else(|| "http://deb.debian.org/debian".to_owned())
}

fn mirror_in(sources: &str) -> Option<String> {
    let lines = sources.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace).map(|word| word.trim_end_matches('/'));
    words.find(|word| word.starts_with("http") && word.ends_with("/debian")).map(str::to_owned)
}

/// Names Debian's keys where the machine does not trust them for every source (Ubuntu).
fn keyring() -> &'static str {
    const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
    if Path::new(KEYS).exists() { "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] " } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_of_both_source_formats() {
        let old = "# deb http://old.example/debian x\ndeb [arch=amd64] http://one.example/debian/ bookworm main\n";
        assert_eq!(mirror_in(old).as_deref(), Some("http://one.example/debian"));
        let new = "Types: deb\nURIs: https://two.example/debian\nSuites: bookworm\n";
        assert_eq!(mirror_in(new).as_deref(), Some("https://two.example/debian"));
        assert_eq!(mirror_in("deb http://archive.example/ubuntu noble main"), None);
    }
}
