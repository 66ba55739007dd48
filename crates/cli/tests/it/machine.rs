//! What scripts read: one JSON object, with these names.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::kit::{Place, with_ok};

fn json(place: &Place, code: i32, words: &[&str]) -> Value {
    let said = place.run(words).ends(code);
    assert_eq!(said.stderr, "");
    serde_json::from_str(&said.stdout).unwrap()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|all| all.iter().all(Value::is_string))
}

/// Every operation has these fields and no other than these.
fn check_operation(operation: &Value) {
    let must = ["id", "kind", "object", "class", "why", "hazards", "checks", "depends_on", "group", "sql"];
    let may = ["table", "fix", "loss", "blocked", "held_back", "cause", "provenance"];
    let found = keys(operation);
    for key in must {
        assert!(found.contains(key), "{key} is missing: {operation}");
    }
    for key in &found {
        assert!(must.contains(key) || may.contains(key), "{key} is new: {operation}");
    }
    for key in ["id", "kind", "object", "why"] {
        assert!(operation[key].is_string(), "{operation}");
    }
    assert!(operation["id"].as_str().unwrap().starts_with(operation["kind"].as_str().unwrap()), "{operation}");
    assert!(["safe", "guarded", "lossy", "blocked"].contains(&operation["class"].as_str().unwrap()), "{operation}");
    assert!(is_texts(&operation["depends_on"]) && is_texts(&operation["sql"]), "{operation}");
    for hazard in operation["hazards"].as_array().unwrap() {
        assert_eq!(keys(hazard), BTreeSet::from(["code", "message"]));
    }
    for check in operation["checks"].as_array().unwrap() {
        assert!(check["rule"].is_string() && check["answer"].is_string(), "{check}");
    }
    assert_eq!(operation["class"] == "lossy", found.contains("loss"), "{operation}");
    assert_eq!(operation["class"] == "blocked", found.contains("fix") && found.contains("blocked"), "{operation}");
}

fn check_plan(plan: &Value) {
    let expected =
        ["adopts", "dialect", "from", "notes", "operations", "plan", "refusals", "status", "to", "unmanaged"];
    assert_eq!(keys(plan), BTreeSet::from(expected));
    for key in ["dialect", "from", "to", "plan", "status"] {
        assert!(plan[key].is_string(), "{key}: {plan}");
    }
    plan["operations"].as_array().unwrap().iter().for_each(check_operation);
    for refusal in plan["refusals"].as_array().unwrap() {
        assert_eq!(keys(refusal), BTreeSet::from(["code", "fix", "object", "operation", "why"]));
    }
    for object in plan["unmanaged"].as_array().unwrap().iter().chain(plan["adopts"].as_array().unwrap()) {
        assert_eq!(keys(object), BTreeSet::from(["kind", "name"]));
    }
}

#[test]
fn a_plan_is_one_object() {
    let place = with_ok();
    let at = ["--url", "sqlite://x.db", "--schema", "ok.sql", "--format", "json"];
    let plan = json(&place, 0, &[&["plan"], &at[..]].concat());
    check_plan(&plan);
    assert_eq!((&plan["status"], &plan["dialect"]), (&Value::from("pending"), &Value::from("sqlite")));
    assert_eq!(plan["operations"][0]["id"], "create-table:a");
    assert_ne!(plan["from"], plan["to"]);

    let applied = json(&place, 0, &[&["apply", "--yes"], &at[..]].concat());
    assert_eq!(keys(&applied), BTreeSet::from(["operations", "refusals", "residual", "statements", "status"]));
    assert_eq!(applied["status"], "synced");
    assert_eq!(applied["operations"], serde_json::json!(["create-table:a"]));

    let plan = json(&place, 0, &[&["plan"], &at[..]].concat());
    check_plan(&plan);
    assert_eq!(plan["status"], "up-to-date");
    assert_eq!(plan["operations"], serde_json::json!([]));
}

#[test]
fn losses_and_refusals_have_their_fields() {
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, note TEXT, old INTEGER);\n")]);
    let at = ["--url", "sqlite://x.db", "--schema", "s.sql"];
    place.run(&[&["apply", "--yes"], &at[..]].concat()).ends(0);
    place.sqlite("x.db", "INSERT INTO a VALUES (1, 'x', 2)");
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, remark TEXT);\n");
    let plan = json(&place, 2, &[&["plan", "--format", "json"], &at[..]].concat());
    check_plan(&plan);
    assert_eq!(plan["status"], "refused");
    assert!(!plan["refusals"].as_array().unwrap().is_empty(), "{plan}");
    let plan = json(&place, 2, &[&["plan", "--format", "json", "--no-renames"], &at[..]].concat());
    check_plan(&plan);
    assert_eq!(plan["status"], "pending");
    let loss = plan["operations"].as_array().unwrap().iter().find(|o| o["id"] == "drop-column:a.old").unwrap();
    assert_eq!(loss["loss"]["counts"][0]["count"], 1, "{loss}");
}

#[test]
fn reports_are_one_object() {
    let place = with_ok();
    let status = json(&place, 0, &["status", "--url", "sqlite://x.db", "--format", "json"]);
    assert_eq!(
        keys(&status),
        BTreeSet::from(["database", "dialect", "drift", "history", "managed", "server", "unfinished"])
    );
    assert_eq!(status["managed"], false);
    place.run(&["apply", "--yes", "--url", "sqlite://x.db", "--schema", "ok.sql", "--note", "first"]).ends(0);
    let status = json(&place, 0, &["status", "--url", "sqlite://x.db", "--format", "json"]);
    assert_eq!((&status["managed"], &status["unfinished"]), (&Value::from(true), &Value::from(false)));
    let entry = &status["history"][0];
    assert_eq!((&entry["note"], &entry["applied_by"]), (&Value::from("first"), &Value::from("ada")));
    let drift = json(&place, 0, &["drift", "--url", "sqlite://x.db", "--format", "json"]);
    assert_eq!(drift["drift"], serde_json::json!([]));
    let at = ["--url", "sqlite://x.db", "--schema", "ok.sql", "--format", "json"];
    let report = json(&place, 0, &[&["rehearse"], &at[..]].concat());
    assert_eq!(report["outcome"], "clean");
}

#[test]
fn what_is_inspected_can_be_declared() {
    let place = Place::with(&[(
        "s.sql",
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT DEFAULT 'x' CHECK (b <> ''));\nCREATE INDEX i ON a (b);\n",
    )]);
    place.run(&["apply", "--yes", "--url", "sqlite://x.db", "--schema", "s.sql"]).ends(0);
    for (format, name) in [("json", "d.json"), ("toml", "d.toml"), ("sql", "d.sql")] {
        let said = place.run(&["inspect", "--url", "sqlite://x.db", "--format", format]).ends(0);
        place.write(name, said.stdout);
        let plan = place.run(&["plan", "--url", "sqlite://x.db", "--schema", name]).ends(0);
        assert_eq!(plan.stdout, "up to date: nothing to do\n", "{format}");
    }
}
