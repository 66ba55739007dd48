//! Every change there is, in both servers' words or with the reason why there are none.

use insta::assert_snapshot;
use trueup_plan::samples::{VARIANTS, sample_changes, variant};
use trueup_plan::{Change, OpId};

use super::*;

/// What is said of the change. A column is said with its table.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other change is said by itself")]
fn said(flavour: &'static Flavour, change: &Change) -> String {
    let (name, before, after) = match change {
        Change::AddColumn { table, column, .. } => (table, None, Some(column)),
        Change::DropColumn { table, column } => (table, Some(column), None),
        Change::MoveColumn { table, column, .. } => (table, Some(column), Some(column)),
        Change::AlterColumnType { table, before, after, .. }
        | Change::SetDefault { table, before, after }
        | Change::SetNotNull { table, before, after }
        | Change::DropNotNull { table, before, after }
        | Change::SetIdentity { table, before, after }
        | Change::SetGenerated { table, before, after }
        | Change::SetColumnAttributes { table, before, after } => (table, Some(before), Some(after)),
        _ => return words(MySql(flavour).change(change)),
    };
    let table = |column: Option<&Column>| {
        let mut table = Table::new(name.clone());
        table.columns.push(super::column("first", "int"));
        table.columns.extend(column.cloned());
        table
    };
    words(MySql(flavour).merged(&table(before), &table(after), &[change], &[]))
}

fn words(said: Result<Vec<Statement>, crate::RenderError>) -> String {
    match said {
        Ok(statements) if statements.is_empty() => "nothing".to_owned(),
        Ok(statements) => text(statements),
        Err(error) => format!("no words: {error}"),
    }
}

#[test]
fn every_change_has_words_or_a_reason() {
    let changes = sample_changes();
    assert!(VARIANTS.iter().all(|name| changes.iter().any(|change| variant(change) == *name)));
    let mut all = Vec::new();
    for change in &changes {
        let (mysql, mariadb) = (said(&MYSQL, change), said(&MARIADB, change));
        all.push(format!("-- {}\n{mysql}", OpId::of(change)));
        if mariadb != mysql.replace("`mysql`", "`mariadb`") {
            all.push(format!("-- on MariaDB\n{mariadb}"));
        }
    }
    assert_snapshot!(all.join("\n"), @r"
    -- create-namespace:depot
    CREATE DATABASE `depot`
    -- create-extension:hstore
    no words: `hstore` cannot be rendered for `mysql`: there are no objects of its kind
    -- create-type:shop.letter
    no words: `shop.letter` cannot be rendered for `mysql`: there are no objects of its kind
    -- create-sequence:shop.evens
    no words: `shop.evens` cannot be rendered for `mysql`: there are no sequences
    -- on MariaDB
    CREATE SEQUENCE `shop`.`evens` INCREMENT BY 2
    -- create-table:shop.customers
    no words: `id` cannot be rendered for `mysql`: columns count up by AUTO_INCREMENT alone
    -- create-view:shop.other
    USE `shop`;
    CREATE VIEW `shop`.`other` (`id`) AS select 1
    -- create-index:shop.users.users_other_idx
    ALTER TABLE `shop`.`users` ADD KEY `users_other_idx` (`age`)
    -- create-routine:shop.thrice(integer)
    USE `shop`;
    select 3 * a
    -- create-trigger:shop.users.other
    USE `shop`;
    CREATE TRIGGER watch AFTER INSERT ON shop.users EXECUTE FUNCTION shop.twice()
    -- create-policy:shop.users.other
    no words: `shop.users.other` cannot be rendered for `mysql`: there are no objects of its kind
    -- create-rule:shop.users.loud
    USE `shop`;
    CREATE RULE quiet AS ON DELETE TO shop.users DO INSTEAD NOTHING
    -- drop-namespace:shop
    DROP DATABASE `shop`
    -- drop-extension:citext
    no words: `citext` cannot be rendered for `mysql`: there are no objects of its kind
    -- drop-type:shop.span
    no words: `shop.span` cannot be rendered for `mysql`: there are no objects of its kind
    -- drop-sequence:shop.numbers
    no words: `shop.numbers` cannot be rendered for `mysql`: there are no sequences
    -- on MariaDB
    DROP SEQUENCE `shop`.`numbers`
    -- drop-table:shop.users
    DROP TABLE `shop`.`users`
    -- drop-view:shop.adults
    DROP VIEW `shop`.`adults`
    -- drop-index:shop.users.users_age_idx
    ALTER TABLE `shop`.`users` DROP KEY `users_age_idx`
    -- drop-routine:shop.twice(integer)
    DROP FUNCTION `shop`.`twice`
    -- drop-trigger:shop.users.watch
    DROP TRIGGER `shop`.`watch`
    -- drop-policy:shop.users.own
    no words: `shop.users.own` cannot be rendered for `mysql`: there are no objects of its kind
    -- drop-rule:shop.users.quiet
    USE `shop`;
    DROP RULE quiet ON shop.users
    -- adopt:shop.users
    nothing
    -- rename-table:shop.users
    RENAME TABLE `shop`.`users` TO `shop`.`people`
    -- rename-view:shop.adults
    RENAME TABLE `shop`.`adults` TO `shop`.`elders`
    -- rename-column:shop.users.age
    ALTER TABLE `shop`.`users` RENAME COLUMN `age` TO `years`
    -- rename-constraint:shop.users.users_age_check
    no words: `shop.users.users_age_check` cannot be rendered for `mysql`: it cannot be renamed
    -- rename-index:shop.users.users_age_idx
    ALTER TABLE `shop`.`users` RENAME KEY `users_age_idx` TO `by_age`
    -- rename-sequence:shop.numbers
    RENAME TABLE `shop`.`numbers` TO `shop`.`counts`
    -- rename-type:shop.amount
    no words: `shop.amount` cannot be rendered for `mysql`: it cannot be renamed
    -- rename-trigger:shop.users.watch
    no words: `shop.users.watch` cannot be rendered for `mysql`: it cannot be renamed
    -- rename-policy:shop.users.own
    no words: `shop.users.own` cannot be rendered for `mysql`: it cannot be renamed
    -- alter-namespace:shop
    ALTER DATABASE `shop` COLLATE binary
    -- alter-extension:citext
    no words: `alter-extension` cannot be rendered for `mysql`: there is no statement for it
    -- add-enum-value:shop.mood:calm
    no words: `add-enum-value` cannot be rendered for `mysql`: there is no statement for it
    -- rebuild-enum:shop.mood
    no words: `rebuild-enum` cannot be rendered for `mysql`: there is no statement for it
    -- set-domain-default:shop.amount
    no words: `set-domain-default` cannot be rendered for `mysql`: there is no statement for it
    -- set-domain-not-null:shop.amount
    no words: `set-domain-not-null` cannot be rendered for `mysql`: there is no statement for it
    -- add-domain-check:shop.amount:small
    no words: `add-domain-check` cannot be rendered for `mysql`: there is no statement for it
    -- drop-domain-check:shop.amount:positive
    no words: `drop-domain-check` cannot be rendered for `mysql`: there is no statement for it
    -- validate-domain-check:shop.amount:positive
    no words: `validate-domain-check` cannot be rendered for `mysql`: there is no statement for it
    -- add-attribute:shop.address:city
    no words: `add-attribute` cannot be rendered for `mysql`: there is no statement for it
    -- drop-attribute:shop.address:street
    no words: `drop-attribute` cannot be rendered for `mysql`: there is no statement for it
    -- alter-attribute-type:shop.address:street
    no words: `alter-attribute-type` cannot be rendered for `mysql`: there is no statement for it
    -- alter-sequence:shop.numbers
    no words: `shop.numbers` cannot be rendered for `mysql`: there are no sequences
    -- on MariaDB
    ALTER SEQUENCE `shop`.`numbers` INCREMENT BY 10
    -- set-sequence-owner:shop.numbers
    no words: `set-sequence-owner` cannot be rendered for `mysql`: there is no statement for it
    -- alter-table:shop.users
    no words: `shop.users` cannot be rendered for `mysql`: it has options of another engine
    -- attach-partition:shop.events_new
    no words: `attach-partition` cannot be rendered for `mysql`: there is no statement for it
    -- detach-partition:shop.events_old
    no words: `detach-partition` cannot be rendered for `mysql`: there is no statement for it
    -- set-row-security:shop.users
    no words: `set-row-security` cannot be rendered for `mysql`: there is no statement for it
    -- add-column:shop.users.city
    ALTER TABLE `shop`.`users` ADD COLUMN `city` text
    -- drop-column:shop.users.email
    ALTER TABLE `shop`.`users` DROP COLUMN `email`
    -- alter-column-type:shop.users.age
    no words: `age` cannot be rendered for `mysql`: an ALTER converts values in the server's own way
    -- set-default:shop.users.age
    ALTER TABLE `shop`.`users` MODIFY COLUMN `age` integer DEFAULT 0
    -- drop-default:shop.users.state
    no words: `shop.mood` cannot be rendered for `mysql`: there are no named types
    -- set-not-null:shop.users.age
    ALTER TABLE `shop`.`users` MODIFY COLUMN `age` integer NOT NULL
    -- drop-not-null:shop.users.email
    ALTER TABLE `shop`.`users` MODIFY COLUMN `email` text
    -- set-identity:shop.users.id
    ALTER TABLE `shop`.`users` MODIFY COLUMN `id` integer NOT NULL
    -- set-generated:shop.users.total
    ALTER TABLE `shop`.`users` MODIFY COLUMN `total` integer
    -- set-column-attributes:shop.users.age
    no words: `age: statistics` cannot be rendered for `mysql`: columns have no such attribute
    -- move-column:shop.users.age
    ALTER TABLE `shop`.`users` MODIFY COLUMN `age` integer AFTER `first`
    -- backfill:shop.users.age
    UPDATE `shop`.`users` SET `age` = 0 WHERE `age` IS NULL
    -- add-constraint:shop.users.users_email_key
    ALTER TABLE `shop`.`users` ADD UNIQUE KEY `users_email_key` (`email`)
    -- add-constraint:shop.users:unique(age)
    ALTER TABLE `shop`.`users` ADD UNIQUE KEY (`age`)
    -- add-constraint:shop.users.users_id_check
    ALTER TABLE `shop`.`users` ADD CONSTRAINT `users_id_check` CHECK (id > 0)
    -- drop-constraint:shop.users.users_age_check
    ALTER TABLE `shop`.`users` DROP CHECK `users_age_check`
    -- on MariaDB
    ALTER TABLE `shop`.`users` DROP CONSTRAINT `users_age_check`
    -- validate-constraint:shop.users.users_email_check
    no words: `validate-constraint` cannot be rendered for `mysql`: there is no statement for it
    -- alter-constraint:shop.users.users_team_fkey
    no words: `users_team_fkey` cannot be rendered for `mysql`: constraints are checked at once, on every row
    -- alter-index:shop.users.users_age_idx
    ALTER TABLE `shop`.`users` DROP KEY `users_age_idx`, ADD KEY `users_age_idx` (`age`) fillfactor='70'
    -- replace-view:shop.adults
    USE `shop`;
    CREATE OR REPLACE VIEW `shop`.`adults` AS select id from shop.users where age > 17
    -- alter-view:shop.adults
    USE `shop`;
    CREATE OR REPLACE VIEW `shop`.`adults` AS select id from shop.users
    -- replace-routine:shop.twice(integer)
    DROP FUNCTION `shop`.`twice`;
    USE `shop`;
    select a + a
    -- set-trigger-enabled:shop.users.watch
    no words: `set-trigger-enabled` cannot be rendered for `mysql`: there is no statement for it
    -- alter-policy:shop.users.own
    no words: `alter-policy` cannot be rendered for `mysql`: there is no statement for it
    -- alter-publication:feed
    no words: `alter-publication` cannot be rendered for `mysql`: there is no statement for it
    -- set-comment:shop.users
    ALTER TABLE `shop`.`users` COMMENT='People'
    -- set-grants:shop.users
    no words: `set-grants` cannot be rendered for `mysql`: there is no statement for it
    -- set-owner:shop.users
    no words: `set-owner` cannot be rendered for `mysql`: there is no statement for it
    ");
}
