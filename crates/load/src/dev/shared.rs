//! What the engines' dev databases share.

use trueup_session::{ConnectOptions, Connector, DbError, DbErrorKind, Session};

use super::DevTarget;
use crate::LoadError;
use crate::split::SqlStatement;

/// The error of a statement that the server refused.
pub(super) fn refused(statement: &SqlStatement, source: DbError) -> LoadError {
    let line = source.position.map_or(statement.line, |position| {
        statement.line + statement.text.chars().take(position.saturating_sub(1)).filter(|c| *c == '\n').count()
    });
    LoadError::Statement { at: format!("{}:{line}", statement.file), statement: statement.summary(), source }
}

/// Whether an error may go away once other statements are in.
pub(super) const fn may_come_right(kind: DbErrorKind) -> bool {
    matches!(
        kind,
        DbErrorKind::UndefinedObject | DbErrorKind::Other | DbErrorKind::Syntax | DbErrorKind::DependentObjects
    )
}

/// Runs `sql` on the dev database and says what was being done when it fails.
pub(super) async fn admin(session: &mut dyn Session, doing: &'static str, sql: &str) -> Result<(), LoadError> {
    session.execute(sql).await.map(drop).map_err(|source| LoadError::DevDatabase { doing, source })
}

/// A session for a dev database.
pub(super) async fn connect(server: &dyn Connector, doing: &'static str) -> Result<Box<dyn Session>, LoadError> {
    let options = ConnectOptions {
        branch: true,
        application_name: "trueup dev database".to_owned(),
        ..ConnectOptions::default()
    };
    server.connect(&options).await.map_err(|source| LoadError::DevDatabase { doing, source })
}

/// The dev database must print what the target would print.
pub(super) fn check_server(session: &dyn Session, target: &DevTarget) -> Result<(), LoadError> {
    let server = session.server();
    if server.dialect == target.dialect && server.version[0] == target.major {
        return Ok(());
    }
    Err(LoadError::NoDevDatabase(format!(
        "the dev database is on {} {}, the target on {} {}; they must be alike",
        server.dialect, server.version[0], target.dialect, target.major
    )))
}
