//! Whether a declared text still says what its object is.
//!
//! A text is kept beside the values that were read from it. Renames and changes touch the values alone; where both still mean the same,
//! the text is what a person wrote and goes back to the database byte for byte.

use trueup_schema::{
    Column, Constraint, DialectId, Ident, Index, IndexKey, Mention, QualName, Schema, Table, Trigger, View,
};

use super::grammar::{self, Text};
use super::normalize::normalise;
use super::texts::{Names, fold};
use super::tokens::tokens;
use crate::{Token, TokenKind};

/// Whether `table.source` makes exactly this table, in this order, under whatever name.
#[must_use]
pub fn says_table(table: &Table) -> bool {
    let Some(mut read) = table.source.as_deref().and_then(|source| grammar::table(source).ok()) else { return false };
    read.name = table.name.clone();
    let names = |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let mut now = table.clone();
    now.indexes.clear();
    names(&read) == names(table) && same(&read, &now)
}

/// The constraints of `table`, by place, that the text of `column` says along with the column; `None` where it says something else.
#[must_use]
pub fn says_column(table: &Table, column: &Column) -> Option<Vec<usize>> {
    let clause = grammar::column(column.source.as_deref()?).ok()?;
    if clause.column.name != column.name {
        return None;
    }
    let read = alone(table, vec![clause.column], clause.constraints);
    let now = alone(table, vec![column.clone()], table.constraints.clone());
    if read.columns != now.columns {
        return None;
    }
    let mut places = Vec::new();
    for constraint in &read.constraints {
        let fits = |(place, other): &(usize, &Constraint)| *other == constraint && !places.contains(place);
        let place = now.constraints.iter().enumerate().find(fits)?.0;
        places.push(place);
    }
    Some(places)
}

/// Whether `constraint.source` says this constraint of `table`.
#[must_use]
pub fn says_constraint(table: &Table, constraint: &Constraint) -> bool {
    let Some(read) = constraint.source.as_deref().and_then(|source| grammar::constraint(source).ok()) else {
        return false;
    };
    same(&alone(table, Vec::new(), vec![read]), &alone(table, Vec::new(), vec![constraint.clone()]))
}

/// Whether `index.source` makes this index on `table`, both under these names.
#[must_use]
pub fn says_index(table: &QualName, index: &Index) -> bool {
    let Some((on, read)) = index.source.as_deref().and_then(|source| grammar::index(source).ok()) else { return false };
    let with = |index: &Index| {
        let mut table = Table::new(table.clone());
        table.indexes.push(index.clone());
        folded(table)
    };
    let mut own = index.clone();
    for (part, read) in own.parts.iter_mut().zip(&read.parts) {
        // A string that was written in double quotes reads like a name.
        if let (IndexKey::Expr(expr), IndexKey::Column(name)) = (&part.key, &read.key)
            && string(expr.as_str()).as_deref() == Some(name.as_str())
        {
            part.key = read.key.clone();
        }
    }
    fold(on.as_str()) == fold(table.name.as_str()) && read.name == index.name && with(&read) == with(&own)
}

/// The text of an expression that is nothing but a string.
#[must_use]
pub fn string(expr: &str) -> Option<String> {
    let [only] = tokens(expr).try_into().ok()?;
    let only: Token = only;
    match only.kind {
        TokenKind::QuotedName => only.name(),
        TokenKind::Text => Some(only.text.strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'")),
        TokenKind::Word
        | TokenKind::Number
        | TokenKind::Parameter
        | TokenKind::Symbol
        | TokenKind::Space
        | TokenKind::Comment => None,
    }
}

/// Whether `view.source` makes this view.
#[must_use]
pub fn says_view(view: &View) -> bool {
    let Some(read) = view.source.as_deref().and_then(|source| grammar::view(source).ok()) else { return false };
    let form = |view: &View| {
        let mut schema = Schema::new(DialectId::Sqlite);
        let mut view = view.clone();
        view.source = None;
        view.common.depends_on.clear();
        schema.insert(view);
        folded_schema(schema).views
    };
    read.name == view.name && form(&read) == form(view)
}

/// Whether `trigger.source` makes this trigger.
#[must_use]
pub fn says_trigger(trigger: &Trigger) -> bool {
    let Some(read) = trigger.source.as_deref().and_then(|source| grammar::trigger(source).ok()) else { return false };
    let form = |trigger: &Trigger| {
        let mut schema = Schema::new(DialectId::Sqlite);
        let mut trigger = trigger.clone();
        trigger.source = None;
        trigger.depends_on.clear();
        // How the name is quoted in the text says nothing, and its letter case is the id's.
        trigger.definition.0 = grammar::trigger_body(trigger.definition.as_str()).unwrap_or_default().to_owned();
        schema.insert(trigger);
        folded_schema(schema).triggers
    };
    read.id.name == trigger.id.name && form(&read) == form(trigger)
}

/// A text that makes a table, with another name in it.
#[must_use]
pub fn renamed_table(source: &str, name: &Ident) -> Option<String> {
    let text = Text::new(source);
    let mut cursor = text.cursor();
    while !cursor.take_word("TABLE") {
        cursor.next()?;
    }
    cursor.take_words(&["IF", "NOT", "EXISTS"]);
    let start = cursor.offset()?;
    let mark = cursor.mark();
    cursor.qualified("a name").ok()?;
    let end = start + cursor.since(mark).len();
    Some(format!("{}{}{}", source.get(..start)?, name.quoted(DialectId::Sqlite), source.get(end..)?))
}

fn same(one: &Table, other: &Table) -> bool {
    let sorted = |table: &Table| {
        let mut table = folded(table.clone());
        table.constraints.sort_by_cached_key(|constraint| format!("{constraint:?}"));
        table
    };
    sorted(one) == sorted(other)
}

/// These parts of the table, in comparable form.
fn alone(table: &Table, columns: Vec<Column>, constraints: Vec<Constraint>) -> Table {
    let mut alone = Table::new(table.name.clone());
    alone.columns = columns;
    alone.constraints = constraints;
    folded(alone)
}

/// The table in one spelling, without texts, hints and dependencies.
fn folded(mut table: Table) -> Table {
    table.source = None;
    table.common.depends_on.clear();
    table.common.renamed_from = None;
    for column in &mut table.columns {
        let mut bare = Column::new(column.name.clone(), column.data_type.clone());
        bare.not_null = column.not_null;
        bare.not_null_clause = column.not_null_clause.take();
        bare.default = column.default.take();
        bare.generated = column.generated.take();
        bare.auto_increment = column.auto_increment;
        bare.collation = column.collation.take();
        bare.attributes = std::mem::take(&mut column.attributes);
        *column = bare;
    }
    for constraint in &mut table.constraints {
        constraint.source = None;
        constraint.depends_on.clear();
    }
    for index in &mut table.indexes {
        index.source = None;
        index.depends_on.clear();
        index.renamed_from = None;
    }
    let mut schema = Schema::new(DialectId::Sqlite);
    let name = table.name.clone();
    schema.insert(table);
    let mut folded = folded_schema(schema);
    folded.tables.pop_first().map_or_else(|| Table::new(name), |(_, table)| table)
}

fn folded_schema(mut schema: Schema) -> Schema {
    normalise(&mut schema, &Names::all());
    schema.visit_names_mut(&mut |mention| match mention {
        Mention::Namespace(name) | Mention::Part { name, .. } => lower(name),
        Mention::Relation(name)
        | Mention::Type(name)
        | Mention::Sequence(name)
        | Mention::Routine(name)
        | Mention::Index(name)
        | Mention::Outside(name) => lower(&mut name.name),
        _ => {}
    });
    schema
}

fn lower(name: &mut Ident) {
    if let Ok(lower) = Ident::new(fold(name.as_str())) {
        *name = lower;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(sql: &str) -> Table {
        let mut table = grammar::table(sql).unwrap();
        let mut schema = Schema::new(DialectId::Sqlite);
        let name = table.name.clone();
        schema.insert(table);
        let names = Names::of(&schema);
        normalise(&mut schema, &names);
        table = schema.tables.remove(&name).unwrap();
        table
    }

    const SQL: &str = "CREATE TABLE \"A b\" ( -- mine
        Id INTEGER PRIMARY KEY AUTOINCREMENT,
        Price REAL DEFAULT ('0') CHECK (\"Price\" > 0 /* really */) REFERENCES [p] , x AS (Price*2), UNIQUE (PRICE)) STRICT";

    #[test]
    fn an_untouched_text_says_its_table() {
        let table = table(SQL);
        assert!(says_table(&table));
        assert_eq!(says_column(&table, &table.columns[0]), Some(vec![0]));
        assert_eq!(says_column(&table, &table.columns[1]), Some(vec![1, 2]));
        assert!(says_constraint(&table, &table.constraints[3]));
    }

    #[test]
    fn a_changed_value_leaves_its_text_behind() {
        let mut table = table(SQL);
        table.constraints.remove(1);
        assert!(!says_table(&table));
        assert_eq!(says_column(&table, &table.columns[1]), None);
        assert_eq!(says_column(&table, &table.columns[2]), Some(vec![]));
        table.columns[2].name = Ident::new("y").unwrap();
        assert_eq!(says_column(&table, &table.columns[2]), None);
    }

    #[test]
    fn only_the_name_of_a_table_is_replaced() {
        let name = Ident::new("n\"").unwrap();
        assert_eq!(renamed_table("CREATE TABLE main.[a b] (a, b)", &name).unwrap(), "CREATE TABLE \"n\"\"\" (a, b)");
        let sql = "create virtual table if not exists 'x'using fts5(a)";
        assert_eq!(renamed_table(sql, &name).unwrap(), "create virtual table if not exists \"n\"\"\"using fts5(a)");
    }

    #[test]
    fn texts_of_views_triggers_and_indexes() {
        let mut view = grammar::view("CREATE VIEW V (A) AS SELECT x FROM \"T\" -- all").unwrap();
        assert!(says_view(&view));
        view.query.0 = "SELECT y FROM t".to_owned();
        assert!(!says_view(&view));
        let mut trigger = grammar::trigger("CREATE TRIGGER \"Tr\" INSERT ON t BEGIN SELECT 1; END").unwrap();
        assert!(says_trigger(&trigger));
        trigger.definition.0 = "CREATE TRIGGER Tr INSERT ON u BEGIN SELECT 1; END".to_owned();
        assert!(!says_trigger(&trigger));
        let (_, mut index) = grammar::index("CREATE INDEX i ON T (A collate nocase)").unwrap();
        let on = |name: &str| QualName::new(None, Ident::new(name).unwrap());
        assert!(says_index(&on("t"), &index) && !says_index(&on("u"), &index));
        index.unique = true;
        assert!(!says_index(&on("t"), &index));
    }
}
