//! Kinds of MySQL's and MariaDB's own.

use super::{A, Kind, over_a};

const ALL: &str = "SELECT id, n, s FROM a ORDER BY id";

pub(crate) fn kinds() -> Vec<Kind> {
    let with = |more: &str| format!("{A};\n{more};");
    let trigger = "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.n = 1";
    let mood = "CREATE TABLE m (id int NOT NULL PRIMARY KEY, mood enum('sad','ok'))";
    vec![
        over_a("create-trigger", &[], &with(trigger)).rows(ALL),
        over_a("drop-trigger", &[trigger], &format!("{A};")).rows(ALL),
        over_a("change-trigger", &[trigger], &with("CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.n = 2"))
            .rows(ALL),
        over_a(
            "add-enum-values",
            &[mood, "INSERT INTO m VALUES (1, 'ok')"],
            &with("CREATE TABLE m (id int NOT NULL PRIMARY KEY, mood enum('sad','ok','happy'))"),
        )
        .rows("SELECT id, mood FROM m"),
        over_a(
            "comment",
            &[],
            "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int COMMENT 'said too', s varchar(20)) COMMENT = 'said';",
        )
        .rows(ALL),
        over_a("create-procedure", &[], &with("CREATE PROCEDURE p() SELECT 1")).rows(ALL),
        over_a(
            "auto-increment",
            &[],
            "CREATE TABLE a (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, n int, s varchar(20));",
        )
        .rows(ALL),
    ]
}
