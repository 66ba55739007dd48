//! Objects that are kept as the statements that make them.

use trueup_schema::{Common, Dependency, ObjectRef, Opaque, OpaqueId, OpaquePart, SqlExpr};

use super::acl::{self, Acl};
use super::build::Context;
use super::reader::ident;
use super::texts::Raw;
use crate::{IntrospectError, NamespaceFilter};

/// What an object is made of, told apart by the letters in front of the texts.
#[derive(Debug, Default)]
struct MadeOf<'a> {
    create: Vec<&'a str>,
    drop: &'a str,
    target: Option<&'a str>,
    set: Vec<&'a str>,
    unset: Vec<&'a str>,
    owner: Option<&'a str>,
    acl: Vec<&'a str>,
    default_acl: Vec<&'a str>,
    roles: Vec<&'a str>,
    namespaces: Vec<i64>,
    homes: Vec<i64>,
}

impl<'a> MadeOf<'a> {
    fn of(texts: &[&'a str]) -> Self {
        let mut made_of = Self::default();
        for text in texts {
            let Some((letter, text)) = text.split_once(':') else { continue };
            match letter {
                "c" => made_of.create.push(text),
                "d" => made_of.drop = text,
                "t" => made_of.target = Some(text),
                "s" => made_of.set.push(text),
                "u" => made_of.unset.push(text),
                "o" => made_of.owner = Some(text),
                "a" => made_of.acl.push(text),
                "b" => made_of.default_acl.push(text),
                "r" => made_of.roles.push(text),
                "n" => made_of.namespaces.extend(text.parse::<i64>().ok()),
                "h" => made_of.homes.extend(text.parse::<i64>().ok()),
                _ => {}
            }
        }
        made_of
    }

    fn parts(&self) -> Vec<OpaquePart> {
        let pairs = self.set.iter().zip(&self.unset);
        let mut parts: Vec<OpaquePart> =
            pairs.map(|(set, unset)| OpaquePart { set: SqlExpr::new(*set), unset: SqlExpr::new(*unset) }).collect();
        parts.sort();
        parts
    }
}

/// The class of the catalog that an entry is from.
pub(super) fn class_of(raw: &Raw<'_>) -> i64 {
    raw.texts[1].and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// What the object is called, by its kind in words.
pub(super) fn id(kind: &str, namespace: Option<trueup_schema::Ident>, name: &str) -> OpaqueId {
    OpaqueId { kind: kind.to_owned(), namespace, table: None, name: name.to_owned() }
}

/// The object; nothing for members of extensions, and for what is about other namespaces alone.
pub(super) fn object(context: &Context<'_>, raw: &Raw<'_>) -> Result<Option<Opaque>, IntrospectError> {
    let class = class_of(raw);
    let made_of = MadeOf::of(raw.list.as_deref().unwrap_or_default());
    if context.names.extension_of(class, raw.oid).is_some() || !is_in_scope(context, &made_of) {
        return Ok(None);
    }
    let kind = raw.texts[0].unwrap_or_default();
    let owner = made_of.owner.unwrap_or_default();
    let is_listed = !(made_of.acl.is_empty() && made_of.default_acl.is_empty());
    let list = is_listed.then_some(made_of.acl.as_slice());
    let grants = acl::grants(Acl { owner, list, default: Some(&made_of.default_acl) });
    let mut common = Common {
        comment: context.comment(class, raw.oid, 0),
        // Default privileges are their role's, which is part of their name.
        owner: made_of.owner.filter(|_| context.request.owners && made_of.target.is_some()).map(ident).transpose()?,
        grants,
        depends_on: context.depends(class, raw.oid, 0),
        renamed_from: None,
    };
    let homes = made_of.homes.iter().filter_map(|oid| context.names.namespace(*oid));
    common.depends_on.extend(homes.map(|name| Dependency::hard(ObjectRef::Namespace(name.clone()))));
    let namespace = context.names.namespace(raw.namespace).cloned();
    let mut roles: Vec<String> = made_of.roles.iter().map(|role| (*role).to_owned()).collect();
    roles.sort();
    roles.dedup();
    Ok(Some(Opaque {
        id: id(kind, namespace, raw.name),
        create: made_of.create.iter().map(|text| SqlExpr::new(*text)).collect(),
        drop: SqlExpr::new(made_of.drop),
        comment_target: made_of.target.map(SqlExpr::new),
        parts: made_of.parts(),
        roles,
        common,
    }))
}

/// One that belongs to no namespace is read with those that it is about; one that is about none belongs to the database.
fn is_in_scope(context: &Context<'_>, made_of: &MadeOf<'_>) -> bool {
    let is_users = |oid: &&i64| {
        let name = context.names.namespace(**oid).map(trueup_schema::Ident::as_str).unwrap_or_default();
        !name.starts_with("pg_") && name != "information_schema"
    };
    let about: Vec<&i64> = made_of.namespaces.iter().filter(is_users).collect();
    context.request.namespaces == NamespaceFilter::All
        || about.is_empty()
        || about.iter().any(|oid| context.raw.namespaces.contains(oid))
}
