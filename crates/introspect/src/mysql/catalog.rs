//! What is asked of the server, and the replies as they come.

use trueup_plan::Unmanaged;
use trueup_schema::{DialectId, Ident, SqlExpr};
use trueup_session::{Row, Session, Value};

use super::shown::Shown;
use crate::{IntrospectError, NamespaceFilter};

/// How one flavour of server is asked, and how it spells its replies.
///
/// Every query has one `?` for the name of a database: it is asked once for each, joined by UNION ALL, because the servers look into one
/// database only where its name stands in an equation.
#[derive(Debug)]
pub(crate) struct Catalog {
    /// The flavour.
    pub(crate) dialect: DialectId,
    /// The oldest version that is read.
    pub(crate) oldest: [u32; 2],
    /// Its name for a person.
    pub(crate) supported: &'static str,
    /// Names and values of the settings that matter.
    pub(crate) settings: &'static [(&'static str, &'static str)],
    /// Databases that are the server's own.
    pub(crate) system: &'static [&'static str],
    /// Name, charset, collation and comment of databases.
    pub(crate) databases: &'static str,
    /// Tables, views and sequences.
    pub(crate) tables: &'static str,
    /// The same with sizes.
    pub(crate) tables_with_sizes: &'static str,
    /// Columns.
    pub(crate) columns: &'static str,
    /// Parts of indexes.
    pub(crate) indexes: &'static str,
    /// Columns of foreign keys, rules of foreign keys, and checks.
    pub(crate) keys: &'static str,
    /// Triggers, routines and events.
    pub(crate) code: &'static str,
    /// Other kinds of code, in the same columns, each with the version of the server that brought them.
    pub(crate) later: &'static [([u32; 2], &'static str)],
    /// Whether a table must be shown whole, because the catalog's rows about it are not enough.
    pub(crate) needs_showing: fn(&TableRows) -> bool,
    /// A column's default in the spelling of SHOW CREATE TABLE, from the catalog's row.
    pub(crate) default: fn(&ColumnRow) -> Option<SqlExpr>,
    /// What the flavour alone has.
    pub(crate) finish: fn(&mut trueup_schema::Table, &TableRows, Option<&Shown>),
}

/// A database.
#[derive(Debug)]
pub(crate) struct DatabaseRow {
    pub(crate) name: Ident,
    pub(crate) charset: String,
    pub(crate) collation: String,
    pub(crate) comment: String,
}

/// A table, view or sequence, and everything about it.
#[derive(Debug)]
pub(crate) struct TableRows {
    pub(crate) database: Ident,
    pub(crate) name: Ident,
    pub(crate) kind: String,
    pub(crate) engine: Option<String>,
    pub(crate) collation: Option<String>,
    pub(crate) options: String,
    pub(crate) comment: String,
    pub(crate) rows: Option<u64>,
    pub(crate) bytes: u64,
    pub(crate) columns: Vec<ColumnRow>,
    pub(crate) parts: Vec<PartRow>,
    pub(crate) references: Vec<ReferenceRow>,
    pub(crate) rules: Vec<RuleRow>,
    pub(crate) checks: Vec<CheckRow>,
}

/// A column.
#[derive(Debug)]
pub(crate) struct ColumnRow {
    pub(crate) name: Ident,
    pub(crate) position: i64,
    pub(crate) default: Option<String>,
    pub(crate) nullable: bool,
    pub(crate) data_type: String,
    pub(crate) collation: Option<String>,
    pub(crate) extra: String,
    pub(crate) comment: String,
    pub(crate) generated: String,
    pub(crate) srid: Option<i64>,
}

/// A part of an index.
#[derive(Debug)]
pub(crate) struct PartRow {
    pub(crate) index: Ident,
    pub(crate) unique: bool,
    pub(crate) position: i64,
    pub(crate) column: Option<Ident>,
    pub(crate) descending: bool,
    pub(crate) prefix: Option<i64>,
    pub(crate) method: String,
    pub(crate) comment: String,
    pub(crate) used: bool,
    pub(crate) expr: Option<String>,
}

/// A column of a foreign key.
#[derive(Debug)]
pub(crate) struct ReferenceRow {
    pub(crate) name: Ident,
    pub(crate) position: i64,
    pub(crate) column: Ident,
    pub(crate) database: Ident,
    pub(crate) table: Ident,
    pub(crate) referenced: Ident,
}

/// What a foreign key does.
#[derive(Debug)]
pub(crate) struct RuleRow {
    pub(crate) name: Ident,
    pub(crate) update: String,
    pub(crate) delete: String,
}

/// A check.
#[derive(Debug)]
pub(crate) struct CheckRow {
    pub(crate) name: Ident,
    pub(crate) clause: String,
    pub(crate) at_column: bool,
    pub(crate) enforced: bool,
}

/// A trigger, routine or event: its kind, database and name, and ten texts that depend on the kind.
#[derive(Debug)]
pub(crate) struct CodeRow {
    pub(crate) kind: String,
    pub(crate) database: Ident,
    pub(crate) name: Ident,
    pub(crate) texts: Vec<Option<String>>,
}

impl CodeRow {
    /// The text at `at`; empty where there is none.
    pub(crate) fn text(&self, at: usize) -> &str {
        self.texts.get(at).and_then(Option::as_deref).unwrap_or_default()
    }

    pub(crate) fn unmanaged(&self, kind: &str) -> Unmanaged {
        Unmanaged {
            kind: kind.to_owned(),
            name: format!("{}.{}", self.database, self.name),
            namespace: Some(self.database.clone()),
            table: None,
            definition: self.text(0).to_owned(),
            depends_on: Vec::new(),
        }
    }
}

/// One reply, whose values are taken by position. The catalog's texts come as bytes where their collation is binary.
pub(crate) struct Reply<'r> {
    row: &'r Row,
    what: &'static str,
}

impl Reply<'_> {
    pub(crate) fn text_or_null(&self, at: usize) -> Result<Option<String>, IntrospectError> {
        match self.row.get(at) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Bytes(bytes)) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Some(Value::Int(number)) => Ok(Some(number.to_string())),
            Some(Value::Float(number)) => Ok(Some(number.to_string())),
            Some(Value::Null) => Ok(None),
            Some(Value::Bool(_) | Value::Texts(_) | Value::Ints(_)) | None => Err(self.odd(at)),
        }
    }

    pub(crate) fn text(&self, at: usize) -> Result<String, IntrospectError> {
        Ok(self.text_or_null(at)?.unwrap_or_default())
    }

    pub(crate) fn int(&self, at: usize) -> Result<Option<i64>, IntrospectError> {
        self.row.int_or_null(at).map_err(|_| self.odd(at))
    }

    pub(crate) fn ident(&self, at: usize) -> Result<Ident, IntrospectError> {
        self.text_or_null(at)?.and_then(|text| Ident::new(text).ok()).ok_or_else(|| self.odd(at))
    }

    fn odd(&self, at: usize) -> IntrospectError {
        IntrospectError::Catalog { object: self.what.to_owned(), why: format!("column {at} is {:?}", self.row.get(at)) }
    }
}

/// Runs one query and turns every row into a value.
pub(crate) async fn ask<T>(
    session: &mut dyn Session,
    what: &'static str,
    sql: &str,
    parameters: &[Value],
    read: impl Fn(&Reply<'_>) -> Result<T, IntrospectError>,
) -> Result<Vec<T>, IntrospectError> {
    let rows = session.query(sql, parameters).await.map_err(|source| IntrospectError::Query { what, source })?;
    rows.iter().map(|row| read(&Reply { row, what })).collect()
}

/// Runs a query about each of `databases` as one statement. The template has `uses` question marks.
async fn ask_of<T>(
    session: &mut dyn Session,
    what: &'static str,
    template: &str,
    databases: &[Ident],
    read: impl Fn(&Reply<'_>) -> Result<T, IntrospectError>,
) -> Result<Vec<T>, IntrospectError> {
    if databases.is_empty() {
        return Ok(Vec::new());
    }
    let uses = template.matches('?').count();
    let sql = vec![template; databases.len()].join(" UNION ALL ");
    let values = databases.iter().flat_map(|name| std::iter::repeat_n(Value::from(name.as_str()), uses));
    ask(session, what, &sql, &values.collect::<Vec<_>>(), read).await
}

impl Catalog {
    /// The settings that matter.
    pub(crate) async fn settings(&self, session: &mut dyn Session) -> Result<Vec<(String, String)>, IntrospectError> {
        let list = self.settings.iter().map(|(_, expr)| format!("CAST({expr} AS CHAR)"));
        let sql = format!("SELECT {}", list.collect::<Vec<_>>().join(", "));
        let rows = ask(session, "settings", &sql, &[], |reply| {
            let names = self.settings.iter().enumerate();
            names.map(|(at, (name, _))| Ok(((*name).to_owned(), reply.text(at)?))).collect::<Result<Vec<_>, _>>()
        });
        Ok(rows.await?.pop().unwrap_or_default())
    }

    /// The databases that are asked for.
    pub(crate) async fn databases(
        &self,
        session: &mut dyn Session,
        filter: &NamespaceFilter,
    ) -> Result<Vec<DatabaseRow>, IntrospectError> {
        let read = |reply: &Reply<'_>| {
            let (name, charset) = (reply.ident(0)?, reply.text(1)?);
            Ok(DatabaseRow { name, charset, collation: reply.text(2)?, comment: reply.text(3)? })
        };
        let mut rows = match filter {
            NamespaceFilter::All => ask(session, "databases", self.databases, &[], read).await?,
            NamespaceFilter::Only(names) => {
                let template = format!("{} WHERE SCHEMA_NAME = ?", self.databases);
                ask_of(session, "databases", &template, names, read).await?
            }
        };
        rows.retain(|row| !self.system.contains(&row.name.as_str().to_ascii_lowercase().as_str()));
        if *filter == NamespaceFilter::All {
            // Scratch databases of other runs.
            rows.retain(|row| !["trueup_dev_", "trueup_branch_"].iter().any(|own| row.name.as_str().starts_with(own)));
        }
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows.dedup_by(|a, b| a.name == b.name);
        Ok(rows)
    }

    pub(crate) async fn tables(
        &self,
        session: &mut dyn Session,
        databases: &[Ident],
        sizes: bool,
    ) -> Result<Vec<TableRows>, IntrospectError> {
        let sql = if sizes { self.tables_with_sizes } else { self.tables };
        let read = |reply: &Reply<'_>| {
            let (database, name, kind) = (reply.ident(0)?, reply.ident(1)?, reply.text(2)?);
            let count = |at| Ok::<_, IntrospectError>(reply.int(at)?.and_then(|number| u64::try_from(number).ok()));
            Ok(TableRows {
                database,
                name,
                kind,
                engine: reply.text_or_null(3)?,
                collation: reply.text_or_null(4)?,
                options: reply.text(5)?,
                comment: reply.text(6)?,
                rows: count(7)?,
                bytes: count(8)?.unwrap_or_default(),
                columns: Vec::new(),
                parts: Vec::new(),
                references: Vec::new(),
                rules: Vec::new(),
                checks: Vec::new(),
            })
        };
        ask_of(session, "tables", sql, databases, read).await
    }

    pub(crate) async fn columns(
        &self,
        session: &mut dyn Session,
        databases: &[Ident],
    ) -> Result<Vec<(Ident, Ident, ColumnRow)>, IntrospectError> {
        let read = |reply: &Reply<'_>| {
            let column = ColumnRow {
                name: reply.ident(2)?,
                position: reply.int(3)?.unwrap_or_default(),
                default: reply.text_or_null(4)?,
                nullable: reply.text(5)? == "YES",
                data_type: reply.text(6)?,
                collation: reply.text_or_null(7)?,
                extra: reply.text(8)?,
                comment: reply.text(9)?,
                generated: reply.text(10)?,
                srid: reply.int(11)?,
            };
            Ok((reply.ident(0)?, reply.ident(1)?, column))
        };
        ask_of(session, "columns", self.columns, databases, read).await
    }

    pub(crate) async fn indexes(
        &self,
        session: &mut dyn Session,
        databases: &[Ident],
    ) -> Result<Vec<(Ident, Ident, PartRow)>, IntrospectError> {
        let read = |reply: &Reply<'_>| {
            let column = reply.text_or_null(5)?.and_then(|name| Ident::new(name).ok());
            let part = PartRow {
                index: reply.ident(2)?,
                unique: reply.int(3)? == Some(0),
                position: reply.int(4)?.unwrap_or_default(),
                column,
                descending: reply.text(6)? == "D",
                prefix: reply.int(7)?,
                method: reply.text(8)?.to_ascii_lowercase(),
                comment: reply.text(9)?,
                used: reply.text(10)? == "YES",
                expr: reply.text_or_null(11)?,
            };
            Ok((reply.ident(0)?, reply.ident(1)?, part))
        };
        ask_of(session, "indexes", self.indexes, databases, read).await
    }

    /// Foreign keys and checks, each row as it comes: kind, database, table, name, position and four texts.
    pub(crate) async fn keys(
        &self,
        session: &mut dyn Session,
        databases: &[Ident],
    ) -> Result<Vec<KeyRow>, IntrospectError> {
        let read = |reply: &Reply<'_>| {
            let texts = (5..9).map(|at| reply.text_or_null(at)).collect::<Result<Vec<_>, _>>()?;
            Ok(KeyRow {
                kind: reply.text(0)?,
                database: reply.ident(1)?,
                table: reply.text_or_null(2)?.and_then(|name| Ident::new(name).ok()),
                name: reply.ident(3)?,
                position: reply.int(4)?.unwrap_or_default(),
                texts,
            })
        };
        ask_of(session, "keys and checks", self.keys, databases, read).await
    }

    pub(crate) async fn code(
        &self,
        session: &mut dyn Session,
        databases: &[Ident],
    ) -> Result<Vec<CodeRow>, IntrospectError> {
        let read = |reply: &Reply<'_>| {
            let texts = (3..14).map(|at| reply.text_or_null(at)).collect::<Result<Vec<_>, _>>()?;
            Ok(CodeRow { kind: reply.text(0)?, database: reply.ident(1)?, name: reply.ident(2)?, texts })
        };
        let version = session.server().version;
        let later = self.later.iter().filter(|(since, _)| version[..2] >= since[..]).map(|(_, query)| *query);
        let query = std::iter::once(self.code).chain(later).collect::<Vec<_>>().join(" UNION ALL ");
        ask_of(session, "triggers, routines and events", &query, databases, read).await
    }
}

/// A row about a foreign key or check.
#[derive(Debug)]
pub(crate) struct KeyRow {
    pub(crate) kind: String,
    pub(crate) database: Ident,
    pub(crate) table: Option<Ident>,
    pub(crate) name: Ident,
    pub(crate) position: i64,
    pub(crate) texts: Vec<Option<String>>,
}
