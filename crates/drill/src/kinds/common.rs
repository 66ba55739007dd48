//! Kinds that every engine has.

use trueup::schema::DialectId;

use super::{A, Kind, over_a};

const B: &str = "CREATE TABLE b (id int NOT NULL PRIMARY KEY, a_id int)";
const ALL: &str = "SELECT id, n, s FROM a ORDER BY id";

/// Two tables that refer to each other; SQLite has no other way than to say it at once, the others want both tables first.
fn cycle(dialect: DialectId) -> String {
    let [a, b] =
        ["CONSTRAINT a_b FOREIGN KEY (b_id) REFERENCES b (id)", "CONSTRAINT b_a FOREIGN KEY (a_id) REFERENCES a (id)"];
    let a_columns = "id int NOT NULL PRIMARY KEY, n int, s varchar(20), b_id int";
    let b_columns = "id int NOT NULL PRIMARY KEY, a_id int";
    if dialect == DialectId::Sqlite {
        return format!("CREATE TABLE a ({a_columns}, {a});\nCREATE TABLE b ({b_columns}, {b});");
    }
    format!(
        "CREATE TABLE a ({a_columns});\nCREATE TABLE b ({b_columns});\n\
         ALTER TABLE a ADD {a};\nALTER TABLE b ADD {b};"
    )
}

pub(crate) fn kinds(dialect: DialectId) -> Vec<Kind> {
    let with = |more: &str| format!("{A};\n{more};");
    let a = |columns: &str| format!("CREATE TABLE a (id int NOT NULL PRIMARY KEY, {columns});");
    let drop_index = "CREATE INDEX a_n ON a (n)";
    let fk = "CREATE TABLE b (id int NOT NULL PRIMARY KEY, a_id int, \
              CONSTRAINT b_a FOREIGN KEY (a_id) REFERENCES a (id))";
    let mut kinds = vec![
        over_a("create-table", &[], &with(B)).rows(ALL),
        over_a("drop-table", &[B], &format!("{A};")).rows(ALL),
        over_a(
            "rename-table",
            &[],
            "-- trueup: rename table a to z\nCREATE TABLE z (id int NOT NULL PRIMARY KEY, n int, s varchar(20));",
        )
        .rows("TABLE-OF a z: SELECT id, n, s FROM % ORDER BY id"),
        over_a("add-column", &[], &a("n int, s varchar(20), more int")).rows(ALL),
        over_a("add-column-default", &[], &a("n int, s varchar(20), more int NOT NULL DEFAULT 7")).rows(ALL),
        over_a("drop-column", &[], &a("s varchar(20)")).rows("SELECT id, s FROM a ORDER BY id"),
        over_a("rename-column", &[], &format!("-- trueup: rename column a.n to m\n{}", a("m int, s varchar(20)")))
            .rows("SELECT id, s FROM a ORDER BY id"),
        over_a("alter-type", &[], &a("n bigint, s varchar(20)")).rows(ALL),
        over_a("widen", &[], &a("n int, s varchar(60)")).rows(ALL),
        over_a("set-not-null", &[], &a("n int NOT NULL, s varchar(20)")).rows(ALL),
        over_a("set-default", &[], &a("n int DEFAULT 5, s varchar(20)")).rows(ALL),
        over_a("create-index", &[], &with("CREATE INDEX a_n ON a (n)")).rows(ALL),
        over_a("create-unique-index", &[], &with("CREATE UNIQUE INDEX a_n ON a (n)")).rows(ALL),
        over_a("drop-index", &[drop_index], &format!("{A};")).rows(ALL),
        over_a("change-index", &[drop_index], &with("CREATE INDEX a_n ON a (n, s)")).rows(ALL),
        over_a("add-unique", &[], &a("n int, s varchar(20), CONSTRAINT a_n_key UNIQUE (n)")).rows(ALL),
        over_a("add-check", &[], &a("n int, s varchar(20), CONSTRAINT a_n_ck CHECK (n > 0)")).rows(ALL),
        over_a("add-foreign-key", &[B, "INSERT INTO b VALUES (1, 1), (2, 3)"], &with(fk))
            .rows("SELECT id, a_id FROM b ORDER BY id"),
        over_a("drop-foreign-key", &[fk, "INSERT INTO b VALUES (1, 1), (2, 3)"], &with(B))
            .rows("SELECT id, a_id FROM b ORDER BY id"),
        over_a("foreign-key-cycle", &[B, "INSERT INTO b VALUES (1, 1), (2, 3)"], &cycle(dialect))
            .rows("SELECT id, a_id FROM b ORDER BY id"),
        over_a("create-views", &[], &with("CREATE VIEW v AS SELECT id, n FROM a;\nCREATE VIEW w AS SELECT id FROM v"))
            .rows(ALL),
        over_a("drop-view", &["CREATE VIEW v AS SELECT id, n FROM a"], &format!("{A};")).rows(ALL),
        over_a("change-view", &["CREATE VIEW v AS SELECT id, n FROM a"], &with("CREATE VIEW v AS SELECT s, id FROM a"))
            .rows(ALL),
        over_a(
            "several",
            &[B, drop_index],
            &format!(
                "{}\nCREATE INDEX a_s ON a (s);\nCREATE TABLE c (id int NOT NULL PRIMARY KEY, t varchar(9));\n\
                 CREATE VIEW v AS SELECT id, more FROM a;",
                a("n bigint, s varchar(20), more int")
            ),
        )
        .rows(ALL),
    ];
    if dialect != DialectId::Sqlite {
        kinds.push(over_a("drop-default", &["ALTER TABLE a ALTER COLUMN n SET DEFAULT 5"], &format!("{A};")).rows(ALL));
    }
    kinds
}
