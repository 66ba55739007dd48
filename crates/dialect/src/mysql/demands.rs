//! What a change asks of the rows without saying so.

use trueup_plan::Change;
use trueup_schema::{Column, DialectId, SqlExpr, Table};

use super::conversions::{Family, capacity, digits, family, range};
use super::tokens::tokens;
use super::types::Type;
use crate::Token;

/// The conditions.
pub(crate) fn demands(change: &Change) -> Vec<SqlExpr> {
    if let Change::AddColumn { column, .. } | Change::SetGenerated { after: column, .. } = change {
        computed_fits(column).into_iter().collect()
    } else if let Change::AlterTable { before, after } = change {
        let old = periods(before);
        periods(after).into_iter().filter(|period| !old.contains(period)).collect()
    } else if let Change::SetColumnAttributes { before, after, .. } | Change::AlterColumnType { before, after, .. } =
        change
    {
        reference_system(before, after).into_iter().collect()
    } else {
        Vec::new()
    }
}

/// A column with a spatial reference system takes no values of another (MySQL).
fn reference_system(before: &Column, after: &Column) -> Option<SqlExpr> {
    let number = after.attributes.get("srid").filter(|number| before.attributes.get("srid") != Some(*number))?;
    Some(SqlExpr(format!("ST_SRID({}) = {number}", after.name.quoted(DialectId::MySql))))
}

/// The rules that periods of a table bring along (MariaDB): each begins before it ends.
fn periods(table: &Table) -> Vec<SqlExpr> {
    let Some(text) = &table.options.versioning else { return Vec::new() };
    let list: Vec<Token> = tokens(text.as_str()).into_iter().filter(Token::is_solid).collect();
    let rule = |at: usize| match list.get(at..at + 8)? {
        [first, _, name, _, start, _, end, _] if first.is_word("PERIOD") && !name.is_word("SYSTEM_TIME") => {
            Some(SqlExpr(format!("{} < {}", start.text, end.text)))
        }
        _ => None,
    };
    (0..list.len()).filter_map(rule).collect()
}

/// The condition on rows under which a strict mode lets a stored generated column have its values. What the server rounds is no
/// violation; what it would warn of while it computes is found by asking.
fn computed_fits(column: &Column) -> Option<SqlExpr> {
    let generated = column.generated.as_ref().filter(|generated| generated.stored)?;
    let value = format!("({})", generated.expr);
    let read = Type::read(&column.data_type.to_string());
    let casts = |to: &str| format!("{value} IS NULL OR CAST({value} AS {to}) IS NOT NULL");
    let charset = column.attributes.get("charset").map(String::as_str);
    Some(SqlExpr(match (family(&read), read.name.as_str()) {
        (Family::Integer, "year") => format!("{value} = 0 OR {value} BETWEEN 1901 AND 2155"),
        (Family::Integer, _) => {
            let (low, high) = range(&read);
            format!("ROUND({value}) BETWEEN {low} AND {high}")
        }
        (Family::Decimal, _) => {
            let (whole, part) = digits(&read);
            let digits = |count: u64| "9".repeat(usize::try_from(count).unwrap_or_default());
            let most = if part == 0 { digits(whole) } else { format!("{}.{}", digits(whole), digits(part)) };
            let least = if read.unsigned { "0".to_owned() } else { format!("-{most}") };
            format!("ROUND({value}, {part}) BETWEEN {least} AND {most}")
        }
        (Family::Text, "char" | "varchar") => {
            format!("CHAR_LENGTH(RTRIM(CAST({value} AS CHAR))) <= {}", capacity(&read, charset).1)
        }
        (Family::Text | Family::Bytes, _) => format!("LENGTH({value}) <= {}", capacity(&read, charset).0),
        (Family::Moment, "date") => casts("DATE"),
        (Family::Moment, "time") => casts("TIME(6)"),
        (Family::Moment, _) => casts("DATETIME(6)"),
        (Family::Json, _) => format!("JSON_VALID({value})"),
        (Family::Float | Family::Bit | Family::Members | Family::Tag | Family::Geometry | Family::Other, _) => {
            format!("{value} IS NULL OR LENGTH({value}) >= 0")
        }
    }))
}

#[cfg(test)]
mod tests {
    use trueup_schema::{DataType, Generated, Ident, QualName};

    use super::*;

    #[test]
    fn periods_begin_before_they_end() {
        let plain = Table::new(QualName::parse("s.t").unwrap());
        let mut after = plain.clone();
        after.options.versioning =
            Some(SqlExpr::new("PERIOD FOR `p` (`s`, `e`), PERIOD FOR SYSTEM_TIME (`a`, `b`), WITH SYSTEM VERSIONING"));
        let change =
            |before: &Table, after: &Table| Change::AlterTable { before: before.clone(), after: after.clone() };
        assert_eq!(demands(&change(&plain, &after)), [SqlExpr::new("`s` < `e`")]);
        assert_eq!(demands(&change(&after, &plain)), []);
    }

    #[test]
    fn a_reference_system_is_that_of_every_value() {
        let plain = Column::new(Ident::new("p").unwrap(), DataType::builtin("point"));
        let mut after = plain.clone();
        after.attributes.insert("srid".to_owned(), "4326".to_owned());
        let table = QualName::parse("s.t").unwrap();
        let change = |before: &Column, after: &Column| Change::SetColumnAttributes {
            table: table.clone(),
            before: before.clone(),
            after: after.clone(),
        };
        assert_eq!(demands(&change(&plain, &after)), [SqlExpr::new("ST_SRID(`p`) = 4326")]);
        assert_eq!(demands(&change(&after, &plain)), []);
    }

    #[test]
    fn what_is_computed_and_stored_must_fit() {
        let fits = |data_type: &str, stored| {
            let mut column = Column::new(Ident::new("g").unwrap(), DataType::builtin(data_type));
            column.generated = Some(Generated { expr: SqlExpr::new("`a` / `b`"), stored });
            computed_fits(&column).map(|expr| expr.0)
        };
        assert_eq!(fits("tinyint", true).as_deref(), Some("ROUND((`a` / `b`)) BETWEEN -128 AND 127"));
        assert_eq!(fits("decimal(5,2) unsigned", true).as_deref(), Some("ROUND((`a` / `b`), 2) BETWEEN 0 AND 999.99"));
        assert_eq!(fits("varchar(45)", true).as_deref(), Some("CHAR_LENGTH(RTRIM(CAST((`a` / `b`) AS CHAR))) <= 45"));
        assert_eq!(fits("varchar(45)", false), None);
    }
}
