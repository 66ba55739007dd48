//! Documents: a schema as JSON or TOML, in a versioned format.

mod deserialise;
mod error;
mod json;
mod limits;
mod node;
mod stream;
mod toml;

use serde::{Deserialize as _, Serialize};
use trueup_schema::{Schema, validate};

pub use error::{DocumentError, Position};

use deserialise::NodeDeserializer;
use node::{Node, Value};

/// The format that this binary writes, and the only one that it reads.
const VERSION: i64 = 1;

/// The key that says that a document is one, and of which format.
const VERSION_KEY: &str = "trueup";

/// How a document is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// JSON.
    Json,
    /// TOML.
    Toml,
}

impl DocumentFormat {
    /// The format of files with this extension, without the dot and in any case.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        [("json", Self::Json), ("toml", Self::Toml)]
            .into_iter()
            .find_map(|(known, format)| extension.eq_ignore_ascii_case(known).then_some(format))
    }
}

/// Reads and writes schemas as documents.
///
/// ```
/// use trueup_snapshot::{Document, DocumentFormat};
///
/// let text = r#"
/// trueup = 1
/// dialect = "sqlite"
///
/// [[tables]]
/// name = "users"
/// columns = [
///     { name = "id", type = "INTEGER", not_null = true },
///     { name = "email", type = "TEXT", renamed_from = "mail" },
/// ]
/// constraints = [{ primary_key = { columns = ["id"] } }]
/// "#;
/// let schema = Document::read(text, DocumentFormat::Toml)?;
/// assert_eq!(schema.tables.len(), 1);
///
/// let json = Document::write(&schema, DocumentFormat::Json)?;
/// assert_eq!(Document::read(&json, DocumentFormat::Json)?, schema);
/// # Ok::<(), trueup_snapshot::DocumentError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Document;

/// What is written: the version first, then the schema's own fields.
#[derive(Serialize)]
struct Envelope<'a> {
    trueup: i64,
    #[serde(flatten)]
    schema: &'a Schema,
}

impl Document {
    /// Reads a schema from `text`. Hints stay in it.
    ///
    /// # Errors
    /// [`DocumentError`], with the place where there is one, if the text is not well formed, of another format version, too large,
    /// too deep, has a field that this format does not, lacks one, or if the schema contradicts itself.
    pub fn read(text: &str, format: DocumentFormat) -> Result<Schema, DocumentError> {
        limits::check_size(text)?;
        let schema = match format {
            DocumentFormat::Json => match stream::read(text) {
                Some(schema) => schema,
                None => carefully(json::parse(text)?, text)?,
            },
            DocumentFormat::Toml => carefully(toml::parse(text)?, text)?,
        };
        limits::check_texts(&schema)?;
        let mut found = validate(&schema);
        found.retain(|invalid| !invalid.problem.is_dangling());
        if found.is_empty() { Ok(schema) } else { Err(DocumentError::Invalid(found)) }
    }

    /// Writes `schema` for people to read, the same bytes for the same schema.
    ///
    /// # Errors
    /// [`DocumentError::Write`] if the format cannot hold a value.
    pub fn write(schema: &Schema, format: DocumentFormat) -> Result<String, DocumentError> {
        let envelope = Envelope { trueup: VERSION, schema };
        let failed = |message: String| DocumentError::Write { message };
        match format {
            DocumentFormat::Json => {
                let mut text = serde_json::to_string_pretty(&envelope).map_err(|error| failed(error.to_string()))?;
                text.push('\n');
                Ok(text)
            }
            DocumentFormat::Toml => ::toml::to_string(&envelope).map_err(|error| failed(error.to_string())),
        }
    }
}

/// The schema of a text whose every value knows its place, so that an error can name it.
fn carefully(mut root: Node, text: &str) -> Result<Schema, DocumentError> {
    take_version(&mut root, text)?;
    limits::check_counts(&root, text)?;
    Schema::deserialize(NodeDeserializer::new(&root)).map_err(|error| error.at_root(&root, text))
}

/// Takes the version out of the document, which has nothing but a schema then.
fn take_version(root: &mut Node, text: &str) -> Result<(), DocumentError> {
    let Value::Object(entries) = &mut root.value else {
        return Err(DocumentError::NotADocument { at: Position::of(text, root.at) });
    };
    let Some(index) = entries.iter().position(|entry| entry.key == VERSION_KEY) else {
        return Err(DocumentError::NoVersion);
    };
    let version = entries.remove(index).node;
    if matches!(version.value, Value::Int(VERSION)) {
        return Ok(());
    }
    Err(DocumentError::Version { at: Position::of(text, version.at), found: version.value.describe() })
}

#[cfg(test)]
mod tests;
