//! What a run may look at, and what it may drop.

use std::collections::BTreeSet;

use trueup_plan::{Desired, LiveFacts, Ownership, PlanOptions, Scope, Tracked, Unmanaged};
use trueup_schema::{Ident, ObjectRef, QualName, Schema};

use crate::hints::{holds, qualified, table_of};
use crate::project::Renames;

/// Whose objects are whose.
#[derive(Debug)]
pub(crate) struct Rights<'a> {
    namespaces: BTreeSet<Ident>,
    scope: &'a Scope,
    ignored: &'a [ObjectRef],
    ownership: Ownership,
    tracked: Option<&'a Tracked>,
    renames: &'a Renames,
    default_namespace: Option<&'a Ident>,
}

impl<'a> Rights<'a> {
    /// The rights that options, declaration and earlier runs give.
    pub(crate) fn of(
        desired: &'a Desired,
        options: &'a PlanOptions,
        facts: &'a LiveFacts,
        renames: &'a Renames,
    ) -> Self {
        let schema = desired.snapshot.schema();
        let mut namespaces = desired.namespaces.clone();
        namespaces.extend(schema.namespaces.keys().cloned());
        namespaces.extend(schema.object_refs().iter().filter_map(|object| object.namespace().cloned()));
        let default_namespace = facts.server.default_namespace.as_ref();
        if namespaces.is_empty() {
            namespaces.extend(default_namespace.cloned());
        }
        Self {
            namespaces,
            scope: &options.scope,
            ignored: &desired.hints.ignored,
            ownership: options.ownership,
            tracked: facts.tracked.as_ref(),
            renames,
            default_namespace,
        }
    }

    fn has_namespace(&self, namespace: &Ident) -> bool {
        self.namespaces.contains(namespace)
            || self.is_tracked(&ObjectRef::Namespace(namespace.clone()))
            || self.scope.namespaces.iter().any(|pattern| matches(pattern, namespace.as_str()))
    }

    /// Whether the run may look at and change `object`.
    pub(crate) fn in_scope(&self, object: &ObjectRef) -> bool {
        let is_ignored = |object: &ObjectRef| self.ignored.contains(object);
        if is_ignored(object) || is_ignored(&object.owner()) || holder(object).is_some_and(|table| is_ignored(&table)) {
            return false;
        }
        match object {
            ObjectRef::Namespace(name) => self.has_namespace(name) && !self.is_excluded(name.as_str()),
            ObjectRef::Extension(name) => !self.is_excluded(name.as_str()),
            ObjectRef::Type(_)
            | ObjectRef::Sequence(_)
            | ObjectRef::Table(_)
            | ObjectRef::View(_)
            | ObjectRef::Column(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
            | ObjectRef::Opaque(_) => {
                let path = path(object);
                object.namespace().is_none_or(|namespace| self.has_namespace(namespace))
                    && self.is_included(&path)
                    && !self.is_excluded(&path)
            }
        }
    }

    /// Whether an unmodelled object lives in scope.
    pub(crate) fn covers(&self, unmanaged: &Unmanaged) -> bool {
        unmanaged.namespace.as_ref().is_none_or(|namespace| self.has_namespace(namespace))
            && self.is_included(&unmanaged.name)
            && !self.is_excluded(&unmanaged.name)
    }

    fn is_included(&self, path: &str) -> bool {
        self.scope.include.is_empty() || self.scope.include.iter().any(|pattern| matches(pattern, path))
    }

    /// Whether a hint says that the object is nobody's business.
    pub(crate) fn is_ignored(&self, object: &ObjectRef) -> bool {
        self.ignored.contains(object)
    }

    /// Whether a pattern takes the path out of scope.
    pub(crate) fn is_excluded(&self, path: &str) -> bool {
        self.scope.exclude.iter().any(|pattern| matches(pattern, path))
    }

    /// Whether an earlier run recorded the object, which is named as after the renames.
    pub(crate) fn is_tracked(&self, object: &ObjectRef) -> bool {
        let object = self.renames.object(&object.owner());
        self.tracked.is_some_and(|tracked| tracked.objects.contains(&object))
    }

    /// Whether a live object that the declaration lacks may be dropped. `live` and `desired` tell what a namespace still holds.
    pub(crate) fn may_drop(&self, object: &ObjectRef, live: &Schema, desired: &Schema) -> bool {
        let has_right = match self.ownership {
            Ownership::Tracked => self.is_tracked(object),
            Ownership::All => true,
        };
        if let ObjectRef::Namespace(name) = object {
            return has_right && self.may_drop_namespace(name, live, desired);
        }
        match (self.ownership, object) {
            (Ownership::All, ObjectRef::Extension(name)) => {
                let home = live.extensions.get(name).and_then(|extension| extension.namespace.as_ref());
                home.is_some_and(|namespace| self.has_namespace(namespace))
            }
            (Ownership::All | Ownership::Tracked, _) => has_right,
        }
    }

    /// Only a namespace that nothing stays in, and never the one that every connection starts in.
    fn may_drop_namespace(&self, name: &Ident, live: &Schema, desired: &Schema) -> bool {
        let is_of_server = name.as_str() == "public" || self.default_namespace == Some(name);
        let stays = |object: &ObjectRef| {
            holds(desired, object) || !self.in_scope(object) || !self.may_drop(object, live, desired)
        };
        let refs = live.object_refs();
        let mut inside = refs.iter().filter(|object| object.namespace() == Some(name));
        !is_of_server && !self.namespaces.contains(name) && !inside.any(stays)
    }

    /// Whether the table, which is declared and live, becomes tracked by this run.
    pub(crate) fn is_adopted(&self, table: &QualName) -> bool {
        self.ownership == Ownership::Tracked && !self.is_tracked(&ObjectRef::Table(table.clone()))
    }

    /// Whether the declaration is the whole truth.
    pub(crate) fn is_all(&self) -> bool {
        self.ownership == Ownership::All
    }

    /// The rights' renames.
    pub(crate) const fn renames(&self) -> &'a Renames {
        self.renames
    }
}

/// The table or view that the object hangs on.
fn holder(object: &ObjectRef) -> Option<ObjectRef> {
    match object {
        ObjectRef::Index(id) | ObjectRef::Trigger(id) | ObjectRef::Policy(id) => {
            Some(ObjectRef::Table(id.table.clone()))
        }
        ObjectRef::Opaque(id) => id.table.clone().map(ObjectRef::Table),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Routine(_) => None,
    }
}

/// What patterns are matched against: the name of the object, or of the table that it hangs on.
fn path(object: &ObjectRef) -> String {
    let plain = |name: &QualName| match &name.namespace {
        Some(namespace) => format!("{}.{}", namespace.as_str(), name.name.as_str()),
        None => name.name.as_str().to_owned(),
    };
    match object {
        ObjectRef::Namespace(name) | ObjectRef::Extension(name) => name.as_str().to_owned(),
        ObjectRef::Type(name) | ObjectRef::Sequence(name) | ObjectRef::Table(name) | ObjectRef::View(name) => {
            plain(name)
        }
        ObjectRef::Column(id)
        | ObjectRef::Constraint(id)
        | ObjectRef::Index(id)
        | ObjectRef::Trigger(id)
        | ObjectRef::Policy(id) => plain(&id.table),
        ObjectRef::Routine(id) => plain(&id.name),
        ObjectRef::Opaque(id) => match &id.table {
            Some(table) => plain(table),
            None => id.to_string(),
        },
    }
}

/// Whether `text` is what `pattern` says; `*` stands for any run of characters.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// How an undeclared object is shown to a person.
pub(crate) fn unmanaged(object: &ObjectRef) -> Unmanaged {
    let table = table_of(object).filter(|_| qualified(object).is_none()).cloned();
    Unmanaged {
        kind: object.kind().to_owned(),
        name: object.to_string(),
        namespace: object.namespace().cloned(),
        table,
        definition: String::new(),
        depends_on: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_run() {
        for (pattern, text) in [("*", ""), ("a*", "abc"), ("*c", "abc"), ("a*c", "abc"), ("*b*", "abc"), ("a_c", "a_c")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a_c", "abc"), ("a*c", "ab"), ("a*a", "a"), ("b*", "abc")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
