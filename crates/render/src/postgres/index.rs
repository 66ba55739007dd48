//! Indexes of tables and materialized views.

use trueup_plan::{Leftover, Statement, TableIndex};
use trueup_schema::{DialectId, Ident, Index, IndexKey, IndexPart, QualName};

use super::comment;
use super::words::{Rendered, ident, option_actions, parameters, run, unsupported};
use crate::RenderError;
use crate::sql::{Sql, literal};

/// The index, its place under its parent's index, CLUSTER ON and its comment.
pub(super) fn create(table: &QualName, index: &Index) -> Rendered {
    let word = if index.unique { "CREATE UNIQUE INDEX" } else { "CREATE INDEX" };
    let mut statements = vec![run(&create_sql(word, table, index)?)];
    if let Some(parent) = &index.partition_of {
        statements.push(attach(&table.sibling(index.name.clone()), parent));
    }
    if index.clustered {
        statements.push(cluster(table, Some(&index.name)));
    }
    statements.extend(comment::of_index(table, index));
    Ok(statements)
}

/// Beside readers and writers, outside of a transaction.
pub(super) fn create_concurrently(it: &TableIndex) -> Result<Statement, RenderError> {
    let TableIndex { table, index } = it;
    if index.partition_of.is_some() || index.clustered || index.comment.is_some() {
        return Err(unsupported(&index.name, "what is built beside readers and writers is the index alone"));
    }
    let word = if index.unique { "CREATE UNIQUE INDEX CONCURRENTLY" } else { "CREATE INDEX CONCURRENTLY" };
    Ok(run(&create_sql(word, table, index)?))
}

/// A build that failed leaves an index that serves nobody and still keeps rows out.
pub(super) fn leftover(it: &TableIndex) -> Leftover {
    let name = it.table.sibling(it.index.name.clone()).quoted(DialectId::Postgres);
    Leftover {
        question: format!(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass({}) AND NOT indisvalid)",
            literal(&name)
        ),
        sql: format!("DROP INDEX CONCURRENTLY {name}"),
    }
}

pub(super) fn drop_concurrently(it: &TableIndex) -> Statement {
    run(&Sql::new("DROP INDEX CONCURRENTLY").qualified(&it.table.sibling(it.index.name.clone())))
}

fn create_sql(word: &'static str, table: &QualName, index: &Index) -> Result<Sql, RenderError> {
    let mut sql = Sql::new(word).name(&index.name).words("ON").words_if(index.only, "ONLY").qualified(table);
    if let Some(method) = &index.method {
        sql = sql.words("USING").name(&ident(method)?);
    }
    sql = sql.list(index.parts.iter().map(part));
    if !index.include.is_empty() {
        sql = sql.words("INCLUDE").names(&index.include);
    }
    sql = sql.words_if(index.nulls_not_distinct, "NULLS NOT DISTINCT");
    if !index.parameters.is_empty() {
        sql = parameters(sql.words("WITH"), &index.parameters)?;
    }
    if let Some(tablespace) = &index.tablespace {
        sql = sql.words("TABLESPACE").name(tablespace);
    }
    Ok(match &index.predicate {
        Some(predicate) => sql.words("WHERE").parenthesised(predicate),
        None => sql,
    })
}

/// Collation, operator class, direction, place of NULLs: the grammar knows no other order.
fn part(part: &IndexPart) -> Sql {
    let mut sql = match &part.key {
        IndexKey::Column(name) => Sql::default().name(name),
        IndexKey::Expr(expr) => Sql::default().parenthesised(expr),
    };
    sql = super::words::collate(sql, part.collation.as_ref());
    if let Some(opclass) = &part.opclass {
        sql = sql.words(opclass.clone());
    }
    sql = sql.words_if(part.descending, "DESC");
    match part.nulls_first {
        Some(true) => sql.words("NULLS FIRST"),
        Some(false) => sql.words("NULLS LAST"),
        None => sql,
    }
}

pub(super) fn drop(index: &TableIndex) -> Rendered {
    Ok(vec![run(&Sql::new("DROP INDEX").qualified(&index.table.sibling(index.index.name.clone())))])
}

pub(super) fn alter(table: &QualName, before: &Index, after: &Index) -> Rendered {
    let name = table.sibling(after.name.clone());
    refuse_other_changes(&name, before, after)?;
    let mut statements = Vec::new();
    let actions = option_actions(&before.parameters, &after.parameters)?;
    if !actions.is_empty() {
        statements.push(run(&Sql::new("ALTER INDEX").qualified(&name).series(actions)));
    }
    if before.tablespace != after.tablespace {
        let tablespace = match &after.tablespace {
            Some(tablespace) => tablespace.clone(),
            None => ident("pg_default")?,
        };
        statements.push(run(&Sql::new("ALTER INDEX").qualified(&name).words("SET TABLESPACE").name(&tablespace)));
    }
    if before.partition_of != after.partition_of
        && let Some(parent) = &after.partition_of
    {
        statements.push(attach(&name, parent));
    }
    if before.clustered != after.clustered {
        statements.push(cluster(table, after.clustered.then_some(&after.name)));
    }
    Ok(statements)
}

fn refuse_other_changes(name: &QualName, before: &Index, after: &Index) -> Result<(), RenderError> {
    let mut same = before.clone();
    same.parameters.clone_from(&after.parameters);
    same.tablespace.clone_from(&after.tablespace);
    same.clustered = after.clustered;
    same.comment.clone_from(&after.comment);
    same.depends_on.clone_from(&after.depends_on);
    same.renamed_from.clone_from(&after.renamed_from);
    // An index joins a parent's; it cannot leave one.
    if same.partition_of.is_none() {
        same.partition_of.clone_from(&after.partition_of);
    }
    if same == *after { Ok(()) } else { Err(unsupported(name, "an index keeps its definition")) }
}

fn attach(name: &QualName, parent: &QualName) -> Statement {
    run(&Sql::new("ALTER INDEX").qualified(parent).words("ATTACH PARTITION").qualified(name))
}

fn cluster(table: &QualName, on: Option<&Ident>) -> Statement {
    let alter = Sql::new("ALTER TABLE").qualified(table);
    run(&match on {
        Some(index) => alter.words("CLUSTER ON").name(index),
        None => alter.words("SET WITHOUT CLUSTER"),
    })
}
