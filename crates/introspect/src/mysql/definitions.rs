//! What the server prints of objects, asked of many at once.

use std::collections::BTreeMap;

use trueup_schema::{DialectId, QualName};
use trueup_session::{DbErrorKind, Row, Session};

use crate::IntrospectError;

/// How many definitions are asked for in one trip. One that the server will not print costs its trip, and one for each of the others.
const AT_ONCE: usize = 50;

/// The word for the kind of an object after SHOW CREATE, and its name.
pub(crate) type Wanted = (String, QualName);

/// Rows of SHOW CREATE, by object. One that is not shown, or not in UTF-8, has none.
pub(crate) async fn definitions(
    session: &mut dyn Session,
    dialect: DialectId,
    wanted: &[Wanted],
) -> Result<BTreeMap<Wanted, Row>, IntrospectError> {
    let mut found = BTreeMap::new();
    let failed = |source| IntrospectError::Query { what: "definitions", source };
    for chunk in wanted.chunks(AT_ONCE) {
        let list: Vec<String> =
            chunk.iter().map(|(kind, name)| format!("SHOW CREATE {kind} {}", name.quoted(dialect))).collect();
        match session.query_each(&list).await {
            Ok(rows) => found.extend(chunk.iter().cloned().zip(rows)),
            Err(source) if source.kind == DbErrorKind::ConnectionLost => return Err(failed(source)),
            Err(error) => {
                tracing::debug!(%error, "one by one");
                for (object, sql) in chunk.iter().zip(&list) {
                    match session.query(sql, &[]).await {
                        Ok(rows) => found.extend(rows.into_iter().next().map(|row| (object.clone(), row))),
                        Err(source) if source.kind == DbErrorKind::ConnectionLost => return Err(failed(source)),
                        Err(error) => tracing::debug!(%error, sql, "not shown"),
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Definitions of tables as the server prints them.
pub(crate) async fn tables(
    session: &mut dyn Session,
    dialect: DialectId,
    names: Vec<QualName>,
) -> Result<BTreeMap<QualName, String>, IntrospectError> {
    let wanted: Vec<Wanted> = names.into_iter().map(|name| ("TABLE".to_owned(), name)).collect();
    let found = definitions(session, dialect, &wanted).await?;
    let text = |row: Row| row.text(1).ok().map(str::to_owned);
    Ok(found.into_iter().filter_map(|((_, name), row)| Some((name, text(row)?))).collect())
}
