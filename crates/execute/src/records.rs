//! Reading the control tables.

use trueup_lock::canonical_scope;
use trueup_schema::Ident;
use trueup_session::{BoxFuture, Session};

use crate::{ControlTables, ExecuteError, LedgerStore, Records};

/// What a project's control tables say; `None` without the tables. Creates nothing, and works inside a transaction.
///
/// # Errors
/// The server's words, [`ExecuteError::NewerFormat`] or [`ExecuteError::Damaged`].
pub fn read_records<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
    history_limit: usize,
) -> BoxFuture<'a, Result<Option<Records>, ExecuteError>> {
    Box::pin(async move {
        let tables = ControlTables::new(session.server().dialect, control_namespace);
        tables.records(session, canonical_scope(scope), history_limit).await
    })
}

/// Whether the last finished run of `scope` reached `run_key`, and none is unfinished. Creates nothing, looks at nothing else.
///
/// # Errors
/// The server's words.
pub fn reached<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
    run_key: &'a str,
) -> BoxFuture<'a, Result<bool, ExecuteError>> {
    Box::pin(async move {
        let tables = ControlTables::new(session.server().dialect, control_namespace);
        tables.reached(session, canonical_scope(scope), run_key).await
    })
}
