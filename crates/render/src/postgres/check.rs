//! Questions to the rows: violations of rules, sizes of losses.
//!
//! A question is asked by count and by sample. Where the server alone can tell whether a value converts, the count runs the conversion on
//! every row: it is zero, or it fails with the server's own words, and then the answer is not known.

use sea_query::{Expr, ExprTrait, PostgresQueryBuilder, Query, SelectStatement};
use trueup_plan::{CheckQuery, CheckRule, DataCheck, LossProbe, LossQuery, OpId};
use trueup_schema::{DialectId, Ident, IndexKey, IndexPart, QualName, SqlExpr};

use super::convert::{self, Conversion};
use super::words::unsupported;
use crate::RenderError;
use crate::sql::{expr, iden, literal, table_ref};

/// How many violating rows a sample shows.
const SAMPLE: u64 = 5;

pub(super) fn query(operation: &OpId, check: &DataCheck) -> Result<CheckQuery, RenderError> {
    let table = &check.table;
    let (rule, question) = match &check.rule {
        CheckRule::NotNull { column } => {
            (format!("no NULL in {column}"), Question::Rows(format!("{} IS NULL", quoted(column))))
        }
        CheckRule::Unique { parts, nulls_not_distinct, refuses_nulls, predicate } => {
            let rule = format!("no two rows with an equal {}", words(parts));
            (rule, unique(parts, *nulls_not_distinct, *refuses_nulls, predicate.as_ref()))
        }
        CheckRule::References { columns, references, referenced_columns, match_full } => {
            let rule = format!("every {} is in {references}", list(columns));
            (rule, references_question(table, columns, references, referenced_columns, *match_full)?)
        }
        CheckRule::Holds { expr: condition } => {
            (format!("{condition} is not false"), Question::Rows(format!("({}) IS FALSE", expr(condition))))
        }
        CheckRule::Converts { column, from, to, using, options: _ } => {
            let rule = format!("every {column} converts to {to}");
            (rule, converts(column, from, to, using.as_ref()))
        }
        CheckRule::ValuesUnused { column, values } => {
            let labels: Vec<String> = values.iter().map(|value| literal(value)).collect();
            let rule = format!("no {} in {column}", labels.join(", "));
            (rule, Question::Rows(unused(column, &labels)))
        }
        CheckRule::Indexable { expr: value, condition } => {
            let rule = format!("an index takes {value} of every row");
            (rule, Question::Rows(format!("NOT ({})", expr(condition))))
        }
        CheckRule::Empty => ("that it holds no row".to_owned(), Question::Rows("true".to_owned())),
    };
    Ok(CheckQuery {
        operation: operation.clone(),
        table: table.to_string(),
        rule,
        count: question.count(table),
        sample: question.sample(table, &check.key),
    })
}

pub(super) fn loss(operation: &OpId, probe: &LossProbe) -> LossQuery {
    let (what, query) = match probe {
        LossProbe::Rows { table } => {
            (format!("rows of {table}"), Query::select().expr(Expr::cust("count(*)")).from(table_ref(table)).take())
        }
        LossProbe::Values { table, column } => (
            format!("values of {table}.{column}"),
            Query::select().expr(Expr::col(iden(column)).count()).from(table_ref(table)).take(),
        ),
        LossProbe::Position { sequence } => (
            format!("position of {sequence}"),
            Query::select().expr(Expr::cust("last_value")).from(table_ref(sequence)).take(),
        ),
    };
    LossQuery { operation: operation.clone(), what, count: query.to_string(PostgresQueryBuilder) }
}

/// Which rows are violations.
enum Question {
    /// Those where the condition is true.
    Rows(String),
    /// Those among the `filter`ed whose `parts` are not theirs alone; and those that `also` is true of.
    Duplicates { parts: Vec<String>, filter: Vec<String>, also: Option<String> },
    /// Those on which the expression fails.
    Trial(String),
}

impl Question {
    fn count(&self, table: &QualName) -> String {
        match self {
            Self::Rows(condition) => {
                rows(Query::select().expr(Expr::cust("count(*)")), table, condition).to_string(PostgresQueryBuilder)
            }
            Self::Duplicates { parts, filter, also } => {
                let mut groups = Query::select();
                groups.expr(Expr::cust("count(*) - 1 AS more")).from(table_ref(table));
                for condition in filter {
                    groups.and_where(Expr::cust(condition.clone()));
                }
                groups.add_group_by(parts.iter().map(|part| Expr::cust(part.clone())));
                groups.and_having(Expr::cust("count(*) > 1"));
                let groups = groups.to_string(PostgresQueryBuilder);
                let duplicates = format!("(SELECT coalesce(sum(d.more), 0)::bigint FROM ({groups}) AS d)");
                match also {
                    None => format!("SELECT {duplicates}"),
                    Some(also) => {
                        let also = Self::Rows(also.clone()).count(table);
                        format!("SELECT {duplicates} + ({also})")
                    }
                }
            }
            Self::Trial(value) => {
                let trial = Expr::cust(format!("0 * count({value})"));
                Query::select().expr(trial).from(table_ref(table)).to_string(PostgresQueryBuilder)
            }
        }
    }

    /// Keys of violating rows; where there is no key, the equal values themselves.
    fn sample(&self, table: &QualName, key: &[Ident]) -> Option<String> {
        let keys: Vec<String> = key.iter().map(quoted).collect();
        let mut query = Query::select();
        match self {
            Self::Rows(condition) if !keys.is_empty() => {
                texts(&mut query, &keys);
                rows(&mut query, table, condition);
            }
            Self::Duplicates { parts, filter, also } => {
                let shown = if keys.is_empty() { parts } else { &keys };
                let columns: Vec<String> =
                    shown.iter().enumerate().map(|(at, it)| format!("({it})::text AS k{at}")).collect();
                let condition = if filter.is_empty() { "true".to_owned() } else { filter.join(" AND ") };
                let inner = format!(
                    "SELECT {}, count(*) OVER (PARTITION BY {}) AS n FROM {} WHERE {condition}",
                    columns.join(", "),
                    parts.join(", "),
                    table.quoted(DialectId::Postgres),
                );
                let names: Vec<String> = (0..shown.len()).map(|at| format!("d.k{at}")).collect();
                let duplicates = format!("SELECT {} FROM ({inner}) AS d WHERE d.n > 1", names.join(", "));
                let others = also.as_ref().filter(|_| !keys.is_empty()).map(|condition| {
                    let mut others = Query::select();
                    texts(&mut others, &keys);
                    rows(&mut others, table, condition);
                    format!(" UNION ALL {}", others.to_string(PostgresQueryBuilder))
                });
                return Some(format!("{duplicates}{} LIMIT {SAMPLE}", others.unwrap_or_default()));
            }
            Self::Rows(_) | Self::Trial(_) => return None,
        }
        Some(query.limit(SAMPLE).to_string(PostgresQueryBuilder))
    }
}

fn rows<'a>(query: &'a mut SelectStatement, table: &QualName, condition: &str) -> &'a mut SelectStatement {
    query.from(table_ref(table)).and_where(Expr::cust(condition.to_owned()))
}

fn texts(query: &mut SelectStatement, keys: &[String]) {
    query.exprs(keys.iter().map(|key| Expr::cust(format!("{key}::text"))));
}

fn quoted(name: &Ident) -> String {
    name.quoted(DialectId::Postgres)
}

fn list(names: &[Ident]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn words(parts: &[IndexPart]) -> String {
    let word = |part: &IndexPart| match &part.key {
        IndexKey::Column(name) => name.to_string(),
        IndexKey::Expr(expr) => expr.to_string(),
    };
    parts.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// NULLs are unlike each other unless said otherwise; a primary key takes none.
fn unique(parts: &[IndexPart], nulls_not_distinct: bool, refuses_nulls: bool, predicate: Option<&SqlExpr>) -> Question {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match &part.key {
            IndexKey::Column(name) => quoted(name),
            IndexKey::Expr(it) => format!("({})", expr(it)),
        })
        .collect();
    let mut filter: Vec<String> = predicate.iter().map(|predicate| format!("({})", expr(predicate))).collect();
    let nulls = parts.iter().map(|part| format!("{part} IS NULL")).collect::<Vec<_>>().join(" OR ");
    let also = refuses_nulls.then(|| match filter.first() {
        Some(predicate) => format!("{predicate} AND ({nulls})"),
        None => nulls,
    });
    if !nulls_not_distinct {
        filter.extend(parts.iter().map(|part| format!("{part} IS NOT NULL")));
    }
    Question::Duplicates { parts, filter, also }
}

fn references_question(
    table: &QualName,
    columns: &[Ident],
    references: &QualName,
    referenced: &[Ident],
    match_full: bool,
) -> Result<Question, RenderError> {
    if columns.is_empty() || columns.len() != referenced.len() {
        return Err(unsupported(table, "a foreign key names as many columns on one side as on the other"));
    }
    let outer = |column: &Ident| format!("{}.{}", table.quoted(DialectId::Postgres), quoted(column));
    let pairs: Vec<String> =
        columns.iter().zip(referenced).map(|(from, to)| format!("r.{} = {}", quoted(to), outer(from))).collect();
    let given: Vec<String> = columns.iter().map(|column| format!("{} IS NOT NULL", outer(column))).collect();
    let missing = format!(
        "{} AND NOT EXISTS (SELECT 1 FROM {} AS r WHERE {})",
        given.join(" AND "),
        references.quoted(DialectId::Postgres),
        pairs.join(" AND "),
    );
    if !match_full || columns.len() == 1 {
        return Ok(Question::Rows(missing));
    }
    let absent: Vec<String> = columns.iter().map(|column| format!("{} IS NULL", outer(column))).collect();
    let mixed = format!("({}) AND ({})", given.join(" OR "), absent.join(" OR "));
    Ok(Question::Rows(format!("({missing}) OR ({mixed})")))
}

/// As JSON, a label is the same whether it stands alone or in an array.
fn unused(column: &Ident, labels: &[String]) -> String {
    format!("jsonb_exists_any(to_jsonb({}), ARRAY[{}]::text[])", quoted(column), labels.join(", "))
}

fn converts(
    column: &Ident,
    from: &trueup_schema::DataType,
    to: &trueup_schema::DataType,
    using: Option<&SqlExpr>,
) -> Question {
    let value = match using {
        Some(using) => format!("({})", expr(using)),
        None => quoted(column),
    };
    match convert::conversion(&value, using.is_none().then_some(from), to) {
        Conversion::Violates(condition) => Question::Rows(condition),
        Conversion::Try(value) => Question::Trial(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_key_needs_as_many_columns_on_both_sides() {
        let table = QualName::parse("a.t").unwrap();
        let column = Ident::new("c").unwrap();
        assert!(references_question(&table, &[column], &table, &[], false).is_err());
    }
}
