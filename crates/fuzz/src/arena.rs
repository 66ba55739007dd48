//! What the judge needs of a server.

use std::collections::BTreeMap;

use async_trait::async_trait;
use trueup::session::{DbError, Session};
use trueup_testkit::TestDatabase;

use crate::world::{Object, World};

/// The rows of one table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableRows {
    /// What kind of table it is; rows are kept only by a table that stays of its kind.
    pub kind: String,
    /// Name and type of each column that is not computed.
    pub columns: Vec<(String, String)>,
    /// Every row, each value as text.
    pub rows: Vec<Vec<String>>,
}

/// The rows of all tables.
pub type Rows = BTreeMap<String, TableRows>;

/// A place for databases of one dialect, and words of its own for looking at them.
#[async_trait]
pub trait Arena: Send + Sync {
    /// Its name: `sqlite`, `postgres18`.
    fn name(&self) -> String;

    /// A new empty database.
    async fn fresh(&self) -> Result<TestDatabase, DbError>;

    /// Makes a session such as the server gives to anybody.
    async fn prepare(&self, session: &mut dyn Session) -> Result<(), DbError>;

    /// The schema as the server tells it, in an order of its own; control tables left out. Not by way of trueup.
    async fn dump(&self, session: &mut dyn Session) -> Result<String, DbError>;

    /// Objects that were created but do not work.
    async fn broken(&self, session: &mut dyn Session, world: &World) -> Result<Vec<String>, DbError>;

    /// Puts some rows into every table that takes them.
    async fn seed(&self, session: &mut dyn Session) -> Result<(), DbError>;

    /// All rows.
    async fn rows(&self, session: &mut dyn Session) -> Result<Rows, DbError>;
}

/// What the server takes of a schema, and a database with it: objects that it refuses are left out, and what names them.
///
/// # Errors
/// Where no database can be had.
pub async fn settle(arena: &dyn Arena, world: &World) -> Result<(World, TestDatabase), DbError> {
    let mut world = world.clone();
    loop {
        let database = arena.fresh().await?;
        let mut session = database.session().await?;
        arena.prepare(session.as_mut()).await?;
        let executed = load_some(session.as_mut(), &mut world).await;
        let broken = arena.broken(session.as_mut(), &world).await?;
        session.close().await?;
        for object in &broken {
            world.remove(object);
        }
        // what was taken away after it was loaded is still there
        if executed == world.statements() {
            return Ok((world, database));
        }
    }
}

/// Loads what can be loaded and removes the rest. Says what was loaded.
async fn load_some(session: &mut dyn Session, world: &mut World) -> Vec<String> {
    let mut executed = Vec::new();
    let keys: Vec<String> = world.objects.iter().map(Object::key).collect();
    for key in keys {
        let Some(at) = world.objects.iter().position(|object| object.key() == key) else { continue };
        let mut statements = world.objects[at].statements().into_iter();
        let Some(first) = statements.next() else { continue };
        if session.execute(&first).await.is_err() {
            world.remove(&key);
            continue;
        }
        executed.push(first);
        let mut kept = Vec::new();
        for statement in statements {
            if session.execute(&statement).await.is_ok() {
                kept.push(statement);
            }
        }
        executed.extend(kept.iter().cloned());
        world.objects[at].more = kept;
    }
    executed
}

/// Whether rows were kept where both schemas have the table and a column of one type.
#[must_use]
pub fn lost_rows(before: &Rows, after: &Rows) -> Option<String> {
    for (name, old) in before {
        let Some(new) = after.get(name).filter(|new| new.kind == old.kind) else { continue };
        if old.rows.len() != new.rows.len() {
            return Some(format!("{name} had {} rows and has {}", old.rows.len(), new.rows.len()));
        }
        let common: Vec<&(String, String)> = old.columns.iter().filter(|column| new.columns.contains(column)).collect();
        let project = |table: &TableRows| {
            let places: Vec<usize> =
                common.iter().filter_map(|column| table.columns.iter().position(|other| other == *column)).collect();
            let mut rows: Vec<Vec<String>> =
                table.rows.iter().map(|row| places.iter().filter_map(|at| row.get(*at).cloned()).collect()).collect();
            rows.sort();
            rows
        };
        let (was, is) = (project(old), project(new));
        if was != is {
            return Some(format!("{name} held {was:?} and holds {is:?}"));
        }
    }
    None
}
