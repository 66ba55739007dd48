//! Columns of tables.

use std::collections::BTreeSet;

use trueup_dialect::NameKind;
use trueup_plan::{Change, ColumnPosition, Flavor, type_words};
use trueup_schema::{Column, Ident, ObjectRef, PartId, QualName, Schema, SqlExpr, Table};

use super::common::{comment, comment_of_new};
use super::context::Settled;
use super::{Context, Findings, Remark};
use crate::inherit::partitions_name_it;
use crate::project::flavor;

/// The reference to a column of `table`.
pub(super) fn reference(table: &Table, column: &Column) -> ObjectRef {
    ObjectRef::Column(PartId { table: table.name.clone(), name: column.name.clone() })
}

/// Compares the columns of a table that stays.
pub(super) fn columns(cx: &Context<'_>, out: &mut Findings, before: &Table, after: &Table) {
    let flavor = flavor(cx.after, &ObjectRef::Table(after.name.clone()));
    for column in before.columns.iter().filter(|column| after.column(&column.name).is_none()) {
        let change = Change::DropColumn { table: after.name.clone(), column: column.clone() };
        out.push(cx, Remark::new(change, "no longer declared"));
    }
    let moved = if cx.capabilities().column_order { moved(before, after) } else { BTreeSet::new() };
    for column in &after.columns {
        match before.column(&column.name) {
            Some(live) => {
                self::column(cx, out, after, (live, column), flavor);
                if moved.contains(&column.name) {
                    let (table, position) = (after.name.clone(), position(cx, before, after, &column.name));
                    let change = Change::MoveColumn { table, column: column.clone(), position };
                    out.push(cx, Remark::new(change, "order differs"));
                }
            }
            None => add(cx, out, before, after, column, flavor),
        }
    }
}

/// Columns that must move so that those on both sides come in the declared order: all but a longest run that is in order already.
fn moved(before: &Table, after: &Table) -> BTreeSet<Ident> {
    let places: Vec<(usize, &Ident)> = after
        .columns
        .iter()
        .filter_map(|column| {
            let place = before.columns.iter().position(|each| each.name == column.name)?;
            Some((place, &column.name))
        })
        .collect();
    let mut best: Vec<Vec<usize>> = Vec::new();
    for (at, (place, _)) in places.iter().enumerate() {
        let fits = |run: &&Vec<usize>| run.last().and_then(|last| places.get(*last)).is_some_and(|(p, _)| p < place);
        let mut run = best.iter().filter(fits).max_by_key(|run| run.len()).cloned().unwrap_or_default();
        run.push(at);
        best.push(run);
    }
    let kept = best.into_iter().max_by_key(Vec::len).unwrap_or_default();
    let moves = places.iter().enumerate().filter(|(at, _)| !kept.contains(at));
    moves.map(|(_, (_, name))| (*name).clone()).collect()
}

fn position(cx: &Context<'_>, before: &Table, after: &Table, column: &Ident) -> ColumnPosition {
    if !cx.capabilities().column_order {
        return ColumnPosition::Last;
    }
    let Some(at) = after.columns.iter().position(|each| each.name == *column) else { return ColumnPosition::Last };
    let rest_is_new = after.columns.iter().skip(at).all(|each| before.column(&each.name).is_none());
    if rest_is_new {
        return ColumnPosition::Last;
    }
    match at.checked_sub(1).and_then(|at| after.columns.get(at)) {
        Some(previous) => ColumnPosition::After(previous.name.clone()),
        None => ColumnPosition::First,
    }
}

/// Adds a column. Where a hint says what its rows hold, it comes without default and NOT NULL first.
fn add(cx: &Context<'_>, out: &mut Findings, before: &Table, after: &Table, column: &Column, flavor: Flavor) {
    let object = reference(after, column);
    let table = after.name.clone();
    let position = position(cx, before, after, &column.name);
    let mut added = column.clone();
    if cx.separate_comments() {
        added.comment = None;
    }
    let declared = cx.declared(&object);
    match backfill(cx, &table, column) {
        Some(value) if column.generated.is_none() && column.identity.is_none() && !column.auto_increment => {
            let bare = Column { default: None, not_null: false, not_null_clause: None, ..added.clone() };
            let filled = Column { default: None, ..added.clone() };
            let change = Change::AddColumn { table: table.clone(), column: bare.clone(), position };
            out.push(cx, Remark::new(change, declared));
            let change = Change::Backfill { table: table.clone(), column: added.clone(), value: value.clone() };
            out.push(cx, Remark::new(change, "hint"));
            if added.not_null {
                let (table, before) = (table.clone(), bare);
                out.push(
                    cx,
                    Remark::new(Change::SetNotNull { table, before, after: filled.clone() }, "declared NOT NULL"),
                );
            }
            if added.default.is_some() {
                let change = Change::SetDefault { table, before: filled, after: added };
                out.push(cx, Remark::new(change, "default declared"));
            }
        }
        Some(_) | None if column.identity.is_none() && partitions_name_it(after, column, cx.before, cx.after) => {
            let bare = Column { not_null: false, not_null_clause: None, ..added.clone() };
            let change = Change::AddColumn { table: table.clone(), column: bare.clone(), position };
            out.push(cx, Remark::new(change, declared));
            let change = Change::SetNotNull { table, before: bare, after: added };
            out.push(cx, Remark::new(change, "declared NOT NULL, and partitions call that otherwise"));
        }
        Some(_) | None => {
            out.push(cx, Remark::new(Change::AddColumn { table, column: added, position }, declared));
        }
    }
    comment_of_new(cx, out, &object, flavor, column.comment.as_ref());
}

fn backfill<'c>(cx: &'c Context<'_>, table: &QualName, column: &Column) -> Option<&'c SqlExpr> {
    cx.hints.backfills.get(&PartId { table: table.clone(), name: column.name.clone() })
}

/// Compares a column that is on both sides.
fn column(cx: &Context<'_>, out: &mut Findings, table: &Table, (before, after): (&Column, &Column), flavor: Flavor) {
    let remarks = changes(cx, &table.name, before, after);
    let object = reference(table, after);
    match out.settle(cx, remarks) {
        Settled::Done => comment(cx, out, &object, flavor, before.comment.as_ref(), after.comment.as_ref()),
        Settled::Replace(why) => {
            let dropped = Change::DropColumn { table: table.name.clone(), column: before.clone() };
            out.push(cx, Remark::new(dropped, why));
            let live = cx.live_table(&table.name).unwrap_or(table);
            add(cx, out, live, table, after, flavor);
        }
    }
}

fn changes(cx: &Context<'_>, table: &QualName, live: &Column, declared: &Column) -> Vec<Remark> {
    let Column {
        name: _,
        data_type,
        not_null,
        not_null_clause,
        default,
        generated,
        identity,
        auto_increment,
        collation,
        attributes,
        inherited,
        comment: _,
        depends_on: _,
        source: _,
        renamed_from: _,
        using: _,
        backfill: _,
    } = declared;
    let mut remarks = Vec::new();
    let sides = || (table.clone(), live.clone(), declared.clone());
    let mut typed = live.clone();
    typed.take_type(declared);
    if !live.has_type_of(declared) {
        let why = if *data_type == live.data_type {
            let differs = if *collation == live.collation { "character set" } else { "collation" };
            format!("{differs} differs")
        } else {
            format!("type is {}, declared {}", type_words(&live.data_type), type_words(data_type))
        };
        let using = cx.hints.using.get(&PartId { table: table.clone(), name: declared.name.clone() }).cloned();
        let (table, before, after) = sides();
        remarks.push(Remark::new(Change::AlterColumnType { table, before, after, using }, why));
    }
    if *generated != live.generated {
        let (table, before, after) = sides();
        remarks.push(Remark::new(Change::SetGenerated { table, before, after }, "generation rule differs"));
    }
    if *default != live.default {
        let (table, before, after) = sides();
        remarks.push(Remark::new(Change::SetDefault { table, before, after }, "default differs"));
    }
    if *identity != live.identity || *auto_increment != live.auto_increment {
        let (table, before, after) = sides();
        remarks.push(Remark::new(Change::SetIdentity { table, before, after }, "identity differs"));
    }
    let says_else = *not_null_clause != live.not_null_clause && is_renamed(cx, table, live, declared);
    if *not_null != live.not_null || (*not_null && says_else) {
        remarks.extend(nullability(cx, sides()));
    }
    let why = match (*attributes != typed.attributes, *inherited != live.inherited) {
        (true, _) => "attributes differ",
        (false, true) => "a parent's column on one side, the table's own on the other",
        (false, false) => return remarks,
    };
    let change = Change::SetColumnAttributes { table: table.clone(), before: typed, after: declared.clone() };
    remarks.push(Remark::new(change, why));
    remarks
}

/// Whether the NOT NULL of a column is called otherwise on one side. A partition has its names from its parent or brings them along when
/// it is attached, and no server renames them then.
fn is_renamed(cx: &Context<'_>, table: &QualName, live: &Column, declared: &Column) -> bool {
    if !cx.capabilities().names_not_null {
        return true;
    }
    let column = std::slice::from_ref(&declared.name);
    // Older servers give it no name.
    let Some(chosen) = cx.dialect.generated_name(NameKind::NotNull, &table.name, column) else { return false };
    let in_family = |schema: &Schema| schema.tables.get(table).is_some_and(|table| table.partition_of.is_some());
    let name = |column: &Column| column.not_null_clause.clone().unwrap_or_else(|| chosen.as_str().to_owned());
    !(in_family(cx.before) && in_family(cx.after)) && name(live) != name(declared)
}

/// Whether a new partition calls a NOT NULL that its parent has otherwise than the parent does.
pub(super) fn names_its_rules(given: &Table, after: &Table) -> bool {
    let differs = |given: &Column, after: &Column| {
        given.not_null
            && after.not_null
            && after.not_null_clause.is_some()
            && given.not_null_clause != after.not_null_clause
    };
    given.columns.iter().zip(&after.columns).any(|(given, after)| differs(given, after))
}

/// What a new table says of columns that it has from its parents.
pub(super) fn beyond_parents(cx: &Context<'_>, out: &mut Findings, made: &Table, declared: &Table) {
    for (made, after) in made.columns.iter().zip(&declared.columns) {
        let sides = || (declared.name.clone(), made.clone(), after.clone());
        if made.default != after.default {
            let (table, before, after) = sides();
            out.push(
                cx,
                Remark::new(Change::SetDefault { table, before, after }, "its parents declare another default"),
            );
        }
        let renamed = declared.partition_of.is_none() && made.not_null_clause != after.not_null_clause;
        if after.not_null && (!made.not_null || renamed) {
            let (table, before, after) = sides();
            out.push(cx, Remark::new(Change::SetNotNull { table, before, after }, "its parents allow NULL"));
        }
        if made.attributes != after.attributes {
            let (table, before, after) = sides();
            let change = Change::SetColumnAttributes { table, before, after };
            out.push(cx, Remark::new(change, "its parents declare other attributes"));
        }
    }
}

/// Rows get a value first where a hint brings one.
fn nullability(cx: &Context<'_>, (table, before, after): (QualName, Column, Column)) -> Vec<Remark> {
    if !after.not_null {
        return vec![Remark::new(Change::DropNotNull { table, before, after }, "no longer declared NOT NULL")];
    }
    let mut remarks = Vec::new();
    if let (false, Some(value)) = (before.not_null, backfill(cx, &table, &after)) {
        let change = Change::Backfill { table: table.clone(), column: after.clone(), value: value.clone() };
        remarks.push(Remark::new(change, "hint"));
    }
    remarks.push(Remark::new(Change::SetNotNull { table, before, after }, "declared NOT NULL"));
    remarks
}
