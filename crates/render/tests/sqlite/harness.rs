//! From one database to the schema of another, in memory, the way a run does it.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::sqlite::Sqlite;
use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_plan::{Desired, Hints, Live, Ownership, Plan, PlanOptions, RenameHint, Script, Statement};
use trueup_schema::{Ident, ObjectRef, PartId, QualName, SqlExpr};
use trueup_session::{ConnectOptions, DbError, Session, TransactionMode, Value, connector};
use trueup_snapshot::Snapshot;

/// An empty database in memory.
pub(crate) async fn empty() -> Box<dyn Session> {
    let connector = connector("sqlite::memory:".parse().unwrap()).unwrap();
    connector.connect(&ConnectOptions::default()).await.unwrap()
}

/// A database in memory that `statements` made.
pub(crate) async fn database(statements: &[&str]) -> Box<dyn Session> {
    let mut session = empty().await;
    for statement in statements {
        session.execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    session
}

pub(crate) async fn read(session: &mut dyn Session) -> Introspected {
    let request = Request {
        namespaces: NamespaceFilter::All,
        control_namespace: None,
        owners: false,
        spelled: false,
        facts: true,
    };
    introspect(session, &request).await.unwrap()
}

pub(crate) fn dialect(read: &Introspected) -> Sqlite {
    Sqlite::new(read.facts.server.version)
}

pub(crate) async fn snapshot(session: &mut dyn Session) -> Snapshot {
    let read = read(session).await;
    Snapshot::of(&read.schema, &dialect(&read)).unwrap()
}

/// The plan that takes `live` to the schema of `desired`.
pub(crate) async fn plan(live: &mut dyn Session, desired: &mut dyn Session, hints: Hints) -> (Plan, Script) {
    let (now, wanted) = (read(live).await, read(desired).await);
    let dialect = dialect(&now);
    let live =
        Live { snapshot: Snapshot::of(&now.schema, &dialect).unwrap(), facts: now.facts, unmanaged: now.unmanaged };
    let desired = Desired {
        snapshot: Snapshot::of(&wanted.schema, &dialect).unwrap(),
        hints,
        provenance: BTreeMap::new(),
        unmodelled: wanted.unmanaged,
        notes: Vec::new(),
        elaborated: true,
        privileges: false,
        namespaces: BTreeSet::new(),
    };
    let options = PlanOptions { ownership: Ownership::All, no_renames: true, ..PlanOptions::default() };
    let plan = trueup_diff::diff(&live, &desired, &options, &dialect);
    let script = trueup_render::render(&plan, &dialect).unwrap_or_else(|error| panic!("{error}: {plan:#?}"));
    (plan, script)
}

/// Runs a script as an executor would: settings, one transaction per segment, settings.
pub(crate) async fn run(session: &mut dyn Session, script: &Script) -> Result<(), DbError> {
    for statement in &script.setup {
        say(session, statement).await?;
    }
    let result = segments(session, script).await;
    session.rollback().await?;
    for statement in &script.teardown {
        say(session, statement).await?;
    }
    result
}

async fn segments(session: &mut dyn Session, script: &Script) -> Result<(), DbError> {
    for segment in &script.segments {
        session.begin(TransactionMode::Write).await?;
        for statement in segment.steps.iter().flat_map(|step| &step.statements) {
            say(session, statement).await?;
        }
        session.commit().await?;
    }
    Ok(())
}

async fn say(session: &mut dyn Session, statement: &Statement) -> Result<(), DbError> {
    let failed = |mut error: DbError| {
        error.message = format!("{}: {}", statement.sql, error.message);
        error
    };
    match &statement.assert {
        None => session.execute(&statement.sql).await.map(drop).map_err(failed),
        Some(message) => {
            let rows = session.query(&statement.sql, &[]).await.map_err(failed)?;
            let holds = rows.first().is_some_and(|row| row.bool(0).unwrap_or_default());
            let refused = || DbError::new(trueup_session::DbErrorKind::Other, message.clone());
            if holds { Ok(()) } else { Err(refused()) }
        }
    }
}

/// What the data checks of the script count.
pub(crate) async fn violations(session: &mut dyn Session, script: &Script) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for check in &script.checks {
        let rows = session.query(&check.count, &[]).await.unwrap_or_else(|error| panic!("{}: {error}", check.count));
        let count = rows[0].int(0).unwrap();
        if let Some(sample) = &check.sample {
            let rows = session.query(sample, &[]).await.unwrap_or_else(|error| panic!("{sample}: {error}"));
            assert_eq!(rows.is_empty(), count == 0, "{sample}");
        }
        if count > 0 {
            found.push((check.rule.clone(), count));
        }
    }
    found
}

/// Takes `live` to the schema of `desired` and asks that this is where it is then, with nothing left to do.
pub(crate) async fn converge(live: &mut dyn Session, desired: &mut dyn Session, hints: Hints) -> Script {
    let (plan, script) = plan(live, desired, hints).await;
    assert!(plan.refusals.is_empty(), "{:#?}", plan.refusals);
    assert_eq!(violations(live, &script).await, []);
    run(live, &script).await.unwrap_or_else(|error| panic!("{error}\n{}", script.to_sql()));
    let (after, wanted) = (snapshot(live).await, snapshot(desired).await);
    assert_eq!(after.root(), wanted.root(), "{}\n{:#?}\n{:#?}", script.to_sql(), after.schema(), wanted.schema());
    script
}

/// Every value of a query, as texts.
pub(crate) async fn values(session: &mut dyn Session, sql: &str) -> Vec<Vec<String>> {
    let text = |value: Value| match value {
        Value::Text(text) => text,
        Value::Int(number) => number.to_string(),
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Float(_)
        | Value::Bytes(_)
        | Value::Texts(_)
        | Value::Ints(_)) => format!("{other:?}"),
    };
    let rows = session.query(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.iter().map(|row| row.values().map(text).collect()).collect()
}

pub(crate) fn name(text: &str) -> QualName {
    QualName::new(None, ident(text))
}

pub(crate) fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

pub(crate) fn column(table: &str, column: &str) -> PartId {
    PartId { table: name(table), name: ident(column) }
}

pub(crate) fn rename_column(table: &str, from: &str, to: &str) -> Hints {
    let from = ObjectRef::Column(column(table, from));
    Hints { renames: vec![RenameHint { from, to: ident(to), source: None }], ..Hints::default() }
}

pub(crate) fn rename_table(from: &str, to: &str) -> Hints {
    let from = ObjectRef::Table(name(from));
    Hints { renames: vec![RenameHint { from, to: ident(to), source: None }], ..Hints::default() }
}

pub(crate) fn using(table: &str, of: &str, value: &str) -> Hints {
    Hints { using: [(column(table, of), SqlExpr::new(value))].into(), ..Hints::default() }
}
