//! What a table that is written anew takes with it.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_plan::{Change, ColumnSource, Rebuild};
use trueup_schema::{
    ConstraintKind, Dependency, Ident, IndexPart, ObjectRef, QualName, Schema, SqlExpr, Table, Trigger, View,
};
use trueup_snapshot::fnv1a64;

use crate::draft::DraftPlan;
use crate::graph::Site;

/// Views and triggers by the relations that their bodies name.
#[derive(Debug, Default)]
pub(super) struct Namers(BTreeMap<QualName, BTreeSet<ObjectRef>>);

impl Namers {
    pub(super) fn of(plan: &DraftPlan<'_>) -> Self {
        let mut namers = Self::default();
        for schema in [plan.live, &plan.projected, plan.desired] {
            for view in schema.views.values() {
                namers.add(&ObjectRef::View(view.name.clone()), &view.common.depends_on);
            }
            for trigger in schema.triggers.values() {
                let own = ObjectRef::Trigger(trigger.id.clone());
                namers.add(&own, &trigger.depends_on);
                namers.0.entry(trigger.id.table.clone()).or_default().insert(own);
            }
        }
        namers
    }

    fn add(&mut self, namer: &ObjectRef, dependencies: &[Dependency]) {
        for dependency in dependencies {
            let site = Site::Object(dependency.on.clone());
            if let Some(relation) = site.relation().or_else(|| site.container()) {
                self.0.entry(relation.clone()).or_default().insert(namer.clone());
            }
        }
    }

    /// Views over `relation`, directly and through other views, and triggers that name one of them.
    fn over(&self, relation: &QualName) -> BTreeSet<ObjectRef> {
        let mut found = BTreeSet::new();
        let mut open = vec![relation.clone()];
        while let Some(name) = open.pop() {
            for namer in self.0.get(&name).into_iter().flatten() {
                if found.insert(namer.clone())
                    && let ObjectRef::View(view) = namer
                {
                    open.push(view.clone());
                }
            }
        }
        found
    }
}

/// The rebuild from `before` to `after`, carried out by `changes`. `schema` is what is there once it is done.
pub(super) fn rebuild(
    dialect: &dyn Dialect,
    namers: &Namers,
    schema: &Schema,
    (before, after): (Table, Table),
    changes: &[Change],
    temporary: Ident,
) -> Rebuild {
    let over = namers.over(&after.name);
    let (mut views, mut triggers, mut other_triggers) = (Vec::<View>::new(), Vec::<Trigger>::new(), Vec::new());
    for object in &over {
        if let ObjectRef::View(name) = object {
            views.extend(schema.views.get(name).cloned());
        } else if let ObjectRef::Trigger(id) = object {
            let list = if id.table == after.name { &mut triggers } else { &mut other_triggers };
            list.extend(schema.triggers.get(id).cloned());
        }
    }
    let columns = columns(dialect, &before, &after, changes);
    let loose = schema.tables.values().filter(|table| is_loose(table)).map(|table| table.name.clone()).collect();
    Rebuild { columns, triggers, other_triggers, views, temporary, loose, before, after }
}

/// Whether a unique key of the table compares otherwise than its columns do.
fn is_loose(table: &Table) -> bool {
    let differs = |part: &IndexPart| {
        let column = part.column_name().and_then(|name| table.column(name));
        let own = column.and_then(|column| column.collation.as_ref()).map_or("binary", |it| it.name.as_str());
        part.collation.as_ref().is_some_and(|collation| !collation.name.as_str().eq_ignore_ascii_case(own))
    };
    let keys = table.constraints.iter().filter_map(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => Some(&key.columns),
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) | ConstraintKind::Exclude { .. } => None,
    });
    let indexes = table.indexes.iter().filter(|index| index.unique).map(|index| &index.parts);
    keys.chain(indexes).flatten().any(differs)
}

/// Where the values of each column come from. A column that is not listed gets its default.
fn columns(dialect: &dyn Dialect, before: &Table, after: &Table, changes: &[Change]) -> Vec<ColumnSource> {
    let mut sources = Vec::new();
    for column in after.columns.iter().filter(|column| column.generated.is_none()) {
        let change = Story::of(&column.name, changes);
        let copied = (!change.added && before.column(change.old).is_some())
            .then(|| SqlExpr::new(change.old.quoted(dialect.id())));
        let value = match (change.using.cloned().or(copied), change.filled) {
            (Some(value), Some(filled)) => SqlExpr::new(format!("COALESCE({value}, {filled})")),
            (Some(value), None) => value,
            (None, Some(filled)) => filled.clone(),
            (None, None) => continue,
        };
        sources.push(ColumnSource { column: column.name.clone(), value });
    }
    sources
}

/// What a rebuild does to one column.
struct Story<'c> {
    old: &'c Ident,
    added: bool,
    using: Option<&'c SqlExpr>,
    filled: Option<&'c SqlExpr>,
}

impl<'c> Story<'c> {
    fn of(name: &'c Ident, changes: &'c [Change]) -> Self {
        let mut story = Self { old: name, added: false, using: None, filled: None };
        for change in changes {
            if let Change::AddColumn { column, .. } = change {
                story.added |= column.name == *name;
            } else if let Change::Rename { from: ObjectRef::Column(from), to: ObjectRef::Column(to), .. } = change {
                story.old = if to.name == *name { &from.name } else { story.old };
            } else if let Change::AlterColumnType { after, using, .. } = change {
                story.using = if after.name == *name { using.as_ref() } else { story.using };
            } else if let Change::Backfill { column, value, .. } = change {
                story.filled = if column.name == *name { Some(value) } else { story.filled };
            }
        }
        story
    }
}

/// A name that nothing has, the same in every plan with the same hash.
pub(super) fn temporary(
    plan: &DraftPlan<'_>,
    seed: &str,
    table: &QualName,
    schema: &Schema,
) -> Result<Ident, trueup_schema::IdentError> {
    let taken = |name: &QualName| {
        let folded = plan.dialect.fold(&name.name);
        let same = |other: &QualName| other.namespace == name.namespace && plan.dialect.fold(&other.name) == folded;
        [plan.live, plan.desired, schema]
            .iter()
            .any(|schema| schema.tables.contains_key(name) || schema.views.contains_key(name))
            || plan.facts.taken.iter().any(same)
    };
    let mut salt = String::new();
    loop {
        let hash = fnv1a64(format!("{seed}\n{table}{salt}").as_bytes()) >> 32;
        let name = Ident::new(format!("trueup_{hash:08x}"))?;
        if !taken(&table.sibling(name.clone())) {
            return Ok(name);
        }
        salt.push('+');
    }
}
