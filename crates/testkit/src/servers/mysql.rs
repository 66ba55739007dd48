//! MySQL, from Debian unstable; and what MariaDB starts alike.

use std::path::{Path, PathBuf};

use super::command::Invocation;
use super::debian::Unpacked;
use super::recipe::Recipe;
use super::{Home, ServerError};

pub(crate) fn recipe(home: &Home, version: &str, run: &Path, port: u16) -> Result<Recipe, ServerError> {
    let root = Unpacked::get(home, &format!("mysql{version}"), "sid", &["mysql-server-core", "libc6"])?;
    let data = run.join("data");
    let base = [
        format!("--basedir={}", root.usr("").display()),
        format!("--lc-messages-dir={}", root.usr("share/mysql").display()),
        format!("--datadir={}", data.display()),
        temporary(run),
    ];
    let server = || [root.run("sbin/mysqld"), vec!["--no-defaults".to_owned()], base.to_vec()].concat();
    let mut serve = server();
    serve.extend(options(run, port));
    serve.extend(["--mysqlx=OFF".to_owned(), "--secure-file-priv=NULL".to_owned()]);
    Ok(Recipe {
        folders: vec![temporary_folder(run)],
        files: vec![root_over_tcp(run)],
        initialise: vec![Invocation::new([server(), vec!["--initialize-insecure".to_owned()]].concat())],
        serve: Invocation::new(serve),
        url: format!("mysql://root@127.0.0.1:{port}"),
    })
}

/// Options that every server of this family takes.
pub(crate) fn options(run: &Path, port: u16) -> [String; 9] {
    let run = run.display();
    [
        format!("--port={port}"),
        format!("--socket={run}/sock"),
        format!("--pid-file={run}/pid"),
        format!("--init-file={run}/{INIT_FILE}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--skip-log-bin".to_owned(),
        "--innodb-flush-log-at-trx-commit=0".to_owned(),
        "--innodb-buffer-pool-size=256M".to_owned(),
        "--max-connect-errors=1000000".to_owned(),
    ]
}

/// The option for a folder of temporary files of its own: at its start each server removes what others have in a shared
/// one.
pub(crate) fn temporary(run: &Path) -> String {
    format!("--tmpdir={}", temporary_folder(run).display())
}

pub(crate) fn temporary_folder(run: &Path) -> PathBuf {
    run.join("tmp")
}

const INIT_FILE: &str = "init.sql";

/// A file of statements that run at each start: the administrator may come over TCP, without a password.
pub(crate) fn root_over_tcp(run: &Path) -> (PathBuf, String) {
    let text = "CREATE USER IF NOT EXISTS 'root'@'127.0.0.1' IDENTIFIED BY '';\n\
                GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;\n";
    (run.join(INIT_FILE), text.to_owned())
}
