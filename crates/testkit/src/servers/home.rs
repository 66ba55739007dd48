//! Starting servers and finding them again.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::account::Account;
use super::command::tail;
use super::recipe::Recipe;
use super::running::{LOCK, RECORD};
use super::{Engine, Lifetime, RunningServer, ServerError, ServerName, ServerRecord, greeting};

/// Data goes to memory only where this much is free.
const ROOM: u64 = 3 << 30;
/// Tenths of a second until a started server must greet.
const START_TENTHS: u32 = 900;

/// How often a start is tried when its port was taken.
const TRIES: u32 = 3;

/// Where downloads are kept and whom to tell what takes long.
pub struct Home {
    cache: PathBuf,
    report: Box<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Home").field("cache", &self.cache).finish_non_exhaustive()
    }
}

impl Home {
    /// Keeps downloads in `cache`, which the servers' account must be able to enter.
    pub fn new(cache: impl Into<PathBuf>, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { cache: cache.into(), report: Box::new(report) }
    }

    /// Tells the user what takes long.
    pub(crate) fn report(&self, text: &str) {
        (self.report)(text);
    }

    /// The download called `name`, made by `make` in an empty folder where it is not there yet.
    ///
    /// Never half made: it appears under its name only when `make` has succeeded.
    pub(crate) fn download(
        &self,
        name: &str,
        make: impl FnOnce(&Path) -> Result<(), ServerError>,
    ) -> Result<PathBuf, ServerError> {
        fs::create_dir_all(&self.cache).map_err(ServerError::io(&self.cache))?;
        let lock_path = self.cache.join(format!("{name}.lock"));
        let lock = File::create(&lock_path).map_err(ServerError::io(&lock_path))?;
        lock.lock().map_err(ServerError::io(&lock_path))?;
        let done = self.cache.join(name);
        if !done.exists() {
            self.report(&format!("downloading {name}"));
            let partial = self.cache.join(format!("{name}.partial"));
            if partial.exists() {
                fs::remove_dir_all(&partial).map_err(ServerError::io(&partial))?;
            }
            fs::create_dir(&partial).map_err(ServerError::io(&partial))?;
            fs::set_permissions(&partial, Permissions::from_mode(0o755)).map_err(ServerError::io(&partial))?;
            make(&partial)?;
            fs::rename(&partial, &done).map_err(ServerError::io(&done))?;
        }
        Ok(done)
    }

    /// Installs, starts and waits for `name`.
    ///
    /// # Errors
    /// [`ServerError`] with what is missing and how to get it, or with the end of the server's log.
    pub fn start(&self, name: ServerName, lifetime: Lifetime) -> Result<RunningServer, ServerError> {
        let make = |run: &Path, port| Recipe::of(self, name, run, port);
        Self::start_as(&name.to_string(), name.engine, lifetime, &make)
    }

    /// Starts under `label` what `make` says, and waits until it greets as `engine` does.
    pub(crate) fn start_as(
        label: &str,
        engine: Engine,
        lifetime: Lifetime,
        make: &dyn Fn(&Path, u16) -> Result<Recipe, ServerError>,
    ) -> Result<RunningServer, ServerError> {
        let try_start = || {
            let (folder, owner) = new_folder(lifetime, label)?;
            start_in(label, engine, lifetime, &folder, owner, make).inspect_err(|_| {
                // The first error is the one to show.
                drop(fs::remove_dir_all(&folder));
            })
        };
        let mut result = try_start();
        for _ in 1..TRIES {
            match &result {
                // Somebody took the port between the choice and the start.
                Err(ServerError::NotUp { log, .. }) if log.to_lowercase().contains("address already in use") => {
                    result = try_start();
                }
                Ok(_) | Err(_) => break,
            }
        }
        result
    }

    /// Starts `server` again whose process has been killed: the same data on the same port.
    ///
    /// # Errors
    /// As [`Home::start`].
    pub fn revive(&self, server: &mut RunningServer) -> Result<(), ServerError> {
        let record = server.record().clone();
        let name: ServerName = record.name.parse()?;
        server.reap();
        let recipe = Recipe::of(self, name, &record.folder.join("run"), record.port)?;
        let log_path = record.folder.join("log");
        let mut command = recipe.serve.command(Account::for_servers()?);
        let child = spawn(&mut command, &record.name, &log_path)?;
        let pid = i32::try_from(child.id()).unwrap_or_default();
        server.replace(ServerRecord { pid, ..record }, child);
        write_record(server.record())?;
        wait_for_greeting(server, name.engine, &log_path)
    }

    /// The kept servers of this user that still run.
    #[must_use]
    pub fn kept(&self) -> Vec<ServerRecord> {
        let mut records: Vec<_> = folders(Lifetime::Kept)
            .iter()
            .filter_map(|folder| ServerRecord::read(folder))
            .filter(ServerRecord::is_running)
            .collect();
        records.sort_by(|a, b| a.name.cmp(&b.name).then(a.port.cmp(&b.port)));
        records
    }

    /// Stops and removes what killed processes of this user have left behind.
    ///
    /// # Errors
    /// [`ServerError::Io`] if something cannot be removed.
    pub fn reap(&self) -> Result<(), ServerError> {
        for folder in folders(Lifetime::Owner).into_iter().chain(folders(Lifetime::Kept)) {
            let record = ServerRecord::read(&folder);
            let kept = folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with(Lifetime::Kept.prefix()));
            let in_use = File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_err());
            if in_use || (kept && record.as_ref().is_some_and(ServerRecord::is_running)) {
                continue;
            }
            self.report(&format!("removing {}, left behind", folder.display()));
            match record {
                Some(record) if record.folder == folder => record.stop()?,
                _ => fs::remove_dir_all(&folder).map_err(ServerError::io(&folder))?,
            }
        }
        Ok(())
    }
}

fn start_in(
    label: &str,
    engine: Engine,
    lifetime: Lifetime,
    folder: &Path,
    owner: File,
    make: &dyn Fn(&Path, u16) -> Result<Recipe, ServerError>,
) -> Result<RunningServer, ServerError> {
    let run = folder.join("run");
    let port = free_port()?;
    let recipe = make(&run, port)?;
    let account = Account::for_servers()?;
    for made in std::iter::once(&run).chain(&recipe.folders) {
        fs::create_dir(made).map_err(ServerError::io(made))?;
        account.own(made)?;
    }
    for (path, text) in &recipe.files {
        fs::write(path, text).map_err(ServerError::io(path))?;
        account.own(path)?;
    }
    for invocation in &recipe.initialise {
        invocation.run(account)?;
    }
    let log_path = folder.join("log");
    let child = spawn(&mut recipe.serve.command(account), label, &log_path)?;
    let pid = i32::try_from(child.id()).unwrap_or_default();
    let record = ServerRecord { name: label.to_owned(), url: recipe.url, port, pid, folder: folder.to_owned() };
    // Owned until it greets: whatever goes wrong on the way stops it.
    let mut server = RunningServer::new(record, child, Some(owner));
    write_record(server.record())?;
    wait_for_greeting(&mut server, engine, &log_path)?;
    if lifetime == Lifetime::Kept {
        server.disown();
    }
    Ok(server)
}

/// Starts a server that writes its log to `log_path`.
fn spawn(command: &mut Command, label: &str, log_path: &Path) -> Result<Child, ServerError> {
    let log = File::create(log_path).map_err(ServerError::io(log_path))?;
    let errors = log.try_clone().map_err(ServerError::io(log_path))?;
    // A group of its own, so that a Ctrl-C at the terminal reaches only us, who then stop it in good order.
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .spawn()
        .map_err(|source| ServerError::CannotRun { program: label.to_owned(), source })
}

/// Folders that can hold data: memory first.
fn bases() -> [PathBuf; 2] {
    [PathBuf::from("/dev/shm"), std::env::temp_dir()]
}

fn has_room(base: &Path) -> bool {
    rustix::fs::statvfs(base).is_ok_and(|stat| stat.f_bavail.saturating_mul(stat.f_frsize) > ROOM)
}

/// A private folder for a server, and the lock that says that it is in use.
fn new_folder(lifetime: Lifetime, name: &str) -> Result<(PathBuf, File), ServerError> {
    let [memory, disk] = bases();
    let builder = |base: &Path| tempfile::Builder::new().prefix("trueup-new-").tempdir_in(base);
    let new = if has_room(&memory) { builder(&memory).or_else(|_| builder(&disk)) } else { builder(&disk) };
    let new = new.map_err(ServerError::io(&disk))?.keep();
    // The server's account must get through to what is its own.
    fs::set_permissions(&new, Permissions::from_mode(0o711)).map_err(ServerError::io(&new))?;
    let lock = new.join(LOCK);
    let owner = File::create(&lock).map_err(ServerError::io(&lock))?;
    owner.lock().map_err(ServerError::io(&lock))?;
    // It gets the name that `reap` looks for only now: no other process takes it for left behind.
    let random = new.to_string_lossy().rsplit('-').next().unwrap_or_default().to_owned();
    let folder = new.with_file_name(format!("{}{name}-{random}", lifetime.prefix()));
    fs::rename(&new, &folder).map_err(ServerError::io(&folder))?;
    Ok((folder, owner))
}

/// The folders of this user's servers.
fn folders(lifetime: Lifetime) -> Vec<PathBuf> {
    let ours = rustix::process::geteuid().as_raw();
    let entries = bases().into_iter().filter_map(|base| fs::read_dir(base).ok()).flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(lifetime.prefix()))
        .filter(|entry| fs::symlink_metadata(entry.path()).is_ok_and(|meta| meta.is_dir() && meta.uid() == ours))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

pub(crate) fn free_port() -> Result<u16, ServerError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(|source| ServerError::CannotRun { program: "a listener on 127.0.0.1".to_owned(), source })
}

fn write_record(record: &ServerRecord) -> Result<(), ServerError> {
    let path = record.folder.join(RECORD);
    let text = serde_json::to_vec(record).map_err(|error| ServerError::io(&path)(error.into()))?;
    fs::write(&path, text).map_err(ServerError::io(&path))
}

fn wait_for_greeting(server: &mut RunningServer, engine: Engine, log: &Path) -> Result<(), ServerError> {
    let label = server.record().name.clone();
    let not_up = |what| ServerError::NotUp {
        name: label.clone(),
        what,
        log: tail(&fs::read_to_string(log).unwrap_or_default()),
    };
    for _ in 0..START_TENTHS {
        if server.has_ended() {
            return Err(not_up("ended while starting"));
        }
        if greeting::version(engine, server.record().port).is_ok() {
            return Ok(());
        }
        sleep(Duration::from_millis(100));
    }
    Err(not_up("did not greet in time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_download_leaves_nothing_that_counts() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path(), |_| {});
        let failure =
            home.download("thing", |_| Err(ServerError::Missing { what: "it".to_owned(), fix: "wait".to_owned() }));
        assert!(failure.is_err());
        let made = home.download("thing", |at| {
            assert_eq!(fs::read_dir(at).unwrap().count(), 0);
            fs::write(at.join("file"), "x").map_err(ServerError::io(at))
        });
        assert!(made.unwrap().join("file").exists());
        let again = home.download("thing", |_| Err(ServerError::UnknownName { name: "made twice".to_owned() }));
        assert!(again.unwrap().join("file").exists());
    }

    #[test]
    fn ports_are_free() {
        let port = free_port().unwrap();
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
    }
}
