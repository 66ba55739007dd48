//! What stands by itself, and what there is no statement for.

use insta::assert_snapshot;
use trueup_plan::{Change, ColumnPosition, Flavor};
use trueup_schema::{Extension, ObjectRef, OpaqueId, PartId};

use super::*;

#[test]
fn renames() {
    let table = |text: &str| ObjectRef::Table(name(text));
    let part = |text: &str| PartId { table: name("shop.t"), name: ident(text) };
    let event = |text: &str| {
        ObjectRef::Opaque(OpaqueId {
            kind: "event".to_owned(),
            namespace: Some(ident("shop")),
            table: None,
            name: text.to_owned(),
        })
    };
    let rename = |from, to| Change::Rename { from, to, flavor: Flavor::Plain };
    assert_snapshot!(mysql(&rename(table("shop.a"), table("log.b"))), @"RENAME TABLE `shop`.`a` TO `log`.`b`");
    assert_snapshot!(mysql(&rename(ObjectRef::View(name("shop.a")), ObjectRef::View(name("shop.b")))), @"RENAME TABLE `shop`.`a` TO `shop`.`b`");
    assert_snapshot!(mysql(&rename(ObjectRef::Column(part("a")), ObjectRef::Column(part("b")))), @"ALTER TABLE `shop`.`t` RENAME COLUMN `a` TO `b`");
    assert_snapshot!(mysql(&rename(ObjectRef::Index(part("a")), ObjectRef::Index(part("b")))), @"ALTER TABLE `shop`.`t` RENAME KEY `a` TO `b`");
    assert_snapshot!(mysql(&rename(event("a"), event("b"))), @"ALTER EVENT `shop`.`a` RENAME TO `shop`.`b`");
    assert!(MySql(&MYSQL).change(&rename(ObjectRef::Trigger(part("a")), ObjectRef::Trigger(part("b")))).is_err());
}

#[test]
fn rows_are_filled_where_there_is_nothing() {
    let change =
        Change::Backfill { table: name("shop.t"), column: column("a", "int"), value: SqlExpr::new("1 -- one") };
    assert_snapshot!(mysql(&change), @r"
    UPDATE `shop`.`t` SET `a` = 1 -- one
     WHERE `a` IS NULL
    ");
    let add = Change::AddColumn { table: name("shop.t"), column: column("a", "int"), position: ColumnPosition::Last };
    assert_snapshot!(mysql(&add), @"ALTER TABLE `shop`.`t` ADD COLUMN `a` int");
    assert_eq!(mysql(&Change::Adopt { object: ObjectRef::Table(name("shop.t")) }), "");
}

#[test]
fn what_the_server_does_not_have_is_no_statement() {
    let extension = |version: &str| Extension {
        name: ident("x"),
        namespace: None,
        version: Some(version.to_owned()),
        common: trueup_schema::Common::default(),
    };
    let change = Change::AlterExtension { before: extension("1"), after: extension("2") };
    let error = MySql(&MYSQL).change(&change).unwrap_err();
    assert_eq!(error.to_string(), "`alter-extension` cannot be rendered for `mysql`: there is no statement for it");
}
