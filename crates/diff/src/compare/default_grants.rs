//! What a new object is granted because somebody said so beforehand.

use trueup_schema::{Grant, ObjectRef, Opaque};

use super::Context;

/// The privileges that the database gives to `on` when it is made; `None` for what the engine grants by itself.
///
/// Default privileges that go are gone before anything is made, and those that come or change do so afterwards.
pub(super) fn granted_by_default(cx: &Context<'_>, on: &ObjectRef) -> Option<Vec<Grant>> {
    let (kind, public) = class(on)?;
    let maker = cx.facts.settings.get("current_user")?;
    let stays = |object: &&Opaque| {
        let reference = ObjectRef::Opaque(object.id.clone());
        let goes = !cx.after.objects.contains_key(&object.id)
            && cx.in_scope(&reference)
            && cx.rights.may_drop(&reference, cx.before, cx.after);
        !goes
    };
    let about = |object: &&Opaque| {
        object.id.kind == "default privileges"
            && object.id.name.ends_with(&format!(" ON {kind}"))
            && object.roles.contains(maker)
            && is_for(object, maker)
    };
    let rules: Vec<&Opaque> = cx.before.objects.values().filter(about).filter(stays).collect();
    let general = rules.iter().find(|rule| rule.id.namespace.is_none()).and_then(|rule| rule.common.grants.clone());
    let own = rules.iter().find(|rule| rule.id.namespace.is_some() && rule.id.namespace.as_ref() == on.namespace());
    let own = own.and_then(|rule| rule.common.grants.clone());
    if general.is_none() && own.is_none() {
        return None;
    }
    // The general ones take the place of the engine's; those of a namespace are added.
    let engines: Vec<Grant> = public.into_iter().map(to_public).collect();
    let mut grants = general.unwrap_or_else(|| engines.clone());
    grants.extend(own.into_iter().flatten());
    grants.sort();
    grants.dedup();
    (grants != engines).then_some(grants)
}

/// `FOR ROLE maker ON …`, the role quoted or not.
fn is_for(object: &Opaque, maker: &str) -> bool {
    let Some(rest) = object.id.name.strip_prefix("FOR ROLE ") else { return false };
    rest.starts_with(&format!("{maker} ON ")) || rest.starts_with(&format!("\"{}\" ON ", maker.replace('"', "\"\"")))
}

fn to_public(privilege: &str) -> Grant {
    Grant { grantee: "PUBLIC".to_owned(), privilege: privilege.to_owned(), column: None, grantable: false }
}

/// The word for objects of this kind, and what the engine grants to everybody by itself.
const fn class(on: &ObjectRef) -> Option<(&'static str, Option<&'static str>)> {
    Some(match on {
        ObjectRef::Table(_) | ObjectRef::View(_) => ("TABLES", None),
        ObjectRef::Sequence(_) => ("SEQUENCES", None),
        ObjectRef::Routine(_) => ("FUNCTIONS", Some("EXECUTE")),
        ObjectRef::Type(_) => ("TYPES", Some("USAGE")),
        ObjectRef::Namespace(_) => ("SCHEMAS", None),
        ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => return None,
    })
}
