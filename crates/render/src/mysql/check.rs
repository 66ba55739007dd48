//! Questions to the rows: violations of rules, sizes of losses.

use sea_query::{Expr, ExprTrait, MysqlQueryBuilder, Query, SelectStatement};
use trueup_plan::{CheckQuery, CheckRule, DataCheck, LossProbe, LossQuery, OpId};
use trueup_schema::{Ident, IndexKey, IndexPart, QualName};

use super::convert;
use super::flavour::Flavour;
use super::words::{literal, quoted, relation, unsupported};
use crate::RenderError;
use crate::sql::{expr, iden, table_ref};

/// How many violating rows a sample shows.
const SAMPLE: u64 = 5;

pub(super) fn query(flavour: &Flavour, operation: &OpId, check: &DataCheck) -> Result<CheckQuery, RenderError> {
    let table = &check.table;
    let (rule, question) = match &check.rule {
        CheckRule::NotNull { column } => {
            (format!("no NULL in {column}"), Question::Rows(format!("{} IS NULL", quoted(column))))
        }
        CheckRule::Unique { parts, nulls_not_distinct: _, refuses_nulls, predicate: _ } => {
            (format!("no two rows with an equal {}", words(parts)), unique(parts, *refuses_nulls))
        }
        CheckRule::References { columns, references, referenced_columns, match_full: _ } => {
            let rule = format!("every {} is in {references}", list(columns));
            (rule, references_question(flavour, table, columns, references, referenced_columns)?)
        }
        CheckRule::Holds { expr: condition } => {
            (format!("{condition} is not false"), Question::Rows(format!("NOT ({})", expr(condition))))
        }
        CheckRule::Converts { column, from, to, using, options: _ } => {
            let value = using.as_ref().map_or_else(|| quoted(column), |using| format!("({})", expr(using)));
            let condition = convert::violation(&value, from, to);
            let rule = format!("every {column} fits {}", trueup_plan::type_words(to));
            (rule, Question::Rows(condition.unwrap_or_else(|| "FALSE".to_owned())))
        }
        CheckRule::ValuesUnused { column, values } => {
            let labels: Vec<String> = values.iter().map(|value| literal(value)).collect();
            let unused: Vec<String> =
                labels.iter().map(|label| format!("FIND_IN_SET({label}, {}) > 0", quoted(column))).collect();
            (format!("no {} in {column}", labels.join(", ")), Question::Rows(unused.join(" OR ")))
        }
        CheckRule::Indexable { expr: value, condition } => {
            let rule = format!("an index takes {value} of every row");
            (rule, Question::Rows(format!("NOT ({})", expr(condition))))
        }
        CheckRule::Empty => ("that it holds no row".to_owned(), Question::Rows("TRUE".to_owned())),
    };
    Ok(CheckQuery {
        operation: operation.clone(),
        table: table.to_string(),
        rule,
        count: question.count(table),
        sample: question.sample(table, &check.key),
    })
}

pub(super) fn loss(flavour: &Flavour, operation: &OpId, probe: &LossProbe) -> Result<LossQuery, RenderError> {
    let (what, query) = match probe {
        LossProbe::Rows { table } => {
            (format!("rows of {table}"), Query::select().expr(Expr::cust("count(*)")).from(table_ref(table)).take())
        }
        LossProbe::Values { table, column } => (
            format!("values of {table}.{column}"),
            Query::select().expr(Expr::col(iden(column)).count()).from(table_ref(table)).take(),
        ),
        LossProbe::Position { sequence } if flavour.id == trueup_schema::DialectId::MariaDb => (
            format!("position of {sequence}"),
            Query::select().expr(Expr::cust("next_not_cached_value")).from(table_ref(sequence)).take(),
        ),
        LossProbe::Position { .. } => return Err(unsupported(flavour, operation, "there are no sequences")),
    };
    Ok(LossQuery { operation: operation.clone(), what, count: query.to_string(MysqlQueryBuilder) })
}

/// Which rows are violations.
enum Question {
    /// Those where the condition is true.
    Rows(String),
    /// Those among the `filter`ed whose `parts` are not theirs alone; and those that `also` is true of.
    Duplicates { parts: Vec<String>, filter: Vec<String>, also: Option<String> },
}

impl Question {
    fn count(&self, table: &QualName) -> String {
        match self {
            Self::Rows(condition) => {
                rows(Query::select().expr(Expr::cust("count(*)")), table, condition).to_string(MysqlQueryBuilder)
            }
            Self::Duplicates { parts, filter, also } => {
                let mut groups = Query::select();
                groups.expr(Expr::cust("count(*) - 1 AS more")).from(table_ref(table));
                for condition in filter {
                    groups.and_where(Expr::cust(condition.clone()));
                }
                groups.add_group_by(parts.iter().map(|part| Expr::cust(part.clone())));
                groups.and_having(Expr::cust("count(*) > 1"));
                let groups = groups.to_string(MysqlQueryBuilder);
                // A sum is a decimal here, and the count is read as a whole number.
                let duplicates = format!("SELECT CAST(coalesce(sum(d.more), 0) AS SIGNED) FROM ({groups}) AS d");
                match also {
                    None => duplicates,
                    Some(also) => format!("SELECT ({duplicates}) + ({})", Self::Rows(also.clone()).count(table)),
                }
            }
        }
    }

    /// Keys of violating rows; where there is no key, the equal values themselves.
    fn sample(&self, table: &QualName, key: &[Ident]) -> Option<String> {
        let keys: Vec<String> = key.iter().map(quoted).collect();
        match self {
            Self::Rows(condition) if !keys.is_empty() => {
                let mut query = Query::select();
                query.exprs(keys.iter().map(|key| Expr::cust(format!("CAST({key} AS CHAR)"))));
                Some(rows(&mut query, table, condition).limit(SAMPLE).to_string(MysqlQueryBuilder))
            }
            Self::Duplicates { parts, filter, also: _ } => {
                let shown = if keys.is_empty() { parts } else { &keys };
                let columns: Vec<String> =
                    shown.iter().enumerate().map(|(at, it)| format!("CAST({it} AS CHAR) AS k{at}")).collect();
                let condition = if filter.is_empty() { "TRUE".to_owned() } else { filter.join(" AND ") };
                let inner = format!(
                    "SELECT {}, count(*) OVER (PARTITION BY {}) AS n FROM {} WHERE {condition}",
                    columns.join(", "),
                    parts.join(", "),
                    relation(table),
                );
                let names: Vec<String> = (0..shown.len()).map(|at| format!("d.k{at}")).collect();
                Some(format!("SELECT {} FROM ({inner}) AS d WHERE d.n > 1 LIMIT {SAMPLE}", names.join(", ")))
            }
            Self::Rows(_) => None,
        }
    }
}

fn rows<'a>(query: &'a mut SelectStatement, table: &QualName, condition: &str) -> &'a mut SelectStatement {
    query.from(table_ref(table)).and_where(Expr::cust(condition.to_owned()))
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

/// NULLs are unlike each other; a primary key takes none. Of a part with a prefix only that much counts.
fn unique(parts: &[IndexPart], refuses_nulls: bool) -> Question {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match (&part.key, part.prefix) {
            (IndexKey::Column(name), Some(length)) => format!("LEFT({}, {length})", quoted(name)),
            (IndexKey::Column(name), None) => quoted(name),
            (IndexKey::Expr(it), _) => format!("({})", expr(it)),
        })
        .collect();
    let also =
        refuses_nulls.then(|| parts.iter().map(|part| format!("{part} IS NULL")).collect::<Vec<_>>().join(" OR "));
    let filter = parts.iter().map(|part| format!("{part} IS NOT NULL")).collect();
    Question::Duplicates { parts, filter, also }
}

fn references_question(
    flavour: &Flavour,
    table: &QualName,
    columns: &[Ident],
    references: &QualName,
    referenced: &[Ident],
) -> Result<Question, RenderError> {
    if columns.is_empty() || columns.len() != referenced.len() {
        return Err(unsupported(flavour, table, "a foreign key names as many columns on one side as on the other"));
    }
    let outer = |column: &Ident| format!("{}.{}", relation(table), quoted(column));
    let pairs: Vec<String> =
        columns.iter().zip(referenced).map(|(from, to)| format!("r.{} = {}", quoted(to), outer(from))).collect();
    let given: Vec<String> = columns.iter().map(|column| format!("{} IS NOT NULL", outer(column))).collect();
    Ok(Question::Rows(format!(
        "{} AND NOT EXISTS (SELECT 1 FROM {} AS r WHERE {})",
        given.join(" AND "),
        relation(references),
        pairs.join(" AND "),
    )))
}
