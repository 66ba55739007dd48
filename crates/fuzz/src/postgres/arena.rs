//! Databases of a PostgreSQL server.

use std::collections::BTreeMap;

use async_trait::async_trait;
use trueup::session::{DbError, Session};
use trueup_testkit::TestDatabase;
use trueup_testkit::servers::TestServer;

use super::{code, relations, table, types};
use crate::arena::{Arena, Rows, TableRows};
use crate::dice::Dice;
use crate::generator::Generator;
use crate::world::{Object, Part, PartKind, World};

/// PostgreSQL.
#[derive(Debug, Clone)]
pub struct Postgres {
    server: TestServer,
}

impl Postgres {
    /// On this server.
    #[must_use]
    pub const fn new(server: TestServer) -> Self {
        Self { server }
    }
}

impl Generator for Postgres {
    fn kinds(&self) -> &[(&'static str, usize)] {
        &[
            ("schema", 2),
            ("collation", 1),
            ("enum", 2),
            ("domain", 2),
            ("composite", 1),
            ("range", 1),
            ("cast", 1),
            ("sequence", 2),
            ("trigger function", 2),
            ("aggregate", 1),
            ("procedure", 1),
            ("table", 5),
            ("partition", 3),
            ("constraint", 4),
            ("function", 3),
            ("view", 3),
            ("matview", 1),
            ("index", 4),
            ("trigger", 3),
            ("policy", 2),
            ("rule", 1),
            ("statistics", 1),
            ("publication", 1),
            ("event trigger", 1),
        ]
    }

    fn object(&self, dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object> {
        match kind {
            "schema" => table::namespace(dice, world, name),
            "enum" | "domain" | "composite" | "range" => types::own(dice, world, kind, name),
            "sequence" => table::sequence(dice, world, name),
            "trigger function" => code::trigger_function(dice, world, name),
            "aggregate" => code::aggregate(dice, world, name),
            "procedure" => code::procedure(dice, world, name),
            "table" => table::table(dice, world, name),
            "partition" => table::partition(dice, world, name),
            "constraint" => table::late_constraint(dice, world, name),
            "function" => code::function(dice, world, name),
            "view" | "matview" => relations::view(dice, world, kind, name),
            "index" => relations::index(dice, world, name),
            "trigger" => code::trigger(dice, world, name),
            "policy" => code::policy(dice, world, name),
            "rule" => code::rule(dice, world, name),
            "statistics" => relations::statistics(dice, world, name),
            "publication" => code::publication(dice, world, name),
            other => code::other(dice, world, other, name),
        }
    }

    fn part(&self, dice: &mut Dice, world: &World, table: &Object, kind: PartKind, name: Option<&str>) -> Option<Part> {
        table::part(dice, world, table, kind, name)
    }

    fn retouch(&self, dice: &mut Dice, _world: &World, object: &mut Object) {
        table::retouch(dice, object);
    }
}

/// Namespaces that are the user's own.
const MINE: &str = "nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('information_schema', 'trueup')";

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Tables that hold rows of their own, each column with its type and what else an INSERT must know.
async fn tables(session: &mut dyn Session) -> Result<BTreeMap<(String, String), Vec<[String; 3]>>, DbError> {
    let sql = format!(
        "SELECT nspname::text, relname::text, attname::text, format_type(atttypid, atttypmod) || coalesce((SELECT string_agg(f.attname || \
         format_type(f.atttypid, f.atttypmod), ',' ORDER BY f.attnum) FROM pg_attribute f WHERE f.attrelid = typrelid AND typtype = 'c'), ''), \
         CASE WHEN attgenerated <> '' THEN 'generated' WHEN attidentity = 'a' THEN 'always' WHEN typtype = 'e' THEN (SELECT enumlabel::text FROM pg_enum \
         WHERE enumtypid = atttypid ORDER BY enumsortorder LIMIT 1) WHEN typtype = 'd' THEN format_type(typbasetype, -1) ELSE '' END \
         FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_type t ON t.oid = atttypid \
         WHERE {MINE} AND relkind = 'r' AND NOT relispartition AND attnum > 0 AND NOT attisdropped ORDER BY 1, 2, attnum"
    );
    let mut found: BTreeMap<(String, String), Vec<[String; 3]>> = BTreeMap::new();
    for row in session.query(&sql, &[]).await? {
        let table = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
        let column =
            [row.text(2)?.to_owned(), row.text(3)?.to_owned(), row.text_or_null(4)?.unwrap_or_default().to_owned()];
        found.entry(table).or_default().push(column);
    }
    Ok(found)
}

/// A value for row `at`, as text.
fn value(data_type: &str, more: &str, at: usize) -> String {
    let real = if data_type.contains('"') || data_type.contains('_') { more } else { data_type };
    let has = |word: &str| real.contains(word);
    if real.ends_with("[]") {
        return format!("{{{at}}}");
    }
    match real {
        "jsonb" | "json" => format!("{{\"k\": {at}}}"),
        "uuid" => format!("00000000-0000-4000-8000-00000000000{at}"),
        "bytea" => format!("\\x0{at}"),
        "inet" => format!("10.0.0.{at}"),
        "bit(4)" => "0101".to_owned(),
        "int4range" => format!("[{at}0,{at}5)"),
        "tstzrange" => format!("[2024-0{at}-01,2024-0{at}-09)"),
        "point" => format!("({at},{at})"),
        "boolean" => (if at == 1 { "t" } else { "f" }).to_owned(),
        _ if has("interval") => format!("{at} days"),
        _ if has("bit varying") => "01".to_owned(),
        _ if has("char") || has("text") || has("tsvector") => format!("v{at}"),
        _ if has("time") || has("date") => format!("2024-01-0{at}"),
        _ if more.is_empty() => at.to_string(),
        _ => more.to_owned(),
    }
}

#[async_trait]
impl Arena for Postgres {
    fn name(&self) -> String {
        self.server.name()
    }

    async fn fresh(&self) -> Result<TestDatabase, DbError> {
        TestDatabase::on(&self.server).await
    }

    async fn prepare(&self, session: &mut dyn Session) -> Result<(), DbError> {
        session.execute("SET search_path = public").await.map(|_| ())
    }

    async fn dump(&self, session: &mut dyn Session) -> Result<String, DbError> {
        session.execute("SET search_path = ''").await?;
        let mut lines = Vec::new();
        for query in include_str!("oracle.sql").split("-- next") {
            for row in session.query(&query.replace("{mine}", MINE), &[]).await? {
                lines.push(row.text(0)?.to_owned());
            }
        }
        session.execute("RESET search_path").await?;
        lines.retain(|line| !line.contains("_trueup_"));
        lines.sort();
        Ok(lines.join("\n"))
    }

    async fn broken(&self, _session: &mut dyn Session, _world: &World) -> Result<Vec<String>, DbError> {
        // the server takes nothing that does not work
        Ok(Vec::new())
    }

    async fn seed(&self, session: &mut dyn Session) -> Result<(), DbError> {
        for ((namespace, name), columns) in tables(session).await? {
            let given: Vec<&[String; 3]> =
                columns.iter().filter(|[_, _, more]| !matches!(more.as_str(), "generated" | "always")).collect();
            for at in 1..=3 {
                let names: Vec<String> = given.iter().map(|[name, _, _]| quoted(name)).collect();
                let values: Vec<String> = given
                    .iter()
                    .map(|[_, data_type, more]| format!("'{}'", value(data_type, more, at).replace('\'', "''")))
                    .collect();
                let table = format!("{}.{}", quoted(&namespace), quoted(&name));
                let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "));
                // what a constraint forbids is left out
                if session.execute(&sql).await.is_err() {
                    drop(session.execute(&format!("INSERT INTO {table} DEFAULT VALUES")).await);
                }
            }
        }
        Ok(())
    }

    async fn rows(&self, session: &mut dyn Session) -> Result<Rows, DbError> {
        let mut found = BTreeMap::new();
        for ((namespace, name), columns) in tables(session).await? {
            let texts: Vec<String> =
                columns.iter().map(|[name, _, _]| format!("coalesce({}::text, 'NULL')", quoted(name))).collect();
            let sql = format!("SELECT {} FROM ONLY {}.{}", texts.join(", "), quoted(&namespace), quoted(&name));
            let rows = session.query(&sql, &[]).await?;
            let kept: Vec<usize> = (0..columns.len()).filter(|at| columns[*at][2] != "generated").collect();
            let rows = rows
                .iter()
                .map(|row| kept.iter().map(|at| Ok(row.text(*at)?.to_owned())).collect())
                .collect::<Result<Vec<Vec<String>>, DbError>>()?;
            let columns = kept.iter().map(|at| (columns[*at][0].clone(), columns[*at][1].clone())).collect();
            found.insert(format!("{namespace}.{name}"), TableRows { kind: "table".to_owned(), columns, rows });
        }
        Ok(found)
    }
}
