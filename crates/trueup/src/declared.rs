//! Where a declared schema comes from.

use std::path::PathBuf;

use trueup_load::{Source, SourceKind, read_sources};
use trueup_schema::Schema;
use trueup_snapshot::{Document, DocumentFormat};

use crate::Error;

/// A declared schema, in one of the three ways to declare one.
#[derive(Debug, Clone)]
pub enum Declared {
    /// SQL files.
    Sql(Vec<Source>),
    /// A document, or a schema built in Rust.
    Schema {
        /// The schema, hints in its fields.
        schema: Box<Schema>,
        /// Where it came from, for messages.
        origin: String,
    },
}

impl Declared {
    /// Reads what `paths` name: SQL files, folders and patterns, or one document.
    ///
    /// # Errors
    /// [`Error::Load`] or [`Error::Document`], naming file and place.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let sources = read_sources(paths)?;
        let [source] = sources.as_slice() else { return Ok(Self::Sql(sources)) };
        let format = match source.kind {
            SourceKind::Sql => return Ok(Self::Sql(sources)),
            SourceKind::Json => DocumentFormat::Json,
            SourceKind::Toml => DocumentFormat::Toml,
        };
        let schema = Document::read(&source.text, format)
            .map_err(|error| Error::Document { name: source.name.clone(), source: Box::new(error) })?;
        Ok(Self::Schema { schema: Box::new(schema), origin: source.name.clone() })
    }

    /// A schema built in Rust.
    #[must_use]
    pub fn built(schema: Schema) -> Self {
        Self::Schema { schema: Box::new(schema), origin: "the schema built in code".to_owned() }
    }

    /// SQL text, as if it stood in one file called `name`.
    #[must_use]
    pub fn sql(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Sql(vec![Source { name: name.into(), kind: SourceKind::Sql, text: text.into() }])
    }

    /// Where it came from, for the history.
    #[must_use]
    pub fn origin(&self) -> String {
        match self {
            Self::Sql(sources) => match sources.as_slice() {
                [] => "no files".to_owned(),
                [one] => one.name.clone(),
                [first, ..] => format!("{} and {} more", first.name, sources.len() - 1),
            },
            Self::Schema { origin, .. } => origin.clone(),
        }
    }
}
