//! Declarations that cannot be read, or that say nothing that could be done.

use crate::kit::{Place, with_ok};

/// Plans and applies `file`; both must fail with this text and leave no trace.
#[track_caller]
fn bad(name: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    let place = Place::new();
    place.write(name, bytes);
    for words in [&["plan"][..], &["apply", "--yes"]] {
        let said = place.fails(1, &[words, &["--url", "sqlite://x.db", "--schema", name]].concat());
        assert_eq!(said, expected, "{words:?}");
    }
}

#[test]
fn nothing_declared() {
    let said = Place::new().fails(1, &["plan", "--url", "sqlite://x.db"]);
    let expected = "error: no declared schema: pass --schema PATH, or write `schema = [\"…\"]` into trueup.toml\n";
    assert_eq!(said, expected);
}

#[test]
fn a_path_that_leads_nowhere() {
    for path in ["none.sql", "none/*.sql"] {
        let said = Place::new().fails(1, &["plan", "--url", "sqlite://x.db", "--schema", path]);
        assert_eq!(said, format!("error: no file matches `{path}`\n"));
    }
}

#[test]
fn a_folder_without_sql() {
    let place = Place::with(&[("schema/notes.txt", "no SQL")]);
    let said = place.fails(1, &["plan", "--url", "sqlite://x.db", "--schema", "schema"]);
    assert_eq!(said, "error: folder `schema` holds no .sql file\n");
}

#[test]
fn a_pattern_that_is_none() {
    let said = Place::new().fails(1, &["plan", "--url", "sqlite://x.db", "--schema", "[.sql"]);
    assert!(said.starts_with("error: `[.sql` is not a file pattern\n"), "{said}");
}

#[test]
fn sql_that_the_server_does_not_take() {
    bad(
        "s.sql",
        "CREATE TABLE a (id INTEGER);\n\n-- and\nCREATE TABEL b (id);\n",
        "error: s.sql:4: CREATE TABEL b (id)\n  cause: near \"TABEL\": syntax error\n",
    );
    bad(
        "s.sql",
        "CREATE TABLE a (id INTEGER",
        "error: s.sql:1: CREATE TABLE a (id INTEGER\n  cause: incomplete input\n",
    );
}

#[test]
fn a_string_that_never_ends() {
    bad("s.sql", "\nCREATE TABLE a (id TEXT DEFAULT 'x);", "error: s.sql:2: a string is never closed\n");
}

#[test]
fn two_equal_tables() {
    bad(
        "s.sql",
        "CREATE TABLE a (id INTEGER);\nCREATE TABLE A (id INTEGER);",
        "error: s.sql:2: CREATE TABLE A (id INTEGER)\n  cause: table A already exists\n",
    );
}

/// A declaration with a statement that none may hold: a person has to take it out, nothing is made.
fn refused(sql: &str, why: &str) {
    let place = Place::with(&[("s.sql", sql)]);
    for verb in [&["plan"][..], &["apply", "--yes"]] {
        let before = place.files();
        let said = place.run(&[verb, &["--url", "sqlite://x.db", "--schema", "s.sql"]].concat()).ends(2);
        assert!((said.stdout + &said.stderr).contains(&format!("refused (statement-not-allowed): {why}")), "{why}");
        assert_eq!(place.files(), before);
    }
}

#[test]
fn a_statement_that_changes_rows() {
    refused(
        "CREATE TABLE a (id INTEGER);\nDELETE FROM a;\n",
        "s.sql:2: a declaration describes a schema, not changes to rows (`DELETE FROM a`)",
    );
}

#[test]
fn a_statement_that_reaches_another_database() {
    refused(
        "ATTACH 'other.db' AS other;",
        "s.sql:1: a declaration describes one database; ATTACH is not allowed (`ATTACH 'other.db' AS other`)",
    );
}

#[test]
fn a_directive_that_is_none() {
    bad(
        "s.sql",
        "CREATE TABLE a (id INTEGER);\n-- trueup: frobnicate a.b\n",
        "error: s.sql:2: `frobnicate` is no directive; there are `rename KIND PATH to NAME`, `using PATH = EXPRESSION`, \
         `backfill PATH = EXPRESSION` and `ignore KIND PATH`\n",
    );
}

#[test]
fn text_that_is_not_utf8() {
    bad("s.sql", b"CREATE TABLE a (id INTEGER); -- \xff", "error: `s.sql` is not UTF-8 text\n");
}

#[test]
fn a_name_with_a_nul() {
    let place = Place::with(&[("s.sql", "CREATE TABLE \"a\0b\" (id INTEGER);")]);
    let said = place.fails(1, &["plan", "--url", "sqlite://x.db", "--schema", "s.sql"]);
    assert!(said.starts_with("error: s.sql:1: ") && !said.contains('\0'), "{said:?}");
}

#[test]
fn names_with_quotes_and_controls_are_names() {
    let sql = "CREATE TABLE \"a\"\"b.c\" (\"d\"\"e\" INTEGER, \"ä \u{1b}[2J\" TEXT);\n";
    let place = Place::with(&[("s.sql", sql)]);
    let plan = place.run(&["plan", "--url", "sqlite://x.db", "--schema", "s.sql", "--sql"]).ends(0);
    assert!(plan.stdout.contains("create table \"a\"\"b.c\""), "{}", plan.stdout);
    assert!(!plan.stdout.contains('\u{1b}'), "a name steers the terminal: {:?}", plan.stdout);
    place.run(&["apply", "--yes", "--url", "sqlite://x.db", "--schema", "s.sql"]).ends(0);
    let names = place.sqlite("x.db", "SELECT name FROM pragma_table_info('a\"b.c')");
    assert_eq!(names, ["d\"e", "ä \u{1b}[2J"]);
}

#[test]
fn a_document_of_a_later_format() {
    bad(
        "s.json",
        "{\"trueup\": 99, \"dialect\": \"sqlite\"}",
        "error: document `s.json` does not read\n  cause: line 1, column 12: the document is of format 99; this binary \
         reads format 1\n",
    );
}

#[test]
fn a_document_that_is_none() {
    bad(
        "s.json",
        "{}",
        "error: document `s.json` does not read\n  cause: the document does not say its format: the key `trueup` with \
         the value 1 is missing at its top\n",
    );
}

#[test]
fn a_document_with_a_key_that_does_not_exist() {
    let place = Place::with(&[
        ("s.json", "{\"trueup\": 1, \"dialect\": \"sqlite\", \"tabels\": []}"),
        ("s.toml", "trueup = 1\ndialect = \"sqlite\"\ntabels = []\n"),
    ]);
    for name in ["s.json", "s.toml"] {
        let said = place.fails(1, &["plan", "--url", "sqlite://x.db", "--schema", name]);
        assert!(said.starts_with(&format!("error: document `{name}` does not read\n  cause: ")), "{said}");
        assert!(said.contains("tabels"), "{said}");
    }
}

#[test]
fn a_deep_document() {
    bad(
        "s.json",
        "[".repeat(1_000_000),
        "error: document `s.json` does not read\n  cause: line 1, column 66: nested deeper than 64 levels\n",
    );
    let place = Place::new();
    place.write("s.toml", format!("trueup = 1\nx = {}", "[".repeat(100_000)));
    place.fails(1, &["plan", "--url", "sqlite://x.db", "--schema", "s.toml"]);
}

#[test]
fn a_huge_document() {
    let place = Place::new();
    let file = std::fs::File::create(place.path().join("s.json")).unwrap();
    file.set_len(65 * 1024 * 1024).unwrap();
    let said = place.run(&["plan", "--url", "sqlite://x.db", "--schema", "s.json"]).ends(1).stderr;
    assert_eq!(said, "error: `s.json` has 68157440 bytes; a declaration has at most 64 MiB\n");
}

#[test]
fn a_document_of_another_engine() {
    bad(
        "s.json",
        "{\"trueup\": 1, \"dialect\": \"postgres\"}",
        "error: the declaration is for postgres, the target is sqlite\n",
    );
}

#[test]
fn a_document_beside_files() {
    let place = with_ok();
    place.write("s.json", "{\"trueup\": 1, \"dialect\": \"sqlite\"}");
    let said = place.fails(1, &["plan", "--url", "sqlite://x.db", "--schema", "s.json", "--schema", "ok.sql"]);
    assert_eq!(said, "error: a document declares the whole schema: name one document, or SQL files, not both\n");
}

#[test]
fn settings_with_a_key_that_does_not_exist() {
    let place = with_ok();
    place.write("trueup.toml", "schema = [\"ok.sql\"]\nurll = \"sqlite://x.db\"\n");
    let said = place.fails(1, &["plan"]);
    assert_eq!(
        said,
        "error: `trueup.toml` line 2: unknown field `urll`, expected one of `url`, `schema`, `dev-url`, `replicas`, \
         `scope`, `control-namespace`, `ownership`, `online`, `environment`\n"
    );
    let said = place.fails(1, &["plan", "--config", "other.toml"]);
    assert!(said.starts_with("error: `other.toml` cannot be read: "), "{said}");
}

#[test]
fn flags_and_verbs_that_do_not_exist() {
    let place = with_ok();
    for words in [
        &["plan", "--frobnicate"][..],
        &["frobnicate"],
        &["plan", "--format", "xml"],
        &["plan", "--check-timeout", "soon"],
        &["inspect", "--allow-lossy"],
        &[],
    ] {
        place.fails(1, words);
    }
}
