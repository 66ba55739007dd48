//! The form in which SQLite's schemas are compared.

use std::collections::BTreeMap;

use trueup_schema::{
    Column, Common, Constraint, ConstraintKind, Ident, Index, IndexKey, IndexPart, QualName, Schema, SqlExpr, Table,
    TableKind, Trigger, View,
};
use trueup_snapshot::Normalise;

use super::texts::{self, Names, fold};
use super::{Sqlite, attributes, grammar};

impl Normalise for Sqlite {
    fn normalise(&self, schema: &mut Schema) {
        let names = Names::of(schema);
        normalise(schema, &names);
    }

    /// SQLite makes up no names.
    fn is_generated(&self, _: &Table, _: &Constraint) -> bool {
        false
    }

    fn hashes_column_order(&self) -> bool {
        false
    }
}

/// Brings every text and mention in `schema` into one spelling. Quotes around `names` say nothing.
pub(crate) fn normalise(schema: &mut Schema, names: &Names) {
    let spelling = Spelling::of(schema);
    for table in schema.tables.values_mut() {
        self::table(table, names, &spelling);
    }
    for view in schema.views.values_mut() {
        self::view(view, names);
    }
    for trigger in schema.triggers.values_mut() {
        self::trigger(trigger, names, &spelling);
    }
}

/// How names are spelled where they are defined. Mentions may differ in letter case.
#[derive(Debug)]
pub(crate) struct Spelling {
    relations: BTreeMap<String, QualName>,
    columns: BTreeMap<String, BTreeMap<String, Ident>>,
}

impl Spelling {
    pub(crate) fn of(schema: &Schema) -> Self {
        let tables = schema.tables.values().map(|table| &table.name);
        let views = schema.views.values().map(|view| &view.name);
        let relations = tables.chain(views).map(|name| (fold(name.name.as_str()), name.clone())).collect();
        let columns = |table: &Table| table.columns.iter().map(own).collect();
        Self {
            relations,
            columns: schema.tables.values().map(|table| (fold(table.name.name.as_str()), columns(table))).collect(),
        }
    }

    pub(crate) fn relation(&self, name: &mut QualName) {
        if let Some(defined) = self.relations.get(&fold(name.name.as_str())) {
            *name = defined.clone();
        }
    }

    pub(crate) fn column(&self, table: &QualName, name: &mut Ident) {
        let defined = self.columns.get(&fold(table.name.as_str()));
        if let Some(defined) = defined.and_then(|columns| columns.get(&fold(name.as_str()))) {
            *name = defined.clone();
        }
    }
}

fn own(column: &Column) -> (String, Ident) {
    (fold(column.name.as_str()), column.name.clone())
}

fn is_binary(collation: &QualName) -> bool {
    collation.name.as_str().eq_ignore_ascii_case("BINARY")
}

fn rewrite(expr: &mut SqlExpr, to: impl Fn(&str) -> String) {
    let text = to(expr.as_str());
    *expr = SqlExpr(text);
}

/// What SQLite has no place for.
fn strip(common: &mut Common) {
    common.comment = None;
    common.owner = None;
    common.grants = None;
}

fn table(table: &mut Table, names: &Names, spelling: &Spelling) {
    strip(&mut table.common);
    if let TableKind::Virtual { using } = &mut table.kind {
        rewrite(using, texts::module);
    }
    let columns = Names::of_columns(table);
    for column in &mut table.columns {
        self::column(column, names, &columns);
    }
    let binary: BTreeMap<String, bool> =
        table.columns.iter().map(|column| (fold(column.name.as_str()), column.collation.is_none())).collect();
    let here = Here { table: table.name.clone(), names, columns: &columns, spelling, binary };
    for constraint in &mut table.constraints {
        here.constraint(constraint);
    }
    for index in &mut table.indexes {
        here.index(index);
    }
}

fn column(column: &mut Column, names: &Names, columns: &Names) {
    column.comment = None;
    if let trueup_schema::DataType::Builtin(text) = &mut column.data_type {
        *text = texts::type_words(text);
    }
    if let Some(default) = &mut column.default {
        rewrite(default, texts::default);
    }
    if let Some(generated) = &mut column.generated {
        rewrite(&mut generated.expr, |text| texts::own_expr(text, names, columns));
    }
    if column.collation.as_ref().is_some_and(is_binary) {
        column.collation = None;
    }
    match &mut column.collation {
        Some(collation) => upper(collation),
        None => drop(column.attributes.remove(attributes::COLLATE_NAME)),
    }
    column.not_null_clause = column.not_null_clause.take().and_then(conflict);
}

/// Collations are found whatever their letter case.
fn upper(collation: &mut QualName) {
    if let Ok(name) = Ident::new(collation.name.as_str().to_ascii_uppercase()) {
        collation.name = name;
    }
}

fn conflict(clause: String) -> Option<String> {
    let clause = clause.to_ascii_uppercase();
    (clause != "ABORT").then_some(clause)
}

/// The table that a part belongs to.
struct Here<'a> {
    table: QualName,
    names: &'a Names,
    /// The table's own.
    columns: &'a Names,
    spelling: &'a Spelling,
    /// By folded name, whether the column compares bytes.
    binary: BTreeMap<String, bool>,
}

impl Here<'_> {
    fn constraint(&self, constraint: &mut Constraint) {
        constraint.comment = None;
        constraint.validated = true;
        constraint.enforced = true;
        constraint.on_conflict = constraint.on_conflict.take().and_then(conflict);
        match &mut constraint.kind {
            ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
                key.columns.iter_mut().for_each(|part| self.part(part));
            }
            ConstraintKind::Check { expr, no_inherit, column } => {
                rewrite(expr, |text| texts::own_expr(text, self.names, self.columns));
                *no_inherit = false;
                *column = None;
            }
            ConstraintKind::ForeignKey(key) => {
                for column in &mut key.columns {
                    self.spelling.column(&self.table, column);
                }
                self.spelling.relation(&mut key.references);
                for column in &mut key.referenced_columns {
                    self.spelling.column(&key.references, column);
                }
                key.match_type = key.match_type.take().map(|text| text.to_ascii_uppercase());
            }
            ConstraintKind::Exclude { definition } => {
                rewrite(definition, |text| texts::own_expr(text, self.names, self.columns))
            }
        }
    }

    fn index(&self, index: &mut Index) {
        index.comment = None;
        index.method = index.method.take().filter(|method| method != "btree");
        index.parts.iter_mut().for_each(|part| self.part(part));
        if let Some(predicate) = &mut index.predicate {
            rewrite(predicate, |text| texts::own_expr(text, self.names, self.columns));
        }
    }

    fn part(&self, part: &mut IndexPart) {
        let mut compares_bytes = true;
        match &mut part.key {
            IndexKey::Column(name) => {
                self.spelling.column(&self.table, name);
                compares_bytes = self.binary.get(&fold(name.as_str())).copied().unwrap_or(true);
            }
            IndexKey::Expr(expr) => rewrite(expr, |text| texts::own_expr(text, self.names, self.columns)),
        }
        if compares_bytes && part.collation.as_ref().is_some_and(is_binary) {
            part.collation = None;
        }
        if let Some(collation) = &mut part.collation {
            upper(collation);
        }
    }
}

fn view(view: &mut View, names: &Names) {
    strip(&mut view.common);
    rewrite(&mut view.query, |text| texts::query(text, names));
    for column in &mut view.columns {
        column.comment = None;
    }
}

fn trigger(trigger: &mut Trigger, names: &Names, spelling: &Spelling) {
    trigger.comment = None;
    spelling.relation(&mut trigger.id.table);
    rewrite(&mut trigger.definition, |text| {
        let body = grammar::trigger_body(text);
        // The name is in the trigger's own name already, and how it is quoted says nothing.
        let name = trigger.id.name.quoted(trueup_schema::DialectId::Sqlite);
        body.map_or_else(
            || texts::expr(text, names),
            |body| format!("CREATE TRIGGER {name} {}", texts::expr(body, names)),
        )
    });
}
