//! Schemas for tests in a few words.
//!
//! One object per line or `;`: `table users: id integer not null, name text default 'x', primary key (id), unique u (name),
//! check c (age > 0), foreign key f (org) references orgs (id), index i (name), unique index i (name)`, `view v: select 1`,
//! `materialized v: select 1`, `enum mood: sad, happy`, `sequence s`, `trigger t.name: text`, `function f(integer): text`.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_plan::{Desired, Hints, Live, LiveFacts, Server};
use trueup_schema::{
    Column, Common, Constraint, ConstraintKind, DataType, Dependency, DialectId, ForeignKey, Ident, Index, IndexPart,
    Key, ObjectRef, PartId, QualName, Routine, RoutineId, RoutineKind, Schema, Sequence, SequenceOptions, SqlExpr,
    Table, Trigger, UserType, UserTypeKind, View,
};
use trueup_snapshot::Snapshot;

pub(crate) fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

pub(crate) fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

pub(crate) fn part(table: &str, part: &str) -> PartId {
    PartId { table: name(table), name: ident(part) }
}

/// The schema that `text` describes. A view depends, softly, on every table whose name is a word of its query.
pub(crate) fn schema(dialect: DialectId, text: &str) -> Schema {
    let mut schema = Schema::new(dialect);
    for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
        let (head, body) = line.split_once(':').unwrap_or((line, ""));
        let (kind, called) = head.trim().split_once(' ').unwrap();
        insert(&mut schema, kind, called.trim(), body.trim());
    }
    let known: BTreeSet<QualName> = schema.tables.keys().cloned().collect();
    for view in schema.views.values_mut() {
        let words: Vec<&str> = view.query.as_str().split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let used = known.iter().filter(|table| words.contains(&table.name.as_str()));
        view.common.depends_on = used.map(|table| Dependency::hard(ObjectRef::Table(table.clone()))).collect();
    }
    schema
}

fn insert(schema: &mut Schema, kind: &str, called: &str, body: &str) {
    match kind {
        "table" => drop(schema.insert(table(called, body))),
        "view" | "materialized" => {
            let mut view = View::new(name(called), SqlExpr::new(body));
            view.materialized = kind == "materialized";
            schema.insert(view);
        }
        "enum" => {
            let labels = body.split(',').map(|label| label.trim().to_owned()).collect();
            let kind = UserTypeKind::Enum { labels };
            schema.insert(UserType { name: name(called), kind, common: Common::default() });
        }
        "sequence" => {
            let (owned_by, options) = (None, SequenceOptions::default());
            let common = Common::default();
            schema.insert(Sequence { name: name(called), options, unlogged: false, owned_by, common });
        }
        "trigger" => {
            let (table, trigger) = called.rsplit_once('.').unwrap();
            schema.insert(Trigger {
                id: part(table, trigger),
                definition: SqlExpr::new(body),
                enabled: "origin".to_owned(),
                source: None,
                settings: trueup_schema::Parameters::new(),
                comment: None,
                depends_on: Vec::new(),
            });
        }
        "function" => {
            let (function, arguments) = called.trim_end_matches(')').split_once('(').unwrap();
            schema.insert(Routine {
                id: RoutineId { name: name(function), arguments: arguments.to_owned() },
                kind: RoutineKind::Function,
                definition: SqlExpr::new(body),
                signature: String::new(),
                tracked: false,
                settings: trueup_schema::Parameters::new(),
                common: Common::default(),
            });
        }
        other => panic!("unknown kind `{other}`"),
    }
}

/// The table that `body` describes.
pub(crate) fn table(called: &str, body: &str) -> Table {
    let mut table = Table::new(name(called));
    for item in split(body) {
        let words: Vec<&str> = item.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["index", index, ..] => table.indexes.push(Index::new(ident(index), parts(&inside(&item)))),
            ["unique", "index", index, ..] => {
                let mut index = Index::new(ident(index), parts(&inside(&item)));
                index.unique = true;
                table.indexes.push(index);
            }
            ["primary", "key", ..] => {
                let generated = format!("{}_pkey", table.name.name.as_str());
                table.constraints.push(constraint(&generated, ConstraintKind::PrimaryKey(key(&item))));
            }
            ["unique", unique, ..] => table.constraints.push(constraint(unique, ConstraintKind::Unique(key(&item)))),
            ["check", check, ..] => {
                let expr = SqlExpr::new(inside(&item));
                let kind = ConstraintKind::Check { expr, no_inherit: false, column: None };
                table.constraints.push(constraint(check, kind));
            }
            ["foreign", "key", key, ..] => table.constraints.push(constraint(key, foreign_key(&item))),
            [column, data_type, rest @ ..] => table.columns.push(self::column(column, data_type, rest)),
            [alone] => table.columns.push(Column::new(ident(alone), DataType::builtin(""))),
        }
    }
    table
}

fn column(column: &str, data_type: &str, rest: &[&str]) -> Column {
    let named = data_type.strip_prefix('@').map(|user_type| DataType::named(name(user_type)));
    let mut column = Column::new(ident(column), named.unwrap_or_else(|| DataType::builtin(data_type)));
    let rest = rest.join(" ");
    column.not_null = rest.contains("not null");
    if let Some((_, default)) = rest.split_once("default ") {
        column.default = Some(SqlExpr::new(default.trim_end_matches("not null").trim()));
    }
    column
}

/// `-` as a name means none.
fn constraint(called: &str, kind: ConstraintKind) -> Constraint {
    Constraint::new((called != "-").then(|| ident(called)), kind)
}

fn foreign_key(item: &str) -> ConstraintKind {
    let (own, target) = item.split_once(" references ").unwrap();
    let names = |list: &str| list.split(',').map(|each| ident(each.trim())).collect::<Vec<_>>();
    ConstraintKind::ForeignKey(ForeignKey {
        columns: names(&inside(own)),
        references: name(target.split('(').next().unwrap().trim()),
        referenced_columns: names(&inside(target)),
        on_delete: Default::default(),
        on_delete_columns: Vec::new(),
        on_update: Default::default(),
        match_type: None,
        period: false,
    })
}

fn key(item: &str) -> Key {
    Key { columns: parts(&inside(item)), include: Vec::new(), nulls_not_distinct: false, without_overlaps: false }
}

fn parts(list: &str) -> Vec<IndexPart> {
    list.split(',').map(|each| IndexPart::column(ident(each.trim()))).collect()
}

fn inside(item: &str) -> String {
    let (from, to) = (item.find('(').unwrap() + 1, item.rfind(')').unwrap());
    item[from..to].trim().to_owned()
}

/// At commas outside of parentheses.
fn split(body: &str) -> Vec<String> {
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in body.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        items.last_mut().unwrap().push(c);
    }
    items.iter().map(|item| item.trim().to_owned()).collect()
}

/// A live database with this schema and rows in every table.
pub(crate) fn live(dialect: &dyn Dialect, schema: &Schema) -> Live {
    let server = Server { dialect: dialect.id(), version: [18, 0, 0], default_namespace: None };
    Live { snapshot: Snapshot::of(schema, dialect).unwrap(), facts: LiveFacts::of(server), unmanaged: Vec::new() }
}

/// A declaration of this schema in the server's own spelling, without hints.
pub(crate) fn desired(dialect: &dyn Dialect, schema: &Schema) -> Desired {
    Desired {
        snapshot: Snapshot::of(schema, dialect).unwrap(),
        hints: Hints::default(),
        provenance: BTreeMap::new(),
        unmodelled: Vec::new(),
        notes: Vec::new(),
        elaborated: true,
        privileges: false,
        namespaces: BTreeSet::new(),
    }
}
