use trueup_schema::{Column, DataType, DialectId, Ident, QualName, Table};

use super::*;

const USERS: &str = r#"
trueup = 1
dialect = "postgres"

[[namespaces]]
name = "shop"

[[types]]
name = "shop.mood"
enum = { labels = ["sad", "ok"] }

[[types]]
name = "shop.email"
domain = { base = "text", checks = [{ name = "email_check", expr = "VALUE ~ '@'" }] }

[[tables]]
name = "shop.users"
renamed_from = "shop.people"
columns = [
    { name = "id", type = "bigint", not_null = true, identity = { always = true } },
    { name = "mood", type = { name = "shop.mood" }, backfill = "'ok'" },
    { name = "age", type = "integer", using = "age::integer", renamed_from = "years" },
]

[[tables.constraints]]
name = "users_pkey"
primary_key = { columns = ["id"] }

[[tables.constraints]]
name = "users_age"
check = { expr = "age > 0" }

[[tables.indexes]]
name = "users_mood"
parts = ["mood", { expr = "lower(x)" }, { column = "age", descending = true }]
"#;

fn toml(text: &str) -> Result<Schema, DocumentError> {
    Document::read(text, DocumentFormat::Toml)
}

fn json(text: &str) -> Result<Schema, DocumentError> {
    Document::read(text, DocumentFormat::Json)
}

#[test]
fn both_formats_say_the_same_and_keep_hints() {
    let schema = toml(USERS).unwrap();
    let users = schema.tables.values().next().unwrap();
    assert_eq!(users.common.renamed_from.as_ref().unwrap().to_string(), "shop.people");
    assert_eq!(users.columns[1].backfill.as_ref().unwrap().as_str(), "'ok'");
    assert_eq!(users.columns[2].using.as_ref().unwrap().as_str(), "age::integer");
    for format in [DocumentFormat::Json, DocumentFormat::Toml] {
        let text = Document::write(&schema, format).unwrap();
        assert_eq!(Document::read(&text, format).unwrap(), schema, "{text}");
    }
}

/// Puts `after` in place of `before` in the sound document and returns what reading says.
fn broken(before: &str, after: &str) -> String {
    assert!(USERS.contains(before), "{before}");
    toml(&USERS.replacen(before, after, 1)).unwrap_err().to_string()
}

#[test]
fn a_typo_is_an_error_with_its_place_at_every_level() {
    for (before, after, place) in [
        (
            "[[namespaces]]",
            "[[namespacs]]",
            "line 5, column 3: `namespacs`: unknown field `namespacs`, expected one of",
        ),
        ("name = \"shop\"", "name = \"shop\"\nnam = 1", "line 7, column 1: `namespaces[0].nam`: unknown field"),
        ("enum = { labels", "enum = { lables", "line 10, column 10: `types[0].enum.lables`: unknown field"),
        ("enum = {", "enun = {", "line 8, column 1: `types[0]`: has none of the keys `enum`, `domain`"),
        ("domain = { base", "domain = { bas", "line 14, column 12: `types[1].domain.bas`: unknown field"),
        ("expr = \"VALUE", "exp = \"VALUE", "line 14, column 61: `types[1].domain.checks[0].exp`: unknown field"),
        (
            "renamed_from = \"shop",
            "renamed_form = \"shop",
            "line 18, column 1: `tables[0].renamed_form`: unknown field",
        ),
        ("type = \"bigint\"", "typ = \"bigint\"", "line 20, column 20: `tables[0].columns[0].typ`: unknown field"),
        ("always", "alway", "line 20, column 67: `tables[0].columns[0].identity.alway`: unknown field `alway`"),
        ("{ name = \"shop.mood", "{ nam = \"shop.mood", "line 21, column 31: `tables[0].columns[1].type.nam`: unknown"),
        ("primary_key = {", "primarykey = {", "line 25, column 1: `tables[0].constraints[0]`: has none of the keys"),
        (
            "[\"id\"]",
            "[\"id\"], extra = 1",
            "line 27, column 35: `tables[0].constraints[0].primary_key.extra`: unknown",
        ),
        ("[\"id\"]", "[\"\"]", "line 25, column 1: `tables[0].constraints[0]`: a name is empty"),
        (
            "check = {",
            "exclude = { definition = \"\" }\ncheck = {",
            "`tables[0].constraints[1].exclude`: unknown field",
        ),
        ("expr = \"age > 0\"", "expr = 5", "line 29, column 1: `tables[0].constraints[1]`: expected a string"),
        ("parts = [", "unik = true\nparts = [", "line 35, column 1: `tables[0].indexes[0].unik`: unknown field `unik`"),
        (
            "{ expr = \"lower",
            "{ xepr = \"lower",
            "line 35, column 18: `tables[0].indexes[0].parts[1]`: has none of the keys",
        ),
        ("descending", "descnding", "line 35, column 59: `tables[0].indexes[0].parts[2].descnding`: unknown field"),
        ("not_null = true", "not_null = 1", "line 20, column 48: `tables[0].columns[0].not_null`: expected a boolean"),
        (
            "type = \"bigint\"",
            "type = 5",
            "line 20, column 27: `tables[0].columns[0].type`: expected a type's text, or",
        ),
        ("name = \"shop\"", "nom = \"shop\"", "line 5, column 1: `namespaces[0]`: missing field `name`"),
    ] {
        let message = broken(before, after);
        assert!(message.contains(place), "{after}\n  {message}\n  {place}");
    }
}

#[test]
fn names_are_defined_once() {
    let twice = broken("name = \"shop.email\"", "name = \"shop.mood\"");
    assert!(twice.ends_with("`types`: `shop.mood` is defined twice"), "{twice}");
    let column = broken("{ name = \"age\"", "{ name = \"id\"");
    assert!(column.contains("table `shop.users` has two columns called `id`"), "{column}");
    let key = json("{\"trueup\": 1,\n \"dialect\": \"mysql\", \"dialect\": \"sqlite\"}").unwrap_err().to_string();
    assert_eq!(key, "line 2, column 22: key `dialect` is there twice");
}

#[test]
fn other_versions_are_refused() {
    let refused = |text: &str| json(text).unwrap_err().to_string();
    assert_eq!(
        refused("{\"trueup\": 2, \"dialect\": \"mysql\", \"future\": []}"),
        "line 1, column 12: the document is of format 2; this binary reads format 1"
    );
    assert!(refused("{\"trueup\": \"1\", \"dialect\": \"mysql\"}").contains("is of format `1`;"));
    assert_eq!(json("{\"dialect\": \"mysql\"}"), Err(DocumentError::NoVersion));
    assert!(matches!(json("[]"), Err(DocumentError::NotADocument { .. })));
    assert!(refused("{\"trueup\": 1}").contains("missing field `dialect`"));
    let unknown = refused("{\"trueup\": 1, \"dialect\": \"oracle\"}");
    assert_eq!(unknown, "line 1, column 26: `dialect`: `oracle` is none of `postgres`, `mysql`, `mariadb`, `sqlite`");
}

#[test]
fn malformed_text_is_an_error_with_its_place() {
    for text in [
        "",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "[1",
        "[1,]",
        "{} {}",
        "nul",
        "\"\\",
        "\"\\u12\"",
        "01",
        "1e999x",
        "-",
    ] {
        assert!(matches!(json(text), Err(DocumentError::Syntax { .. })), "{text:?}");
    }
    assert_eq!(json("{\n  \"ä\": tru}").unwrap_err().to_string(), "line 2, column 8: expected a value");
    let unquoted = toml("trueup = 1\ndialect = sqlite").unwrap_err();
    assert!(matches!(unquoted, DocumentError::Syntax { at: Position { line: 2, column: 11 }, .. }), "{unquoted:?}");
    assert!(
        toml("trueup = 1\ndialect = \"sqlite\"\nx = 2020-01-01")
            .unwrap_err()
            .to_string()
            .starts_with("line 3, column 5")
    );
}

#[test]
fn escapes_and_numbers_are_read() {
    let text = r#"{"trueup": 1, "dialect": "sqlite", "tables": [{"name": "t\u0075", "columns": [{"name": "a\"\\\n", "type": ""}]}]}"#;
    let schema = json(text).unwrap();
    let table = schema.tables.values().next().unwrap();
    assert_eq!(table.name.to_string(), "tu");
    assert_eq!(table.columns[0].name.as_str(), "a\"\\\n");
}

#[test]
fn deep_documents_are_errors() {
    let deep = "[".repeat(5_000_000);
    assert!(json(&deep).unwrap_err().to_string().contains("nested deeper than 64 levels"));
    assert!(json(&"{\"a\":".repeat(1_000_000)).unwrap_err().to_string().contains("nested deeper"));
    assert!(matches!(toml(&format!("a = {deep}")), Err(DocumentError::Syntax { .. })));
    assert!(matches!(toml(&"a.".repeat(1_000_000)), Err(DocumentError::Syntax { .. })));
    let dotted = vec!["a"; 79].join(".");
    let nested = format!("{}1{}", format!("{{{dotted}=").repeat(79), "}".repeat(79));
    assert!(matches!(toml(&format!("{dotted} = {nested}")), Err(DocumentError::Syntax { .. })));
}

#[test]
fn large_documents_are_errors() {
    let limit = |text: &str| json(text).unwrap_err().to_string();
    assert_eq!(limit(&" ".repeat((256 << 20) + 1)), "bytes of the document: 268435457 is more than 268435456");
    let column = |index: usize| format!("{{\"name\":\"c{index}\",\"type\":\"\"}}");
    let columns = (0..2001).map(column).collect::<Vec<_>>().join(",");
    let wide =
        format!("{{\"trueup\":1,\"dialect\":\"sqlite\",\n\"tables\":[{{\"name\":\"t\",\"columns\":[{columns}]}}]}}");
    assert_eq!(limit(&wide), "line 2, column 33: columns of one table: 2001 is more than 2000");
    let names = vec!["{}"; 500_001].join(",");
    let many = format!("{{\"trueup\":1,\"dialect\":\"postgres\",\"namespaces\":[{names}]}}");
    assert_eq!(limit(&many), "objects of the document: 500001 is more than 500000");
    let default = "1".repeat(65_537);
    let long = format!("{{\"name\":\"c\",\"type\":\"\",\"default\":\"{default}\"}}");
    let long = format!("{{\"trueup\":1,\"dialect\":\"sqlite\",\"tables\":[{{\"name\":\"t\",\"columns\":[{long}]}}]}}");
    assert_eq!(limit(&long), "default of column `t.c`: bytes of one expression: 65537 is more than 65536");
}

#[test]
fn large_schemas_read_what_they_wrote() {
    let mut schema = Schema::new(DialectId::Sqlite);
    for number in 0..10_000 {
        let name = Ident::new(format!("table_number_{number}")).unwrap();
        let mut table = Table::new(QualName::new(None, name));
        for column in 0..8 {
            let name = Ident::new(format!("column_number_{column}")).unwrap();
            table.columns.push(Column::new(name, DataType::builtin("INTEGER")));
        }
        schema.insert(table);
    }
    let text = Document::write(&schema, DocumentFormat::Json).unwrap();
    assert_eq!(json(&text).unwrap(), schema);
}

#[test]
fn both_ways_of_reading_take_the_same() {
    let good = [
        r#"{"trueup":1,"dialect":"sqlite"}"#,
        r#"{"dialect":"mysql","trueup":1,"tables":[{"name":"a","columns":[{"name":"b","type":"int"}],"options":{"parameters":{"engine":"InnoDB"}}}]}"#,
        r#"{"dialect":"sqlite","tables":[{"columns":[{"name":"b","type":""}],"name":"a","constraints":[{"unique":{"columns":["b"]}}],"comment":"x"}],"trueup":1}"#,
    ];
    for text in good {
        assert_eq!(stream::read(text), Some(carefully(json::parse(text).unwrap(), text).unwrap()), "{text}");
    }
    let bad = [
        r#"{"dialect":"sqlite"}"#,
        r#"{"trueup":2,"dialect":"sqlite"}"#,
        r#"{"trueup":1,"trueup":1,"dialect":"sqlite"}"#,
        r#"{"trueup":1,"dialect":"sqlite"} x"#,
        r#"{"trueup":1,"dialect":"sqlite","dialect":"sqlite"}"#,
        r#"{"trueup":1,"dialect":"sqlite","odd":1}"#,
        r#"{"trueup":1,"dialect":"sqlite","tables":[{"name":"a","columns":[],"odd":1}]}"#,
        r#"{"trueup":1,"dialect":"sqlite","tables":[{"name":"a","columns":[],"comment":"x","comment":"y"}]}"#,
        r#"{"trueup":1,"dialect":"mysql","tables":[{"name":"a","columns":[],"options":{"parameters":{"a":"1","a":"2"}}}]}"#,
        r#"[1]"#,
    ];
    for text in bad {
        assert_eq!(stream::read(text), None, "{text}");
        assert!(json(text).is_err(), "{text}");
    }
}
