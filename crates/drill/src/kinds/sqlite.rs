//! Kinds of SQLite's own.

use super::{A, Kind, over_a};

const ALL: &str = "SELECT id, n, s FROM a ORDER BY id";

pub(crate) fn kinds() -> Vec<Kind> {
    let with = |more: &str| format!("{A};\n{more};");
    let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET n = 1 WHERE id = NEW.id; END";
    vec![
        over_a("create-trigger", &[], &with(trigger)).rows(ALL),
        over_a("drop-trigger", &[trigger], &format!("{A};")).rows(ALL),
        over_a(
            "strict",
            &[
                "CREATE TABLE k (id INTEGER PRIMARY KEY, a_id int REFERENCES a (id) ON DELETE CASCADE)",
                "INSERT INTO k VALUES (1, 1)",
            ],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int, s text) STRICT;\n\
             CREATE TABLE k (id INTEGER PRIMARY KEY, a_id int REFERENCES a (id) ON DELETE CASCADE);",
        )
        .rows("SELECT k.id, a.n, a.s FROM k JOIN a ON a.id = k.a_id"),
        over_a("partial-index", &[], &with("CREATE INDEX a_part ON a (n) WHERE n > 10")).rows(ALL),
        over_a(
            "rebuild-beside-view",
            &["CREATE VIEW v AS SELECT id, n FROM a", trigger],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int NOT NULL CHECK (n > 0), s varchar(20));\n\
             CREATE VIEW v AS SELECT id, n FROM a;\n\
             CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET n = 1 WHERE id = NEW.id; END;",
        )
        .rows(ALL),
    ]
}
