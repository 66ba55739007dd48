//! What has no statement is refused by name, never left out.

use trueup_plan::{Change, ColumnPosition, Flavor};
use trueup_schema::{Column, DataType, Generated, Grant, Ident, ObjectRef, QualName, SqlExpr, Table, TableKind, View};

use super::{Postgres, Renderer};

fn refused(change: &Change) -> String {
    Postgres.change(change).unwrap_err().to_string()
}

fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

fn column() -> Column {
    Column::new(Ident::new("c").unwrap(), DataType::builtin("text"))
}

#[test]
fn columns_stay_where_they_are() {
    let change = Change::MoveColumn { table: name("a.t"), column: column(), position: ColumnPosition::First };
    assert_eq!(refused(&change), "`c` cannot be rendered for `postgres`: columns cannot be moved");
    let mut after = column();
    after.generated = Some(Generated { expr: SqlExpr::new("1"), stored: true });
    let change = Change::SetGenerated { table: name("a.t"), before: column(), after };
    assert!(refused(&change).contains("cannot become a generated one"));
    let mut after = column();
    after.attributes.insert("charset".to_owned(), "latin1".to_owned());
    let change = Change::SetColumnAttributes { table: name("a.t"), before: column(), after };
    assert!(refused(&change).contains("no such attribute"));
}

#[test]
fn stored_queries_are_not_replaced() {
    let mut view = View::new(name("a.v"), SqlExpr::new("SELECT 1"));
    view.materialized = true;
    let change = Change::ReplaceView { before: view.clone(), after: view };
    assert!(refused(&change).contains("cannot be replaced"));
}

#[test]
fn tables_of_another_engine_are_not_made() {
    let mut table = Table::new(name("a.t"));
    table.options.strict = true;
    let change = Change::Create { object: trueup_plan::Object::Table(table.clone()) };
    assert!(refused(&change).contains("another engine"));
    table.options.strict = false;
    table.kind = TableKind::Virtual { using: SqlExpr::new("fts5(x)") };
    let change = Change::Create { object: trueup_plan::Object::Table(table) };
    assert!(refused(&change).contains("virtual"));
}

#[test]
fn words_that_are_no_privileges_never_reach_sql() {
    let grant = Grant {
        grantee: "a".to_owned(),
        privilege: "SELECT ON x TO y; DROP TABLE z".to_owned(),
        column: None,
        grantable: false,
    };
    let change = Change::SetGrants {
        on: ObjectRef::Table(name("a.t")),
        flavor: Flavor::Plain,
        before: None,
        after: Some(vec![grant]),
        owner: None,
    };
    assert!(refused(&change).contains("no such privilege"));
}

#[test]
fn roles_are_quoted() {
    let change = Change::SetOwner {
        on: ObjectRef::Table(name("a.t")),
        flavor: Flavor::Plain,
        before: None,
        after: Ident::new("r\"; DROP ROLE x").unwrap(),
    };
    assert_eq!(super::sql(&change), r#"ALTER TABLE "a"."t" OWNER TO "r""; DROP ROLE x""#);
}
