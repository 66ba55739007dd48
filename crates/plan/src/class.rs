//! What an operation may cost.

use serde::{Deserialize, Serialize};
use trueup_schema::{DataType, Ident, IndexPart, QualName, SqlExpr, TableOptions};

/// The cost verdict on an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "class")]
pub enum Class {
    /// No data is lost, and rows cannot make it fail.
    Safe,
    /// Right only if the rows allow it; the operation's data checks say whether they do.
    Guarded,
    /// Destroys stored data. Needs consent for this very operation.
    Lossy {
        /// What is lost, for a person.
        what: String,
    },
    /// No order of statements does it safely, or the intent is ambiguous.
    Blocked {
        /// A stable word for the reason: `ambiguous-rename`, `needs-using`, `unverified-text`…
        code: String,
        /// Why.
        why: String,
        /// What to change instead.
        fix: String,
    },
}

impl Class {
    /// The word in output and documents.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Guarded => "guarded",
            Self::Lossy { .. } => "lossy",
            Self::Blocked { .. } => "blocked",
        }
    }
}

/// A warning with a stable code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hazard {
    /// What sort of warning.
    pub code: HazardCode,
    /// The words for a person.
    pub message: String,
}

/// Sorts of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HazardCode {
    /// Takes away a rule that protected something: a policy, row security, a trigger, a narrower grant. Shown first.
    RemovesProtection,
    /// Blocks reads or writes of an existing table while it runs.
    Lock,
    /// Writes a table anew.
    Rewrite,
    /// Reads a whole table.
    Scan,
    /// Running code may not expect it: a rename, a drop, a new NOT NULL.
    BreaksRunningCode,
    /// Cannot run inside a transaction, or needs a commit before the next use.
    NotTransactional,
    /// Queries may get slower until something is rebuilt or analysed.
    Performance,
    /// trueup could not see everything that may depend on it.
    UntrackedDependencies,
}

impl HazardCode {
    /// The word in output and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RemovesProtection => "removes-protection",
            Self::Lock => "lock",
            Self::Rewrite => "rewrite",
            Self::Scan => "scan",
            Self::BreaksRunningCode => "breaks-running-code",
            Self::NotTransactional => "not-transactional",
            Self::Performance => "performance",
            Self::UntrackedDependencies => "untracked-dependencies",
        }
    }
}

/// A read-only question to the rows that must have no counter-example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataCheck {
    /// The table asked, under its name before the plan.
    pub table: QualName,
    /// Columns that tell its rows apart, by their names before the plan: the primary key's. Samples show them; none, no sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<Ident>,
    /// The question.
    pub rule: CheckRule,
}

/// What rows must satisfy. Names are those before the plan, renames undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum CheckRule {
    /// No NULL in the column.
    NotNull {
        /// The column.
        column: Ident,
    },
    /// No two rows with an equal key.
    Unique {
        /// The key.
        parts: Vec<IndexPart>,
        /// Whether NULLs count as equal.
        nulls_not_distinct: bool,
        /// Whether a NULL in a part is a violation by itself (a primary key).
        refuses_nulls: bool,
        /// The condition of a partial index.
        predicate: Option<SqlExpr>,
    },
    /// Every non-null reference has its row.
    References {
        /// The referencing columns.
        columns: Vec<Ident>,
        /// The referenced table.
        references: QualName,
        /// The referenced columns, in the same order.
        referenced_columns: Vec<Ident>,
        /// MATCH FULL: all columns NULL or none.
        match_full: bool,
    },
    /// The condition is not false on any row.
    Holds {
        /// The condition.
        expr: SqlExpr,
    },
    /// Every value survives the conversion unchanged in meaning.
    Converts {
        /// The column.
        column: Ident,
        /// Its type.
        from: DataType,
        /// Its type to be.
        to: DataType,
        /// The conversion, where it is not the engine's own cast.
        using: Option<SqlExpr>,
        /// Options of the table to be, where they tighten what its columns take (SQLite STRICT).
        options: TableOptions,
    },
    /// None of these labels is stored in the column.
    ValuesUnused {
        /// The column.
        column: Ident,
        /// The labels.
        values: Vec<String>,
    },
    /// An index over the expression can be made for every row.
    Indexable {
        /// What is indexed.
        expr: SqlExpr,
        /// What every row must satisfy.
        condition: SqlExpr,
    },
    /// The table has no row.
    Empty,
}

/// How much an operation destroys: what to count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "counts")]
pub enum LossProbe {
    /// Rows of the table.
    Rows {
        /// The table.
        table: QualName,
    },
    /// Non-null values of the column.
    Values {
        /// The table.
        table: QualName,
        /// The column.
        column: Ident,
    },
    /// The position of a sequence.
    Position {
        /// The sequence.
        sequence: QualName,
    },
}
