//! Which algorithm and lock an ALTER of an existing table takes on MariaDB. Every row was tried on a server.

use trueup_plan::{Change, ColumnPosition, Object};
use trueup_schema::{Column, ConstraintKind, FkAction, Ident, Index, IndexPart, ObjectRef, Table};

use crate::mysql::{
    Algorithm, KeyMove, Lock, Prediction, Shape, Type, attributes, create_index, is_indexed, is_virtual, key_move,
    stand_ins, table_options, tokens, type_change, varchar_bytes,
};
use crate::{Tables, Token, TokenKind, TypeChange, mysql};

/// Writers go on while rows are copied, since this version.
const ONLINE_COPY: [u32; 3] = [11, 2, 0];

/// What one ALTER with all of `changes` takes. `None` where that is not known: then nothing is asserted.
pub(super) fn predict(version: [u32; 3], changes: &[&Change], tables: Tables<'_>) -> Option<Prediction> {
    let taken = mysql::all(changes, tables, |change| one(change, tables))?;
    let taken = taken.and(match key_move(changes, tables) {
        KeyMove::None => Prediction::INSTANT,
        // Asserting more than is needed is granted as well.
        KeyMove::Moves | KeyMove::MayMove => Prediction::REBUILD,
        KeyMove::Goes => Prediction::COPY,
    });
    let counts = |change: &&Change| {
        matches!(change, Change::AddColumn { column, .. } if column.auto_increment)
            || matches!(change, Change::SetIdentity { after, .. } if after.auto_increment)
                && !keeps_key(tables.before, changes)
    };
    // Numbers for rows that are there are given in one go.
    let online = taken.algorithm == Algorithm::Copy
        && version >= ONLINE_COPY
        && !changes.iter().any(counts)
        && !tables.before.is_some_and(is_written_by_parents);
    Some(if online { Prediction { lock: Lock::None, ..taken } } else { taken })
}

/// Whether a foreign key changes rows of the table when those of another change: writes that an online copy does not see.
fn is_written_by_parents(table: &Table) -> bool {
    let writes = |action| matches!(action, FkAction::Cascade | FkAction::SetNull | FkAction::SetDefault);
    table.constraints.iter().any(|constraint| {
        matches!(&constraint.kind, ConstraintKind::ForeignKey(key) if writes(key.on_delete) || writes(key.on_update))
    })
}

fn one(change: &Change, tables: Tables<'_>) -> Option<Prediction> {
    let shape = Shape::of(tables.before);
    // Full-text indexes and indexes over computed columns shut writers out while rows are written anew…
    let rebuild = if shape.fulltext || shape.indexed { Prediction::REBUILD_SHARED } else { Prediction::REBUILD };
    // …and keep columns from being added at once.
    let shift = if shape.fulltext || shape.indexed { rebuild } else { Prediction::FRAGILE };
    Some(match change {
        Change::AlterIndex { before, after, .. } if before.is_respelled(after) => new_index(after, shape),
        Change::AlterConstraint { before, after, .. } if before.is_respelled(after) => rebuild,
        Change::AddColumn { column, position, .. } if shape.shifts_computed(column, position) => Prediction::COPY,
        // In partitions such a column is like any other to the rows.
        Change::AddColumn { column, .. } | Change::DropColumn { column, .. }
            if shape.partitioned && (is_virtual(column) || is_drop(change) && shape.computed) =>
        {
            Prediction::COPY
        }
        Change::AddColumn { column, position, .. } => {
            let plain = if *position != ColumnPosition::Last && shape.computed { Prediction::COPY } else { shift };
            add_column(column, plain)
        }
        Change::DropColumn { column, .. } if is_virtual(column) => Prediction::INSTANT,
        Change::DropColumn { .. } if shape.indexed => Prediction::COPY,
        Change::MoveColumn { .. } if shape.indexed && shape.stored => Prediction::COPY,
        Change::MoveColumn { column, position, .. } if jumps_computed(tables.before, &column.name, position) => {
            Prediction::COPY
        }
        Change::DropColumn { .. } | Change::MoveColumn { .. } => shift,
        Change::Rename { from: ObjectRef::Column(_) | ObjectRef::Index(_), .. }
        | Change::SetDefault { .. }
        | Change::SetComment { on: ObjectRef::Column(_) | ObjectRef::Table(_), .. }
        | Change::AlterIndex { .. } => Prediction::INSTANT,
        Change::Create { object: Object::Index(index) } => new_index(&index.index, shape),
        Change::Drop { object: Object::Index(_) } => no_copy(Prediction::IN_PLACE),
        Change::AlterColumnType { before, after, .. } => column_type(before, after, tables.before),
        Change::SetNotNull { .. } if shape.stored => Prediction::COPY,
        Change::SetNotNull { .. } | Change::DropNotNull { .. } => rebuild,
        Change::SetIdentity { .. } => Prediction::COPY,
        Change::SetGenerated { before, after, .. } => {
            let free = is_virtual(before) && is_virtual(after) && !is_indexed(tables.before, &before.name);
            if free { Prediction::INSTANT } else { Prediction::COPY }
        }
        Change::SetColumnAttributes { before, after, .. } => attributes(before, after)?,
        // Checks of columns could be added at once, but then no row is looked at.
        Change::AddConstraint { constraint, .. } => match &constraint.kind {
            ConstraintKind::PrimaryKey(_) => rebuild,
            ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => Prediction::COPY,
            ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => return None,
        },
        Change::DropConstraint { constraint, .. } => match &constraint.kind {
            ConstraintKind::PrimaryKey(_) if tables.before.is_some_and(has_other_key) => rebuild,
            ConstraintKind::PrimaryKey(_) => Prediction::COPY,
            ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => Prediction::INSTANT,
            ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => return None,
        },
        Change::AlterTable { before, after } => table_options(before, after, Prediction::INSTANT, rebuild)?,
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
        | Change::AlterConstraint { .. }
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

/// Whether the column leaves its place for one beyond a column that is computed when it is read.
fn jumps_computed(table: Option<&Table>, name: &Ident, position: &ColumnPosition) -> bool {
    let Some(table) = table else { return false };
    let place = |name: &Ident| table.columns.iter().position(|column| column.name == *name);
    let to = match position {
        ColumnPosition::First => Some(0),
        ColumnPosition::After(before) => place(before),
        ColumnPosition::Last => Some(table.columns.len()),
    };
    let (Some(from), Some(to)) = (place(name), to) else { return true };
    let between = table.columns.iter().skip(from.min(to)).take(from.abs_diff(to) + 1);
    between.into_iter().any(is_virtual)
}

const fn is_drop(change: &Change) -> bool {
    matches!(change, Change::DropColumn { .. })
}

/// An index is built without touching rows; but the first full-text index brings a hidden column.
fn new_index(index: &Index, shape: Shape) -> Prediction {
    let first = index.method.as_deref() == Some("fulltext") && !shape.fulltext;
    // A key over whole texts is one over a hidden column with their hashes.
    if index.unique && index.method.as_deref() == Some("hash") {
        return Prediction::COPY;
    }
    let taken = create_index(index);
    if first || index.method.as_deref().is_some_and(|method| method != "fulltext" && method != "hash") {
        taken
    } else {
        no_copy(taken)
    }
}

fn no_copy(taken: Prediction) -> Prediction {
    Prediction { algorithm: Algorithm::NoCopy, ..taken }
}

/// Whether a unique index could stand in for the primary key.
fn has_other_key(table: &Table) -> bool {
    stand_ins(table).next().is_some()
}

/// Whether the column is in the key by which rows are stored, as far as is known.
fn is_stored_by(table: &Table, column: &Ident) -> bool {
    let within = |parts: &[IndexPart]| parts.iter().any(|part| part.column_name() == Some(column));
    match table.primary_key() {
        Some(key) => within(&key.columns),
        None => stand_ins(table).any(|index| within(&index.parts)),
    }
}

/// Whether rows can be told apart by a key that refuses NULL and whose columns stay what they are.
fn keeps_key(table: Option<&Table>, changes: &[&Change]) -> bool {
    let Some(table) = table else { return false };
    let stays = |name: &Ident| {
        table.column(name).is_some_and(|column| column.not_null)
            && !changes.iter().filter_map(|change| rewritten(change)).any(|rewritten| rewritten == name)
    };
    let primary = table.primary_key().into_iter().map(|key| &key.columns);
    let unique = table.indexes.iter().filter(|index| index.unique).map(|index| &index.parts);
    primary.chain(unique).any(|parts| parts.iter().all(|part| part.column_name().is_some_and(stays)))
}

/// The column whose values the change touches.
fn rewritten(change: &Change) -> Option<&Ident> {
    if let Change::DropColumn { column, .. } = change {
        Some(&column.name)
    } else if let Change::AlterColumnType { before, .. }
    | Change::SetNotNull { before, .. }
    | Change::DropNotNull { before, .. }
    | Change::SetIdentity { before, .. }
    | Change::SetGenerated { before, .. }
    | Change::SetColumnAttributes { before, .. } = change
    {
        Some(&before.name)
    } else {
        None
    }
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
    let computed = column.default.as_ref().is_some_and(|default| differs_by_row(default.as_str()));
    if computed { Prediction::COPY } else { plain }
}

/// Whether the default calls a function for each row, or reads another column of it.
fn differs_by_row(default: &str) -> bool {
    let list: Vec<_> = tokens(default).into_iter().filter(Token::is_solid).collect();
    let calls = list
        .windows(2)
        .any(|pair| pair[0].kind == TokenKind::Word && pair[1].text == "(" && !pair[0].is_word("current_timestamp"));
    calls || list.iter().any(|token| token.kind == TokenKind::QuotedName)
}

/// Longer texts, more members and another collation of the same character set are taken at once. For the latter an index is built anew; but
/// not one over the beginning of a `text`, and not the one by which rows are stored.
fn column_type(before: &Column, after: &Column, table: Option<&Table>) -> Prediction {
    let read = |column: &Column| Type::read(&column.data_type.to_string());
    let (from, to) = (read(before), read(after));
    let same_charset = before.attributes.get("charset") == after.attributes.get("charset");
    // A length below this can grow to any.
    let grows = from.name == to.name
        && from.name.starts_with("var")
        && varchar_bytes(before) < 128
        && varchar_bytes(after) >= varchar_bytes(before);
    let keeps = type_change(before, after, None) == TypeChange::Keeps { rewrite: false };
    let taken_at_once =
        same_charset && (grows || keeps && (from.has_charset() || from.name == "varbinary" || from == to));
    let indexed = is_indexed(table, &before.name);
    let copied = from.name.ends_with("text") || table.is_some_and(|table| is_stored_by(table, &before.name));
    match (taken_at_once, before.collation != after.collation && indexed) {
        (true, true) if copied => Prediction::COPY,
        (true, true) => no_copy(Prediction::BUILD),
        (true, false) => Prediction::INSTANT,
        (false, _) => Prediction::COPY,
    }
}
