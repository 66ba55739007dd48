//! The questions that an engine answers.

use trueup_plan::{Budgets, Change, Expected, Hazard, LiveFacts, TxClass};
use trueup_schema::{Column, DataType, DialectId, Ident, ObjectRef, Partitioning, Schema, SqlExpr, Table};
use trueup_snapshot::Normalise;

use crate::{Capabilities, Token};

/// How one engine, at one version, thinks. Pure: nothing here touches a server.
///
/// No method has a default body: a new engine replies to all of them or does not compile. Shared code asks these questions and
/// [`Capabilities`], never the engine's name.
pub trait Dialect: Normalise {
    /// Which engine it is.
    fn id(&self) -> DialectId;

    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// How the engine carries out `change`.
    fn verdict(&self, change: &Change, tables: Tables<'_>) -> Verdict;

    /// Whether a column of `schema` can be dropped in place without touching anything else. Where not, its table is written anew.
    fn drops_columns_alone(&self, schema: &Schema) -> bool;

    /// What becomes of values when a column's type or collation changes. `tables` says what the column is part of.
    fn type_change(&self, before: &Column, after: &Column, using: Option<&SqlExpr>, facts: &LiveFacts) -> TypeChange;

    /// What running `change` blocks, rewrites and scans. `is_new` says that its table is made by the same plan.
    fn forecast(&self, change: &Change, is_new: bool, facts: &LiveFacts) -> Vec<Hazard>;

    /// The same of the form that leaves readers and writers of an existing table alone, where the engine has one.
    fn forecast_online(&self, change: &Change, facts: &LiveFacts) -> Vec<Hazard>;

    /// How `change` stands to transactions.
    fn tx_class(&self, change: &Change) -> TxClass;

    /// How long `change` may wait and run, by what is foreseen of it. One that should read and write no rows is given a short time where
    /// the engine has no other words for that: if it was foreseen wrongly, it is stopped, and rolled back.
    fn budgets(&self, change: &Change, is_new: bool, hazards: &[Hazard]) -> Budgets;

    /// The name that the engine gives by itself to a constraint, index or sequence.
    fn generated_name(&self, kind: NameKind, table: &Ident, columns: &[Ident]) -> Option<Ident>;

    /// What two names must share to be the same name on this server.
    fn fold(&self, name: &Ident) -> String;

    /// Names that this engine would refuse, cut off, or take for one another.
    fn check_names(&self, schema: &Schema) -> Vec<BadName>;

    /// Whether `dependent`, which uses the object of `change`, must be dropped before it and made again after it. Also true where the
    /// engine would carry the change out, but leave the dependent stale.
    fn in_the_way(&self, change: &Change, dependent: &ObjectRef) -> bool;

    /// What the engine does to a dependent when an object is renamed.
    fn carries(&self, rename: &Change, dependent: &ObjectRef) -> Carries;

    /// Whether two changes of one table may share one ALTER, without a worse algorithm or lock than apart.
    fn may_merge(&self, first: &Change, second: &Change) -> bool;

    /// Which rows an index over `expr` can be made for.
    fn indexable(&self, expr: &SqlExpr) -> Indexable;

    /// What a row must satisfy to have a place in one of the partitions. None where every row has one, or that cannot be asked.
    fn has_place(&self, partitioning: &Partitioning) -> Option<SqlExpr>;

    /// What one ALTER of an existing table takes for all of `changes`, in words that the engine lets the statement assert, and then what
    /// it may take instead. Nothing where that is not known, or the engine has no such words. Of a table that `is_empty` all is cheap.
    fn expects(&self, changes: &[&Change], tables: Tables<'_>, is_empty: bool) -> Vec<Expected>;

    /// What of a table's definition, as the server prints it in `shown`, is not in `own`, which is said of what was read; or the other
    /// way round. None where both say the same, and on engines that print no definition of their own.
    fn misread(&self, table: &Table, own: &str, shown: &str) -> Option<String>;

    /// What of a table's definition, as the server prints it in `shown`, is not in `own`, which is said of what was read. Unlike
    /// [`Dialect::misread`] it takes no offence at what was read and is not printed.
    fn unread(&self, table: &Table, own: &str, shown: &str) -> Option<String>;

    /// The text of `expr` as the engine would print it, where that needs no server: literals, NULL, current-timestamp forms,
    /// casts that it prints one way. `data_type` is the type it is assigned to.
    fn canonical_expr(&self, expr: &SqlExpr, data_type: Option<&DataType>) -> Option<SqlExpr>;

    /// Conditions that every row must satisfy besides what the change itself says, for the engine to carry it out: where it computes
    /// values outside of a transaction and refuses those that do not fit, or brings a rule of its own along.
    fn demands(&self, change: &Change, tables: Tables<'_>) -> Vec<SqlExpr>;

    /// How many locks a transaction with the change holds at most until its end, where the server has room for so many and no more.
    fn locks(&self, change: &Change) -> u64 {
        let _ = change;
        0
    }

    /// The server's room for locks. None where there is no such limit, or it was not read.
    fn lock_table(&self, facts: &LiveFacts) -> Option<LockTable> {
        let _ = facts;
        None
    }

    /// The tokens that carry the meaning of an expression: no blanks, no comments, nothing that the engine writes one way today and another
    /// way after the next ALTER.
    fn meaning(&self, sql: &str) -> Vec<Token> {
        self.tokens(sql).into_iter().filter(Token::is_solid).collect()
    }

    /// Splits SQL text into tokens by the engine's lexical rules. Joined again, the tokens give the text back.
    fn tokens(&self, sql: &str) -> Vec<Token>;
}

/// A server's room for the locks of all its transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockTable {
    /// How many there may be.
    pub entries: u64,
    /// The setting that says so.
    pub setting: &'static str,
}

/// The table that a change is part of, on both sides.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tables<'a> {
    /// As it is.
    pub before: Option<&'a Table>,
    /// As it will be.
    pub after: Option<&'a Table>,
}

/// How an engine carries out a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// In place.
    InPlace,
    /// By dropping the part or object and making it again; stored rows of the table stay.
    Replace,
    /// By writing the whole table anew.
    Rebuild,
    /// Not at all.
    Blocked {
        /// A stable word for the reason.
        code: &'static str,
        /// Why.
        why: String,
        /// What to do instead.
        fix: String,
    },
}

/// What becomes of a column's values under another type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeChange {
    /// Every value stays as it is.
    Keeps {
        /// Whether the table is written anew all the same.
        rewrite: bool,
    },
    /// Every value converts, but some may not fit: rows are asked.
    Guarded {
        /// Whether the table is written anew.
        rewrite: bool,
    },
    /// Values lose something that cannot be told from the rows beforehand.
    Lossy {
        /// What they lose.
        what: String,
        /// Whether the table is written anew.
        rewrite: bool,
    },
    /// The engine has no conversion that it would do by itself.
    NeedsUsing {
        /// Why.
        why: String,
        /// What a person could write; `None` where the engine takes no expression for it.
        suggestion: Option<String>,
    },
}

/// Which rows an index over an expression can be made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indexable {
    /// For all that the expression can be computed for.
    Always,
    /// For those that satisfy this condition.
    If(SqlExpr),
    /// The engine refuses some, and which cannot be asked.
    Unknown,
}

/// What happens to a dependent when what it uses is renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carries {
    /// It follows.
    Carried,
    /// It follows, but keeps a trace of the old name that is diffed like any change.
    CarriedBut(&'static str),
    /// It is left stale or stands in the way: drop it before and make it again after.
    Not,
}

/// What a generated name is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// A primary key.
    PrimaryKey,
    /// A unique constraint.
    Unique,
    /// A check.
    Check,
    /// A foreign key.
    ForeignKey,
    /// An exclusion.
    Exclude,
    /// An index.
    Index,
    /// A sequence of a column.
    Sequence,
    /// A NOT NULL, where it is a constraint with a name.
    NotNull,
}

/// A name that the engine cannot take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadName {
    /// The object.
    pub object: ObjectRef,
    /// What is wrong, naming the object.
    pub why: String,
}
