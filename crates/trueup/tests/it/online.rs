//! Beside live traffic, on every PostgreSQL server of the run: what is reached, and what a run leaves that fails or is cut off.

use std::time::Duration;

use trueup::execute::{Applied, RunStatus};
use trueup::plan::{Consent, Ownership, PlanStatus, StepForm};
use trueup::{ApplyRequest, Declared, Error, Options, Pipeline, Silence};
use trueup_testkit::{TestDatabase, servers};

const BEFORE: &str = "CREATE TABLE orgs (id int PRIMARY KEY);
CREATE TABLE users (id int PRIMARY KEY, email text, age int, org int, note text, CONSTRAINT old UNIQUE (age, id));
CREATE INDEX users_age ON users (age);
CREATE INDEX users_note ON users (note);";

const ROWS: &str = "INSERT INTO public.orgs VALUES (1);
INSERT INTO public.users SELECT i, 'e' || i, i, 1, 'x' FROM generate_series(1, 500) AS i";

const AFTER: &str = "CREATE TABLE orgs (id int PRIMARY KEY);
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL UNIQUE, age int, org int NOT NULL REFERENCES orgs, note text,
  CONSTRAINT old UNIQUE (age) INCLUDE (note), CONSTRAINT adult CHECK (age > 0));
CREATE INDEX users_age ON users (age DESC);
CREATE INDEX users_org ON users (org) WHERE org > 0;";

fn pipeline(database: &TestDatabase, skip: bool) -> Pipeline {
    let mut options = Options::new().unwrap();
    options.plan.ownership = Ownership::Tracked;
    options.plan.online = true;
    options.skip_data_checks = skip;
    Pipeline::new(database.url().clone(), None, options).unwrap()
}

async fn apply(pipeline: &Pipeline, sql: &str) -> Result<Applied, Error> {
    pipeline.apply(&Declared::sql("s.sql", sql), Consent::None, ApplyRequest::default(), &Silence).await
}

async fn reach(pipeline: &Pipeline, sql: &str) {
    let applied = apply(pipeline, sql).await.unwrap();
    assert_eq!(applied.status, RunStatus::Synced, "{}: {:?}", pipeline.place(), applied.refusals);
    let again = pipeline.plan(&Declared::sql("s.sql", sql)).await.unwrap();
    assert_eq!(again.status(), PlanStatus::UpToDate, "{}: {:?}", pipeline.place(), again.plan.operations);
}

/// Databases with the schema before and its rows, one on each server.
async fn stages() -> Vec<TestDatabase> {
    let mut stages = Vec::new();
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        assert_eq!(apply(&pipeline(&database, false), BEFORE).await.unwrap().status, RunStatus::Synced);
        run(&database, ROWS).await;
        stages.push(database);
    }
    stages
}

async fn run(database: &TestDatabase, sql: &str) {
    let mut session = database.session().await.unwrap();
    for statement in sql.split(";\n") {
        session.execute(statement).await.unwrap();
    }
    session.close().await.unwrap();
}

async fn count(database: &TestDatabase, sql: &str) -> i64 {
    let mut session = database.session().await.unwrap();
    let rows = session.query(sql, &[]).await.unwrap();
    session.close().await.unwrap();
    rows[0].int(0).unwrap()
}

const INVALID: &str = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";
const OURS: &str = "SELECT (SELECT count(*) FROM pg_class WHERE relname LIKE 'trueup_online%') \
     + (SELECT count(*) FROM pg_constraint WHERE conname LIKE 'trueup_online%')";

#[tokio::test]
async fn what_is_reached_is_the_declaration() {
    for database in stages().await {
        let pipeline = pipeline(&database, false);
        let planned = pipeline.plan(&Declared::sql("s.sql", AFTER)).await.unwrap();
        let forms = planned.plan.segments.iter().flat_map(|segment| &segment.steps).map(|step| &step.form);
        assert_eq!(forms.clone().filter(|form| **form == StepForm::Concurrently).count(), 5);
        assert_eq!(forms.filter(|form| matches!(form, StepForm::UsingIndex { .. })).count(), 2);
        reach(&pipeline, AFTER).await;
        assert_eq!((count(&database, INVALID).await, count(&database, OURS).await), (0, 0));
        reach(&pipeline, BEFORE).await;
        assert_eq!((count(&database, INVALID).await, count(&database, OURS).await), (0, 0));
    }
}

#[tokio::test]
async fn a_build_that_rows_stop_leaves_nothing() {
    for database in stages().await {
        run(&database, "UPDATE public.users SET email = 'e1' WHERE id = 2").await;
        let error = apply(&pipeline(&database, true), AFTER).await.unwrap_err();
        let text = format!("{error}: {:?}", std::error::Error::source(&error));
        assert!(text.contains("CREATE UNIQUE INDEX CONCURRENTLY") && text.contains("duplicated"), "{text}");
        assert_eq!(count(&database, INVALID).await, 0);
        // The rows are asked first where nobody says otherwise.
        let refused = apply(&pipeline(&database, false), AFTER).await.unwrap();
        assert_eq!((refused.status, refused.refusals[0].code.as_str()), (RunStatus::Refused, "check-failed"));
        run(&database, "UPDATE public.users SET email = 'e2' WHERE id = 2").await;
        reach(&pipeline(&database, false), AFTER).await;
        assert_eq!((count(&database, INVALID).await, count(&database, OURS).await), (0, 0));
    }
}

#[tokio::test]
async fn a_build_that_is_cut_off_is_dropped_and_done_again() {
    for database in stages().await {
        let mut writer = database.session().await.unwrap();
        writer.begin(trueup::session::TransactionMode::Write).await.unwrap();
        writer.execute("UPDATE public.users SET note = 'y' WHERE id = 1").await.unwrap();
        let sql = format!("{BEFORE}\nCREATE INDEX users_org ON users (org);");
        let pipeline = pipeline(&database, false);
        let cut = async {
            let mut watcher = database.session().await.unwrap();
            let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                 WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'";
            while watcher.query(end, &[]).await.unwrap()[0].int(0).unwrap() == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let (applied, ()) = tokio::join!(apply(&pipeline, &sql), cut);
        assert!(applied.is_err(), "{applied:?}");
        writer.rollback().await.unwrap();
        assert_eq!(count(&database, INVALID).await, 1);
        reach(&pipeline, &sql).await;
        assert_eq!(count(&database, INVALID).await, 0);
    }
}

#[tokio::test]
async fn an_unfinished_index_is_not_the_declared_one() {
    for database in stages().await {
        run(&database, "UPDATE public.users SET email = 'e1' WHERE id = 2").await;
        let mut session = database.session().await.unwrap();
        session.execute("CREATE UNIQUE INDEX CONCURRENTLY mail ON public.users (email)").await.unwrap_err();
        run(&database, "UPDATE public.users SET email = 'e2' WHERE id = 2").await;
        let sql = format!("{BEFORE}\nCREATE UNIQUE INDEX mail ON users (email);");
        let pipeline = pipeline(&database, false);
        let planned = pipeline.plan(&Declared::sql("s.sql", sql.as_str())).await.unwrap();
        let ids: Vec<String> = planned.plan.operations.iter().map(|operation| operation.id.to_string()).collect();
        assert_eq!(ids, ["drop-index:public.users.mail", "create-index:public.users.mail"]);
        reach(&pipeline, &sql).await;
        assert_eq!(count(&database, INVALID).await, 0);
    }
}
