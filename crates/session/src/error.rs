//! What can go wrong at a server, by kinds that callers branch on.

/// The kind of a database error. Codes of each engine are mapped in one table per dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DbErrorKind {
    /// The statement does not parse.
    Syntax,
    /// A named object does not exist.
    UndefinedObject,
    /// A named object exists already.
    DuplicateObject,
    /// Rows break a unique rule.
    UniqueViolation,
    /// Rows break a foreign key.
    ForeignKeyViolation,
    /// A NULL where none may be.
    NotNullViolation,
    /// Rows break a check.
    CheckViolation,
    /// A lock was not had in time.
    LockTimeout,
    /// A statement ran out of its time, or was cancelled.
    StatementTimeout,
    /// Chosen as the victim of a deadlock.
    Deadlock,
    /// A transaction could not be serialised.
    SerializationFailure,
    /// The role may not do this.
    PermissionDenied,
    /// The login was refused.
    AuthenticationFailed,
    /// No server answered, or the database does not exist.
    CannotConnect,
    /// The connection broke in the middle.
    ConnectionLost,
    /// The database or transaction takes no writes.
    ReadOnly,
    /// The disk, or the file's page limit, is full.
    DiskFull,
    /// Something else depends on the object.
    DependentObjects,
    /// A value of an unexpected type came back: a defect of ours or an unknown server version.
    Decode,
    /// Anything else.
    Other,
}

impl DbErrorKind {
    /// Whether the same statement may succeed when tried again later, unchanged.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::LockTimeout | Self::Deadlock | Self::SerializationFailure)
    }
}

/// An error of a server or of the connection to it. Never holds a URL, a parameter or a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DbError {
    /// What to branch on.
    pub kind: DbErrorKind,
    /// The SQLSTATE, where the engine has one.
    pub sqlstate: Option<String>,
    /// The engine's own number.
    pub vendor_code: Option<i32>,
    /// The server's words.
    pub message: String,
    /// The constraint that was broken, if the server names it.
    pub constraint: Option<String>,
    /// One-based character position inside the statement, if the server gives one.
    pub position: Option<usize>,
}

impl DbError {
    /// An error without codes.
    #[must_use]
    pub fn new(kind: DbErrorKind, message: impl Into<String>) -> Self {
        Self { kind, sqlstate: None, vendor_code: None, message: message.into(), constraint: None, position: None }
    }
}
