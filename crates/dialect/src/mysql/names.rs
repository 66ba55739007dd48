//! Names: those that the servers make up, and those that they cannot take.

use std::collections::{BTreeMap, BTreeSet};

use trueup_schema::{Constraint, ConstraintKind, Ident, ObjectRef, PartId, QualName, Schema, Table};

use super::capabilities::MAX_NAME;
use crate::{BadName, NameKind};

/// How a check is named whose declaration gives no name: the table's name may stand before the number.
pub(crate) type CheckStem = fn(&Ident) -> String;

/// MySQL's own.
pub(crate) fn check_stem(table: &Ident) -> String {
    format!("{}_chk_", table.as_str())
}

/// What the names of unnamed foreign keys begin with.
pub(crate) fn key_stem(table: &Ident) -> String {
    format!("{}_ibfk_", table.as_str())
}

/// The first name that the server tries. A key is named after its first column.
pub(crate) fn generated(kind: NameKind, table: &Ident, columns: &[Ident], stem: CheckStem) -> Option<Ident> {
    match kind {
        NameKind::Unique | NameKind::Index => columns.first().cloned(),
        NameKind::Check => Ident::new(format!("{}1", stem(table))).ok(),
        NameKind::ForeignKey => Ident::new(format!("{}1", key_stem(table))).ok(),
        NameKind::PrimaryKey | NameKind::Exclude | NameKind::Sequence | NameKind::NotNull => None,
    }
}

/// Whether `name` is `stem` and a number.
pub(crate) fn is_numbered(name: &Ident, stem: &str) -> bool {
    let text = name.as_str();
    let rest =
        text.get(stem.len()..).filter(|_| text.get(..stem.len()).is_some_and(|start| start.eq_ignore_ascii_case(stem)));
    rest.is_some_and(|rest| !rest.is_empty() && rest.len() < 7 && rest.chars().all(|c| c.is_ascii_digit()))
}

/// Whether the server would have given the constraint its name.
pub(crate) fn is_generated(table: &Table, constraint: &Constraint, stem: CheckStem) -> bool {
    let Some(name) = &constraint.name else { return true };
    match &constraint.kind {
        ConstraintKind::PrimaryKey(_) => true,
        ConstraintKind::Check { column: Some(column), .. } => column == name,
        ConstraintKind::Check { column: None, .. } => is_numbered(name, &stem(&table.name.name)),
        ConstraintKind::ForeignKey(_) => is_numbered(name, &key_stem(&table.name.name)),
        ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => false,
    }
}

/// The lowest number behind `stem` from `from` on that nobody has.
pub(crate) fn numbered(stem: &str, from: usize, taken: &BTreeSet<String>) -> Option<Ident> {
    let free = (from..from + 10_000)
        .map(|number| format!("{stem}{number}"))
        .find(|name| !taken.contains(&name.to_lowercase()))?;
    Ident::new(free).ok()
}

/// The name of a key whose declaration gives none: its first column's, with a number if that is taken.
pub(crate) fn key_name(column: &Ident, taken: &BTreeSet<String>) -> Option<Ident> {
    let is_free = |name: &str| !taken.contains(&name.to_lowercase()) && !name.eq_ignore_ascii_case("PRIMARY");
    if is_free(column.as_str()) {
        return Some(column.clone());
    }
    let free = (2..10_000).map(|number| format!("{}_{number}", column.as_str())).find(|name| is_free(name))?;
    Ident::new(free).ok()
}

/// Databases that are the server's own.
const SYSTEM: [&str; 4] = ["information_schema", "mysql", "performance_schema", "sys"];

/// How names are looked for.
pub(crate) struct Rules<'a> {
    /// What two names of tables or databases must share to be the same.
    pub(crate) fold: &'a dyn Fn(&Ident) -> String,
    /// Whether two checks of one database cannot share a name.
    pub(crate) checks_per_namespace: bool,
}

/// Names that the server cannot take, or takes for one another.
pub(crate) fn check(schema: &Schema, rules: &Rules<'_>) -> Vec<BadName> {
    let mut found = Found { list: Vec::new(), seen: BTreeMap::new() };
    for name in schema.namespaces.keys() {
        let object = ObjectRef::Namespace(name.clone());
        if SYSTEM.iter().any(|system| name.as_str().eq_ignore_ascii_case(system)) {
            found.bad(&object, format!("database `{name}` is the server's own"));
        }
        found.name(&object, name, vec!["database".to_owned(), (rules.fold)(name)]);
    }
    for table in schema.tables.values() {
        let object = ObjectRef::Table(table.name.clone());
        found.relation(&object, &table.name, rules);
        self::table(&mut found, table, rules);
    }
    for view in schema.views.values() {
        found.relation(&ObjectRef::View(view.name.clone()), &view.name, rules);
    }
    for sequence in schema.sequences.values() {
        found.relation(&ObjectRef::Sequence(sequence.name.clone()), &sequence.name, rules);
    }
    for routine in schema.routines.values() {
        let name = &routine.id.name;
        let space = vec![format!("{:?}", routine.kind), home(name), name.name.as_str().to_lowercase()];
        found.name(&ObjectRef::Routine(routine.id.clone()), &name.name, space);
    }
    for trigger in schema.triggers.values() {
        let space = vec!["trigger".to_owned(), home(&trigger.id.table), (rules.fold)(&trigger.id.name)];
        found.name(&ObjectRef::Trigger(trigger.id.clone()), &trigger.id.name, space);
    }
    found.list
}

fn home(name: &QualName) -> String {
    name.namespace.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default()
}

fn table(found: &mut Found, table: &Table, rules: &Rules<'_>) {
    let own = table.name.to_string();
    let part = |name: &Ident| PartId { table: table.name.clone(), name: name.clone() };
    for column in &table.columns {
        let space = vec!["column".to_owned(), own.clone(), column.name.as_str().to_lowercase()];
        found.name(&ObjectRef::Column(part(&column.name)), &column.name, space);
    }
    for index in &table.indexes {
        let object = ObjectRef::Index(part(&index.name));
        if index.name.as_str().eq_ignore_ascii_case("PRIMARY") {
            found.bad(&object, "the name `PRIMARY` belongs to the primary key".to_owned());
        }
        found.name(&object, &index.name, vec!["index".to_owned(), own.clone(), index.name.as_str().to_lowercase()]);
    }
    for constraint in &table.constraints {
        let Some(name) = &constraint.name else { continue };
        let (word, is_wide) = match &constraint.kind {
            ConstraintKind::ForeignKey(_) => ("foreign key", true),
            ConstraintKind::Check { column: Some(_), .. } => ("check of a column", false),
            ConstraintKind::Check { .. } => ("check", rules.checks_per_namespace),
            ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => continue,
        };
        let place = if is_wide { home(&table.name) } else { own.clone() };
        let space = vec![word.to_owned(), place, name.as_str().to_lowercase()];
        found.name(&ObjectRef::Constraint(part(name)), name, space);
    }
}

struct Found {
    list: Vec<BadName>,
    seen: BTreeMap<Vec<String>, String>,
}

impl Found {
    fn bad(&mut self, object: &ObjectRef, why: String) {
        self.list.push(BadName { object: object.clone(), why });
    }

    fn relation(&mut self, object: &ObjectRef, name: &QualName, rules: &Rules<'_>) {
        if name.name.as_str().to_ascii_lowercase().starts_with("_trueup_") {
            self.bad(object, format!("{} `{name}` has a name that trueup keeps for itself", object.kind()));
        }
        self.name(object, &name.name, vec!["relation".to_owned(), home(name), (rules.fold)(&name.name)]);
    }

    fn name(&mut self, object: &ObjectRef, name: &Ident, space: Vec<String>) {
        let kind = object.kind().to_owned();
        let text = name.as_str();
        if text.chars().count() > MAX_NAME {
            self.bad(object, format!("{kind} `{object}`: its name is longer than {MAX_NAME} characters"));
        }
        if text.ends_with(' ') {
            self.bad(object, format!("{kind} `{object}`: its name ends in a blank"));
        }
        if text.chars().any(|c| c.len_utf8() > 3) {
            self.bad(object, format!("{kind} `{object}`: its name holds a character of four bytes"));
        }
        let other = self.seen.insert(space, format!("{kind} `{object}`"));
        if let Some(other) = other {
            self.bad(object, format!("{kind} `{object}` has the name of {other}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use trueup_schema::{Column, DataType, DialectId};

    use super::*;

    fn ident(name: &str) -> Ident {
        Ident::new(name).unwrap()
    }

    #[test]
    fn numbers_behind_a_stem_are_recognised() {
        assert!(is_numbered(&ident("t_ibfk_12"), "t_ibfk_"));
        assert!(!is_numbered(&ident("t_ibfk_"), "t_ibfk_"));
        assert!(!is_numbered(&ident("u_ibfk_1"), "t_ibfk_"));
        assert_eq!(key_name(&ident("a"), &BTreeSet::from(["a".to_owned(), "a_2".to_owned()])), Some(ident("a_3")));
    }

    #[test]
    fn names_that_the_server_refuses_are_found() {
        let mut schema = Schema::new(DialectId::MySql);
        let mut table = Table::new(QualName::new(Some(ident("s")), ident("T")));
        for name in ["a", "A", "b ", "😀"] {
            table.columns.push(Column::new(ident(name), DataType::builtin("int")));
        }
        schema.insert(table);
        schema.insert(Table::new(QualName::new(Some(ident("s")), ident("t"))));
        schema.insert(Table::new(QualName::new(Some(ident("s")), ident(&"x".repeat(65)))));
        let whys = |fold: &dyn Fn(&Ident) -> String| {
            check(&schema, &Rules { fold, checks_per_namespace: true })
                .into_iter()
                .map(|bad| bad.why)
                .collect::<Vec<_>>()
        };
        let exact = whys(&|name| name.as_str().to_owned());
        assert_eq!(exact.len(), 4, "{exact:?}");
        assert_eq!(whys(&|name| name.as_str().to_lowercase()).len(), 5);
    }
}
