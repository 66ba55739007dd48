//! PostgreSQL's catalog.

use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_schema::{Ident, QualName};
use trueup_session::TransactionMode;
use trueup_testkit::TestDatabase;
use trueup_testkit::servers::postgres;

use crate::counting::Counting;

/// The most questions that one reading may ask.
pub(crate) const MOST: usize = 14;

fn request() -> Request {
    Request { namespaces: NamespaceFilter::All, control_namespace: None, owners: false, spelled: false, facts: true }
}

/// What is read after `script`, and in how many questions.
pub(crate) async fn read(database: &TestDatabase, script: &[&str], request: &Request) -> (Introspected, usize) {
    let session = database.session_after(script).await.unwrap();
    let mut session = Counting { inner: session, statements: 0 };
    trueup_session::Session::begin(&mut session, TransactionMode::ReadOnly).await.unwrap();
    let found = introspect(&mut session, request).await.unwrap();
    (found, session.statements)
}

pub(crate) fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

#[tokio::test]
async fn the_number_of_questions_does_not_grow() {
    for server in postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let (empty, few) = read(&database, &[], &request()).await;
        assert!(empty.schema.tables.is_empty() && empty.unmanaged.is_empty(), "{}", database.label());
        let many: Vec<String> = (0..40)
            .map(|number| {
                format!("CREATE TABLE public.t{number} (id int PRIMARY KEY, a text DEFAULT 'x', CHECK (id > 0))")
            })
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (full, some) = read(&database, &many, &request()).await;
        assert_eq!(full.schema.tables.len(), 40);
        assert_eq!(some, few);
        assert!(some <= MOST, "{some}");
    }
}

#[tokio::test]
async fn other_namespaces_are_read_only_as_far_as_needed() {
    for server in postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let script = [
            "CREATE SCHEMA other",
            "CREATE TABLE other.parent (id int PRIMARY KEY, note text)",
            "CREATE FUNCTION other.f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
            "CREATE TABLE public.child (parent int REFERENCES other.parent, twice int DEFAULT other.f(1))",
            "CREATE VIEW public.v AS SELECT note FROM other.parent",
        ];
        let only = Request { namespaces: NamespaceFilter::Only(vec![Ident::new("public").unwrap()]), ..request() };
        let (found, statements) = read(&database, &script, &only).await;
        assert!(statements <= MOST);
        let schema = found.schema;
        assert_eq!(schema.tables.keys().collect::<Vec<_>>(), [&name("public.child")]);
        let child = &schema.tables[&name("public.child")];
        let (_, key) = child.foreign_keys().next().unwrap();
        assert_eq!(
            (key.references.to_string(), key.referenced_columns[0].to_string()),
            ("other.parent".into(), "id".into())
        );
        let needs: Vec<String> = child.columns[1].depends_on.iter().map(|it| it.on.to_string()).collect();
        assert_eq!(needs, ["other.f(integer)"]);
        let needs: Vec<String> =
            schema.views[&name("public.v")].common.depends_on.iter().map(|it| it.on.to_string()).collect();
        assert_eq!(needs, ["other.parent.note"]);
    }
}

#[tokio::test]
async fn what_has_no_place_in_the_model_is_listed() {
    for server in postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let script = [
            "CREATE EXTENSION hstore SCHEMA public",
            "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "ALTER FUNCTION public.f() DEPENDS ON EXTENSION hstore",
            "CREATE TABLE public.k (id int PRIMARY KEY)",
            "CREATE TABLE public.r (k int REFERENCES public.k)",
            "ALTER TABLE public.r DISABLE TRIGGER ALL",
            "CREATE TABLE public.p (id int PRIMARY KEY) PARTITION BY RANGE (id)",
            "CREATE TABLE public.p1 PARTITION OF public.p FOR VALUES FROM (0) TO (9)",
            "CREATE TABLE public.p2 PARTITION OF public.p FOR VALUES FROM (9) TO (20)",
            "ALTER INDEX public.p1_pkey SET (fillfactor = 50)",
            "COMMENT ON CONSTRAINT p1_pkey ON public.p1 IS 'inherited'",
            "COMMENT ON CONSTRAINT p_pkey ON public.p IS 'modelled'",
            "CREATE FUNCTION public.g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'",
            "CREATE TRIGGER g AFTER INSERT ON public.p FOR EACH ROW EXECUTE FUNCTION public.g()",
            "ALTER TABLE public.p1 DISABLE TRIGGER g",
        ];
        let (found, _) = read(&database, &script, &request()).await;
        let listed: Vec<_> = found.unmanaged.iter().map(|it| (it.kind.as_str(), it.name.as_str())).collect();
        let expected = [
            ("comment on a constraint", "public.p1.p1_pkey"),
            ("dependence on an extension", "public.f()"),
            ("disabled check of a constraint", "public.r.r_k_fkey"),
            ("parameters of an inherited key", "public.p1"),
            ("state of an inherited trigger", "public.p1.g"),
        ];
        assert_eq!(listed, expected, "{}", database.label());
        let comment = found.schema.tables[&name("public.p")].constraints[0].comment.as_deref();
        assert_eq!(comment, Some("modelled"));
    }
}
