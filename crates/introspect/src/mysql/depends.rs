//! What texts mention. These servers keep no dependencies but foreign keys, so that every edge from a text is a guess by name.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::mysql;
use trueup_schema::{
    Constraint, ConstraintKind, Dependency, Ident, Index, IndexKey, ObjectRef, PartId, QualName, RoutineId, Schema,
    Table,
};

/// Fills in what every object of `schema` needs.
pub(super) fn fill(schema: &mut Schema) {
    let known = Known::of(schema);
    for table in schema.tables.values_mut() {
        fill_table(table, &known);
    }
    for view in schema.views.values_mut() {
        let words = Words::of(view.query.as_str());
        view.common.depends_on =
            known.mentioned(&words, &ObjectRef::View(view.name.clone()), view.name.namespace.as_ref(), None);
    }
    for trigger in schema.triggers.values_mut() {
        let words = Words::of(trigger.definition.as_str());
        let own = ObjectRef::Trigger(trigger.id.clone());
        let table = &trigger.id.table;
        trigger.depends_on.extend(known.mentioned(&words, &own, table.namespace.as_ref(), Some(table)));
    }
    for routine in schema.routines.values_mut() {
        let words = Words::of(routine.definition.as_str());
        let own = ObjectRef::Routine(routine.id.clone());
        routine.common.depends_on = known.mentioned(&words, &own, routine.id.name.namespace.as_ref(), None);
    }
    for object in schema.objects.values_mut() {
        let words = object.create.iter().map(|text| Words::of(text.as_str())).fold(Words::default(), Words::and);
        let own = ObjectRef::Opaque(object.id.clone());
        object.common.depends_on = known.mentioned(&words, &own, object.id.namespace.as_ref(), None);
    }
}

fn fold(name: &Ident) -> String {
    name.as_str().to_lowercase()
}

/// Names in a text, folded.
#[derive(Debug, Default)]
struct Words {
    names: BTreeSet<String>,
    pairs: BTreeSet<(String, String)>,
}

impl Words {
    fn of(sql: &str) -> Self {
        let list: Vec<_> = mysql::tokens(sql).into_iter().filter(trueup_dialect::Token::is_solid).collect();
        let name = |at: usize| list.get(at).and_then(trueup_dialect::Token::name).map(|name| name.to_lowercase());
        let mut words = Self::default();
        for at in 0..list.len() {
            let Some(first) = name(at) else { continue };
            if let (Some("."), Some(second)) = (list.get(at + 1).map(|token| token.text.as_str()), name(at + 2)) {
                words.pairs.insert((first.clone(), second));
            }
            words.names.insert(first);
        }
        words
    }

    fn and(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        self.pairs.extend(other.pairs);
        self
    }
}

/// What a text can mention: relations with their columns, sequences, routines.
struct Known {
    objects: Vec<(QualName, ObjectRef)>,
    columns: BTreeMap<QualName, BTreeMap<String, Ident>>,
}

impl Known {
    fn of(schema: &Schema) -> Self {
        let mut objects: Vec<(QualName, ObjectRef)> = Vec::new();
        objects.extend(schema.tables.keys().map(|name| (name.clone(), ObjectRef::Table(name.clone()))));
        objects.extend(schema.views.keys().map(|name| (name.clone(), ObjectRef::View(name.clone()))));
        objects.extend(schema.sequences.keys().map(|name| (name.clone(), ObjectRef::Sequence(name.clone()))));
        objects.extend(schema.routines.keys().map(|id: &RoutineId| (id.name.clone(), ObjectRef::Routine(id.clone()))));
        let columns = |table: &Table| table.columns.iter().map(|it| (fold(&it.name), it.name.clone())).collect();
        let of_views = schema.views.iter().map(|(name, view)| {
            (name.clone(), view.columns.iter().map(|it| (fold(&it.name), it.name.clone())).collect())
        });
        let of_tables = schema.tables.iter().map(|(name, table)| (name.clone(), columns(table)));
        Self { objects, columns: of_tables.chain(of_views).collect() }
    }

    /// Objects among `words`, and those of their columns that are among them, too. Of the table `implied` only the columns.
    fn mentioned(
        &self,
        words: &Words,
        own: &ObjectRef,
        home: Option<&Ident>,
        implied: Option<&QualName>,
    ) -> Vec<Dependency> {
        let mut found = Vec::new();
        for (name, object) in &self.objects {
            let is_implied = implied == Some(name);
            let is_named = if name.namespace.as_ref() == home {
                words.names.contains(&fold(&name.name))
            } else {
                let database = name.namespace.as_ref().map(fold).unwrap_or_default();
                words.pairs.contains(&(database, fold(&name.name)))
            };
            if object == own || !(is_implied || is_named) {
                continue;
            }
            if !is_implied {
                found.push(Dependency::soft(object.clone()));
            }
            found.extend(self.columns_of(name, words));
        }
        found
    }

    fn columns_of<'a>(&'a self, table: &'a QualName, words: &'a Words) -> impl Iterator<Item = Dependency> + 'a {
        let columns = self.columns.get(table).into_iter().flatten();
        columns
            .filter(|(word, _)| words.names.contains(*word))
            .map(|(_, name)| Dependency::soft(ObjectRef::Column(PartId { table: table.clone(), name: name.clone() })))
    }
}

fn fill_table(table: &mut Table, known: &Known) {
    let name = table.name.clone();
    for column in &mut table.columns {
        let own = ObjectRef::Column(PartId { table: name.clone(), name: column.name.clone() });
        if let Some(generated) = &column.generated {
            let words = Words::of(generated.expr.as_str());
            column.depends_on = known.columns_of(&name, &words).filter(|it| it.on != own).collect();
        } else if let Some(default) = &column.default {
            let words = Words::of(default.as_str());
            let all = known.mentioned(&words, &own, name.namespace.as_ref(), Some(&name));
            let needed = |it: &Dependency| {
                let is_own = matches!(&it.on, ObjectRef::Column(part) if part.table == name) && it.on != own;
                is_own || matches!(it.on, ObjectRef::Sequence(_))
            };
            column.depends_on = all.into_iter().filter(needed).collect();
        }
    }
    for constraint in &mut table.constraints {
        constraint.depends_on = of_constraint(constraint, &name, known);
    }
    for index in &mut table.indexes {
        index.depends_on = of_index(index, &name, known);
    }
}

fn of_constraint(constraint: &Constraint, table: &QualName, known: &Known) -> Vec<Dependency> {
    match &constraint.kind {
        ConstraintKind::Check { expr, .. } => known.columns_of(table, &Words::of(expr.as_str())).collect(),
        // What a key refers to, it says itself, column by column.
        ConstraintKind::ForeignKey(_)
        | ConstraintKind::PrimaryKey(_)
        | ConstraintKind::Unique(_)
        | ConstraintKind::Exclude { .. } => Vec::new(),
    }
}

fn of_index(index: &Index, table: &QualName, known: &Known) -> Vec<Dependency> {
    let exprs = index.parts.iter().filter_map(|part| match &part.key {
        IndexKey::Expr(expr) => Some(expr.as_str()),
        IndexKey::Column(_) => None,
    });
    let words = exprs.map(Words::of).fold(Words::default(), Words::and);
    known.columns_of(table, &words).collect()
}
