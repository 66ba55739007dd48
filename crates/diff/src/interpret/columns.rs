//! Changes to columns.

use trueup_plan::{Change, ColumnPosition};
use trueup_schema::{Column, Ident, QualName, Schema};

use super::error::{Done, InterpretError};
use super::find::{column, column_ref, table};

pub(super) fn add(schema: &mut Schema, name: &QualName, added: &Column, position: &ColumnPosition) -> Done {
    let table = table(schema, name)?;
    if table.column(&added.name).is_some() {
        return Err(InterpretError::Exists(column_ref(name, &added.name)));
    }
    put(&mut table.columns, added.clone(), name, position)
}

fn put(columns: &mut Vec<Column>, column: Column, table: &QualName, position: &ColumnPosition) -> Done {
    let at = match position {
        ColumnPosition::Last => columns.len(),
        ColumnPosition::First => 0,
        ColumnPosition::After(before) => {
            let found = columns.iter().position(|each| each.name == *before);
            found.ok_or_else(|| InterpretError::Missing(column_ref(table, before)))? + 1
        }
    };
    columns.insert(at, column);
    Ok(())
}

/// Takes a column away, and the sequences that it owns.
pub(super) fn drop(schema: &mut Schema, name: &QualName, dropped: &Ident) -> Done {
    is_there(schema, name, dropped)?;
    table(schema, name)?.columns.retain(|column| column.name != *dropped);
    schema.sequences.retain(|_, sequence| {
        !sequence.owned_by.as_ref().is_some_and(|owner| owner.table == *name && owner.name == *dropped)
    });
    Ok(())
}

pub(super) fn shift(schema: &mut Schema, name: &QualName, moved: &Ident, position: &ColumnPosition) -> Done {
    let table = table(schema, name)?;
    let at = table.columns.iter().position(|column| column.name == *moved);
    let column = table.columns.remove(at.ok_or_else(|| InterpretError::Missing(column_ref(name, moved)))?);
    put(&mut table.columns, column, name, position)
}

pub(super) fn is_there(schema: &mut Schema, table: &QualName, name: &Ident) -> Done {
    column(schema, table, name).map(|_| ())
}

/// Applies the one respect in which `change` alters its column.
pub(super) fn alter(schema: &mut Schema, change: &Change) -> Done {
    if let Some((table, after)) = altered(change) {
        let found = column(schema, table, &after.name)?;
        *found = with(found, change);
    }
    Ok(())
}

/// The table and the wanted column of a change that alters one.
pub(crate) const fn altered(change: &Change) -> Option<(&QualName, &Column)> {
    if let Change::AlterColumnType { table, after, .. }
    | Change::SetDefault { table, after, .. }
    | Change::SetNotNull { table, after, .. }
    | Change::DropNotNull { table, after, .. }
    | Change::SetIdentity { table, after, .. }
    | Change::SetGenerated { table, after, .. }
    | Change::SetColumnAttributes { table, after, .. } = change
    {
        Some((table, after))
    } else {
        None
    }
}

/// `column` as it is once `change` altered it in its one respect, whatever else the wanted column says.
pub(crate) fn with(column: &Column, change: &Change) -> Column {
    let mut next = column.clone();
    let source = altered(change).and_then(|(_, after)| after.source.clone());
    if let Change::AlterColumnType { after, .. } = change {
        next.take_type(after);
    } else if let Change::SetDefault { after, .. } = change {
        next.default.clone_from(&after.default);
        next.depends_on.clone_from(&after.depends_on);
    } else if let Change::SetNotNull { after, .. } | Change::DropNotNull { after, .. } = change {
        next.not_null = after.not_null;
        next.not_null_clause.clone_from(&after.not_null_clause);
    } else if let Change::SetIdentity { after, .. } = change {
        next.identity.clone_from(&after.identity);
        next.auto_increment = after.auto_increment;
    } else if let Change::SetGenerated { after, .. } = change {
        next.generated.clone_from(&after.generated);
        next.depends_on.clone_from(&after.depends_on);
    } else if let Change::SetColumnAttributes { after, .. } = change {
        next.attributes.clone_from(&after.attributes);
    } else {
        return next;
    }
    next.source = source;
    next
}
