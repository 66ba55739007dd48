//! Kinds of PostgreSQL's own.

use super::{A, Kind, over_a};

const ALL: &str = "SELECT id, n, s FROM a ORDER BY id";
const FUNCTION: &str = "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$";

/// Beside live traffic: several transactions, and statements outside of any.
fn online() -> Vec<Kind> {
    vec![
        over_a(
            "online-index",
            &["CREATE INDEX a_n ON a (n)", "CREATE INDEX a_gone ON a (s)"],
            &format!("{A};\nCREATE INDEX a_n ON a (n DESC);\nCREATE INDEX a_s ON a (s) WHERE n > 0;"),
        )
        .rows(ALL)
        .online(),
        over_a(
            "online-unique",
            &["ALTER TABLE a ADD CONSTRAINT old UNIQUE (n)"],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int, s varchar(20) CONSTRAINT fresh UNIQUE, CONSTRAINT old UNIQUE (n, s));",
        )
        .rows(ALL)
        .online(),
        over_a(
            "online-not-null",
            &[],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int NOT NULL, s varchar(20) NOT NULL);",
        )
        .rows(ALL)
        .online(),
        over_a(
            "online-foreign-key",
            &["CREATE TABLE b (id int NOT NULL PRIMARY KEY, a_id int)", "INSERT INTO b VALUES (1, 1), (2, 3)"],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int CONSTRAINT a_ck CHECK (n > 1), s varchar(20));\n\
             CREATE TABLE b (id int NOT NULL PRIMARY KEY, a_id int, CONSTRAINT b_a FOREIGN KEY (a_id) REFERENCES a (id));",
        )
        .rows(ALL)
        .online(),
    ]
}

pub(crate) fn kinds() -> Vec<Kind> {
    let with = |more: &str| format!("{A};\n{more};");
    let trigger = "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f()";
    let mut kinds = vec![
        over_a("create-enum", &[], &with("CREATE TYPE mood AS ENUM ('sad', 'ok')")).rows(ALL),
        over_a(
            "add-enum-values",
            &["CREATE TYPE mood AS ENUM ('sad', 'ok')", "CREATE TABLE m (id int PRIMARY KEY, mood mood)", "INSERT INTO m VALUES (1, 'ok')"],
            &with("CREATE TYPE mood AS ENUM ('sad', 'fine', 'ok', 'happy');\nCREATE TABLE m (id int PRIMARY KEY, mood mood DEFAULT 'happy')"),
        )
        .rows("SELECT id, mood FROM m"),
        over_a(
            "two-transactions",
            &["CREATE TYPE mood AS ENUM ('sad', 'ok')", "CREATE TABLE m (id int PRIMARY KEY, mood mood)", "INSERT INTO m VALUES (1, 'ok')"],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n bigint, s varchar(20), more int);\n\
             CREATE TYPE mood AS ENUM ('sad', 'fine', 'ok', 'happy');\n\
             CREATE TABLE m (id int PRIMARY KEY, mood mood DEFAULT 'happy');\n\
             CREATE INDEX m_mood ON m (mood) WHERE mood = 'fine';\n\
             CREATE TABLE c (id int NOT NULL PRIMARY KEY, mood mood NOT NULL DEFAULT 'fine');\n\
             CREATE VIEW v AS SELECT id FROM m WHERE mood <> 'happy';",
        )
        .rows("SELECT m.id, m.mood, a.n FROM m JOIN a ON a.id = m.id"),
        over_a("create-trigger", &[], &with(&format!("{FUNCTION};\n{trigger}"))).rows(ALL),
        over_a("drop-trigger", &[FUNCTION, trigger], &format!("{A};")).rows(ALL),
        over_a("create-sequence", &[], &with("CREATE SEQUENCE q START 5")).rows(ALL),
        over_a("comment", &[], &with("COMMENT ON TABLE a IS 'said';\nCOMMENT ON COLUMN a.n IS 'said too'")).rows(ALL),
        over_a("materialized-view", &[], &with("CREATE MATERIALIZED VIEW mv AS SELECT id, n FROM a;\nCREATE INDEX mv_n ON mv (n)")).rows(ALL),
        over_a(
            "attach-partition",
            &["CREATE TABLE p (id int, day date) PARTITION BY RANGE (day)"],
            &with("CREATE TABLE p (id int, day date) PARTITION BY RANGE (day);\n\
                   CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')"),
        )
        .rows(ALL),
        over_a(
            "concurrent-and-validated",
            &["CREATE TABLE b (id int NOT NULL PRIMARY KEY, a_id int)", "INSERT INTO b VALUES (1, 1), (2, 3)"],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int NOT NULL, s varchar(20), CONSTRAINT a_ck CHECK (n > 1));\n\
             CREATE INDEX a_n ON a (n);\nCREATE UNIQUE INDEX a_s ON a (s);\n\
             CREATE TABLE b (id int NOT NULL PRIMARY KEY, a_id int, CONSTRAINT b_a FOREIGN KEY (a_id) REFERENCES a (id));\n\
             CREATE INDEX b_a_id ON b (a_id);",
        )
        .rows(ALL),
    ];
    kinds.extend(online());
    kinds
}
