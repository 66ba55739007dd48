//! What is there and not modelled.

use trueup_plan::Unmanaged;
use trueup_schema::{Dependency, Ident, ObjectRef, QualName};

use super::build::Context;
use super::texts::{Raw, namespace_of};
use crate::IntrospectError;

/// An entry of a kind that is not modelled, unless an extension brought it along.
pub(super) fn entry(context: &Context<'_>, raw: &Raw<'_>) -> Result<Option<Unmanaged>, IntrospectError> {
    let [kind, definition, class, _] = raw.texts;
    let class = class.and_then(|text| text.parse().ok()).unwrap_or_default();
    if context.names.extension_of(class, raw.oid).is_some() {
        return Ok(None);
    }
    let namespace = namespace_of(context, raw);
    let name = match &namespace {
        Some(namespace) => format!("{namespace}.{}", raw.name),
        None => raw.name.to_owned(),
    };
    let mut depends_on = context.depends(class, raw.oid, 0);
    // What is said of an object goes with it; what is said of a table stays wherever the table does.
    let own = context.names.objects.get(&(class, raw.oid)).filter(|own| !matches!(own, ObjectRef::Table(_)));
    depends_on.extend(own.cloned().map(Dependency::hard));
    Ok(Some(Unmanaged {
        kind: kind.unwrap_or_default().to_owned(),
        name,
        namespace,
        table: context.names.relation(raw.relation).cloned(),
        definition: definition.unwrap_or_default().to_owned(),
        depends_on,
    }))
}

/// Something about a table that has no place in the model.
pub(super) fn property(kind: &str, table: &QualName, definition: String) -> Unmanaged {
    Unmanaged {
        kind: kind.to_owned(),
        name: table.to_string(),
        namespace: table.namespace.clone(),
        table: Some(table.clone()),
        definition,
        depends_on: Vec::new(),
    }
}

/// A type that is not modelled.
pub(super) fn user_type(name: &QualName, kind: &str) -> Unmanaged {
    let namespace: Option<Ident> = name.namespace.clone();
    Unmanaged {
        kind: kind.to_owned(),
        name: name.to_string(),
        namespace,
        table: None,
        definition: String::new(),
        depends_on: Vec::new(),
    }
}
