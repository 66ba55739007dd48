//! How PostgreSQL carries a change out.

use trueup_plan::{Change, DomainChange};
use trueup_schema::{
    Column, Constraint, ConstraintKind, Grant, Ident, Index, ObjectRef, Policy, QualName, Routine, Table, TableKind,
    View,
};

use super::tokens::tokens;
use crate::{Tables, TokenKind, Verdict};

fn blocked(code: &'static str, why: String, fix: impl Into<String>) -> Verdict {
    Verdict::Blocked { code, why, fix: fix.into() }
}

/// What an owner may do is granted to it by name.
fn owners_own(on: &ObjectRef, before: &[Grant], after: &[Grant]) -> Verdict {
    let own = |grants: &[Grant]| grants.iter().filter(|grant| grant.grantee == "OWNER").cloned().collect::<Vec<_>>();
    if own(before) == own(after) {
        return Verdict::InPlace;
    }
    let why = format!("the owner of `{on}` is to have other privileges of its own, and who owns it is not looked at");
    blocked("owner-unknown", why, "plan with --owners, which looks at owners")
}

/// How the server, of `major` version, carries out `change`.
pub(super) fn verdict(major: u32, change: &Change, tables: Tables<'_>) -> Verdict {
    match change {
        Change::AlterTable { before, after } => alter_table(major, before, after),
        Change::DropColumn { table, column } | Change::AlterColumnType { table, before: column, .. } => {
            partition_key(tables, table, &column.name).unwrap_or(Verdict::InPlace)
        }
        Change::AddColumn { table, column, .. } if column.inherited => inherited(table, &column.name),
        Change::SetGenerated { before, after, .. } => generated(major, before, after),
        Change::SetIdentity { table, before, after } => identity(table, before, after),
        Change::SetColumnAttributes { table, before, after } => attributes(table, before, after),
        Change::MoveColumn { table, column, .. } => no_move(table, column),
        Change::AlterConstraint { before, after, .. } => constraint(major, before, after),
        Change::AlterIndex { before, after, .. } => index(before, after),
        Change::ReplaceView { before, after } => view(before, after),
        Change::ReplaceRoutine { before, after } => routine(before, after),
        Change::AlterPolicy { before, after } => policy(before, after),
        Change::SetGrants { on, before: Some(before), after, owner: None, .. } => {
            owners_own(on, before, after.as_deref().unwrap_or_default())
        }
        Change::Rename { from: ObjectRef::Extension(name), .. } => no_rename(name),
        Change::Rename { from: ObjectRef::Opaque(_), .. } => Verdict::Replace,
        Change::AlterDomain {
            change:
                DomainChange::Default { .. }
                | DomainChange::NotNull(_)
                | DomainChange::AddCheck(_)
                | DomainChange::DropCheck(_)
                | DomainChange::ValidateCheck(_),
            ..
        }
        | Change::Create { .. }
        | Change::Drop { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::Backfill { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterView { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::SetComment { .. }
        | Change::AddColumn { .. }
        | Change::AlterOpaque { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => Verdict::InPlace,
    }
}

fn no_move(table: &QualName, column: &Column) -> Verdict {
    let why = format!("columns of `{table}` cannot be moved, `{}` for one", column.name);
    blocked("column-order", why, "leave the order as it is: it is not compared")
}

fn no_rename(extension: &Ident) -> Verdict {
    blocked("rename", format!("extension `{extension}` cannot be renamed"), "declare it under its own name")
}

fn alter_table(major: u32, before: &Table, after: &Table) -> Verdict {
    let name = &after.name;
    let same_kind = match (&before.kind, &after.kind) {
        (TableKind::Ordinary, TableKind::Ordinary) => true,
        // Options of a foreign table can be altered, its server cannot.
        (TableKind::Foreign { server: before, .. }, TableKind::Foreign { server: after, .. }) => before == after,
        (TableKind::Ordinary | TableKind::Foreign { .. } | TableKind::Virtual { .. }, _) => false,
    };
    if !same_kind {
        // What a foreign table shows is kept elsewhere.
        return if matches!(before.kind, TableKind::Foreign { .. }) {
            Verdict::Replace
        } else {
            blocked(
                "table-kind",
                format!("table `{name}` cannot become a table of another kind"),
                "make a new table and move the rows",
            )
        };
    }
    if before.partitioning != after.partitioning {
        return blocked(
            "partitioning",
            format!("table `{name}` cannot change how it is partitioned"),
            "make a new partitioned table and move the rows or attach the old one",
        );
    }
    if before.options.access_method != after.options.access_method && major < 15 {
        return blocked(
            "access-method",
            format!("PostgreSQL {major} cannot change the access method of `{name}`"),
            "make a new table and move the rows",
        );
    }
    if before.options.unlogged != after.options.unlogged && after.partitioning.is_some() {
        return blocked(
            "unlogged",
            format!("partitioned table `{name}` has no rows of its own to log"),
            "declare its partitions UNLOGGED instead",
        );
    }
    Verdict::InPlace
}

/// A partition key stands on its columns.
fn partition_key(tables: Tables<'_>, table: &QualName, column: &Ident) -> Option<Verdict> {
    let key = tables.before?.partitioning.as_ref()?;
    let is_column = |token: &crate::Token| match token.kind {
        TokenKind::Word => token.text.to_lowercase() == column.as_str(),
        TokenKind::QuotedName => token.name().as_deref() == Some(column.as_str()),
        TokenKind::Text
        | TokenKind::Number
        | TokenKind::Parameter
        | TokenKind::Symbol
        | TokenKind::Space
        | TokenKind::Comment => false,
    };
    tokens(key.by.as_str()).iter().any(is_column).then(|| {
        blocked(
            "partition-key",
            format!("`{table}` is partitioned by column `{column}`"),
            "make a new partitioned table and move the rows",
        )
    })
}

fn generated(major: u32, before: &Column, after: &Column) -> Verdict {
    match (&before.generated, &after.generated) {
        // Virtual values are nowhere: there is nothing to keep.
        (Some(was), None) if was.stored => Verdict::InPlace,
        (Some(was), Some(becomes)) if was.stored == becomes.stored && major >= 17 => Verdict::InPlace,
        (Some(_), Some(_) | None) | (None, Some(_)) => Verdict::Replace,
        (None, None) => Verdict::InPlace,
    }
}

fn identity(table: &QualName, before: &Column, after: &Column) -> Verdict {
    let sequence = |column: &Column| column.identity.as_ref().and_then(|identity| identity.sequence.clone());
    if before.identity.is_some() && after.identity.is_some() && sequence(before) != sequence(after) {
        return blocked(
            "identity-sequence",
            format!("the sequence of identity `{table}.{}` has another name", after.name),
            "rename the sequence by hand, or declare the name that it has",
        );
    }
    Verdict::InPlace
}

fn inherited(table: &QualName, column: &Ident) -> Verdict {
    blocked(
        "inherited-column",
        format!("`{table}.{column}` comes from a parent table on one side, and is the table's own on the other"),
        "declare the column as it is, or make the table anew by hand",
    )
}

fn attributes(table: &QualName, before: &Column, after: &Column) -> Verdict {
    if before.inherited != after.inherited {
        return inherited(table, &after.name);
    }
    let form = |column: &Column| column.attributes.get("not_null").cloned();
    if form(before) != form(after) {
        return blocked(
            "not-null-form",
            format!("the NOT NULL of `{table}.{}` is NOT VALID or NO INHERIT on one side only", after.name),
            "validate it, or alter its inheritance, by hand",
        );
    }
    Verdict::InPlace
}

fn constraint(major: u32, before: &Constraint, after: &Constraint) -> Verdict {
    if !matches!(after.kind, ConstraintKind::ForeignKey(_)) {
        return Verdict::Replace;
    }
    let mut same = before.clone();
    same.deferrable = after.deferrable;
    if major >= 18 {
        same.enforced = after.enforced;
        if before.enforced != after.enforced {
            same.validated = after.validated;
        }
    }
    same.name.clone_from(&after.name);
    same.comment.clone_from(&after.comment);
    same.depends_on.clone_from(&after.depends_on);
    if same == *after { Verdict::InPlace } else { Verdict::Replace }
}

fn index(before: &Index, after: &Index) -> Verdict {
    let mut same = before.clone();
    same.parameters.clone_from(&after.parameters);
    same.tablespace.clone_from(&after.tablespace);
    same.clustered = after.clustered;
    // An index is attached, never detached.
    if before.partition_of.is_none() {
        same.partition_of.clone_from(&after.partition_of);
    }
    same.comment.clone_from(&after.comment);
    same.depends_on.clone_from(&after.depends_on);
    same.renamed_from.clone_from(&after.renamed_from);
    same.source.clone_from(&after.source);
    if same == *after { Verdict::InPlace } else { Verdict::Replace }
}

/// A view keeps its columns and may get more behind them.
fn view(before: &View, after: &View) -> Verdict {
    if before.materialized || after.materialized {
        return Verdict::Replace;
    }
    let Some(kept) = after.columns.get(..before.columns.len()).filter(|kept| !kept.is_empty()) else {
        return Verdict::Replace;
    };
    let same = before.columns.iter().zip(kept).all(|(before, after)| {
        let unknown = before.data_type.is_empty() || after.data_type.is_empty();
        before.name == after.name && (unknown || before.data_type == after.data_type)
    });
    if same { Verdict::InPlace } else { Verdict::Replace }
}

fn routine(before: &Routine, after: &Routine) -> Verdict {
    if before.kind == after.kind && before.signature == after.signature { Verdict::InPlace } else { Verdict::Replace }
}

fn policy(before: &Policy, after: &Policy) -> Verdict {
    let other = before.restrictive != after.restrictive || before.command != after.command;
    let taken_away =
        (before.using.is_some() && after.using.is_none()) || (before.check.is_some() && after.check.is_none());
    if other || taken_away { Verdict::Replace } else { Verdict::InPlace }
}
