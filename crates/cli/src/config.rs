//! The settings file.

use std::path::Path;

use serde::Deserialize;

use crate::args::OwnershipArg;
use crate::exit::Failure;

/// What trueup.toml may hold. Flags win over it, and the environment's URL does too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Config {
    /// The database.
    pub(crate) url: Option<String>,
    /// The declared schema, relative to the file's folder.
    pub(crate) schema: Vec<String>,
    /// A server for scratch databases.
    pub(crate) dev_url: Option<String>,
    /// Servers that follow the database, and that an apply waits for.
    pub(crate) replicas: Vec<String>,
    /// The project's name.
    pub(crate) scope: Option<String>,
    /// Namespace of the control tables.
    pub(crate) control_namespace: Option<String>,
    /// Whose objects may be dropped.
    pub(crate) ownership: Option<OwnershipArg>,
    /// Whether to work beside live traffic.
    pub(crate) online: bool,
    /// The environment's name.
    pub(crate) environment: Option<String>,
}

impl Config {
    /// Reads `path`; without the file there are no settings.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && path == Path::new("trueup.toml") => {
                return Ok(Self::default());
            }
            Err(error) => return Err(format!("`{}` cannot be read: {error}", path.display()).into()),
        };
        // toml's own message quotes the line, which may hold a password
        let mut config: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            format!("`{}` line {line}: {}", path.display(), error.message())
        })?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        config.schema = config.schema.iter().map(|schema| folder.join(schema).display().to_string()).collect();
        Ok(config)
    }
}
