//! Comments, privileges and owners, which every kind of object may have.

use trueup_plan::{Change, Flavor, Refusal};
use trueup_schema::{Common, Grant, Ident, ObjectRef};

use super::default_grants::granted_by_default;
use super::{Context, Findings, Remark};

/// Compares what both have besides their definition.
pub(crate) fn common(
    cx: &Context<'_>,
    out: &mut Findings,
    on: &ObjectRef,
    flavor: Flavor,
    before: &Common,
    after: &Common,
) {
    let Common { comment, owner, grants, depends_on: _, renamed_from: _ } = after;
    let live = before;
    let Common { comment: old_comment, owner: old_owner, grants: old_grants, depends_on: _, renamed_from: _ } = live;
    self::comment(cx, out, on, flavor, old_comment.as_ref(), comment.as_ref());
    self::grants(cx, out, on, flavor, (old_grants.as_ref(), grants.as_ref()), owner.as_ref().or(old_owner.as_ref()));
    if let (true, Some(after)) = (cx.options.owners, owner)
        && old_owner.as_ref() != Some(after)
    {
        let change = Change::SetOwner { on: on.clone(), flavor, before: old_owner.clone(), after: after.clone() };
        out.push(cx, Remark::new(change, format!("owner is to be `{after}`")));
    }
}

/// What a new object is given besides its definition.
pub(crate) fn of_new(cx: &Context<'_>, out: &mut Findings, on: &ObjectRef, flavor: Flavor, after: &Common) {
    let comment = if cx.separate_comments() { None } else { after.comment.clone() };
    let grants = granted_by_default(cx, on);
    common(cx, out, on, flavor, &Common { comment, grants, ..Common::default() }, after);
}

/// The comment of something new, where its definition does not hold it.
pub(crate) fn comment_of_new(
    cx: &Context<'_>,
    out: &mut Findings,
    on: &ObjectRef,
    flavor: Flavor,
    after: Option<&String>,
) {
    if cx.separate_comments() {
        comment(cx, out, on, flavor, None, after);
    }
}

/// Compares comments.
pub(crate) fn comment(
    cx: &Context<'_>,
    out: &mut Findings,
    on: &ObjectRef,
    flavor: Flavor,
    before: Option<&String>,
    after: Option<&String>,
) {
    if before == after || !cx.capabilities().comments {
        return;
    }
    let why = match (before, after) {
        (None, _) => "comment declared",
        (Some(_), Some(_)) => "comment differs",
        (Some(_), None) => "comment no longer declared",
    };
    let (before, after) = (before.cloned(), after.cloned());
    out.push(cx, Remark::new(Change::SetComment { on: on.clone(), flavor, before, after }, why));
}

/// Compares privileges where the declaration manages them.
fn grants(
    cx: &Context<'_>,
    out: &mut Findings,
    on: &ObjectRef,
    flavor: Flavor,
    (before, after): (Option<&Vec<Grant>>, Option<&Vec<Grant>>),
    owner: Option<&Ident>,
) {
    let is_managed = after.is_some() || (cx.rights.is_all() && cx.privileges);
    if before == after || !cx.capabilities().grants || !is_managed {
        return;
    }
    let roles = after.into_iter().flatten().map(|grant| grant.grantee.as_str());
    check_roles(cx, out, on, roles);
    let (before, after, owner) = (before.cloned(), after.cloned(), owner.cloned());
    out.push(cx, Remark::new(Change::SetGrants { on: on.clone(), flavor, before, after, owner }, "privileges differ"));
}

/// Refuses roles that do not exist. Words such as `PUBLIC` and `CURRENT_USER` are no roles; nor is `OWNER`, whoever owns the object.
pub(crate) fn check_roles<'r>(
    cx: &Context<'_>,
    out: &mut Findings,
    on: &ObjectRef,
    roles: impl Iterator<Item = &'r str>,
) {
    if cx.facts.roles.is_empty() {
        return;
    }
    for role in roles {
        let is_word = ["PUBLIC", "OWNER", "CURRENT_USER", "CURRENT_ROLE", "SESSION_USER"].contains(&role);
        if is_word || cx.facts.roles.contains(role) {
            continue;
        }
        let refusal = Refusal {
            code: "unknown-role".to_owned(),
            object: on.to_string(),
            operation: None,
            why: format!("{} `{on}` is declared with role `{role}`, which does not exist", on.kind()),
            fix: format!("create role `{role}` first: roles are never made or dropped here"),
        };
        if !out.refusals.contains(&refusal) {
            out.refusals.push(refusal);
        }
    }
}
