//! MariaDB: the machine's own where it is of the release line, else unpacked packages of a Debian release.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::command::{Invocation, run as run_command};
use super::debian::Unpacked;
use super::mysql::{options, root_over_tcp, temporary, temporary_folder};
use super::recipe::Recipe;
use super::{Home, ServerError};

pub(crate) fn recipe(home: &Home, version: &str, run: &Path, port: u16) -> Result<Recipe, ServerError> {
    // The release of Debian that carries the line, and how that line names its files.
    let (release, share, prefix) = match version {
        "10.11" if is_installed(version) => return Ok(packaged(run, port)),
        "10.11" => ("bookworm", "share/mysql", "mysql"),
        _ => ("trixie", "share/mariadb", "mariadb"),
    };
    let packages = ["mariadb-server-core", "libc6"];
    let root = Unpacked::get(home, &format!("mariadb{version}"), release, &packages)?;
    unpacked(&root, &root.usr(share), prefix, run, port)
}

/// Whether the machine has a server of that release line.
fn is_installed(version: &str) -> bool {
    let printed = run_command(Command::new("mariadbd").arg("--version"));
    let install = run_command(Command::new("mariadb-install-db").arg("--help"));
    install.is_ok() && printed.is_ok_and(|text| text.contains(&format!("Ver {version}.")))
}

fn packaged(run: &Path, port: u16) -> Recipe {
    let data = format!("--datadir={}", run.join("data").display());
    let normal = "--auth-root-authentication-method=normal";
    let temporary = temporary(run);
    let install = ["mariadb-install-db", "--no-defaults", &data, &temporary, normal, "--skip-test-db"];
    let serve = [
        vec!["mariadbd".to_owned(), "--no-defaults".to_owned(), data.clone(), temporary.clone()],
        options(run, port).to_vec(),
    ];
    Recipe {
        folders: vec![temporary_folder(run)],
        files: vec![root_over_tcp(run)],
        initialise: vec![Invocation::new(install)],
        serve: Invocation::new(serve.concat()),
        url: format!("mysql://root@127.0.0.1:{port}"),
    }
}

pub(crate) fn unpacked(
    root: &Unpacked,
    share: &Path,
    prefix: &str,
    run: &Path,
    port: u16,
) -> Result<Recipe, ServerError> {
    let data = run.join("data");
    let base = [
        "--no-defaults".to_owned(),
        format!("--datadir={}", data.display()),
        temporary(run),
        format!("--lc-messages-dir={}", share.display()),
    ];
    let server = || [root.run("sbin/mariadbd"), base.to_vec()].concat();
    let bootstrap = ["--bootstrap", "--log-warnings=0", "--max_allowed_packet=8M", "--net_buffer_length=16K"];
    let mut bootstrap = Invocation::new(server().into_iter().chain(bootstrap.map(str::to_owned)));
    bootstrap.input = system_tables(share, prefix)?;
    let mut serve = server();
    serve.push(format!("--plugin-dir={}", root.usr("lib/mysql/plugin").display()));
    serve.extend(options(run, port));
    Ok(Recipe {
        folders: vec![temporary_folder(run), data.clone(), data.join("mysql")],
        files: vec![root_over_tcp(run)],
        initialise: vec![bootstrap],
        serve: Invocation::new(serve),
        url: format!("mysql://root@127.0.0.1:{port}"),
    })
}

/// What the install script would pipe into a bootstrap server; the script itself needs programs that are not there.
fn system_tables(share: &Path, prefix: &str) -> Result<String, ServerError> {
    let mut script = "SET @auth_root_socket=NULL;\ncreate database if not exists mysql;\nuse mysql;\n".to_owned();
    for (name, is_needed) in [
        (format!("{prefix}_system_tables.sql"), true),
        (format!("{prefix}_system_tables_data.sql"), true),
        (format!("{prefix}_performance_tables.sql"), false),
        ("fill_help_tables.sql".to_owned(), false),
        ("maria_add_gis_sp_bootstrap.sql".to_owned(), false),
        (format!("{prefix}_sys_schema.sql"), false),
    ] {
        let path = share.join(&name);
        if !is_needed && !path.exists() {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(ServerError::io(&path))?;
        // A variable that only the install script sets.
        for line in text.lines().filter(|line| !line.contains("@current_hostname")) {
            script.push_str(line);
            script.push('\n');
        }
    }
    Ok(script)
}
