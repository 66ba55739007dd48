//! Names that SQLite cannot take.

use std::collections::BTreeMap;

use trueup_schema::{Ident, ObjectRef, PartId, Schema};

use super::texts::fold;
use crate::BadName;

/// Names that SQLite keeps for itself, names of trueup's own tables, and names that SQLite takes for one another.
pub(crate) fn check_names(schema: &Schema) -> Vec<BadName> {
    let mut found = Vec::new();
    let mut relations = BTreeMap::new();
    let mut triggers = BTreeMap::new();
    for (object, name) in named(schema) {
        if let Some(why) = reserved(&object, &name) {
            found.push(BadName { object: object.clone(), why });
        }
        // Tables, views and indexes share one name space; triggers have their own.
        let space = if matches!(object, ObjectRef::Trigger(_)) { &mut triggers } else { &mut relations };
        if let Some(other) = space.insert(fold(name.as_str()), object.clone()) {
            let why = format!("{} `{name}` has the name of {} `{other}`", object.kind(), other.kind());
            found.push(BadName { object, why });
        }
    }
    found
}

fn reserved(object: &ObjectRef, name: &Ident) -> Option<String> {
    let folded = fold(name.as_str());
    let owner = if folded.starts_with("sqlite_") {
        "SQLite"
    } else if folded.starts_with("_trueup_") {
        "trueup"
    } else {
        return None;
    };
    Some(format!("{} `{name}` has a name that {owner} keeps for itself", object.kind()))
}

fn named(schema: &Schema) -> Vec<(ObjectRef, Ident)> {
    let mut found = Vec::new();
    for table in schema.tables.values() {
        found.push((ObjectRef::Table(table.name.clone()), table.name.name.clone()));
        for index in &table.indexes {
            let part = PartId { table: table.name.clone(), name: index.name.clone() };
            found.push((ObjectRef::Index(part), index.name.clone()));
        }
    }
    for view in schema.views.values() {
        found.push((ObjectRef::View(view.name.clone()), view.name.name.clone()));
    }
    for trigger in schema.triggers.values() {
        found.push((ObjectRef::Trigger(trigger.id.clone()), trigger.id.name.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use trueup_schema::{Column, DataType, DialectId, Index, IndexPart, QualName, Table};

    use super::*;

    fn ident(name: &str) -> Ident {
        Ident::new(name).unwrap()
    }

    fn table(name: &str, index: &str) -> Table {
        let mut table = Table::new(QualName::new(None, ident(name)));
        table.columns.push(Column::new(ident("a"), DataType::builtin("")));
        table.indexes.push(Index::new(ident(index), vec![IndexPart::column(ident("a"))]));
        table
    }

    #[test]
    fn names_that_fold_to_one_are_one() {
        let mut schema = Schema::new(DialectId::Sqlite);
        schema.insert(table("Users", "by_a"));
        schema.insert(table("other", "USERS"));
        schema.insert(table("SQLite_x", "_trueup_y"));
        let whys: Vec<String> = check_names(&schema).into_iter().map(|bad| bad.why).collect();
        assert_eq!(whys.len(), 3, "{whys:?}");
        assert!(whys.iter().any(|why| why == "index `USERS` has the name of table `Users`"), "{whys:?}");
    }
}
