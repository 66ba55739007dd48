//! What can go wrong while loading a declaration.

use trueup_session::DbError;

/// Why a declaration could not be loaded. Nothing on the target has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A path or pattern leads to no file.
    #[error("no file matches `{0}`")]
    NotFound(String),
    /// A folder holds no SQL file.
    #[error("folder `{0}` holds no .sql file")]
    EmptyFolder(String),
    /// A pattern does not parse.
    #[error("`{pattern}` is not a file pattern")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        #[source]
        source: glob::PatternError,
    },
    /// A file or folder cannot be read.
    #[error("`{path}` cannot be read")]
    Read {
        /// The file or folder.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is larger than any declaration.
    #[error("`{path}` has {bytes} bytes; a declaration has at most 64 MiB")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// A file is not UTF-8 text.
    #[error("`{0}` is not UTF-8 text")]
    NotUtf8(String),
    /// A document beside other files.
    #[error("a document declares the whole schema: name one document, or SQL files, not both")]
    Mixed,
    /// SQL that does not end where it should.
    #[error("{at}: {what} is never closed")]
    Unclosed {
        /// File and line.
        at: String,
        /// What was opened there.
        what: &'static str,
    },
    /// A statement that nobody knows.
    #[error("{at}: {why}")]
    NotUnderstood {
        /// File and line.
        at: String,
        /// Its first words.
        why: String,
    },
    /// A statement that a declaration may not hold. A person has to decide: facades make it a refusal.
    #[error("{at}: {why}")]
    NotAllowed {
        /// File and line.
        at: String,
        /// Why, and what to write instead.
        why: String,
    },
    /// A directive that is not understood.
    #[error("{at}: {why}")]
    Directive {
        /// File and line.
        at: String,
        /// What is wrong with it.
        why: String,
    },
    /// The dev database refused a statement.
    #[error("{at}: {statement}")]
    Statement {
        /// File and line.
        at: String,
        /// The statement's first words.
        statement: String,
        /// The server's words.
        #[source]
        source: DbError,
    },
    /// The dev database itself failed.
    #[error("the dev database failed while {doing}")]
    DevDatabase {
        /// What was being done.
        doing: &'static str,
        /// The server's words.
        #[source]
        source: DbError,
    },
    /// There is no way to load SQL here.
    #[error("{0}")]
    NoDevDatabase(String),
    /// The schema in the dev database could not be read.
    #[error("the declared schema could not be read back")]
    Introspect(#[from] trueup_introspect::IntrospectError),
    /// A document does not read.
    #[error("document `{path}` does not read")]
    Document {
        /// The file.
        path: String,
        /// What is wrong.
        #[source]
        source: Box<trueup_snapshot::DocumentError>,
    },
}
