//! Which algorithm and lock an ALTER of an existing table takes. Every row was tried on a server.
//!
//! The renderer writes the prediction into the statement, where it is an assertion: a wrong one is refused by the server at once, instead
//! of a table that is copied while nobody can write.

use trueup_plan::{Change, ColumnPosition, Object};
use trueup_schema::{Column, Constraint, ConstraintKind, Ident, Index, IndexPart, KEY_BLOCK_SIZE, ObjectRef, Table};

use super::conversions::type_change;
use super::partitions::{PartitionChange, partition_change};
use super::types::Type;
use crate::{Tables, TypeChange};

/// How the server carries an ALTER out, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// The definition alone is changed.
    Instant,
    /// Rows stay, indexes may be built (MariaDB).
    NoCopy,
    /// Inside the engine, rows may be written anew.
    InPlace,
    /// Every row is copied into a new table.
    Copy,
}

impl Algorithm {
    /// The word in an ALTER.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::Instant => "INSTANT",
            Self::NoCopy => "NOCOPY",
            Self::InPlace => "INPLACE",
            Self::Copy => "COPY",
        }
    }
}

/// Who waits while an ALTER runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// Nobody, but for a moment at both ends.
    None,
    /// Writers.
    Shared,
    /// Everybody.
    Exclusive,
}

impl Lock {
    /// The word in an ALTER.
    #[must_use]
    pub const fn sql(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Shared => "SHARED",
            Self::Exclusive => "EXCLUSIVE",
        }
    }
}

/// What an ALTER takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// The cheapest algorithm that the server grants.
    pub algorithm: Algorithm,
    /// The weakest lock that it grants with that.
    pub lock: Lock,
    /// Whether rows are written anew.
    pub rebuilds: bool,
    /// Whether all rows are read.
    pub scans: bool,
    /// Whether adding or dropping columns is instant only by itself: with anything that is not, rows are written anew.
    pub(crate) fragile: bool,
}

impl Prediction {
    const fn new(algorithm: Algorithm, lock: Lock) -> Self {
        Self { algorithm, lock, rebuilds: false, scans: false, fragile: false }
    }

    /// The definition alone is changed.
    pub(crate) const INSTANT: Self = Self::new(Algorithm::Instant, Lock::None);
    /// The same, as long as nothing else is done with it.
    pub(crate) const FRAGILE: Self = Self { fragile: true, ..Self::INSTANT };
    /// Something inside the engine that touches no rows.
    pub(crate) const IN_PLACE: Self = Self::new(Algorithm::InPlace, Lock::None);
    /// Rows are read, an index is built, everybody goes on.
    pub(crate) const BUILD: Self = Self { scans: true, ..Self::IN_PLACE };
    /// Rows are read, an index is built, writers wait.
    pub(crate) const BUILD_SHARED: Self = Self { lock: Lock::Shared, ..Self::BUILD };
    /// Rows are written anew, everybody goes on.
    pub(crate) const REBUILD: Self = Self { rebuilds: true, ..Self::IN_PLACE };
    /// Rows are written anew, writers wait.
    pub(crate) const REBUILD_SHARED: Self = Self { lock: Lock::Shared, ..Self::REBUILD };
    /// Rows are copied, writers wait.
    pub(crate) const COPY: Self = Self { rebuilds: true, scans: true, ..Self::new(Algorithm::Copy, Lock::Shared) };

    /// What both together take.
    pub(crate) fn and(self, other: Self) -> Self {
        let mut both = Self {
            algorithm: self.algorithm.max(other.algorithm),
            lock: self.lock.max(other.lock),
            rebuilds: self.rebuilds || other.rebuilds,
            scans: self.scans || other.scans,
            fragile: self.fragile || other.fragile,
        };
        let breaks = |a: Self, b: Self| a.fragile && b.algorithm > Algorithm::Instant;
        if breaks(self, other) || breaks(other, self) {
            both.algorithm = both.algorithm.max(Algorithm::InPlace);
            both.rebuilds = true;
        }
        both
    }
}

/// `INSTANT` for dropped columns and columns in the middle, since this version; that very one writes a broken log.
const INSTANT_ANYWHERE: [u32; 3] = [8, 0, 30];
/// `INSTANT` renames of columns, since this version.
const INSTANT_RENAME: [u32; 3] = [8, 0, 28];

/// What one ALTER with all of `changes` takes on MySQL. `None` where that is not known: then nothing is asserted.
pub(crate) fn predict(version: [u32; 3], changes: &[&Change], tables: Tables<'_>) -> Option<Prediction> {
    let taken = all(changes, tables, |change| one(version, change, tables))?;
    let taken = taken.and(match key_move(changes, tables) {
        KeyMove::None => Prediction::INSTANT,
        KeyMove::Moves => Prediction::REBUILD,
        // Only if it is not the first of them, and which is the first is not known.
        KeyMove::MayMove => return None,
        KeyMove::Goes => Prediction::COPY,
    });
    let touched: Vec<bool> = changes.iter().filter_map(|change| computes(change)).collect();
    if touched.is_empty() {
        return Some(taken);
    }
    let shape = Shape::of(tables.before);
    let drops = touched.iter().filter(|adds| !**adds).count();
    // Others in the same ALTER, or of a table that has more of the kind, make a copy of it; how much so is not known for every mix.
    if touched.len() < changes.len() || (drops > 0 && drops < touched.len()) {
        return None;
    }
    if drops == touched.len() && drops < shape.hidden {
        return Some(if shape.partitioned { Prediction::COPY } else { taken.and(Prediction::IN_PLACE) });
    }
    let is_column = |change: &&Change| matches!(change, Change::AddColumn { .. });
    if drops == 0 && shape.functional && changes.iter().any(is_column) {
        return Some(Prediction::COPY);
    }
    Some(taken)
}

/// Whether the change adds (true) or drops a column that is computed when it is read; an index over an expression is one as well.
pub(crate) fn computes(change: &Change) -> Option<bool> {
    if let Change::AddColumn { column, .. } = change {
        is_virtual(column).then_some(true)
    } else if let Change::DropColumn { column, .. } = change {
        is_virtual(column).then_some(false)
    } else if let Change::Create { object: Object::Index(index) } = change {
        is_functional(&index.index).then_some(true)
    } else if let Change::Drop { object: Object::Index(index) } = change {
        is_functional(&index.index).then_some(false)
    } else {
        None
    }
}

/// The sum of what each change takes, with what changes of keys take together.
pub(crate) fn all(
    changes: &[&Change],
    tables: Tables<'_>,
    one: impl Fn(&Change) -> Option<Prediction>,
) -> Option<Prediction> {
    if tables.before.is_some_and(|table| !is_innodb(table)) {
        return None;
    }
    let mut total: Option<Prediction> = None;
    let new_key = changes.iter().any(|change| matches!(key_change(change), Some((true, _))));
    for change in changes {
        let cost = match key_change(change) {
            // One primary key in place of another is made in one go,
            // which is what the new one costs.
            Some((false, _)) if new_key => Prediction::INSTANT,
            Some(_) | None => one(change)?,
        };
        total = Some(total.map_or(cost, |total| total.and(cost)));
    }
    total
}

/// What happens to the key by which a table's rows are stored, where that is no primary key: `InnoDB` takes the first unique index that refuses
/// NULL (MySQL manual, "Clustered and Secondary Indexes").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyMove {
    /// Nothing, or all that happens is a primary key's.
    None,
    /// Rows are stored by another.
    Moves,
    /// One of several is dropped. If it is the first, rows are stored by the next.
    MayMove,
    /// No such index is left.
    Goes,
}

pub(crate) fn key_move(changes: &[&Change], tables: Tables<'_>) -> KeyMove {
    let (Some(before), Some(after)) = (tables.before, tables.after) else { return KeyMove::None };
    if before.primary_key().is_some() || after.primary_key().is_some() {
        return KeyMove::None;
    }
    let stand_ins = |table| -> Vec<&[IndexPart]> { stand_ins(table).map(|index| index.parts.as_slice()).collect() };
    let (was, is) = (stand_ins(before), stand_ins(after));
    let kept = was.iter().filter(|parts| is.contains(parts)).count();
    let drops =
        |change: &&Change| matches!(change, Change::DropColumn { .. } | Change::Drop { object: Object::Index(_) });
    match (was.len(), is.len()) {
        (0, 0) => KeyMove::None,
        (_, 0) => KeyMove::Goes,
        (0, _) => KeyMove::Moves,
        (all, _) if kept == all => KeyMove::None,
        (_, _) if kept > 0 && changes.iter().any(drops) => KeyMove::MayMove,
        (_, _) => KeyMove::Moves,
    }
}

/// The unique indexes that could stand in for a primary key.
pub(crate) fn stand_ins(table: &Table) -> impl Iterator<Item = &Index> {
    let refuses_null = |name: &Ident| table.column(name).is_some_and(|column| column.not_null);
    table.indexes.iter().filter(move |index| {
        index.unique
            && index.parts.iter().all(|part| part.prefix.is_none() && part.column_name().is_some_and(refuses_null))
    })
}

fn is_innodb(table: &Table) -> bool {
    table.options.parameters.get("engine").is_none_or(|engine| engine.eq_ignore_ascii_case("InnoDB"))
}

/// Whether the change adds (true) or drops a primary key.
fn key_change(change: &Change) -> Option<(bool, &Constraint)> {
    let found = if let Change::AddConstraint { constraint, .. } = change {
        (true, constraint)
    } else if let Change::DropConstraint { constraint, .. } = change {
        (false, constraint)
    } else {
        return None;
    };
    is_primary(found.1).then_some(found)
}

const fn is_primary(constraint: &Constraint) -> bool {
    matches!(constraint.kind, ConstraintKind::PrimaryKey(_))
}

/// What a table holds that other tables do not, and that costs.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a table of facts")]
pub(crate) struct Shape {
    pub(crate) fulltext: bool,
    pub(crate) compressed: bool,
    pub(crate) stored: bool,
    pub(crate) partitioned: bool,
    /// Columns computed when they are read…
    pub(crate) computed: bool,
    /// …and one of them indexed.
    pub(crate) indexed: bool,
    /// Indexes over expressions.
    pub(crate) functional: bool,
    /// How many columns are computed when they are read, with those that stand behind indexes over expressions.
    pub(crate) hidden: usize,
}

impl Shape {
    /// Whether the new column is computed when it is read and takes a place before another such column, which only a copy gives it.
    pub(crate) fn shifts_computed(self, column: &Column, position: &ColumnPosition) -> bool {
        is_virtual(column) && self.computed && *position != ColumnPosition::Last
    }

    pub(crate) fn of(table: Option<&Table>) -> Self {
        let Some(table) = table else { return Self::default() };
        let format = table.options.parameters.get("row_format");
        Self {
            fulltext: table.indexes.iter().any(|index| index.method.as_deref() == Some("fulltext")),
            compressed: format.is_some_and(|format| format.eq_ignore_ascii_case("COMPRESSED")),
            stored: table
                .columns
                .iter()
                .any(|column| column.generated.as_ref().is_some_and(|generated| generated.stored)),
            partitioned: table.partitioning.is_some(),
            computed: table.columns.iter().any(is_virtual),
            indexed: table
                .columns
                .iter()
                .filter(|column| is_virtual(column))
                .any(|column| is_indexed(Some(table), &column.name)),
            functional: table.indexes.iter().any(is_functional),
            hidden: table.columns.iter().filter(|column| is_virtual(column)).count()
                + table.indexes.iter().filter(|index| is_functional(index)).count(),
        }
    }
}

/// Whether a part of the index is an expression.
fn is_functional(index: &Index) -> bool {
    index.parts.iter().any(|part| part.column_name().is_none())
}

/// Whether the column is computed when it is read.
pub(crate) fn is_virtual(column: &Column) -> bool {
    column.generated.as_ref().is_some_and(|generated| !generated.stored)
}

/// Whether an index or the primary key holds the column.
pub(crate) fn is_indexed(table: Option<&Table>, column: &Ident) -> bool {
    table.is_some_and(|table| {
        let keys = table.indexes.iter().flat_map(|index| &index.parts);
        let primary = table.primary_key().into_iter().flat_map(|key| &key.columns);
        keys.chain(primary).any(|part| part.column_name() == Some(column))
    })
}

fn one(version: [u32; 3], change: &Change, tables: Tables<'_>) -> Option<Prediction> {
    let anywhere = version >= INSTANT_ANYWHERE;
    let shape = Shape::of(tables.before);
    // Under a full-text index rows are only copied.
    let rebuild = if shape.fulltext { Prediction::COPY } else { Prediction::REBUILD };
    Some(match change {
        Change::AddColumn { column, position, .. } if shape.shifts_computed(column, position) => Prediction::COPY,
        Change::AddColumn { column, position, .. } => {
            let instant = (*position == ColumnPosition::Last || anywhere) && !shape.fulltext && !shape.compressed;
            add_column(column, if instant { Prediction::FRAGILE } else { rebuild })
        }
        Change::DropColumn { column, .. } => match &column.generated {
            Some(generated) if !generated.stored => Prediction::INSTANT,
            Some(_) | None if anywhere && !shape.fulltext && !shape.compressed => Prediction::FRAGILE,
            Some(_) | None => rebuild,
        },
        Change::Rename { from: ObjectRef::Column(_), .. } if version < INSTANT_RENAME => Prediction::IN_PLACE,
        Change::Rename { from: ObjectRef::Column(_), .. } => Prediction::INSTANT,
        Change::Rename { from: ObjectRef::Index(_), .. } => Prediction::IN_PLACE,
        Change::AlterIndex { before, after, .. } if before.is_respelled(after) => respelled(before, after)?,
        Change::AlterIndex { .. } => Prediction::IN_PLACE,
        Change::Create { object: Object::Index(index) } => create_index(&index.index),
        Change::Drop { object: Object::Index(index) } => drop_index(&index.index),
        Change::AlterColumnType { before, after, .. } => {
            column_type(before, after, is_indexed(tables.before, &before.name))
        }
        Change::SetNotNull { .. } | Change::DropNotNull { .. } | Change::MoveColumn { .. } => rebuild,
        Change::SetIdentity { .. } => Prediction::COPY,
        Change::SetGenerated { before, after, .. } => generated(before, after)?,
        Change::SetColumnAttributes { before, after, .. } => attributes(before, after)?,
        Change::SetDefault { .. } | Change::SetComment { on: ObjectRef::Column(_), .. } => Prediction::INSTANT,
        Change::SetComment { on: ObjectRef::Table(_), .. } => Prediction::IN_PLACE,
        Change::AddConstraint { constraint, .. } => match &constraint.kind {
            ConstraintKind::PrimaryKey(_) => rebuild,
            ConstraintKind::Check { .. } if !constraint.enforced => Prediction::INSTANT,
            ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => Prediction::COPY,
            ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => return None,
        },
        Change::DropConstraint { constraint, .. } => match &constraint.kind {
            ConstraintKind::PrimaryKey(_) => Prediction::COPY,
            ConstraintKind::Check { .. } => Prediction::INSTANT,
            ConstraintKind::ForeignKey(_) => Prediction::IN_PLACE,
            ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => return None,
        },
        Change::AlterConstraint { before, after, .. } => {
            if before.is_respelled(after) {
                Prediction::INSTANT
            } else if after.enforced {
                Prediction::COPY
            } else {
                Prediction::INSTANT
            }
        }
        Change::AlterTable { before, after } => table_options(before, after, Prediction::IN_PLACE, rebuild)?,
        Change::Create { .. }
        | Change::Drop { .. }
        | Change::Rename { .. }
        | Change::SetComment { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::Backfill { .. }
        | Change::ValidateConstraint { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => return None,
    })
}

fn add_column(column: &Column, plain: Prediction) -> Prediction {
    match &column.generated {
        Some(generated) if generated.stored => return Prediction::COPY,
        Some(_) => return Prediction::INSTANT,
        None => {}
    }
    if column.auto_increment {
        return Prediction::REBUILD_SHARED;
    }
    let computed = column.default.as_ref().is_some_and(|default| default.as_str().starts_with('('));
    if computed { Prediction::COPY } else { plain }
}

pub(crate) fn create_index(index: &Index) -> Prediction {
    let computes = is_functional(index);
    match index.method.as_deref() {
        Some("fulltext" | "spatial" | "vector") => Prediction::BUILD_SHARED,
        Some(_) | None if computes && index.unique => Prediction::COPY,
        Some(_) | None if computes => Prediction::BUILD_SHARED,
        Some(_) | None => Prediction::BUILD,
    }
}

/// With a unique index over an expression its hidden column goes, which no row may miss meanwhile.
fn drop_index(index: &Index) -> Prediction {
    if is_functional(index) && index.unique { Prediction::COPY } else { Prediction::IN_PLACE }
}

/// Only longer texts, more members, and another collation outside of indexes are taken without a copy.
fn column_type(before: &Column, after: &Column, indexed: bool) -> Prediction {
    let read = |column: &Column| Type::read(&column.data_type.to_string());
    let (from, to) = (read(before), read(after));
    if before.collation != after.collation {
        let same_charset = before.attributes.get("charset") == after.attributes.get("charset");
        return if same_charset && from == to && !indexed { Prediction::IN_PLACE } else { Prediction::COPY };
    }
    match type_change(before, after, None) {
        TypeChange::Keeps { rewrite: false } if from.has_members() => Prediction::INSTANT,
        TypeChange::Keeps { rewrite: false } if from.name == "varchar" => Prediction::IN_PLACE,
        TypeChange::Keeps { rewrite: false } if from == to => Prediction::INSTANT,
        TypeChange::Keeps { .. }
        | TypeChange::Guarded { .. }
        | TypeChange::Lossy { .. }
        | TypeChange::NeedsUsing { .. } => Prediction::COPY,
    }
}

fn generated(before: &Column, after: &Column) -> Option<Prediction> {
    match (&before.generated, &after.generated) {
        (Some(_), Some(_)) => Some(Prediction::COPY),
        (Some(from), None) if from.stored => Some(Prediction::COPY),
        _ => None,
    }
}

/// The method of an index is kept in the definition. One over an expression has a hidden column, which comes and goes with it.
fn respelled(before: &Index, after: &Index) -> Option<Prediction> {
    let same_size = before.parameters.get(KEY_BLOCK_SIZE) == after.parameters.get(KEY_BLOCK_SIZE);
    let is_plain = after.parts.iter().all(|part| part.column_name().is_some());
    (same_size && is_plain).then_some(Prediction::INSTANT)
}

/// What else is kept for a column is kept in the definition.
pub(crate) fn attributes(before: &Column, after: &Column) -> Option<Prediction> {
    let differs = |name: &str| before.attributes.get(name) != after.attributes.get(name);
    let others = ["charset", "srid", "compressed", "row", "without_versioning", "extra"];
    (!others.iter().any(|name| differs(name))).then_some(Prediction::INSTANT)
}

/// What the server reports of a table and the engine need not look at costs `light`; another format of rows costs `heavy`.
pub(crate) fn table_options(before: &Table, after: &Table, light: Prediction, heavy: Prediction) -> Option<Prediction> {
    if before.options.versioning != after.options.versioning {
        return None;
    }
    let partitions = match partition_change(before.partitioning.as_ref(), after.partitioning.as_ref()) {
        None => Prediction::INSTANT,
        Some(PartitionChange::Added(_)) => Prediction::IN_PLACE,
        Some(PartitionChange::Reorganized { .. }) => Prediction::REBUILD_SHARED,
        Some(PartitionChange::Scheme(_) | PartitionChange::Removed) => Prediction::COPY,
    };
    Some(options(before, after, light, heavy)?.and(partitions))
}

fn options(before: &Table, after: &Table, light: Prediction, heavy: Prediction) -> Option<Prediction> {
    let (old, new) = (&before.options.parameters, &after.options.parameters);
    let changed: Vec<&str> =
        old.keys().chain(new.keys()).filter(|name| old.get(name) != new.get(name)).map(String::as_str).collect();
    let is_light = |name: &&str| LIGHT.contains(name);
    if changed.is_empty() {
        return Some(Prediction::INSTANT);
    }
    if changed.iter().all(is_light) {
        return Some(light);
    }
    changed.iter().all(|name| is_light(name) || matches!(*name, "row_format" | "key_block_size")).then_some(heavy)
}

/// Options that are kept in the definition alone.
const LIGHT: [&str; 6] =
    ["charset", "collation", "comment", "stats_persistent", "stats_auto_recalc", "stats_sample_pages"];
