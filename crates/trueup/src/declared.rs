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
    /// The text of a document. It is read when it is planned: where the history is believed, its hash is enough.
    Document(Source),
    /// A document that was read, or a schema built in Rust.
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
    /// [`Error::Load`], naming file and place. What is wrong inside a document is told when it is planned.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut sources = read_sources(paths)?;
        match sources.as_slice() {
            [Source { kind: SourceKind::Json | SourceKind::Toml, .. }] => Ok(Self::Document(sources.remove(0))),
            _ => Ok(Self::Sql(sources)),
        }
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
            Self::Document(source) => source.name.clone(),
            Self::Schema { origin, .. } => origin.clone(),
        }
    }
}

/// The schema that a document's text stands for.
///
/// # Errors
/// [`Error::Document`], naming file and place.
pub(crate) fn read_document(source: &Source) -> Result<Schema, Error> {
    let format = match source.kind {
        SourceKind::Toml => DocumentFormat::Toml,
        SourceKind::Json | SourceKind::Sql => DocumentFormat::Json,
    };
    Document::read(&source.text, format)
        .map_err(|error| Error::Document { name: source.name.clone(), source: Box::new(error) })
}
