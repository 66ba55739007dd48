//! Changes of one table as one ALTER TABLE.
//!
//! Foreign keys are dropped before and added behind it, in ALTERs of their own: the servers refuse, or do worse, when they come with
//! other actions. So does partitioning.

use std::collections::BTreeSet;

use trueup_dialect::mysql;
use trueup_plan::{Change, Expected, Object, Statement};
use trueup_schema::{Constraint, ConstraintKind, ForeignKey, Ident, Index, ObjectRef, QualName, Table};

use super::columns::Columns;
use super::flavour::Flavour;
use super::words::{Rendered, run, unsupported, word};
use super::{constraint, index, options, partition, table};
use crate::RenderError;
use crate::sql::Sql;

/// The places of actions within an ALTER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    DropRule,
    DropKey,
    DropColumn,
    Column,
    Rename,
    AddKey,
    AddRule,
    Option,
}

/// An ALTER that is being put together.
struct Alter<'a> {
    flavour: &'a Flavour,
    before: &'a Table,
    after: &'a Table,
    columns: Columns,
    actions: Vec<(Rank, Sql)>,
    drops_foreign_keys: Vec<Sql>,
    adds_foreign_keys: Vec<Sql>,
    /// Indexes that are said anew for them.
    said_again: BTreeSet<Ident>,
    /// The action on partitions, and whether a comma comes before it.
    partitions: Option<(Sql, bool)>,
    earlier: Vec<Sql>,
    later: Vec<Sql>,
}

/// The statements of `changes`, which are all of one table. Where they are one, it asserts what is expected of it.
pub(super) fn merged(
    flavour: &Flavour,
    before: &Table,
    after: &Table,
    changes: &[&Change],
    expects: &[Expected],
) -> Rendered {
    let mut alter = Alter {
        flavour,
        before,
        after,
        columns: Columns::default(),
        actions: Vec::new(),
        drops_foreign_keys: Vec::new(),
        adds_foreign_keys: Vec::new(),
        said_again: BTreeSet::new(),
        partitions: None,
        earlier: Vec::new(),
        later: Vec::new(),
    };
    for change in changes {
        alter.take(change)?;
    }
    alter.statements(expects)
}

impl Alter<'_> {
    fn statements(mut self, expects: &[Expected]) -> Rendered {
        let columns = self.columns.actions(self.flavour, self.after)?;
        self.actions.extend(columns.into_iter().map(|action| (Rank::Column, action)));
        self.actions.sort_by_key(|(rank, _)| *rank);
        let actions: Vec<Sql> = self.actions.into_iter().map(|(_, action)| action).collect();
        let partitions = self.partitions.iter().map(|(action, _)| action.clone()).collect();
        let mut alters =
            vec![self.earlier, self.drops_foreign_keys, actions, partitions, self.adds_foreign_keys, self.later];
        alters.retain(|actions| !actions.is_empty());
        let name = &self.after.name;
        let mut statements = table::namespace_for(self.after);
        match (alters.as_slice(), expects) {
            ([only], [first, others @ ..]) => {
                let asserted = |expected: &Expected| {
                    let said = said(self.flavour, expected)?;
                    Ok::<_, RenderError>(match &self.partitions {
                        // Here the grammar wants it in front.
                        Some((action, true)) => alter(name, [said, vec![action.clone()]].concat()),
                        Some((action, false)) => {
                            run(&Sql::new("ALTER TABLE").qualified(name).series(said).then(action.clone()))
                        }
                        None => alter(name, [only.clone(), said].concat()),
                    })
                };
                let mut statement = asserted(first)?;
                for other in others {
                    statement.instead.push(asserted(other)?.sql);
                }
                statements.push(statement);
            }
            _ => statements.extend(alters.into_iter().map(|actions| alter(name, actions))),
        }
        Ok(statements)
    }

    fn push(&mut self, rank: Rank, action: Sql) {
        self.actions.push((rank, action));
    }

    fn take(&mut self, change: &Change) -> Result<(), RenderError> {
        match change {
            Change::AddColumn { column: it, .. } => drop(self.columns.added.insert(it.name.clone())),
            Change::DropColumn { column: it, .. } => {
                self.push(Rank::DropColumn, Sql::new("DROP COLUMN").name(&it.name))
            }
            Change::MoveColumn { column: it, .. } => drop(self.columns.moved.insert(it.name.clone())),
            Change::AlterColumnType { after: it, using: None, .. }
            | Change::SetDefault { after: it, .. }
            | Change::SetNotNull { after: it, .. }
            | Change::DropNotNull { after: it, .. }
            | Change::SetIdentity { after: it, .. }
            | Change::SetGenerated { after: it, .. }
            | Change::SetColumnAttributes { after: it, .. } => drop(self.columns.restated.insert(it.name.clone())),
            Change::AlterColumnType { after: it, using: Some(_), .. } => {
                return Err(unsupported(self.flavour, &it.name, "an ALTER converts values in the server's own way"));
            }
            Change::AddConstraint { constraint: it, .. } => self.add_constraint(it)?,
            Change::DropConstraint { constraint: it, .. } => self.drop_constraint(it)?,
            Change::AlterConstraint { before, after, .. } => self.alter_constraint(before, after)?,
            Change::Create { object: Object::Index(it) } => {
                self.push(Rank::AddKey, Sql::new("ADD").then(index::definition(self.flavour, &it.index)?));
            }
            Change::Drop { object: Object::Index(it) } => {
                self.push(Rank::DropKey, Sql::new("DROP KEY").name(&it.index.name));
            }
            Change::AlterIndex { before, after, .. } => self.alter_index(before, after)?,
            Change::AlterTable { before, after } => self.alter_table(before, after)?,
            Change::Rename { from, to, .. } => self.rename(from, to)?,
            Change::SetComment { on, after, .. } => self.comment(on, after.as_deref())?,
            Change::Adopt { .. } => {}
            Change::Create { .. }
            | Change::Drop { .. }
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
            | Change::SetOwner { .. } => {
                return Err(unsupported(self.flavour, change.kind(), "it is no part of an ALTER TABLE"));
            }
        }
        Ok(())
    }

    fn add_constraint(&mut self, it: &Constraint) -> Result<(), RenderError> {
        let Some(definition) = constraint::definition(self.flavour, it)? else { return self.restate(it) };
        let action = Sql::new("ADD").then(definition);
        match &it.kind {
            ConstraintKind::ForeignKey(key) => {
                self.keep_index(it, key)?;
                self.adds_foreign_keys.push(action);
            }
            ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) => self.push(Rank::AddKey, action),
            ConstraintKind::Check { .. } | ConstraintKind::Exclude { .. } => self.push(Rank::AddRule, action),
        }
        Ok(())
    }

    /// An index that the server once made by itself for a foreign key gives way to one with the name of the next. Nothing tells such an
    /// index from another, so the one that serves the key is said again, which makes it stay; rows are copied anyway.
    fn keep_index(&mut self, constraint: &Constraint, key: &ForeignKey) -> Result<(), RenderError> {
        let serves = |index: &&Index| {
            !index.unique
                && index.method.is_none()
                && index.parts.len() == key.columns.len()
                && index.parts.iter().zip(&key.columns).all(|(part, name)| part.column_name() == Some(name))
        };
        let there = |index: &&Index| self.before.index(&index.name).is_some();
        let Some(index) = self.after.indexes.iter().filter(serves).find(there) else { return Ok(()) };
        let again = Sql::new("ADD").then(index::definition(self.flavour, index)?);
        if constraint.name.as_ref() != Some(&index.name) && self.said_again.insert(index.name.clone()) {
            self.adds_foreign_keys.push(Sql::new("DROP KEY").name(&index.name));
            self.adds_foreign_keys.push(again);
        }
        Ok(())
    }

    fn drop_constraint(&mut self, it: &Constraint) -> Result<(), RenderError> {
        let Some(action) = constraint::drop(self.flavour, it)? else { return self.restate(it) };
        match &it.kind {
            ConstraintKind::ForeignKey(_) => self.drops_foreign_keys.push(action),
            ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) => self.push(Rank::DropKey, action),
            ConstraintKind::Check { .. } | ConstraintKind::Exclude { .. } => self.push(Rank::DropRule, action),
        }
        Ok(())
    }

    fn alter_constraint(&mut self, before: &Constraint, after: &Constraint) -> Result<(), RenderError> {
        match &after.name {
            Some(name) if constraint::differs_in_enforcement_alone(before, after) && self.flavour.not_enforced => {
                let word = if after.enforced { "ENFORCED" } else { "NOT ENFORCED" };
                self.push(Rank::AddRule, Sql::new("ALTER CHECK").name(name).words(word));
                Ok(())
            }
            Some(_) | None => {
                self.drop_constraint(before)?;
                self.add_constraint(after)
            }
        }
    }

    /// A check that stands with its column comes and goes with what is said of the column, or with the column itself.
    fn restate(&mut self, it: &Constraint) -> Result<(), RenderError> {
        let ConstraintKind::Check { column: Some(column), .. } = &it.kind else {
            return Err(unsupported(self.flavour, trueup_plan::unnamed_constraint(it), "it stands with no column"));
        };
        if self.after.column(column).is_some() {
            self.columns.restated.insert(column.clone());
        } else if self.before.column(column).is_none() {
            return Err(unsupported(self.flavour, column, "a column is changed by a step that has the whole table"));
        }
        Ok(())
    }

    fn alter_index(&mut self, before: &trueup_schema::Index, after: &trueup_schema::Index) -> Result<(), RenderError> {
        if index::differs_in_use_alone(before, after) && before.name == after.name {
            let word = self.flavour.unused_index[usize::from(!after.parameters.contains_key("invisible"))];
            self.push(Rank::AddRule, Sql::new("ALTER INDEX").name(&after.name).words(word));
            return Ok(());
        }
        self.push(Rank::DropKey, Sql::new("DROP KEY").name(&before.name));
        self.push(Rank::AddKey, Sql::new("ADD").then(index::definition(self.flavour, after)?));
        Ok(())
    }

    fn alter_table(&mut self, before: &Table, after: &Table) -> Result<(), RenderError> {
        options::refuse_others(self.flavour, after)?;
        let (old, new) = (&before.options.parameters, &after.options.parameters);
        let mut kept = old.clone();
        if old.get("engine") != new.get("engine") {
            // An engine knows nothing of another's options: they go while it is still there.
            for name in options::OF_ONE_ENGINE.iter().filter(|name| old.contains_key(name) && !new.contains_key(name)) {
                self.earlier.push(options::option(self.flavour, name, None)?);
                kept.remove(name);
            }
        }
        let options = options::changes(self.flavour, &kept, new)?;
        // The engine that had it refuses to forget it; the next one can.
        let keeps = "page_checksum";
        let had = old.contains_key(keeps) || old.get("engine").is_some_and(|engine| engine == "Aria");
        if had && !new.contains_key(keeps) && old.get("engine") != new.get("engine") {
            self.later.push(options::option(self.flavour, keeps, None)?);
        }
        let [versioning, later] = (self.flavour.set_versioning)(before, after)?;
        self.later.extend(later);
        for action in options.into_iter().chain(versioning) {
            self.push(Rank::Option, action);
        }
        let change = mysql::partition_change(before.partitioning.as_ref(), after.partitioning.as_ref());
        self.partitions = change.as_ref().map(partition::change);
        Ok(())
    }

    fn rename(&mut self, from: &ObjectRef, to: &ObjectRef) -> Result<(), RenderError> {
        match (from, to) {
            (ObjectRef::Column(from), ObjectRef::Column(to)) => {
                self.columns.renamed.insert(to.name.clone(), from.name.clone());
            }
            (ObjectRef::Index(from), ObjectRef::Index(to)) => {
                self.push(Rank::Rename, Sql::new("RENAME KEY").name(&from.name).words("TO").name(&to.name));
            }
            (ObjectRef::Constraint(from), ObjectRef::Constraint(to)) => self.rename_constraint(from, to)?,
            _ => return Err(unsupported(self.flavour, from, "it is not renamed in an ALTER TABLE")),
        }
        Ok(())
    }

    /// A unique key is an index; any other constraint is made anew under its new name.
    fn rename_constraint(
        &mut self,
        from: &trueup_schema::PartId,
        to: &trueup_schema::PartId,
    ) -> Result<(), RenderError> {
        let sides = (self.before.constraint(&from.name).cloned(), self.after.constraint(&to.name).cloned());
        match sides {
            (Some(old), Some(_)) if matches!(old.kind, ConstraintKind::Unique(_)) => {
                self.push(Rank::Rename, Sql::new("RENAME KEY").name(&from.name).words("TO").name(&to.name));
                Ok(())
            }
            (Some(old), Some(new)) => {
                self.drop_constraint(&old)?;
                self.add_constraint(&new)
            }
            _ => Err(unsupported(self.flavour, from, "the step's table has no such constraint")),
        }
    }

    fn comment(&mut self, on: &ObjectRef, text: Option<&str>) -> Result<(), RenderError> {
        match on {
            ObjectRef::Table(_) => self.push(Rank::Option, options::comment(text.unwrap_or_default())),
            ObjectRef::Column(it) => drop(self.columns.restated.insert(it.name.clone())),
            ObjectRef::Namespace(_)
            | ObjectRef::Extension(_)
            | ObjectRef::Type(_)
            | ObjectRef::Sequence(_)
            | ObjectRef::View(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
            | ObjectRef::Opaque(_) => {
                return Err(unsupported(self.flavour, on, "its comment is no part of an ALTER TABLE"));
            }
        }
        Ok(())
    }
}

fn alter(name: &QualName, actions: Vec<Sql>) -> Statement {
    run(&Sql::new("ALTER TABLE").qualified(name).series(actions))
}

/// What the server is to do.
fn said(flavour: &Flavour, expected: &Expected) -> Result<Vec<Sql>, RenderError> {
    let mut said = vec![Sql::new(format!("ALGORITHM={}", word(flavour, &expected.algorithm)?))];
    if let Some(lock) = &expected.lock {
        said.push(Sql::new(format!("LOCK={}", word(flavour, lock)?)));
    }
    Ok(said)
}
