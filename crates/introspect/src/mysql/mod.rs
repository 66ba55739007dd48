//! MySQL, and what MariaDB is read alike.
//!
//! Eight statements, however many objects there are, and SHOW CREATE of each object that the catalog mangles, fifty in one trip:
//!
//! | what | from |
//! |---|---|
//! | databases, tables, columns, indexes, foreign keys, checks | `information_schema`, one statement for each kind, database by database in UNION ALL: the servers look into one database only where its name stands in an equation; two of these tables are never joined |
//! | defaults and generation expressions, functional parts, checks | the same; where they hold a quote, backslash or rare character that the catalog mangles, SHOW CREATE TABLE |
//! | parsers of full-text indexes, partitions, periods, options of vector indexes | SHOW CREATE TABLE |
//! | views | SHOW CREATE VIEW: the catalog drops charset introducers, and on MySQL the algorithm |
//! | routines | SHOW CREATE: the catalog has no argument list as one text |
//! | triggers | SHOW CREATE: the server keeps the text that each was made with |
//! | events | the catalog; the body from SHOW CREATE where it holds a quote or rare character |
//! | sequences (MariaDB) | SHOW CREATE SEQUENCE |
//!
//! **Own database.** Texts name their own database nowhere, so that the same schema in two databases reads the same: see
//! `trueup_dialect::mysql::drop_qualifier`. Who runs such a text makes that database the default one first.
//!
//! **Unique keys** are indexes, the primary key alone is a constraint: on these servers a unique key is an index and nothing else.
//!
//! **Attributes of columns** beyond the documented: `extra` (whatever the catalog says of a column and this version does not know),
//! `without_versioning`, `row` (`start` or `end`) on MariaDB. **Parameters of indexes**: `parser`, `invisible` (MariaDB: IGNORED),
//! `without_overlaps` (the period's name), `key_block_size`, `m`, `distance`.
//!
//! **Spelled out.** Three things are remembered because they were written, mean nothing, and are told by SHOW CREATE TABLE alone: the
//! method of an index where it is the engine's own, a size of key blocks, and on MySQL a column's character set that is the table's. They
//! are read of every table on demand ([`Request::spelled`](crate::Request), [`spelling_of`]), are in no hash, and differ only from
//! what was read as well.
//!
//! **Lost on the server itself**: characters beyond the basic plane in members of an enum or set, and in comments of tables, are kept as
//! `?` by the servers' own catalogs and SHOW CREATE alike.
//!
//! Whether a table is understood completely is told by comparing its SHOW CREATE TABLE, token by token, with what the renderer prints for
//! the [`Table`](trueup_schema::Table) read here. [`Shown`](shown::Shown) is what such a comparison starts from.

mod assemble;
pub(crate) mod catalog;
mod code;
pub(crate) mod definitions;
mod depends;
mod flavour;
pub(crate) mod queries;
pub(crate) mod read;
mod sequence;
pub(crate) mod shown;
mod spelling;

pub use flavour::{introspect, settings};
pub use spelling::spelling_of;
