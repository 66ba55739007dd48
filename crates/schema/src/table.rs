//! Tables and their parts.

use serde::{Deserialize, Serialize};

use crate::{Common, DataType, Dependency, Ident, Parameters, QualName, SequenceOptions, SqlExpr};

/// A table of any kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name.
    pub name: QualName,
    /// What sort of table it is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: TableKind,
    /// Its columns in order.
    pub columns: Vec<Column>,
    /// Keys, checks, foreign keys and exclusions, sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// Its indexes, sorted by name; those that a constraint owns are not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// Options of the table as a whole.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: TableOptions,
    /// Parents of classic inheritance, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherits: Vec<QualName>,
    /// How rows are spread over partitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitioning: Option<Partitioning>,
    /// The partitioned table that this is a partition of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_of: Option<PartitionOf>,
    /// Whether row security is on, and forced on the owner.
    #[serde(default, skip_serializing_if = "is_default")]
    pub row_security: RowSecurity,
    /// Whether it was read how the table is spelled out where that means nothing: see [`Spelling`](crate::Spelling). Not hashed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub spelled: bool,
    /// Comment, owner, grants, dependencies.
    #[serde(flatten)]
    pub common: Common,
    /// The text that made it, where a rebuild must keep untouched clauses byte for byte (SQLite). Not hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const fn is_true(flag: &bool) -> bool {
    *flag
}

const fn yes() -> bool {
    true
}

/// The sort of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum TableKind {
    /// Rows of its own.
    #[default]
    Ordinary,
    /// A SQLite virtual table: the module and its arguments as declared. Its shadow tables are not objects.
    Virtual {
        /// `USING` and what follows.
        using: SqlExpr,
    },
    /// A PostgreSQL foreign table.
    Foreign {
        /// The foreign server.
        server: Ident,
        /// Its options.
        options: Parameters,
    },
}

/// Options of a table as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableOptions {
    /// PostgreSQL UNLOGGED.
    #[serde(skip_serializing_if = "is_default")]
    pub unlogged: bool,
    /// SQLite STRICT.
    #[serde(skip_serializing_if = "is_default")]
    pub strict: bool,
    /// SQLite WITHOUT ROWID.
    #[serde(skip_serializing_if = "is_default")]
    pub without_rowid: bool,
    /// Storage parameters (PostgreSQL) or create options (MySQL, MariaDB: `engine`, `charset`, `collation`, `row_format`…), by lower-case name.
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Tablespace, where it is not the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tablespace: Option<Ident>,
    /// Access method, where it is not `heap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_method: Option<Ident>,
    /// PostgreSQL replica identity where it is not the default: `full`, `nothing`, or the index's name after `index `.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica_identity: Option<String>,
    /// MariaDB system versioning or periods, as declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versioning: Option<SqlExpr>,
}

impl TableOptions {
    /// The name of the index or key by which replication knows rows, where it is one (PostgreSQL).
    #[must_use]
    pub fn identity_index(&self) -> Option<&str> {
        self.replica_identity.as_deref()?.strip_prefix("index ")
    }
}

/// Row security switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowSecurity {
    /// Policies apply.
    pub enabled: bool,
    /// To the owner as well.
    pub forced: bool,
}

/// How a partitioned table spreads its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partitioning {
    /// What follows `PARTITION BY`, as the server prints it.
    pub by: SqlExpr,
    /// Partitions that are parts of the table itself (MySQL, MariaDB), in order, as the server prints them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<SqlExpr>,
}

/// A table's place under a partitioned table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartitionOf {
    /// The partitioned table.
    pub parent: QualName,
    /// `FOR VALUES …` or `DEFAULT`, as the server prints it.
    pub bound: SqlExpr,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: Ident,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: DataType,
    /// Whether it refuses NULL. True for every primary key column on engines that say so.
    #[serde(default, skip_serializing_if = "is_default")]
    pub not_null: bool,
    /// The NOT NULL's own conflict clause (SQLite) or constraint name where it is not the generated one (PostgreSQL 18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_null_clause: Option<String>,
    /// Its default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<SqlExpr>,
    /// How its value is computed from other columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<Generated>,
    /// GENERATED … AS IDENTITY (PostgreSQL).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Box<Identity>>,
    /// AUTOINCREMENT (SQLite) or AUTO_INCREMENT (MySQL, MariaDB).
    #[serde(default, skip_serializing_if = "is_default")]
    pub auto_increment: bool,
    /// Its collation where it is not the type's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<QualName>,
    /// What else the engine keeps, by lower-case name: `storage`, `compression`, `statistics` (PostgreSQL), `charset`, `on_update`,
    /// `invisible`, `srid`, `compressed` (MySQL, MariaDB).
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub attributes: Parameters,
    /// Whether it is only there because a parent of classic inheritance has it (PostgreSQL): it goes when the parent's goes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub inherited: bool,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What its default or generation expression needs. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Its declared text (SQLite). Not hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its old name, as a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<Ident>,
    /// The conversion of old values when its type changes, as a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub using: Option<SqlExpr>,
    /// The value for rows that have none when it is added or becomes NOT NULL, as a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backfill: Option<SqlExpr>,
}

/// A generated column's rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generated {
    /// The expression.
    pub expr: SqlExpr,
    /// Whether the value is stored.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stored: bool,
}

/// An identity column's rule and sequence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// ALWAYS rather than BY DEFAULT.
    #[serde(default, skip_serializing_if = "is_default")]
    pub always: bool,
    /// Options of its sequence.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: SequenceOptions,
    /// The sequence's name where it is not the generated one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<QualName>,
}

/// A rule of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Its name; none where the declaration gave none and the engine keeps none (SQLite, a MySQL primary key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Ident>,
    /// What it demands.
    #[serde(flatten)]
    pub kind: ConstraintKind,
    /// When it is checked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deferrable: Deferrable,
    /// False for NOT VALID.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub validated: bool,
    /// False for NOT ENFORCED (MySQL, PostgreSQL 18).
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub enforced: bool,
    /// SQLite ON CONFLICT, upper case, where it is not ABORT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<String>,
    /// Storage parameters of the index behind a key (PostgreSQL), `using`, `comment`, `key_block_size` (MySQL, MariaDB).
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What its expressions need. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Its declared text (SQLite). Not hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// When a constraint is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deferrable {
    /// At once, always.
    #[default]
    No,
    /// At once, unless a transaction defers it.
    InitiallyImmediate,
    /// At commit, unless a transaction says otherwise.
    InitiallyDeferred,
}

/// What a constraint demands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConstraintKind {
    /// PRIMARY KEY.
    PrimaryKey(Key),
    /// UNIQUE.
    Unique(Key),
    /// CHECK.
    Check {
        /// The condition, without the parentheses around it.
        expr: SqlExpr,
        /// NO INHERIT (PostgreSQL).
        #[serde(default, skip_serializing_if = "is_default")]
        no_inherit: bool,
        /// The column it was written at, where the engine remembers (MariaDB).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<Ident>,
    },
    /// FOREIGN KEY.
    ForeignKey(ForeignKey),
    /// EXCLUDE (PostgreSQL).
    Exclude {
        /// What follows the word EXCLUDE, as the server prints it.
        definition: SqlExpr,
    },
}

/// Columns of a primary key or unique constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The key's parts in order.
    pub columns: Vec<IndexPart>,
    /// INCLUDE columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Ident>,
    /// NULLS NOT DISTINCT.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nulls_not_distinct: bool,
    /// WITHOUT OVERLAPS on the last part (PostgreSQL 18).
    #[serde(default, skip_serializing_if = "is_default")]
    pub without_overlaps: bool,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignKey {
    /// The referencing columns, in order.
    pub columns: Vec<Ident>,
    /// The referenced table.
    pub references: QualName,
    /// The referenced columns, in the same order; empty where the declaration leaves it to the primary key (SQLite).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub referenced_columns: Vec<Ident>,
    /// ON DELETE.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_delete: FkAction,
    /// Columns of ON DELETE SET NULL or SET DEFAULT, where not all (PostgreSQL).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_delete_columns: Vec<Ident>,
    /// ON UPDATE.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_update: FkAction,
    /// MATCH FULL or PARTIAL, upper case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_type: Option<String>,
    /// PERIOD on the last column (PostgreSQL 18).
    #[serde(default, skip_serializing_if = "is_default")]
    pub period: bool,
}

/// What a foreign key does to its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FkAction {
    /// NO ACTION, the default.
    #[default]
    NoAction,
    /// RESTRICT.
    Restrict,
    /// CASCADE.
    Cascade,
    /// SET NULL.
    SetNull,
    /// SET DEFAULT.
    SetDefault,
}

impl FkAction {
    /// The SQL words.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::NoAction => "NO ACTION",
            Self::Restrict => "RESTRICT",
            Self::Cascade => "CASCADE",
            Self::SetNull => "SET NULL",
            Self::SetDefault => "SET DEFAULT",
        }
    }
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Its name.
    pub name: Ident,
    /// Whether it refuses equal keys.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unique: bool,
    /// Its method, lower case, where it is not `btree`: `gin`, `hash`, `fulltext`, `spatial`…
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The key's parts in order.
    pub parts: Vec<IndexPart>,
    /// INCLUDE columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Ident>,
    /// NULLS NOT DISTINCT.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nulls_not_distinct: bool,
    /// The condition of a partial index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate: Option<SqlExpr>,
    /// Storage parameters (PostgreSQL), or `using`, `parser`, `invisible`, `key_block_size`… (MySQL, MariaDB).
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Tablespace, where it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tablespace: Option<Ident>,
    /// The index of the partitioned table that this one is attached to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_of: Option<QualName>,
    /// ON ONLY: an index of a partitioned table that is not complete on its partitions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub only: bool,
    /// False for what an interrupted concurrent build left behind. A difference, always.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub valid: bool,
    /// Whether the table is clustered on it (PostgreSQL CLUSTER ON).
    #[serde(default, skip_serializing_if = "is_default")]
    pub clustered: bool,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What its expressions and predicate need. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Its declared text (SQLite). Not hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its old name, as a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<Ident>,
}

/// One part of a key. In documents a whole ascending column is its name alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct IndexPart {
    /// What is indexed.
    #[serde(flatten)]
    pub key: IndexKey,
    /// DESC.
    #[serde(default, skip_serializing_if = "is_default")]
    pub descending: bool,
    /// NULLS FIRST or LAST, where it is not what the direction implies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nulls_first: Option<bool>,
    /// Operator class with its parameters, as the server prints it, where it is not the type's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opclass: Option<String>,
    /// Collation, where it is not the column's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<QualName>,
    /// Prefix length (MySQL, MariaDB).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<u32>,
}

impl IndexPart {
    /// A whole column, ascending.
    #[must_use]
    pub const fn column(name: Ident) -> Self {
        Self {
            key: IndexKey::Column(name),
            descending: false,
            nulls_first: None,
            opclass: None,
            collation: None,
            prefix: None,
        }
    }

    /// The column's name, if the part is one.
    #[must_use]
    pub const fn column_name(&self) -> Option<&Ident> {
        match &self.key {
            IndexKey::Column(name) => Some(name),
            IndexKey::Expr(_) => None,
        }
    }
}

/// What a part of a key indexes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexKey {
    /// A column.
    Column(Ident),
    /// An expression, without the parentheses around it.
    Expr(SqlExpr),
}

impl Table {
    /// Gives back memory that its lists hold in reserve: a large schema has very many short ones.
    pub fn shrink_to_fit(&mut self) {
        self.columns.shrink_to_fit();
        self.constraints.shrink_to_fit();
        self.indexes.shrink_to_fit();
        for index in &mut self.indexes {
            index.parts.shrink_to_fit();
            index.include.shrink_to_fit();
        }
        for constraint in &mut self.constraints {
            if let ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) = &mut constraint.kind {
                key.columns.shrink_to_fit();
                key.include.shrink_to_fit();
            }
        }
    }

    /// A table without columns.
    #[must_use]
    pub fn new(name: QualName) -> Self {
        Self {
            name,
            kind: TableKind::default(),
            columns: Vec::new(),
            constraints: Vec::new(),
            indexes: Vec::new(),
            options: TableOptions::default(),
            inherits: Vec::new(),
            partitioning: None,
            partition_of: None,
            row_security: RowSecurity::default(),
            spelled: false,
            common: Common::default(),
            source: None,
        }
    }

    /// The column called `name`.
    #[must_use]
    pub fn column(&self, name: &Ident) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == *name)
    }

    /// The constraint called `name`.
    #[must_use]
    pub fn constraint(&self, name: &Ident) -> Option<&Constraint> {
        self.constraints.iter().find(|constraint| constraint.name.as_ref() == Some(name))
    }

    /// The index called `name`.
    #[must_use]
    pub fn index(&self, name: &Ident) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == *name)
    }

    /// The primary key.
    #[must_use]
    pub fn primary_key(&self) -> Option<&Key> {
        self.constraints.iter().find_map(|constraint| match &constraint.kind {
            ConstraintKind::PrimaryKey(key) => Some(key),
            ConstraintKind::Unique(_)
            | ConstraintKind::Check { .. }
            | ConstraintKind::ForeignKey(_)
            | ConstraintKind::Exclude { .. } => None,
        })
    }

    /// Its foreign keys with their constraints.
    pub fn foreign_keys(&self) -> impl Iterator<Item = (&Constraint, &ForeignKey)> {
        self.constraints.iter().filter_map(|constraint| match &constraint.kind {
            ConstraintKind::ForeignKey(key) => Some((constraint, key)),
            ConstraintKind::PrimaryKey(_)
            | ConstraintKind::Unique(_)
            | ConstraintKind::Check { .. }
            | ConstraintKind::Exclude { .. } => None,
        })
    }
}

/// The attribute with the character set of a column of texts (MySQL, MariaDB). It is part of its type.
const CHARSET: &str = "charset";

impl Column {
    /// Makes it the type of `other`: with collation and character set.
    pub fn take_type(&mut self, other: &Self) {
        self.data_type = other.data_type.clone();
        self.collation.clone_from(&other.collation);
        match other.attributes.get(CHARSET) {
            Some(charset) => drop(self.attributes.insert(CHARSET.to_owned(), charset.clone())),
            None => drop(self.attributes.remove(CHARSET)),
        }
    }

    /// Whether both are of one type: with collation and character set.
    #[must_use]
    pub fn has_type_of(&self, other: &Self) -> bool {
        self.data_type == other.data_type
            && self.collation == other.collation
            && self.attributes.get(CHARSET) == other.attributes.get(CHARSET)
    }

    /// A column that takes NULL and has no default.
    #[must_use]
    pub fn new(name: Ident, data_type: DataType) -> Self {
        Self {
            name,
            data_type,
            not_null: false,
            not_null_clause: None,
            default: None,
            generated: None,
            identity: None,
            auto_increment: false,
            collation: None,
            attributes: Parameters::new(),
            inherited: false,
            comment: None,
            depends_on: Vec::new(),
            source: None,
            renamed_from: None,
            using: None,
            backfill: None,
        }
    }
}

impl Constraint {
    /// A constraint that is checked at once on every row.
    #[must_use]
    pub const fn new(name: Option<Ident>, kind: ConstraintKind) -> Self {
        Self {
            name,
            kind,
            deferrable: Deferrable::No,
            validated: true,
            enforced: true,
            on_conflict: None,
            parameters: Parameters::new(),
            comment: None,
            depends_on: Vec::new(),
            source: None,
        }
    }
}

impl Index {
    /// A plain index over `parts`.
    #[must_use]
    pub const fn new(name: Ident, parts: Vec<IndexPart>) -> Self {
        Self {
            name,
            unique: false,
            method: None,
            parts,
            include: Vec::new(),
            nulls_not_distinct: false,
            predicate: None,
            parameters: Parameters::new(),
            tablespace: None,
            partition_of: None,
            only: false,
            valid: true,
            clustered: false,
            comment: None,
            depends_on: Vec::new(),
            source: None,
            renamed_from: None,
        }
    }
}
