//! An exact copy of a database file, for rehearsals.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use sqlx::Connection;

use super::connect::open;
use super::errors;
use super::session::fetch;
use crate::{ConnectOptions, DatabaseUrl, DbError, DbErrorKind};

/// Copies the SQLite database at `from` into the new file `to`, byte for byte, rowids included, as of one moment.
///
/// The pages are read through the engine, inside one read transaction: what lies in a write-ahead log is part of the
/// copy, writers are not held up in that mode, and nothing touches the file behind the engine's back. (Opening and
/// closing the file in this process by other means would drop the locks of every connection that the process has on it.
/// `VACUUM INTO` is no copy: it gives rows without an integer key new rowids.) The whole database is in memory for that
/// time; the engine refuses to hand out more than 2 GiB in one piece.
///
/// # Errors
/// Kind `CannotConnect` if `from` cannot be opened; `DuplicateObject` if `to` is there already; `DiskFull` or `Other` if
/// it cannot be written, in which case no file is left behind.
pub async fn copy_database(from: &DatabaseUrl, to: &Path, options: &ConnectOptions) -> Result<(), DbError> {
    let read_only = ConnectOptions { read_only: true, create_if_missing: false, ..options.clone() };
    let mut source = open(from, &read_only).await?;
    fetch(&mut source, "BEGIN", &[]).await?;
    // The first read is what starts the transaction's snapshot.
    fetch(&mut source, "SELECT count(*) FROM sqlite_schema", &[]).await?;
    let pages = source.serialize(None).await.map_err(|error| errors::map(&error))?;
    source.close().await.map_err(|error| errors::map(&error))?;
    let target = to.to_owned();
    let written = tokio::task::spawn_blocking(move || write(&pages, &target)).await;
    let written = written.map_err(|_| DbError::new(DbErrorKind::Other, "the copy was broken off"))?;
    written.map_err(|error| DbError::new(kind(&error), format!("cannot write the copy `{}`: {error}", to.display())))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the standard library's list is open")]
fn kind(error: &io::Error) -> DbErrorKind {
    match error.kind() {
        io::ErrorKind::AlreadyExists => DbErrorKind::DuplicateObject,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => DbErrorKind::DiskFull,
        io::ErrorKind::PermissionDenied => DbErrorKind::PermissionDenied,
        _ => DbErrorKind::Other,
    }
}

fn write(pages: &[u8], target: &Path) -> io::Result<()> {
    let mut file = File::create_new(target)?;
    let written = file.write_all(pages).and_then(|()| file.sync_all());
    drop(file);
    if written.is_err() {
        // The first error is the one to tell.
        std::fs::remove_file(target).ok();
    }
    written
}
