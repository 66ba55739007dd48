//! Databases of a MySQL or MariaDB server.

use std::collections::BTreeMap;

use async_trait::async_trait;
use trueup::session::{DbError, Session};
use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{Engine, TestServer};

use super::{code, table};
use crate::arena::{Arena, Rows, TableRows};
use crate::dice::Dice;
use crate::generator::Generator;
use crate::world::{Object, Part, PartKind, World};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    MySql,
    MariaDb,
}

/// MySQL or MariaDB.
#[derive(Debug, Clone)]
pub struct MySql {
    server: TestServer,
}

impl MySql {
    /// On this server.
    #[must_use]
    pub const fn new(server: TestServer) -> Self {
        Self { server }
    }

    const fn flavour(&self) -> Flavour {
        match self.server.engine {
            Engine::MariaDb => Flavour::MariaDb,
            Engine::MySql | Engine::Postgres => Flavour::MySql,
        }
    }
}

impl Generator for MySql {
    fn kinds(&self) -> &[(&'static str, usize)] {
        &[("sequence", 1), ("table", 5), ("reference", 4), ("view", 4), ("trigger", 3), ("routine", 2), ("event", 1)]
    }

    fn object(&self, dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object> {
        match kind {
            "sequence" => code::sequence(dice, self.flavour(), world, name),
            "table" => table::table(dice, self.flavour(), world, name),
            "reference" => table::reference(dice, world, name),
            "view" => code::view(dice, world, name),
            "trigger" => code::trigger(dice, world, name),
            "routine" => code::routine(dice, world, name),
            _ => code::event(dice, world, name),
        }
    }

    fn part(
        &self,
        dice: &mut Dice,
        _world: &World,
        table: &Object,
        kind: PartKind,
        name: Option<&str>,
    ) -> Option<Part> {
        table::part(dice, self.flavour(), table, kind, name)
    }

    fn retouch(&self, dice: &mut Dice, _world: &World, object: &mut Object) {
        table::retouch(dice, self.flavour(), object);
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

async fn names(session: &mut dyn Session, sql: &str) -> Result<Vec<[String; 2]>, DbError> {
    let rows = session.query(sql, &[]).await?;
    rows.iter().map(|row| Ok([row.text(0)?.to_owned(), row.text(1)?.to_owned()])).collect()
}

/// Everything that the server would dump: kind and name.
const OBJECTS: &str = "\
SELECT CASE table_type WHEN 'VIEW' THEN 'VIEW' WHEN 'SEQUENCE' THEN 'SEQUENCE' ELSE 'TABLE' END AS k, CAST(table_name AS CHAR) \
FROM information_schema.tables WHERE table_schema = DATABASE() \
UNION ALL SELECT 'TRIGGER', CAST(trigger_name AS CHAR) FROM information_schema.triggers WHERE trigger_schema = DATABASE() \
UNION ALL SELECT CAST(routine_type AS CHAR), CAST(routine_name AS CHAR) FROM information_schema.routines WHERE routine_schema = DATABASE() \
UNION ALL SELECT 'EVENT', CAST(event_name AS CHAR) FROM information_schema.events WHERE event_schema = DATABASE()";

/// Base tables, each with the kind that decides whether its rows can be compared.
const TABLES: &str = "\
SELECT CAST(table_name AS CHAR), CAST(table_type AS CHAR) FROM information_schema.tables \
WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') AND table_name NOT LIKE '\\_trueup\\_%'";

/// Columns that hold values, with their types.
async fn columns(session: &mut dyn Session, table: &str) -> Result<Vec<[String; 2]>, DbError> {
    let sql = "SELECT CAST(column_name AS CHAR), CONCAT(column_type, IFNULL(CONCAT(' ', character_set_name), '')) FROM information_schema.columns \
               WHERE table_schema = DATABASE() AND table_name = ? AND IFNULL(generation_expression, '') = '' ORDER BY ordinal_position";
    let rows = session.query(sql, &[table.into()]).await?;
    rows.iter().map(|row| Ok([row.text(0)?.to_owned(), row.text(1)?.to_owned()])).collect()
}

/// A constraint that the server named without the number in it: which one it got depends on those that were there then.
fn without_number(table: &str, line: &str) -> String {
    let counted = [
        format!("CONSTRAINT `{table}_chk_"),
        format!("CONSTRAINT `{table}_ibfk_"),
        "CONSTRAINT `CONSTRAINT_".to_owned(),
    ];
    let rest = |start: &String| {
        let (number, rest) = line.strip_prefix(start.as_str())?.split_once('`')?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{start}`{rest}"))
    };
    counted.iter().find_map(rest).unwrap_or_else(|| line.to_owned())
}

/// What the server says for one object, without what says nothing of the schema.
fn cleaned(kind: &str, name: &str, text: &str, database: &str) -> String {
    let mut text = text.replace(&format!("`{database}`."), "");
    // an ALTER turns these texts, which are ASCII, into the character set of the column beside them
    for charset in ["latin1", "ascii", "utf8mb3"] {
        text = text.replace(&format!("_{charset}'"), "_utf8mb4'");
    }
    if let Some(at) = text.find(" AUTO_INCREMENT=") {
        let end = text[at + 16..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| at + 16 + end);
        text.replace_range(at..end, "");
    }
    let mut lines: Vec<String> =
        text.lines().map(|line| without_number(name, line.trim().trim_end_matches(','))).collect();
    if kind == "TABLE" {
        // columns in their order, which is part of the schema; keys and constraints in none
        let is_key = |line: &String| {
            ["KEY", "UNIQUE", "FULLTEXT", "SPATIAL", "CONSTRAINT", "PRIMARY"].iter().any(|word| line.starts_with(word))
        };
        let (mut keys, rest): (Vec<String>, Vec<String>) = lines.into_iter().partition(is_key);
        keys.sort();
        lines = rest;
        lines.extend(keys);
    }
    format!("{kind} {name}\n{}", lines.iter().map(|line| format!("  {name}: {line}")).collect::<Vec<_>>().join("\n"))
}

fn value(data_type: &str, at: usize) -> String {
    let has = |word: &str| data_type.starts_with(word);
    let quoted = |text: String| format!("'{text}'");
    if has("enum") || has("set") {
        return "'new'".to_owned();
    }
    match data_type {
        _ if has("varchar") || has("char") || data_type.contains("text") => quoted(format!("v{at}")),
        _ if has("datetime") || has("timestamp") || has("date") => quoted(format!("2024-01-0{at}")),
        _ if has("time") => quoted(format!("10:00:0{at}")),
        _ if has("year") => quoted(format!("202{at}")),
        _ if has("json") => quoted(format!("{{\"k\": {at}}}")),
        _ if has("blob") || has("varbinary") || has("binary") => format!("x'0{at}'"),
        _ if has("bit") => format!("b'0{}1'", at % 2),
        _ if has("point") => "ST_GeomFromText('POINT(1 1)')".to_owned(),
        _ => at.to_string(),
    }
}

#[async_trait]
impl Arena for MySql {
    fn name(&self) -> String {
        self.server.name()
    }

    async fn fresh(&self) -> Result<TestDatabase, DbError> {
        TestDatabase::on(&self.server).await
    }

    async fn prepare(&self, session: &mut dyn Session) -> Result<(), DbError> {
        session.execute("SET SESSION sql_mode = @@GLOBAL.sql_mode").await.map(|_| ())
    }

    async fn dump(&self, session: &mut dyn Session) -> Result<String, DbError> {
        let database = session.server().database.clone();
        let mut found = Vec::new();
        for [kind, name] in names(session, OBJECTS).await? {
            if name.starts_with("_trueup_") {
                continue;
            }
            let rows = session.query(&format!("SHOW CREATE {kind} {}", quoted(&name)), &[]).await?;
            let at = match kind.as_str() {
                "TABLE" | "VIEW" | "SEQUENCE" => 1,
                "EVENT" => 3,
                _ => 2,
            };
            let text = rows.first().map_or(Ok(""), |row| row.text(at))?;
            found.push(cleaned(&kind, &name, text, &database));
        }
        found.sort();
        Ok(found.join("\n"))
    }

    async fn broken(&self, session: &mut dyn Session, world: &World) -> Result<Vec<String>, DbError> {
        // MySQL takes a change of a column that a view or trigger names, and only then finds out
        let mut broken = Vec::new();
        for view in world.of(&["view"]) {
            if session.query(&format!("SELECT * FROM {} LIMIT 0", view.spelled), &[]).await.is_err() {
                broken.push(view.key());
            }
        }
        Ok(broken)
    }

    async fn seed(&self, session: &mut dyn Session) -> Result<(), DbError> {
        for [name, _] in names(session, TABLES).await? {
            let columns = columns(session, &name).await?;
            for at in 1..=3 {
                let named: Vec<String> = columns.iter().map(|[name, _]| quoted(name)).collect();
                let values: Vec<String> = columns.iter().map(|[_, data_type]| value(data_type, at)).collect();
                let sql =
                    format!("INSERT INTO {} ({}) VALUES ({})", quoted(&name), named.join(", "), values.join(", "));
                // what a constraint forbids is left out
                drop(session.execute(&sql).await);
            }
        }
        Ok(())
    }

    async fn rows(&self, session: &mut dyn Session) -> Result<Rows, DbError> {
        let mut found = BTreeMap::new();
        for [name, kind] in names(session, TABLES).await? {
            let columns = columns(session, &name).await?;
            let texts: Vec<String> = columns
                .iter()
                .map(|[name, data_type]| {
                    let column = quoted(name);
                    let text =
                        if data_type == "point" { format!("ST_AsText({column})") } else { format!("HEX({column})") };
                    format!("IFNULL({text}, 'NULL')")
                })
                .collect();
            let rows = session.query(&format!("SELECT {} FROM {}", texts.join(", "), quoted(&name)), &[]).await?;
            let rows = rows
                .iter()
                .map(|row| (0..columns.len()).map(|at| Ok(row.text(at)?.to_owned())).collect())
                .collect::<Result<Vec<Vec<String>>, DbError>>()?;
            let columns = columns.into_iter().map(|[name, data_type]| (name, data_type)).collect();
            found.insert(name, TableRows { kind, columns, rows });
        }
        Ok(found)
    }
}
