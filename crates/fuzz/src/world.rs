//! A schema as a list of objects that are SQL text and know whom they name.

/// How an expression over a column has to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Whole numbers.
    Int,
    /// Other numbers.
    Real,
    /// Text.
    Text,
    /// Points in time.
    Time,
    /// Truth values.
    Bool,
    /// Anything that only compares with itself.
    Other,
}

/// What a part of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A column.
    Column,
    /// A constraint or an index written in the table.
    Constraint,
}

/// A column or constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which of the two.
    pub kind: PartKind,
    /// Its name, unquoted; invented for a constraint that has none.
    pub name: String,
    /// Its text in the table.
    pub sql: String,
    /// The type's text, for columns.
    pub data_type: String,
    /// The type's family, for columns.
    pub family: Family,
    /// Whether rows may give it a value.
    pub writable: bool,
    /// Keys of what it names: objects, or `object.part`.
    pub uses: Vec<String>,
}

impl Part {
    /// A constraint.
    #[must_use]
    pub fn constraint(name: &str, sql: String, uses: Vec<String>) -> Self {
        let kind = PartKind::Constraint;
        Self {
            kind,
            name: name.to_owned(),
            sql,
            data_type: String::new(),
            family: Family::Other,
            writable: false,
            uses,
        }
    }

    /// Whether it is a column.
    #[must_use]
    pub fn is_column(&self) -> bool {
        self.kind == PartKind::Column
    }
}

/// A standalone object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// `table`, `view`…
    pub kind: &'static str,
    /// Its name, unquoted.
    pub name: String,
    /// Its name as SQL writes it.
    pub spelled: String,
    /// The statement up to the parts, or all of it.
    pub head: String,
    /// Columns and constraints.
    pub parts: Vec<Part>,
    /// What follows the parts.
    pub tail: String,
    /// More statements of the same object: comments, grants, options.
    pub more: Vec<String>,
    /// Keys of what it names.
    pub uses: Vec<String>,
}

impl Object {
    /// An object that is one statement.
    #[must_use]
    pub fn plain(kind: &'static str, name: &str, spelled: String, head: String, uses: Vec<String>) -> Self {
        let (parts, tail, more) = (Vec::new(), String::new(), Vec::new());
        Self { kind, name: name.to_owned(), spelled, head, parts, tail, more, uses }
    }

    /// What others call it by.
    #[must_use]
    pub fn key(&self) -> String {
        key(self.kind, &self.name)
    }

    /// The key of one of its columns.
    #[must_use]
    pub fn part_key(&self, part: &str) -> String {
        format!("{}.{part}", self.key())
    }

    /// Its columns.
    #[must_use]
    pub fn columns(&self) -> Vec<&Part> {
        self.parts.iter().filter(|part| part.is_column()).collect()
    }

    /// Its statements.
    #[must_use]
    pub fn statements(&self) -> Vec<String> {
        let mut first = self.head.clone();
        // a view's columns are known and not written
        if !self.tail.is_empty() {
            let columns = self.parts.iter().filter(|part| part.is_column());
            let constraints = self.parts.iter().filter(|part| !part.is_column());
            let parts: Vec<&str> = columns.chain(constraints).map(|part| part.sql.as_str()).collect();
            first.push_str(&parts.join(",\n  "));
            first.push_str(&self.tail);
        }
        std::iter::once(first).chain(self.more.iter().cloned()).collect()
    }

    fn names(&self, gone: &str) -> bool {
        self.uses.iter().any(|used| is_within(used, gone))
    }
}

/// The key of an object.
#[must_use]
pub fn key(kind: &str, name: &str) -> String {
    format!("{kind}:{name}")
}

/// Whether a used key is `gone` itself or a part of it.
fn is_within(used: &str, gone: &str) -> bool {
    used.strip_prefix(gone).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A schema: objects in an order in which they can be created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct World {
    /// The objects.
    pub objects: Vec<Object>,
}

impl World {
    /// All statements, in order.
    #[must_use]
    pub fn statements(&self) -> Vec<String> {
        self.objects.iter().flat_map(Object::statements).collect()
    }

    /// The objects of these kinds.
    #[must_use]
    pub fn of(&self, kinds: &[&str]) -> Vec<&Object> {
        self.objects.iter().filter(|object| kinds.contains(&object.kind)).collect()
    }

    /// Whether a name is taken, in any letter case, by an object of any kind.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        self.objects.iter().any(|object| object.name.to_lowercase() == lower)
    }

    /// Removes an object and all that names it.
    pub fn remove(&mut self, gone: &str) {
        let mut rest = vec![gone.to_owned()];
        while let Some(gone) = rest.pop() {
            self.objects.retain(|object| object.key() != gone);
            self.forget(&gone, &mut rest);
        }
    }

    /// Removes a part of an object and all that names it.
    pub fn remove_part(&mut self, object: &str, part: &str) {
        let mut rest = Vec::new();
        if let Some(found) = self.objects.iter_mut().find(|found| found.key() == object) {
            found.parts.retain(|one| one.name != part);
            if found.columns().is_empty() {
                return self.remove(object);
            }
        }
        self.forget(&format!("{object}.{part}"), &mut rest);
        for gone in rest {
            self.remove(&gone);
        }
    }

    /// Takes away every part that names `gone`; objects that do are added to `rest`.
    fn forget(&mut self, gone: &str, rest: &mut Vec<String>) {
        let mut lost = vec![gone.to_owned()];
        while let Some(gone) = lost.pop() {
            for object in &mut self.objects {
                let own = object.key();
                if object.names(&gone) && !rest.contains(&own) {
                    rest.push(own.clone());
                }
                let named = |part: &Part| part.uses.iter().any(|used| is_within(used, &gone));
                lost.extend(object.parts.iter().filter(|part| named(part)).map(|part| format!("{own}.{}", part.name)));
                object.parts.retain(|part| !named(part));
                if object.columns().is_empty() && !object.tail.is_empty() && !rest.contains(&own) {
                    rest.push(own);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Object {
        let mut table = Object::plain("table", "t", "t".to_owned(), "CREATE TABLE t (".to_owned(), Vec::new());
        table.tail = ")".to_owned();
        for (name, uses) in [("a", vec![]), ("b", vec!["table:t.a".to_owned()]), ("c", vec![])] {
            let mut part = Part::constraint(name, name.to_owned(), uses);
            part.kind = PartKind::Column;
            table.parts.push(part);
        }
        table
    }

    #[test]
    fn what_names_something_goes_with_it() {
        let mut world = World { objects: vec![table()] };
        for (name, uses) in [("v", "table:t.b"), ("w", "view:v")] {
            world.objects.push(Object::plain("view", name, name.to_owned(), name.to_owned(), vec![uses.to_owned()]));
        }
        world.remove_part("table:t", "a");
        assert_eq!(world.statements(), ["CREATE TABLE t (c)"]);
        world.remove_part("table:t", "c");
        assert_eq!(world, World::default());
    }
}
