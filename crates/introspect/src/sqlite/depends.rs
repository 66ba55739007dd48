//! What texts mention. SQLite keeps no dependencies, so that every edge from a text is a guess by name.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::{Dialect as _, TokenKind, sqlite::Sqlite};
use trueup_schema::{
    Constraint, ConstraintKind, Dependency, Ident, Index, IndexKey, ObjectRef, PartId, QualName, Schema, Table,
    TableKind,
};

/// Fills in what every object of `schema` needs.
pub(super) fn fill(schema: &mut Schema, dialect: &Sqlite) {
    let known = Known::of(schema);
    for table in schema.tables.values_mut() {
        fill_table(table, &known, dialect);
    }
    for view in schema.views.values_mut() {
        let words = words(dialect, view.query.as_str(), false);
        view.common.depends_on = known.mentioned(&words, &ObjectRef::View(view.name.clone()), None);
    }
    for trigger in schema.triggers.values_mut() {
        let words = words(dialect, trigger.definition.as_str(), false);
        let own = ObjectRef::Trigger(trigger.id.clone());
        trigger.depends_on = known.mentioned(&words, &own, Some(&trigger.id.table));
    }
}

fn fold(name: &Ident) -> String {
    name.as_str().to_ascii_lowercase()
}

/// Relations and their columns by folded name.
struct Known {
    relations: BTreeMap<String, (ObjectRef, QualName)>,
    columns: BTreeMap<QualName, BTreeMap<String, Ident>>,
}

impl Known {
    fn of(schema: &Schema) -> Self {
        let tables =
            schema.tables.keys().map(|name| (fold(&name.name), (ObjectRef::Table(name.clone()), name.clone())));
        let views = schema.views.keys().map(|name| (fold(&name.name), (ObjectRef::View(name.clone()), name.clone())));
        let columns = |table: &Table| table.columns.iter().map(|it| (fold(&it.name), it.name.clone())).collect();
        Self {
            relations: tables.chain(views).collect(),
            columns: schema.tables.iter().map(|(name, table)| (name.clone(), columns(table))).collect(),
        }
    }

    /// Relations among `words` and those of their columns that are among them, too. Of the relation `implied` only the columns.
    fn mentioned(&self, words: &BTreeSet<String>, own: &ObjectRef, implied: Option<&QualName>) -> Vec<Dependency> {
        let mut found = Vec::new();
        for (word, (relation, name)) in &self.relations {
            let is_implied = implied == Some(name);
            if relation == own || !(is_implied || words.contains(word)) {
                continue;
            }
            if !is_implied {
                found.push(Dependency::soft(relation.clone()));
            }
            found.extend(self.columns(name, words));
        }
        found
    }

    fn columns<'a>(
        &'a self,
        table: &'a QualName,
        words: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = Dependency> + 'a {
        let columns = self.columns.get(table).into_iter().flatten();
        columns
            .filter(|(word, _)| words.contains(*word))
            .map(|(_, name)| Dependency::soft(ObjectRef::Column(PartId { table: table.clone(), name: name.clone() })))
    }
}

/// Every name in `sql`, folded; with `texts` what strings hold as well.
fn words(dialect: &Sqlite, sql: &str, texts: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for token in dialect.tokens(sql) {
        if let Some(name) = token.name() {
            found.insert(name.to_ascii_lowercase());
        } else if texts && token.kind == TokenKind::Text {
            found.insert(token.text.trim_matches('\'').to_ascii_lowercase());
        }
    }
    found
}

fn fill_table(table: &mut Table, known: &Known, dialect: &Sqlite) {
    let name = table.name.clone();
    if let TableKind::Virtual { using } = &table.kind {
        // Search indexes name the table of their content in a string.
        let words = words(dialect, using.as_str(), true);
        let mentioned = known.mentioned(&words, &ObjectRef::Table(name.clone()), None);
        table.common.depends_on =
            mentioned.into_iter().filter(|it| matches!(it.on, ObjectRef::Table(_) | ObjectRef::View(_))).collect();
    }
    for column in &mut table.columns {
        if let Some(generated) = &column.generated {
            let own = ObjectRef::Column(PartId { table: name.clone(), name: column.name.clone() });
            let words = words(dialect, generated.expr.as_str(), false);
            column.depends_on = known.columns(&name, &words).filter(|it| it.on != own).collect();
        }
    }
    for constraint in &mut table.constraints {
        constraint.depends_on = of_constraint(constraint, &name, known, dialect);
    }
    for index in &mut table.indexes {
        index.depends_on = of_index(index, &name, known, dialect);
    }
}

fn of_constraint(constraint: &Constraint, table: &QualName, known: &Known, dialect: &Sqlite) -> Vec<Dependency> {
    match &constraint.kind {
        ConstraintKind::Check { expr, .. } => {
            let words = words(dialect, expr.as_str(), false);
            known.columns(table, &words).collect()
        }
        ConstraintKind::ForeignKey(key) => match known.relations.get(&fold(&key.references.name)) {
            // A table may reference one that does not exist yet: which comes first is a wish, not a need.
            Some((relation, name)) if name != table => vec![Dependency::soft(relation.clone())],
            Some(_) | None => Vec::new(),
        },
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => Vec::new(),
    }
}

fn of_index(index: &Index, table: &QualName, known: &Known, dialect: &Sqlite) -> Vec<Dependency> {
    let parts = index.parts.iter().filter_map(|part| match &part.key {
        IndexKey::Expr(expr) => Some(expr),
        IndexKey::Column(_) => None,
    });
    let words: BTreeSet<String> =
        parts.chain(&index.predicate).flat_map(|expr| words(dialect, expr.as_str(), false)).collect();
    known.columns(table, &words).collect()
}
