//! A kind of change, and the table that most of them change.

use anyhow::{Context, Result};
use trueup::schema::DialectId;

use super::{common, mysql, postgres, sqlite};

/// One kind of change.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Statements that make the state before, rows included.
    pub(crate) before: Vec<String>,
    /// The declaration.
    pub(crate) after: String,
    /// Questions to rows that answer the same before and after.
    pub(crate) rows: Vec<String>,
    /// Whether it is done beside live traffic.
    pub(crate) online: bool,
}

/// Every kind of `dialect`.
pub(crate) fn kinds(dialect: DialectId) -> Vec<Kind> {
    let own = match dialect {
        DialectId::Postgres => postgres::kinds(),
        DialectId::MySql | DialectId::MariaDb => mysql::kinds(),
        DialectId::Sqlite => sqlite::kinds(),
    };
    common::kinds(dialect).into_iter().chain(own).collect()
}

/// The kind of `dialect` that is called `name`.
pub(crate) fn kind(dialect: DialectId, name: &str) -> Result<Kind> {
    kinds(dialect).into_iter().find(|kind| kind.name == name).with_context(|| format!("no kind is called {name}"))
}

/// A kind over the table `a` as it usually is.
pub(crate) fn over_a(name: &'static str, before: &[&str], after: &str) -> Kind {
    let statements = [A, ROWS].iter().chain(before).map(|sql| (*sql).to_owned()).collect();
    Kind {
        name,
        before: statements,
        after: after.to_owned(),
        rows: vec!["SELECT id FROM a ORDER BY id".to_owned()],
        online: false,
    }
}

impl Kind {
    pub(crate) fn rows(mut self, rows: &str) -> Self {
        self.rows = vec![rows.to_owned()];
        self
    }

    pub(crate) const fn online(mut self) -> Self {
        self.online = true;
        self
    }
}

/// The usual table.
pub(crate) const A: &str = "CREATE TABLE a (id int NOT NULL PRIMARY KEY, n int, s varchar(20))";
/// Its rows.
pub(crate) const ROWS: &str = "INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z')";
