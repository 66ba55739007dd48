//! docs/reference/objects.md: what is managed, by kind, property and dialect, as the code has it. `UPDATE_DOCS=1` writes it.
//!
//! Random schemas are loaded into one database of each engine and read back as a document. A property that a document holds, and
//! whose change gives the schema another fingerprint, is managed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use trueup::dialect::{Dialect, dialect_for};
use trueup::introspect::{kept_as_text, unmanaged};
use trueup::schema::DialectId;
use trueup::snapshot::{Document, DocumentFormat, Fingerprint, Snapshot};
use trueup::{Options, Pipeline};
use trueup_fuzz::{Arena, Dice, Generator, MySql, Postgres, Sqlite, random_world, settle};
use trueup_testkit::{TestDatabase, servers};

const WORLDS: u64 = 40;
const DIALECTS: [&str; 4] = ["PostgreSQL", "MySQL", "MariaDB", "SQLite"];

/// What a dialect does with a property: compared or only read.
type Found = BTreeMap<(String, String), bool>;

/// Kinds with where a document holds them.
const KINDS: [(&str, &[&str]); 14] = [
    ("namespace", &["namespaces"]),
    ("extension", &["extensions"]),
    ("type", &["types"]),
    ("sequence", &["sequences"]),
    ("table", &["tables"]),
    ("column", &["tables", "columns"]),
    ("constraint", &["tables", "constraints"]),
    ("index", &["tables", "indexes"]),
    ("index of a view", &["views", "indexes"]),
    ("view", &["views"]),
    ("routine", &["routines"]),
    ("trigger", &["triggers"]),
    ("policy", &["policies"]),
    ("object kept as text", &["objects"]),
];

/// The paths of everything of a kind.
fn places(root: &Value, path: &[&str]) -> Vec<String> {
    let mut found = vec![String::new()];
    for step in path {
        let mut next = Vec::new();
        for place in &found {
            let list = root.pointer(&format!("{place}/{step}")).and_then(Value::as_array);
            next.extend((0..list.map_or(0, Vec::len)).map(|at| format!("{place}/{step}/{at}")));
        }
        found = next;
    }
    found
}

/// Properties of one object, two levels deep, with where each is.
fn properties(root: &Value, place: &str, parts: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let fields = root.pointer(place).and_then(Value::as_object).into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| !parts.contains(&name.as_str())) {
        let here = format!("{place}/{name}");
        let mut below: Vec<(String, String)> = Vec::new();
        match value {
            Value::Object(fields) => below.extend(fields.keys().map(|key| (key.clone(), format!("{here}/{key}")))),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let keys = item.as_object().into_iter().flat_map(|fields| fields.keys());
                    below.extend(keys.map(|key| (key.clone(), format!("{here}/{at}/{key}"))));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        if below.is_empty() || matches!(name.as_str(), "id" | "depends_on" | "grants" | "attributes") {
            found.push((name.clone(), here));
        } else {
            found.extend(below.into_iter().map(|(key, at)| (format!("{name}.{key}"), at)));
        }
    }
    found
}

fn fingerprint(root: &Value, rules: &dyn Dialect) -> Option<Fingerprint> {
    let schema = Document::read(&root.to_string(), DocumentFormat::Json).ok()?;
    Some(Snapshot::of(&schema, rules).ok()?.fingerprint_of(|_| true))
}

/// Whether the fingerprint minds this value: it goes, or becomes another one.
fn is_compared(root: &Value, at: &str, rules: &dyn Dialect, whole: Fingerprint) -> bool {
    let changed = |edit: &dyn Fn(&mut Value)| {
        let mut other = root.clone();
        edit(&mut other);
        fingerprint(&other, rules).is_none_or(|found| found != whole)
    };
    let (parent, name) = at.rsplit_once('/').unwrap();
    changed(&|other| {
        if let Some(fields) = other.pointer_mut(parent).and_then(Value::as_object_mut) {
            fields.remove(name);
        }
    })
}

/// A database with everything that the server takes of many schemas; names that are taken are left out.
async fn together(arena: &dyn Arena, generator: &dyn Generator) -> TestDatabase {
    let database = arena.fresh().await.unwrap();
    let mut session = database.session().await.unwrap();
    arena.prepare(session.as_mut()).await.unwrap();
    for seed in 0..WORLDS {
        for statement in random_world(generator, &mut Dice::new(seed)).statements() {
            drop(session.execute(&statement).await);
        }
    }
    session.close().await.unwrap();
    database
}

/// A database for each: SQLite takes nearly everything, and only what fits together can be read.
async fn apart(arena: &dyn Arena, generator: &dyn Generator) -> Vec<TestDatabase> {
    let mut all = Vec::new();
    for seed in 0..WORLDS {
        all.push(settle(arena, &random_world(generator, &mut Dice::new(seed))).await.unwrap().1);
    }
    all
}

async fn found(databases: &[TestDatabase]) -> Found {
    let mut found = Found::new();
    for database in databases {
        let server = database.session().await.unwrap().server().clone();
        let pipeline = Pipeline::new(database.url().clone(), None, Options::new().unwrap()).unwrap();
        let schema = pipeline.inspect().await.unwrap().snapshot.into_schema();
        let root: Value = serde_json::from_str(&Document::write(&schema, DocumentFormat::Json).unwrap()).unwrap();
        let rules = dialect_for(server.dialect, server.version).unwrap();
        look(&root, rules.as_ref(), &mut found);
    }
    found
}

fn look(root: &Value, rules: &dyn Dialect, found: &mut Found) {
    let whole = fingerprint(root, rules).unwrap();
    for (kind, path) in KINDS {
        let parts: &[&str] = if path.len() == 1 { &["columns", "constraints", "indexes"] } else { &[] };
        let mut seen = BTreeSet::new();
        for (property, at) in places(root, path).iter().flat_map(|place| properties(root, place, parts)) {
            let key = (kind.to_owned(), property);
            let is_known = found.get(&key).is_some_and(|compared| *compared);
            // one is enough: each is a look at the whole
            if !is_known && seen.insert(key.clone()) {
                let compared = is_compared(root, &at, rules, whole);
                found.insert(key, compared);
            }
        }
    }
}

fn page(found: &[Found; 4]) -> String {
    let mut out = String::from(
        "# What is managed\n\nMade from the code by a test of `trueup-fuzz`; `UPDATE_DOCS=1` writes it anew.\n\n\
         - **managed**: compared property by property, and changed as declared.\n\
         - **read**: read and shown, not part of the comparison: the server makes it, or it follows from the rest.\n\
         - **opaque**: kept as the statements that make it, compared as text, replaced as a whole.\n\
         - **unmanaged**: listed where it is found, never touched; `--ownership all` refuses what it would have to change.\n\
         - **–**: not met in the random schemas that were read: the engine has no such thing, or says it another way.\n\n## Kinds and properties\n\n",
    );
    let _always = writeln!(out, "| kind | property | {} |\n|---|---|---|---|---|---|", DIALECTS.join(" | "));
    let keys: BTreeSet<&(String, String)> = found.iter().flat_map(BTreeMap::keys).collect();
    for (kind, _) in KINDS.iter().filter(|(kind, _)| *kind != "object kept as text") {
        for key in keys.iter().filter(|key| key.0 == *kind) {
            let marks = found.each_ref().map(|found| match found.get(*key) {
                Some(true) => "managed",
                Some(false) => "read",
                None => "–",
            });
            let _always = writeln!(out, "| {kind} | `{}` | {} |", key.1, marks.join(" | "));
        }
    }
    let dialects = [DialectId::Postgres, DialectId::MySql, DialectId::MariaDb, DialectId::Sqlite];
    for (title, word, list) in [
        ("Kept as text", "opaque", kept_as_text as fn(DialectId) -> Vec<&'static str>),
        ("Not managed", "unmanaged", unmanaged),
    ] {
        let lists = dialects.map(list);
        let all: BTreeSet<&str> = lists.iter().flatten().copied().collect();
        let _always = writeln!(out, "\n## {title}\n\n| kind | {} |\n|---|---|---|---|---|", DIALECTS.join(" | "));
        for kind in all {
            let marks = lists.each_ref().map(|list| if list.contains(&kind) { word } else { "–" });
            let _always = writeln!(out, "| {kind} | {} |", marks.join(" | "));
        }
    }
    out
}

#[tokio::test]
async fn the_page_says_what_the_code_does() {
    let postgres = Postgres::new(servers::postgres().pop().unwrap());
    let mysql = MySql::new(servers::mysql().pop().unwrap());
    let mariadb = MySql::new(servers::mariadb().pop().unwrap());
    let all = [
        found(&[together(&postgres, &postgres).await]).await,
        found(&[together(&mysql, &mysql).await]).await,
        found(&[together(&mariadb, &mariadb).await]).await,
        found(&apart(&Sqlite, &Sqlite).await).await,
    ];
    let page = page(&all);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/objects.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(file, page).unwrap();
        return;
    }
    assert_eq!(std::fs::read_to_string(file).unwrap_or_default(), page, "run with UPDATE_DOCS=1");
}
