//! SQLite: a database in memory.

use std::collections::BTreeSet;

use trueup_introspect::{NamespaceFilter, Request, introspect};
use trueup_session::{ConnectOptions, DatabaseUrl, DbErrorKind, Session};

use super::{Declaration, LoadOptions, Loaded, admin, refused};
use crate::LoadError;
use crate::split::SqlStatement;

pub(super) async fn load(declaration: &Declaration, options: LoadOptions) -> Result<Loaded, LoadError> {
    let mut session = open().await?;
    // foreign keys are declared here, not enforced; ALTER must not look at views that come later
    admin(session.as_mut(), "preparing it", "PRAGMA foreign_keys = OFF").await?;
    run(session.as_mut(), &declaration.statements).await?;
    let request = Request {
        namespaces: NamespaceFilter::All,
        control_namespace: None,
        owners: options.owners,
        spelled: false,
        facts: false,
    };
    let introspected = introspect(session.as_mut(), &request).await?;
    Ok(Declaration::loaded(declaration, introspected, BTreeSet::new()))
}

async fn open() -> Result<Box<dyn Session>, LoadError> {
    let failed = |why: String| LoadError::NoDevDatabase(format!("no SQLite database in memory: {why}"));
    let url = DatabaseUrl::parse("sqlite::memory:").map_err(|error| failed(error.to_string()))?;
    let connector = trueup_session::connector(url).map_err(|error| failed(error.to_string()))?;
    let options = ConnectOptions { create_if_missing: true, branch: true, ..ConnectOptions::default() };
    connector.connect(&options).await.map_err(|source| LoadError::DevDatabase { doing: "opening it", source })
}

async fn run(session: &mut dyn Session, statements: &[SqlStatement]) -> Result<(), LoadError> {
    let mut waiting: Vec<&SqlStatement> = statements.iter().collect();
    loop {
        let mut later = Vec::new();
        let mut first_error = None;
        let before = waiting.len();
        for statement in waiting {
            if let Err(error) = session.execute(&statement.text).await {
                let hopeless = !matches!(error.kind, DbErrorKind::UndefinedObject | DbErrorKind::Other);
                if hopeless {
                    return Err(refused(statement, error));
                }
                first_error.get_or_insert((statement, error));
                later.push(statement);
            }
        }
        match first_error {
            None => return Ok(()),
            Some((statement, error)) if later.len() == before => return Err(refused(statement, error)),
            Some(_) => waiting = later,
        }
    }
}
