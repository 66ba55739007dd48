//! Enums, and how one takes the place of another.

use trueup_plan::{EnumPosition, TableColumn};
use trueup_schema::{DataType, DialectId, Ident, QualName, UserType, UserTypeKind};

use super::object;
use super::words::{Rendered, run, type_sql, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// What the old enum is called until its last column has left it.
const OLD_SUFFIX: &str = "_trueup_old";

/// The server's own limit for names.
const MAX_NAME_BYTES: usize = 63;

pub(super) fn create(name: &QualName, labels: &[String]) -> Sql {
    let labels = labels.iter().map(|label| Sql::default().literal(label));
    Sql::new("CREATE TYPE").qualified(name).words("AS ENUM").list(labels)
}

pub(super) fn add_value(name: &QualName, value: &str, position: &EnumPosition) -> Rendered {
    let sql = Sql::new("ALTER TYPE").qualified(name).words("ADD VALUE").literal(value);
    Ok(vec![run(&match position {
        EnumPosition::Last => sql,
        EnumPosition::Before(label) => sql.words("BEFORE").literal(label),
        EnumPosition::After(label) => sql.words("AFTER").literal(label),
    })])
}

/// The old enum steps aside, the new one takes its name, every column moves over by its labels, the old one goes.
pub(super) fn rebuild(before: &UserType, after: &UserType, columns: &[TableColumn]) -> Rendered {
    let UserTypeKind::Enum { labels } = &after.kind else {
        return Err(unsupported(&after.name, "only an enum can take an enum's place"));
    };
    let aside = before.name.sibling(old_name(&before.name.name)?);
    let mut statements = vec![
        run(&Sql::new("ALTER TYPE").qualified(&before.name).words("RENAME TO").name(&aside.name)),
        run(&create(&after.name, labels)),
    ];
    let mut rest = columns;
    while let Some(first) = rest.first() {
        let (of_table, others) = rest.split_at(rest.iter().take_while(|it| it.table == first.table).count());
        let actions = of_table.iter().flat_map(convert);
        statements.push(run(&Sql::new("ALTER TABLE").qualified(&first.table).series(actions)));
        rest = others;
    }
    statements.push(run(&Sql::new("DROP TYPE").qualified(&aside)));
    statements.extend(object::extras_of_type(after)?);
    Ok(statements)
}

/// A default is of the old type and cannot follow its column: it goes before and comes back after.
fn convert(column: &TableColumn) -> Vec<Sql> {
    let column = &column.column;
    let alter = || Sql::new("ALTER COLUMN").name(&column.name);
    let becomes = type_sql(&column.data_type);
    let dimensions = match &column.data_type {
        DataType::Named(named) => usize::from(named.dimensions),
        DataType::Builtin(_) => 0,
    };
    let labels = format!("::text{}::{becomes}", "[]".repeat(dimensions));
    let value = format!("{}{labels}", column.name.quoted(DialectId::Postgres));
    let mut actions =
        vec![alter().words("DROP DEFAULT"), alter().words("TYPE").words(becomes).words("USING").words(value)];
    if let Some(default) = &column.default {
        actions.push(alter().words("SET DEFAULT").expr(default));
    }
    actions
}

fn old_name(name: &Ident) -> Result<Ident, RenderError> {
    let mut text = String::new();
    for c in name.as_str().chars() {
        if text.len() + c.len_utf8() + OLD_SUFFIX.len() > MAX_NAME_BYTES {
            break;
        }
        text.push(c);
    }
    super::words::ident(&format!("{text}{OLD_SUFFIX}"))
}

#[cfg(test)]
mod tests {
    use trueup_plan::Statement;

    use super::*;

    #[test]
    fn a_long_name_leaves_room_for_the_suffix() {
        let name = old_name(&Ident::new("ä".repeat(31)).unwrap()).unwrap();
        assert_eq!(name.as_str().len(), 26 * 2 + OLD_SUFFIX.len());
        let statements = add_value(&QualName::parse("a.b").unwrap(), "it's", &EnumPosition::Last).unwrap();
        assert_eq!(statements, [Statement::run(r#"ALTER TYPE "a"."b" ADD VALUE 'it''s'"#)]);
    }
}
