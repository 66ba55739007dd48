use super::{Problem, validate};
use crate::{
    Column, Constraint, ConstraintKind, DataType, DialectId, ForeignKey, Ident, Index, IndexPart, Key, QualName,
    Schema, Table, UserType, UserTypeKind,
};

fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn table(name: &str, columns: &[&str]) -> Table {
    let mut table = Table::new(QualName::parse(name).unwrap());
    table.columns = columns.iter().map(|column| Column::new(ident(column), DataType::builtin("integer"))).collect();
    table
}

fn key(columns: &[&str]) -> Key {
    Key {
        columns: columns.iter().map(|column| IndexPart::column(ident(column))).collect(),
        include: Vec::new(),
        nulls_not_distinct: false,
        without_overlaps: false,
    }
}

fn foreign_key(columns: &[&str], references: &str, referenced: &[&str]) -> ForeignKey {
    ForeignKey {
        columns: columns.iter().map(|column| ident(column)).collect(),
        references: QualName::parse(references).unwrap(),
        referenced_columns: referenced.iter().map(|column| ident(column)).collect(),
        on_delete: crate::FkAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: crate::FkAction::NoAction,
        match_type: None,
        period: false,
    }
}

fn found(dialect: DialectId, tables: Vec<Table>) -> Vec<String> {
    let mut schema = Schema::new(dialect);
    for table in tables {
        schema.insert(table);
    }
    validate(&schema).iter().map(ToString::to_string).collect()
}

#[test]
fn a_sound_schema_has_no_findings() {
    let mut users = table("shop.users", &["id", "email"]);
    users.constraints.push(Constraint::new(Some(ident("users_pkey")), ConstraintKind::PrimaryKey(key(&["id"]))));
    users.indexes.push(Index::new(ident("users_email"), vec![IndexPart::column(ident("email"))]));
    let mut orders = table("shop.orders", &["user_id"]);
    let to_users = ConstraintKind::ForeignKey(foreign_key(&["user_id"], "shop.users", &["id"]));
    orders.constraints.push(Constraint::new(Some(ident("orders_user")), to_users));
    let outside = ConstraintKind::ForeignKey(foreign_key(&["user_id"], "elsewhere.people", &["id"]));
    orders.constraints.push(Constraint::new(Some(ident("orders_person")), outside));
    assert_eq!(found(DialectId::Postgres, vec![users, orders]), [""; 0]);
}

#[test]
fn columns_that_are_named_must_exist() {
    let mut users = table("users", &["id", "id"]);
    users.constraints.push(Constraint::new(None, ConstraintKind::PrimaryKey(key(&["uid"]))));
    users.constraints.push(Constraint::new(Some(ident("u")), ConstraintKind::Unique(key(&[]))));
    users.indexes.push(Index::new(ident("i"), vec![IndexPart::column(ident("mail"))]));
    assert_eq!(
        found(DialectId::Sqlite, vec![users]),
        [
            "table `users` has two columns called `id`",
            "table `users` names column `uid`, which does not exist",
            "constraint `users.u` names no columns",
            "index `users.i` names column `mail`, which does not exist",
        ]
    );
}

#[test]
fn foreign_keys_must_fit_their_target() {
    let mut orders = table("orders", &["a", "b"]);
    let mut push = |name, key| {
        orders.constraints.push(Constraint::new(Some(ident(name)), ConstraintKind::ForeignKey(key)));
    };
    push("f1", foreign_key(&["a"], "orders", &["a", "b"]));
    push("f2", foreign_key(&["a"], "orders", &["c"]));
    push("f3", foreign_key(&["a"], "nowhere", &["c"]));
    assert_eq!(
        found(DialectId::Postgres, vec![orders]),
        [
            "constraint `orders.f1` has 1 columns but references 2",
            "constraint `orders.f2` references column `c`, which table `orders` does not have",
            "constraint `orders.f3` names `nowhere`, which is not in the schema",
        ]
    );
}

#[test]
fn names_are_told_apart_as_the_engine_does() {
    assert_eq!(found(DialectId::Postgres, vec![table("t", &["id", "ID"])]), [""; 0]);
    assert_eq!(found(DialectId::Sqlite, vec![table("t", &["id", "ID"])]), ["table `t` has two columns called `ID`"]);
    assert_eq!(found(DialectId::Postgres, vec![table("t", &[])]), [""; 0]);
    assert_eq!(found(DialectId::MariaDb, vec![table("t", &[])]), ["table `t` has no columns"]);
    assert_eq!(found(DialectId::Sqlite, vec![table("a.t", &["id"])]).len(), 1);
}

#[test]
fn one_name_space_holds_keys_and_indexes() {
    let mut users = table("users", &["id"]);
    users.constraints.push(Constraint::new(Some(ident("x")), ConstraintKind::Unique(key(&["id"]))));
    let to_self = ConstraintKind::ForeignKey(foreign_key(&["id"], "users", &["id"]));
    users.constraints.push(Constraint::new(Some(ident("x")), to_self));
    users.indexes.push(Index::new(ident("x"), vec![IndexPart::column(ident("id"))]));
    let both = ["table `users` has two constraints called `x`", "table `users` has two indexes called `x`"];
    assert_eq!(found(DialectId::Postgres, vec![users.clone()]), both);
    assert_eq!(found(DialectId::MySql, vec![users.clone()]), both[1..]);
    assert_eq!(found(DialectId::Sqlite, vec![users]), [""; 0]);
}

#[test]
fn labels_and_types() {
    let mut schema = Schema::new(DialectId::Postgres);
    let labels = vec!["sad".to_owned(), "ok".to_owned(), "sad".to_owned()];
    schema.insert(UserType {
        name: QualName::parse("mood").unwrap(),
        kind: UserTypeKind::Enum { labels },
        common: crate::Common::default(),
    });
    let mut users = table("users", &["id"]);
    users.columns[0].data_type = DataType::named(QualName::parse("moot").unwrap());
    schema.insert(users);
    let found = validate(&schema);
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        ["type `mood` has the label `sad` twice", "column `users.id` has type `moot`, which is not in the schema"]
    );
    assert!(!found[0].problem.is_dangling());
    assert!(found[1].problem.is_dangling());
    assert!(matches!(found[1].problem, Problem::UnknownType(_)));
}
