//! Databases that exist for one test.

use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, Engine, TestServer};

async fn check(server: &TestServer) {
    let database = TestDatabase::on(server).await.unwrap();
    // Sessions on PostgreSQL have no default namespace.
    let table = if server.engine == Engine::Postgres { "public.thing" } else { "thing" };
    let insert = format!("INSERT INTO {table} VALUES (1), (2)");
    let statements = [&format!("CREATE TABLE {table} (id integer PRIMARY KEY)"), insert.as_str()];
    let mut session = database.session_after(&statements).await.unwrap();
    let rows = session.query(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap();
    assert_eq!(rows[0].int(0).unwrap(), 2, "{}", server.name());
    assert_eq!(session.server().database, database.name());

    // A session that is still open, and in the middle of something, must not keep the database alive.
    session.begin(trueup_session::TransactionMode::Write).await.unwrap();
    session.execute(&format!("INSERT INTO {table} VALUES (3)")).await.unwrap();
    let name = database.name().to_owned();
    drop(database);
    let other = TestDatabase::on(server).await.unwrap();
    let sql = match server.engine {
        Engine::Postgres => "SELECT count(*) FROM pg_catalog.pg_database WHERE datname = $1",
        Engine::MariaDb | Engine::MySql => "SELECT count(*) FROM information_schema.schemata WHERE schema_name = ?",
    };
    let rows = other.session().await.unwrap().query(sql, &[name.as_str().into()]).await.unwrap();
    assert_eq!(rows[0].int(0).unwrap(), 0, "{} still has `{name}`", server.name());
}

#[tokio::test]
async fn databases_come_and_go_on_postgres() {
    for server in servers::postgres() {
        check(&server).await;
    }
}

#[tokio::test]
async fn databases_come_and_go_on_mariadb_and_mysql() {
    for server in servers::mariadb().into_iter().chain(servers::mysql()) {
        check(&server).await;
    }
}

#[tokio::test]
async fn files_come_and_go_on_sqlite() {
    let database = TestDatabase::sqlite().unwrap();
    assert_eq!(database.label(), "sqlite");
    let session = database.session_after(&["CREATE TABLE thing (id integer PRIMARY KEY)"]).await.unwrap();
    session.close().await.unwrap();
    let folder = database.folder().unwrap();
    assert!(folder.join("test.db").exists());
    drop(database);
    assert!(!folder.exists());
}
