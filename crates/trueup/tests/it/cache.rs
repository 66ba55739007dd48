//! What a dev database made of a declaration is kept, and believed only for the same declaration on the same kind of server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use trueup::execute::RunStatus;
use trueup::load::{Source, SourceKind};
use trueup::plan::{Consent, PlanStatus};
use trueup::schema::builder::{bigint, text};
use trueup::schema::{DialectId, Schema};
use trueup::snapshot::{Document, DocumentFormat};
use trueup::{ApplyRequest, CompileCache, Declared, Error, Options, Pipeline, Silence};
use trueup_testkit::{TestDatabase, servers};

#[derive(Debug, Default)]
struct Memory(Mutex<BTreeMap<String, String>>);

impl CompileCache for Memory {
    fn get(&self, key: &str) -> Option<String> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &str, text: &str) {
        self.0.lock().unwrap().insert(key.to_owned(), text.to_owned());
    }
}

impl Memory {
    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

const SQL: &str = "CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE TABLE people (id bigint PRIMARY KEY, m mood DEFAULT 'ok', n integer CHECK (n BETWEEN 1 AND 9));
    CREATE INDEX by_lower ON people ((n + 1)) WHERE n > 3;
    CREATE VIEW sad AS SELECT id FROM people WHERE m = 'sad';";

fn pipeline(database: &TestDatabase, cache: &Arc<Memory>) -> Pipeline {
    let mut options = Options::new().unwrap();
    options.cache = Some(Arc::clone(cache) as Arc<dyn CompileCache>);
    Pipeline::new(database.url().clone(), None, options).unwrap()
}

#[tokio::test]
async fn unchanged_files_need_no_dev_database() {
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let (cache, declared) = (Arc::new(Memory::default()), Declared::sql("a.sql", SQL));
        let pipeline = pipeline(&database, &cache);
        let first = pipeline.plan(&declared).await.unwrap();
        assert_eq!(cache.len(), 2);
        let second = pipeline.plan(&declared).await.unwrap();
        assert_eq!((first.plan, first.script.to_sql()), (second.plan, second.script.to_sql()));
        assert_eq!(cache.len(), 2);
        for text in cache.0.lock().unwrap().values_mut() {
            *text = text.replace("by_lower", "by_hand");
        }
        let third = pipeline.plan(&declared).await.unwrap();
        assert!(third.script.to_sql().contains("by_hand"), "what is kept is not asked for");

        // another text, or what a setting makes of it, is another declaration
        pipeline.plan(&Declared::sql("a.sql", SQL.replace("> 3", "> 4"))).await.unwrap();
        assert_eq!(cache.len(), 4);
        let mut session = database.session().await.unwrap();
        let name = database.name();
        session.execute(&format!("ALTER DATABASE {name} SET default_tablespace = 'pg_default'")).await.unwrap();
        session.close().await.unwrap();
        pipeline.plan(&declared).await.unwrap();
        assert_eq!(cache.len(), 6);
    }
}

#[tokio::test]
async fn a_declaration_that_was_reached_is_known_without_being_compiled() {
    let mut databases = vec![TestDatabase::sqlite().unwrap()];
    for server in [servers::postgres().pop(), servers::mysql().pop(), servers::mariadb().pop()] {
        databases.push(TestDatabase::on(&server.unwrap()).await.unwrap());
    }
    for database in databases {
        let cache = Arc::new(Memory::default());
        let there = pipeline(&database, &cache);
        let declared = Declared::sql("a.sql", "CREATE TABLE t (id bigint PRIMARY KEY, a integer DEFAULT 1);");
        let apply = async |request| there.apply(&declared, Consent::None, request, &Silence).await.unwrap();
        assert_eq!(apply(ApplyRequest::default()).await.status, RunStatus::Synced);
        let kept = cache.len();
        let trusting = ApplyRequest { trust_history: true, ..ApplyRequest::default() };
        assert_eq!(apply(trusting.clone()).await.status, RunStatus::UpToDateByHistory);
        assert_eq!(cache.len(), kept);

        // a schema built in code is kept under its fingerprint
        let dialect = database.session().await.unwrap().server().dialect;
        let mut shop = Schema::build(dialect);
        shop.table("t").column("id", bigint()).primary_key();
        shop.table("u").column("name", text());
        let built = Declared::built(shop.finish().unwrap());
        there.plan(&built).await.unwrap();
        let more = cache.len();
        there.plan(&built).await.unwrap();
        assert_eq!((more, cache.len()), (kept + 2, kept + 2));
    }
}

#[tokio::test]
async fn a_broken_entry_is_made_again() {
    let database = TestDatabase::sqlite().unwrap();
    let cache = Arc::new(Memory::default());
    let declared = Declared::sql("a.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY);");
    pipeline(&database, &cache).plan(&declared).await.unwrap();
    for text in cache.0.lock().unwrap().values_mut() {
        text.truncate(text.len() / 2);
    }
    let planned = pipeline(&database, &cache).plan(&declared).await.unwrap();
    assert_eq!((planned.status(), planned.plan.operations.len()), (PlanStatus::Pending, 1));
    assert!(cache.0.lock().unwrap().values().all(|text| text.ends_with('}') || text.contains(':')));
}

#[tokio::test]
async fn nothing_is_kept_of_what_failed() {
    let server = servers::postgres().pop().unwrap();
    let database = TestDatabase::on(&server).await.unwrap();
    let cache = Arc::new(Memory::default());
    let broken = Declared::sql("a.sql", "CREATE TABLE t (id no_such_type);");
    assert!(matches!(pipeline(&database, &cache).plan(&broken).await, Err(Error::Load(_))));
    assert_eq!(cache.len(), 0);
}

/// The hash of a document's text is enough: what the cache says of it is believed before the document is read.
#[tokio::test]
async fn a_document_that_was_reached_is_known_by_its_text() {
    let database = TestDatabase::sqlite().unwrap();
    let cache = Arc::new(Memory::default());
    let there = pipeline(&database, &cache);
    let mut shop = Schema::build(DialectId::Sqlite);
    shop.table("t").column("id", bigint()).primary_key();
    let text = Document::write(&shop.finish().unwrap(), DocumentFormat::Json).unwrap();
    let document = |text: &str| {
        let name = "shop.json".to_owned();
        Declared::Document(Source { name, kind: SourceKind::Json, text: text.to_owned() })
    };
    let apply = async |declared: &Declared, trust_history| {
        let request = ApplyRequest { trust_history, ..ApplyRequest::default() };
        there.apply(declared, Consent::None, request, &Silence).await
    };
    assert_eq!(apply(&document(&text), false).await.unwrap().status, RunStatus::Synced);
    let kept = cache.len();
    assert_eq!(apply(&document(&text), true).await.unwrap().status, RunStatus::UpToDateByHistory);
    assert_eq!(cache.len(), kept);
    // the same schema in another text was reached as well, but has to be read
    assert_eq!(apply(&document(&format!("{text} ")), true).await.unwrap().status, RunStatus::UpToDateByHistory);
    let broken = apply(&document("{}"), true).await.unwrap_err();
    assert!(matches!(broken, Error::Document { .. }), "{broken}");
}
