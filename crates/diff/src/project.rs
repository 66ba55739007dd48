//! The live schema under the names that hints give it.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::{Carries, Dialect, NameKind, Tables, Token, TokenKind, Verdict};
use trueup_plan::{Change, Flavor, Hints, Refusal, RenameHint};
use trueup_schema::{
    Column, Dependency, DialectId, Ident, ObjectRef, PartId, QualName, RenameError, Schema, SqlExpr, TableKind,
    UserTypeKind,
};
use trueup_snapshot::fnv1a64;

use crate::draft::Draft;
use crate::hints::{self, Renaming};
use crate::spelling;

/// Old names of things that hints rename.
#[derive(Debug, Default, Clone)]
pub(crate) struct Renames {
    namespaces: BTreeMap<Ident, Ident>,
    /// Tables, views, types and sequences, by their new names.
    objects: BTreeMap<ObjectRef, ObjectRef>,
    /// Columns, by their table's and their own new names.
    columns: BTreeMap<PartId, Ident>,
}

impl Renames {
    /// The name that `name`, of the kind that `make` makes, has before the plan.
    fn before(&self, name: &QualName, make: fn(QualName) -> ObjectRef) -> QualName {
        let old = self.objects.get(&make(name.clone())).and_then(hints::qualified);
        let mut name = old.unwrap_or(name).clone();
        if let Some(namespace) = &mut name.namespace
            && let Some(old) = self.namespaces.get(namespace)
        {
            *namespace = old.clone();
        }
        name
    }

    /// The table's name before the plan.
    pub(crate) fn table(&self, name: &QualName) -> QualName {
        self.before(name, ObjectRef::Table)
    }

    /// The column's name before the plan; `table` and `column` are the new names.
    pub(crate) fn column(&self, table: &QualName, column: &Ident) -> Ident {
        let id = PartId { table: table.clone(), name: column.clone() };
        self.columns.get(&id).unwrap_or(column).clone()
    }

    /// New names of renamed columns of `table` with their old ones.
    pub(crate) fn columns_of(&self, table: &QualName) -> impl Iterator<Item = (&Ident, &Ident)> {
        self.columns.iter().filter(move |(id, _)| id.table == *table).map(|(id, old)| (&id.name, old))
    }

    /// The object's name before the plan, where it is tracked by one.
    pub(crate) fn object(&self, object: &ObjectRef) -> ObjectRef {
        let relation = |name: &QualName| {
            let table = self.before(name, ObjectRef::Table);
            if table == *name { self.before(name, ObjectRef::View) } else { table }
        };
        let part = |id: &PartId| PartId { table: relation(&id.table), name: id.name.clone() };
        match object {
            ObjectRef::Namespace(name) => ObjectRef::Namespace(self.namespaces.get(name).unwrap_or(name).clone()),
            ObjectRef::Extension(_) => object.clone(),
            ObjectRef::Type(name) => ObjectRef::Type(self.before(name, ObjectRef::Type)),
            ObjectRef::Sequence(name) => ObjectRef::Sequence(self.before(name, ObjectRef::Sequence)),
            ObjectRef::Table(name) => ObjectRef::Table(self.table(name)),
            ObjectRef::View(name) => ObjectRef::View(self.before(name, ObjectRef::View)),
            ObjectRef::Column(id) => {
                ObjectRef::Column(PartId { table: relation(&id.table), name: self.column(&id.table, &id.name) })
            }
            ObjectRef::Constraint(id) => ObjectRef::Constraint(part(id)),
            ObjectRef::Index(id) => match self.objects.get(object) {
                Some(ObjectRef::Index(old)) => ObjectRef::Index(part(old)),
                Some(_) | None => ObjectRef::Index(part(id)),
            },
            ObjectRef::Trigger(id) => ObjectRef::Trigger(part(id)),
            ObjectRef::Policy(id) => ObjectRef::Policy(part(id)),
            ObjectRef::Routine(id) => {
                let name = self.before(&id.name, ObjectRef::Type);
                ObjectRef::Routine(trueup_schema::RoutineId { name, arguments: id.arguments.clone() })
            }
            ObjectRef::Opaque(id) => {
                let mut id = id.clone();
                id.table = id.table.as_ref().map(relation);
                id.namespace = id.namespace.map(|name| self.namespaces.get(&name).cloned().unwrap_or(name));
                ObjectRef::Opaque(id)
            }
        }
    }

    /// Remembers that `to` is called `from` before the plan.
    pub(crate) fn record(&mut self, from: &ObjectRef, to: &ObjectRef) {
        match (from, to) {
            (ObjectRef::Namespace(from), ObjectRef::Namespace(to)) => {
                let oldest = self.namespaces.remove(from).unwrap_or_else(|| from.clone());
                self.namespaces.insert(to.clone(), oldest);
            }
            (ObjectRef::Column(from), ObjectRef::Column(to)) => {
                let oldest = self.columns.remove(from).unwrap_or_else(|| from.name.clone());
                self.columns.insert(to.clone(), oldest);
            }
            _ => {
                let oldest = self.objects.remove(from).unwrap_or_else(|| from.clone());
                self.objects.insert(to.clone(), oldest);
            }
        }
    }

    /// Whether nothing is renamed.
    pub(crate) fn is_empty(&self) -> bool {
        self.namespaces.is_empty() && self.objects.is_empty() && self.columns.is_empty()
    }
}

/// The live schema after the renames, and the renames.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) schema: Schema,
    pub(crate) renames: Renames,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) notes: Vec<String>,
}

/// Carries the hints' renames through `live`, namespaces first, then objects, then their parts.
pub(crate) fn project(live: &Schema, desired: &Schema, hints: &Hints, dialect: &dyn Dialect) -> Projection {
    let mut projection = Projection {
        schema: live.clone(),
        renames: Renames::default(),
        drafts: Vec::new(),
        refusals: Vec::new(),
        notes: Vec::new(),
    };
    projection.notes.extend(spelling::align(&mut projection.schema, desired, dialect));
    projection.respell(desired, dialect);
    for round in 0..3 {
        let hints: Vec<&RenameHint> = hints.renames.iter().filter(|hint| round_of(&hint.from) == round).collect();
        let resolved = hints::resolve(&hints, &projection.schema, desired);
        projection.refusals.extend(resolved.refusals);
        projection.notes.extend(resolved.notes);
        projection.carry_out(resolved.renames, desired, dialect);
    }
    projection
}

const fn round_of(object: &ObjectRef) -> u8 {
    match object {
        ObjectRef::Namespace(_) | ObjectRef::Extension(_) => 0,
        ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Opaque(_) => 1,
        ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_) => 2,
    }
}

impl Projection {
    /// Gives tables and columns the declared letter case, where the server takes both spellings for one name.
    fn respell(&mut self, desired: &Schema, dialect: &dyn Dialect) {
        for renaming in spelling::tables(&self.schema, desired, dialect) {
            self.rename(&renaming, dialect);
        }
        for renaming in spelling::columns(&self.schema, desired, dialect) {
            self.rename(&renaming, dialect);
        }
        for draft in &mut self.drafts {
            draft.provenance = Some("letter case".to_owned());
        }
    }

    /// Does the renames in an order in which every new name is free, through a temporary name where they go round in a circle.
    pub(crate) fn carry_out(&mut self, mut renames: Vec<Renaming>, desired: &Schema, dialect: &dyn Dialect) {
        renames.retain(|renaming| self.is_worth_it(renaming, dialect));
        while !renames.is_empty() {
            let free = renames.iter().position(|renaming| !hints::holds(&self.schema, &renaming.to));
            let Some(next) = free else {
                let circle = circle(&renames);
                if circle.iter().all(|object| is_as_declared(&self.schema, desired, object)) {
                    self.notes.push(format!("the names of `{}` are swapped already", list(&circle)));
                    renames.retain(|renaming| !circle.contains(&renaming.from));
                    continue;
                }
                let first = renames.remove(0);
                match temporary(&first.from) {
                    Some(aside) => {
                        self.rename(&Renaming { to: aside.clone(), ..first.clone() }, dialect);
                        renames.push(Renaming { from: aside, ..first });
                    }
                    None => self.refuse(&first, "it has no name to change"),
                }
                continue;
            };
            let renaming = renames.remove(next);
            self.rename(&renaming, dialect);
        }
    }

    /// Objects without rows are made again under the new name on engines that cannot rename them.
    fn is_worth_it(&self, renaming: &Renaming, dialect: &dyn Dialect) -> bool {
        let can = dialect.capabilities();
        let holds_rows = match &renaming.from {
            ObjectRef::Table(_) | ObjectRef::Namespace(_) | ObjectRef::Sequence(_) => true,
            ObjectRef::Column(id) => self.schema.tables.contains_key(&id.table),
            ObjectRef::Index(_) if !can.rename_index => return false,
            ObjectRef::Constraint(_) if !can.rename_constraint => return false,
            ObjectRef::Extension(_)
            | ObjectRef::Type(_)
            | ObjectRef::View(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
            | ObjectRef::Opaque(_) => false,
        };
        let change = self.change(renaming);
        holds_rows || dialect.verdict(&change, self.tables(&renaming.from)) == Verdict::InPlace
    }

    fn tables(&self, object: &ObjectRef) -> Tables<'_> {
        let table = hints::table_of(object);
        Tables { before: table.and_then(|name| self.schema.tables.get(name)), after: None }
    }

    fn change(&self, renaming: &Renaming) -> Change {
        Change::Rename {
            from: renaming.from.clone(),
            to: renaming.to.clone(),
            flavor: flavor(&self.schema, &renaming.from),
        }
    }

    fn rename(&mut self, renaming: &Renaming, dialect: &dyn Dialect) {
        let change = self.change(renaming);
        let verdict = dialect.verdict(&change, self.tables(&renaming.from));
        let heirs = heirs(&self.schema, &renaming.from);
        if let Err(error) = apply_named(&mut self.schema, &renaming.from, &renaming.to, dialect) {
            self.refuse(renaming, &error.to_string());
            return;
        }
        self.remember(renaming, &heirs);
        carry_texts(&mut self.schema, &change, renaming, dialect);
        let why = format!("renamed to `{}`", renaming.to);
        let mut draft = Draft::new(change, verdict, why);
        draft.provenance = Some(match &renaming.source {
            Some(source) => format!("hint in {source}"),
            None => "hint".to_owned(),
        });
        self.drafts.push(draft);
    }

    /// A column is renamed in every table that has it from there.
    fn remember(&mut self, renaming: &Renaming, heirs: &[QualName]) {
        self.renames.record(&renaming.from, &renaming.to);
        let (ObjectRef::Column(from), ObjectRef::Column(to)) = (&renaming.from, &renaming.to) else { return };
        for table in heirs {
            let is_gone = self.schema.tables.get(table).is_some_and(|now| now.column(&from.name).is_none());
            if is_gone {
                let at = |name: &Ident| ObjectRef::Column(PartId { table: table.clone(), name: name.clone() });
                self.renames.record(&at(&from.name), &at(&to.name));
            }
        }
    }

    fn refuse(&mut self, renaming: &Renaming, why: &str) {
        self.refusals.push(Refusal {
            code: "rename-impossible".to_owned(),
            object: renaming.from.to_string(),
            operation: None,
            why: format!("{} `{}` cannot be renamed to `{}`: {why}", renaming.from.kind(), renaming.from, renaming.to),
            fix: "take the hint away, or make way for the new name".to_owned(),
        });
    }
}

/// Other tables with a column of that name.
fn heirs(schema: &Schema, object: &ObjectRef) -> Vec<QualName> {
    let ObjectRef::Column(id) = object else { return Vec::new() };
    let others = schema.tables.values().filter(|table| table.name != id.table && table.column(&id.name).is_some());
    others.map(|table| table.name.clone()).collect()
}

/// The renames that go round with the first of them.
fn circle(renames: &[Renaming]) -> BTreeSet<ObjectRef> {
    let mut circle = BTreeSet::new();
    let mut next = renames.first().map(|first| &first.from);
    while let Some(object) = next {
        if !circle.insert(object.clone()) {
            break;
        }
        next = renames.iter().find(|renaming| renaming.from == *object).map(|renaming| &renaming.to);
    }
    circle
}

fn list(objects: &BTreeSet<ObjectRef>) -> String {
    objects.iter().map(ToString::to_string).collect::<Vec<_>>().join("`, `")
}

/// Whether the object is defined under its name of today as declared.
fn is_as_declared(live: &Schema, desired: &Schema, object: &ObjectRef) -> bool {
    if let ObjectRef::Table(name) = object {
        let columns = |schema: &Schema| schema.tables.get(name).map(|table| bare_columns(&table.columns));
        return columns(live) == columns(desired);
    }
    let ObjectRef::Column(id) = object else { return false };
    let column = |schema: &Schema| {
        let column = schema.tables.get(&id.table)?.column(&id.name)?;
        Some(bare_columns(std::slice::from_ref(column)))
    };
    column(live) == column(desired)
}

fn bare_columns(columns: &[trueup_schema::Column]) -> Vec<trueup_schema::Column> {
    let mut columns = columns.to_vec();
    for column in &mut columns {
        column.depends_on.clear();
        column.source = None;
    }
    columns
}

/// A name to step aside to that is the same in every plan for the same circle.
fn temporary(object: &ObjectRef) -> Option<ObjectRef> {
    let hash = format!("{:016x}", fnv1a64(format!("{}:{object}", object.kind()).as_bytes()));
    let name = Ident::new(format!("trueup_{}", hash.get(..8)?)).ok()?;
    hints::beside(object, &name)
}

/// Renames, and keeps the names that the engine gave after the old one.
fn apply_named(
    schema: &mut Schema,
    from: &ObjectRef,
    to: &ObjectRef,
    dialect: &dyn Dialect,
) -> Result<(), RenameError> {
    apply(schema, from, to)?;
    let chosen = |table: &Ident, column: &Ident| {
        dialect
            .generated_name(NameKind::NotNull, table, std::slice::from_ref(column))
            .map(|name| name.as_str().to_owned())
    };
    let is_own = |column: &Column| column.not_null && column.not_null_clause.is_none() && !column.inherited;
    if let (ObjectRef::Table(was), ObjectRef::Table(is)) = (from, to)
        && let Some(table) =
            schema.tables.get_mut(is).filter(|table| table.partition_of.is_none() && was.name != is.name)
    {
        for column in table.columns.iter_mut().filter(|column| is_own(column)) {
            column.not_null_clause = chosen(&was.name, &column.name);
        }
    } else if let (ObjectRef::Column(was), ObjectRef::Column(is)) = (from, to)
        && let Some(table) = schema.tables.get_mut(&is.table).filter(|table| table.partition_of.is_none())
    {
        for column in table.columns.iter_mut().filter(|column| column.name == is.name && is_own(column)) {
            column.not_null_clause = chosen(&is.table.name, &was.name);
        }
    }
    Ok(())
}

fn apply(schema: &mut Schema, from: &ObjectRef, to: &ObjectRef) -> Result<(), RenameError> {
    match (from, to) {
        (ObjectRef::Namespace(from), ObjectRef::Namespace(to)) => schema.rename_namespace(from, to),
        (ObjectRef::Table(from), ObjectRef::Table(to)) => schema.rename_table(from, to),
        (ObjectRef::View(from), ObjectRef::View(to)) => schema.rename_view(from, to),
        (ObjectRef::Type(from), ObjectRef::Type(to)) => schema.rename_type(from, to),
        (ObjectRef::Sequence(from), ObjectRef::Sequence(to)) => schema.rename_sequence(from, to),
        (ObjectRef::Column(from), ObjectRef::Column(to)) => schema.rename_column(&from.table, &from.name, &to.name),
        (ObjectRef::Constraint(from), ObjectRef::Constraint(to)) => {
            schema.rename_constraint(&from.table, &from.name, &to.name)
        }
        (ObjectRef::Index(from), ObjectRef::Index(to)) => schema.rename_index(&from.table, &from.name, &to.name),
        _ => Err(RenameError::Missing(Box::new(from.clone()))),
    }
}

/// The sort of an object that a reference alone does not tell.
pub(crate) fn flavor(schema: &Schema, object: &ObjectRef) -> Flavor {
    let relation = |name: &QualName| match (schema.views.get(name), schema.tables.get(name)) {
        (Some(view), _) if view.materialized => Flavor::Materialized,
        (Some(_), _) => Flavor::View,
        (None, Some(table)) if matches!(table.kind, TableKind::Foreign { .. }) => Flavor::Foreign,
        (None, _) => Flavor::Plain,
    };
    match object {
        ObjectRef::View(name) if relation(name) == Flavor::Materialized => Flavor::Materialized,
        ObjectRef::View(_) => Flavor::Plain,
        ObjectRef::Table(name) => relation(name),
        ObjectRef::Column(id) | ObjectRef::Index(id) => relation(&id.table),
        ObjectRef::Type(name) => match schema.types.get(name).map(|user_type| &user_type.kind) {
            Some(UserTypeKind::Domain(_)) => Flavor::Domain,
            Some(UserTypeKind::Composite { .. }) => Flavor::Composite,
            Some(UserTypeKind::Enum { .. } | UserTypeKind::Range(_)) | None => Flavor::Plain,
        },
        ObjectRef::Routine(id) => schema.routines.get(id).map_or(Flavor::Plain, |routine| routine.kind.into()),
        ObjectRef::Constraint(_)
        | ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => Flavor::Plain,
    }
}

/// Renames as the engine does: the object, every structured mention of it, and texts that follow it.
pub(crate) fn carry(schema: &mut Schema, change: &Change, dialect: &dyn Dialect) -> Result<(), RenameError> {
    if let Change::Rename { from, to, .. } = change {
        apply_named(schema, from, to, dialect)?;
        let renaming = Renaming { from: from.clone(), to: to.clone(), source: None };
        carry_texts(schema, change, &renaming, dialect);
    }
    Ok(())
}

/// Puts the new name into the texts of what depends on the renamed object, as the engine does.
fn carry_texts(schema: &mut Schema, change: &Change, renaming: &Renaming, dialect: &dyn Dialect) {
    let (Some(from), Some(to)) = (hints::own_name(&renaming.from), hints::own_name(&renaming.to)) else { return };
    let users = users(schema, &renaming.to);
    let table = hints::table_of(&renaming.to).cloned();
    let is_namespace = matches!(renaming.to, ObjectRef::Namespace(_));
    let id = dialect.id();
    schema.visit_exprs_mut(&mut |site, text| {
        let own = table.as_ref().is_some_and(|table| hints::table_of(site.object) == Some(table));
        let uses = own || is_namespace || users.contains(site.object);
        if uses && dialect.carries(change, site.object) != Carries::Not {
            *text = SqlExpr::new(replace_name(dialect, id, text.as_str(), from, to));
        }
    });
    if let Some(table) = table {
        carry_sources(schema, &table, &|text| replace_name(dialect, id, text, from, to));
    }
}

/// Declared texts of a table's own parts, which a rebuild copies.
fn carry_sources(schema: &mut Schema, table: &QualName, carry: &dyn Fn(&str) -> String) {
    let apply = |source: &mut Option<String>| {
        if let Some(text) = source {
            *text = carry(text);
        }
    };
    if let Some(table) = schema.tables.get_mut(table) {
        apply(&mut table.source);
        table.columns.iter_mut().for_each(|each| apply(&mut each.source));
        table.constraints.iter_mut().for_each(|each| apply(&mut each.source));
        table.indexes.iter_mut().for_each(|each| apply(&mut each.source));
    }
    for trigger in schema.triggers.values_mut().filter(|trigger| trigger.id.table == *table) {
        apply(&mut trigger.source);
    }
}

/// Every object whose dependencies name `object`, or its table where they know no columns.
fn users(schema: &Schema, object: &ObjectRef) -> BTreeSet<ObjectRef> {
    let matches = |dependency: &Dependency| match (object, &dependency.on) {
        (ObjectRef::Table(table) | ObjectRef::View(table), ObjectRef::Column(id)) => id.table == *table,
        (ObjectRef::Column(id), ObjectRef::Table(table)) => id.table == *table,
        (object, on) => object == on,
    };
    let uses = |list: &[Dependency]| list.iter().any(matches);
    let mut users = BTreeSet::new();
    let mut add = |object: ObjectRef, list: &[Dependency]| {
        if uses(list) {
            users.insert(object);
        }
    };
    for table in schema.tables.values() {
        let part = |name: &Ident| PartId { table: table.name.clone(), name: name.clone() };
        for column in &table.columns {
            add(ObjectRef::Column(part(&column.name)), &column.depends_on);
        }
        for constraint in &table.constraints {
            let object = match &constraint.name {
                Some(name) => ObjectRef::Constraint(part(name)),
                None => ObjectRef::Table(table.name.clone()),
            };
            add(object, &constraint.depends_on);
        }
        for index in &table.indexes {
            add(ObjectRef::Index(part(&index.name)), &index.depends_on);
        }
    }
    schema.types.values().for_each(|each| add(ObjectRef::Type(each.name.clone()), &each.common.depends_on));
    schema.views.values().for_each(|each| add(ObjectRef::View(each.name.clone()), &each.common.depends_on));
    schema.routines.values().for_each(|each| add(ObjectRef::Routine(each.id.clone()), &each.common.depends_on));
    schema.triggers.values().for_each(|each| add(ObjectRef::Trigger(each.id.clone()), &each.depends_on));
    schema.policies.values().for_each(|each| add(ObjectRef::Policy(each.id.clone()), &each.depends_on));
    schema.objects.values().for_each(|each| add(ObjectRef::Opaque(each.id.clone()), &each.common.depends_on));
    users
}

/// `text` with every token that is the name `from` replaced by `to`. A word before an opening parenthesis is a function.
pub(crate) fn replace_name(dialect: &dyn Dialect, id: DialectId, text: &str, from: &Ident, to: &Ident) -> String {
    let tokens = dialect.tokens(text);
    let is_name = |token: &Token| {
        token.name().is_some_and(|name| {
            name == from.as_str() || (token.kind == TokenKind::Word && name.eq_ignore_ascii_case(from.as_str()))
        })
    };
    let mut replaced = String::with_capacity(text.len());
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1..).and_then(|rest| rest.iter().find(|token| token.is_solid()));
        let is_call = next.is_some_and(|next| next.text == "(") && token.kind == TokenKind::Word;
        if !is_name(token) || is_call {
            replaced.push_str(&token.text);
        } else if token.kind == TokenKind::Word && is_plain(to) {
            replaced.push_str(to.as_str());
        } else {
            replaced.push_str(&to.quoted(id));
        }
    }
    replaced
}

fn is_plain(name: &Ident) -> bool {
    let text = name.as_str();
    let starts = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    starts && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
