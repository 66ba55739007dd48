//! `trueup init`

use std::io::Write;

use trueup::schema::DialectId;
use trueup::session::DatabaseUrl;

use crate::args::InitArgs;
use crate::exit::{End, Failure};
use crate::show;

pub(crate) fn run(args: &InitArgs) -> Result<End, Failure> {
    let url = DatabaseUrl::parse(&args.url)?;
    let settings = args.folder.join("trueup.toml");
    let schema = args.folder.join("schema").join("tables.sql");
    std::fs::create_dir_all(args.folder.join("schema"))?;
    // a password belongs into DATABASE_URL, not into a file that is committed
    let line = if url.has_secret() {
        "# url: set DATABASE_URL; a password does not belong into this file\n".to_owned()
    } else {
        format!("url = {}\n", toml::Value::String(args.url.clone()))
    };
    write_new(&settings, &format!("{line}schema = [\"schema\"]\n"))?;
    write_new(&schema, first_schema(url.scheme()))?;
    show::print(&format!(
        "wrote {} and {}\nnext: trueup plan, then trueup apply",
        settings.display(),
        schema.display()
    ))?;
    Ok(End::Done)
}

/// Writes a file that must not exist yet.
fn write_new(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    let mut file =
        std::fs::File::create_new(path).map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    file.write_all(text.as_bytes())?;
    Ok(())
}

fn first_schema(dialect: DialectId) -> &'static str {
    match dialect {
        DialectId::Postgres => {
            "CREATE TABLE notes (\n    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n    body text NOT NULL,\n    created_at timestamptz NOT NULL DEFAULT now()\n);\n"
        }
        DialectId::MySql | DialectId::MariaDb => {
            "CREATE TABLE notes (\n    id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,\n    body text NOT NULL,\n    created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP\n);\n"
        }
        DialectId::Sqlite => {
            "CREATE TABLE notes (\n    id INTEGER PRIMARY KEY,\n    body TEXT NOT NULL,\n    created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP\n);\n"
        }
    }
}
