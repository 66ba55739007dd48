//! MariaDB: the machine's own package for its release line, Debian unstable for the newer one.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::account::is_root;
use super::command::{Invocation, run as run_command};
use super::debian::Unstable;
use super::mysql::{options, root_over_tcp};
use super::recipe::Recipe;
use super::{Home, ServerError, debian};

pub(crate) fn recipe(home: &Home, version: &str, run: &Path, port: u16) -> Result<Recipe, ServerError> {
    if version == "10.11" { packaged(home, run, port) } else { unstable(home, version, run, port) }
}

fn packaged(home: &Home, run: &Path, port: u16) -> Result<Recipe, ServerError> {
    if run_command(Command::new("mariadbd").arg("--version")).is_err() {
        if !is_root() {
            return Err(ServerError::Missing {
                what: "mariadb-server".to_owned(),
                fix: "install it, or run once as root so that it is installed".to_owned(),
            });
        }
        home.report("installing mariadb-server");
        debian::install(&["mariadb-server"])?;
    }
    let data = format!("--datadir={}", run.join("data").display());
    let normal = "--auth-root-authentication-method=normal";
    let install = ["mariadb-install-db", "--no-defaults", &data, normal, "--skip-test-db"];
    let serve = [vec!["mariadbd".to_owned(), "--no-defaults".to_owned(), data.clone()], options(run, port).to_vec()];
    Ok(Recipe {
        folders: Vec::new(),
        files: vec![root_over_tcp(run)],
        initialise: vec![Invocation::new(install)],
        serve: Invocation::new(serve.concat()),
        url: format!("mysql://root@127.0.0.1:{port}"),
    })
}

fn unstable(home: &Home, version: &str, run: &Path, port: u16) -> Result<Recipe, ServerError> {
    let root = Unstable::get(home, &format!("mariadb{version}"), &["mariadb-server-core", "libc6"])?;
    let data = run.join("data");
    let base = [
        "--no-defaults".to_owned(),
        format!("--datadir={}", data.display()),
        format!("--lc-messages-dir={}", root.usr("share/mariadb").display()),
    ];
    let server = || [root.run("sbin/mariadbd"), base.to_vec()].concat();
    let bootstrap = ["--bootstrap", "--log-warnings=0", "--max_allowed_packet=8M", "--net_buffer_length=16K"];
    let mut bootstrap = Invocation::new(server().into_iter().chain(bootstrap.map(str::to_owned)));
    bootstrap.input = system_tables(&root.usr("share/mariadb"))?;
    let mut serve = server();
    serve.push(format!("--plugin-dir={}", root.usr("lib/mysql/plugin").display()));
    serve.extend(options(run, port));
    Ok(Recipe {
        folders: vec![data.clone(), data.join("mysql")],
        files: vec![root_over_tcp(run)],
        initialise: vec![bootstrap],
        serve: Invocation::new(serve),
        url: format!("mysql://root@127.0.0.1:{port}"),
    })
}

/// What the install script would pipe into a bootstrap server; the script itself needs programs that are not there.
fn system_tables(share: &Path) -> Result<String, ServerError> {
    let mut script = "SET @auth_root_socket=NULL;\ncreate database if not exists mysql;\nuse mysql;\n".to_owned();
    for (name, is_needed) in [
        ("mariadb_system_tables.sql", true),
        ("mariadb_system_tables_data.sql", true),
        ("mariadb_performance_tables.sql", false),
        ("fill_help_tables.sql", false),
        ("maria_add_gis_sp_bootstrap.sql", false),
        ("mariadb_sys_schema.sql", false),
    ] {
        let path = share.join(name);
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
