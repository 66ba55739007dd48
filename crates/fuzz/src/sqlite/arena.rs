//! Databases of SQLite: files of their own.

use std::collections::BTreeMap;

use async_trait::async_trait;
use trueup::session::{DbError, Session};
use trueup_testkit::TestDatabase;

use super::{dependents, oracle, table};
use crate::arena::{Arena, Rows, TableRows};
use crate::dice::Dice;
use crate::generator::Generator;
use crate::world::{Object, Part, PartKind, World};

/// SQLite.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sqlite;

impl Generator for Sqlite {
    fn kinds(&self) -> &[(&'static str, usize)] {
        &[("table", 5), ("virtual", 1), ("index", 4), ("view", 4), ("trigger", 3)]
    }

    fn object(&self, dice: &mut Dice, world: &World, kind: &str, name: Option<&str>) -> Option<Object> {
        match kind {
            "table" => table::table(dice, world, name),
            "virtual" => dependents::virtual_table(dice, world, name),
            "index" => dependents::index(dice, world, name),
            "view" => dependents::view(dice, world, name),
            _ => dependents::trigger(dice, world, name),
        }
    }

    fn part(&self, dice: &mut Dice, world: &World, table: &Object, kind: PartKind, name: Option<&str>) -> Option<Part> {
        table::part(dice, world, table, kind, name)
    }

    fn retouch(&self, dice: &mut Dice, _world: &World, object: &mut Object) {
        if object.kind == "table" {
            table::retouch(dice, object);
        }
    }
}

const TABLES: &str = "SELECT l.name, l.type, m.sql, l.strict FROM pragma_table_list l JOIN sqlite_schema m ON m.name = l.name \
     WHERE l.schema = 'main' AND l.type IN ('table', 'virtual') AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
     AND l.name NOT LIKE '\\_trueup\\_%' ESCAPE '\\'";

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Names and types of the columns that hold values.
async fn columns(session: &mut dyn Session, table: &str) -> Result<Vec<(String, String)>, DbError> {
    let sql = "SELECT name, upper(type) FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid";
    let rows = session.query(sql, &[table.into()]).await?;
    rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()))).collect()
}

/// A value for row `at`.
fn value(data_type: &str, at: usize) -> String {
    let has = |word: &str| data_type.contains(word);
    if has("INT") || has("BOOL") {
        at.to_string()
    } else if has("CHAR") || has("TEXT") {
        format!("'v{at}'")
    } else if has("BLOB") {
        format!("x'0{at}'")
    } else if has("DATE") {
        format!("'2024-01-0{at}'")
    } else {
        format!("{at}.5")
    }
}

/// Triggers that fail whenever they are set off, for example because they write to a computed column.
async fn broken_triggers(session: &mut dyn Session, world: &World) -> Result<Vec<String>, DbError> {
    let mut broken = Vec::new();
    for trigger in world.of(&["trigger"]) {
        let Some(target) = trigger.uses.first().and_then(|key| world.objects.iter().find(|it| it.key() == *key)) else {
            continue;
        };
        let table = quoted(&target.name);
        let mut probes =
            vec![format!("EXPLAIN INSERT INTO {table} DEFAULT VALUES"), format!("EXPLAIN DELETE FROM {table}")];
        let given = |part: &&Part| part.writable || target.kind == "view";
        probes.extend(target.columns().into_iter().filter(given).map(|part| {
            let column = quoted(&part.name);
            format!("EXPLAIN UPDATE {table} SET {column} = {column}")
        }));
        for probe in probes {
            let failed = session.execute(&probe).await.err();
            // a view without a trigger for it, a reference without a key: not about this trigger
            if failed.is_some_and(|error| error.to_string().contains("generated column")) {
                broken.push(trigger.key());
                break;
            }
        }
    }
    Ok(broken)
}

#[async_trait]
impl Arena for Sqlite {
    fn name(&self) -> String {
        "sqlite".to_owned()
    }

    async fn fresh(&self) -> Result<TestDatabase, DbError> {
        TestDatabase::sqlite()
    }

    async fn prepare(&self, _session: &mut dyn Session) -> Result<(), DbError> {
        Ok(())
    }

    async fn dump(&self, session: &mut dyn Session) -> Result<String, DbError> {
        oracle::dump(session).await
    }

    async fn broken(&self, session: &mut dyn Session, world: &World) -> Result<Vec<String>, DbError> {
        // a rename reads every view and trigger, and names the first that does not work
        session.execute("CREATE TABLE probe_of_texts (x)").await?;
        let Err(error) = session.execute("ALTER TABLE probe_of_texts RENAME TO probe_of_views").await else {
            session.execute("DROP TABLE probe_of_views").await?;
            return broken_triggers(session, world).await;
        };
        let message = error.to_string();
        let named = |object: &&Object| message.contains(&format!("error in {} {}", object.kind, object.name));
        let longest = world.objects.iter().filter(named).max_by_key(|object| object.name.len());
        match longest {
            Some(object) => Ok(vec![object.key()]),
            None => Err(error),
        }
    }

    async fn seed(&self, session: &mut dyn Session) -> Result<(), DbError> {
        session.execute("PRAGMA foreign_keys = ON").await?;
        for row in session.query(TABLES, &[]).await? {
            let name = row.text(0)?.to_owned();
            let columns = columns(session, &name).await?;
            for at in 1..=3 {
                let names: Vec<String> = columns.iter().map(|(name, _)| quoted(name)).collect();
                let values: Vec<String> = columns.iter().map(|(_, data_type)| value(data_type, at)).collect();
                let sql =
                    format!("INSERT INTO {} ({}) VALUES ({})", quoted(&name), names.join(", "), values.join(", "));
                // what a constraint forbids is left out
                drop(session.execute(&sql).await);
            }
        }
        Ok(())
    }

    async fn rows(&self, session: &mut dyn Session) -> Result<Rows, DbError> {
        let mut found = BTreeMap::new();
        for row in session.query(TABLES, &[]).await? {
            let name = row.text(0)?.to_owned();
            let strict = row.int(3)? == 1;
            let kind = if row.text(1)? == "virtual" { row.text(2)?.to_lowercase() } else { "table".to_owned() };
            let mut columns = columns(session, &name).await?;
            let quotes: Vec<String> = columns.iter().map(|(column, _)| format!("quote({})", quoted(column))).collect();
            let sql = format!("SELECT {} FROM {}", quotes.join(", "), quoted(&name));
            let rows = match session.query(&sql, &[]).await {
                Ok(rows) => rows,
                // an index whose content is gone cannot be read
                Err(_) if kind != "table" => continue,
                Err(error) => return Err(error),
            };
            let rows = rows
                .iter()
                .map(|row| (0..columns.len()).map(|at| Ok(row.text(at)?.to_owned())).collect())
                .collect::<Result<Vec<Vec<String>>, DbError>>()?;
            for (_, data_type) in &mut columns {
                // means something else in a strict table
                if data_type == "ANY" && !strict {
                    data_type.push_str(" loosely");
                }
            }
            found.insert(name, TableRows { kind, columns, rows });
        }
        Ok(found)
    }
}
