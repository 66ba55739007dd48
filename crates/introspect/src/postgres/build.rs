//! From rows to a schema.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::Unmanaged;
use trueup_schema::{Common, Dependency, DialectId, Extension, Form, Grant, Ident, Namespace, Schema};
use trueup_session::Session;

use super::acl::{self, Acl};
use super::comments::{self, Site};
use super::constraints::{self, NotNull};
use super::names::Names;
use super::raw::{self, Raw};
use super::sequences::{self, Entry};
use super::sql::class;
use super::table::{self, Parts};
use super::{depends, external, facts, routines, texts, types, unmanaged};
use crate::{IntrospectError, Introspected, Request};

/// Reads the schema of the connected database.
///
/// Asks at most fourteen questions. For one consistent picture, call it inside a read-only transaction; the search path is emptied
/// for that transaction, or for the session where there is none.
///
/// # Errors
/// [`IntrospectError`] if the server refuses a question, is older than PostgreSQL 14, or says something that is not understood.
pub async fn introspect(session: &mut dyn Session, request: &Request) -> Result<Introspected, IntrospectError> {
    let raw = raw::read(session, request).await?;
    let mut names = Names::of(&raw)?;
    external::resolve(session, &raw, &mut names).await?;
    let context = Context::new(&raw, request, names)?;
    let (schema, unmanaged) = build(&context)?;
    let facts = facts::facts(&context, session.server())?;
    Ok(Introspected { schema, facts, unmanaged, shown: BTreeMap::new() })
}

/// Everything that building an object may ask.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) raw: &'a Raw,
    pub(super) request: &'a Request,
    pub(super) names: Names<'a>,
    comments: BTreeMap<Site, &'a str>,
    depends: BTreeMap<Site, Vec<Dependency>>,
    /// Indexes behind constraints.
    pub(super) behind: BTreeSet<i64>,
    pub(super) sequences: BTreeMap<i64, Entry<'a>>,
    pub(super) identities: BTreeMap<(i64, i64), Entry<'a>>,
    pub(super) not_nulls: BTreeMap<(i64, i64), NotNull>,
}

impl<'a> Context<'a> {
    fn new(raw: &'a Raw, request: &'a Request, names: Names<'a>) -> Result<Self, IntrospectError> {
        let mut sequences = sequences::entries(raw, &names)?;
        Ok(Self {
            comments: comments::comments(raw)?,
            depends: depends::dependencies(raw, &names),
            behind: behind(raw)?,
            identities: sequences::identities(&mut sequences),
            sequences,
            not_nulls: constraints::not_nulls(raw)?,
            raw,
            request,
            names,
        })
    }

    /// The comment on an object or one of its parts.
    pub(super) fn comment(&self, class: i64, oid: i64, part: i64) -> Option<String> {
        self.comments.get(&(class, oid, part)).map(|text| (*text).to_owned())
    }

    /// What an object or one of its parts needs.
    pub(super) fn depends(&self, class: i64, oid: i64, part: i64) -> Vec<Dependency> {
        self.depends.get(&(class, oid, part)).cloned().unwrap_or_default()
    }

    /// What any part of an object needs.
    pub(super) fn depends_of_parts(&self, class: i64, oid: i64) -> BTreeSet<Dependency> {
        self.depends.range((class, oid, 1)..=(class, oid, i64::MAX)).flat_map(|(_, needs)| needs).cloned().collect()
    }

    /// What every standalone object carries.
    pub(super) fn common(
        &self,
        class: i64,
        oid: i64,
        owner: &str,
        grants: Option<Vec<Grant>>,
    ) -> Result<Common, IntrospectError> {
        Ok(Common {
            comment: self.comment(class, oid, 0),
            owner: self.request.owners.then(|| super::reader::ident(owner)).transpose()?,
            grants,
            depends_on: self.depends(class, oid, 0),
            renamed_from: None,
        })
    }
}

fn build(context: &Context<'_>) -> Result<(Schema, Vec<Unmanaged>), IntrospectError> {
    let mut schema = Schema::new(DialectId::Postgres);
    schema.form = Form::Canonical { dialect: DialectId::Postgres, major: context.raw.major };
    namespaces(context, &mut schema)?;
    extensions(context, &mut schema);
    let parts = Parts::of(context)?;
    let mut others: Vec<Unmanaged> = types::build(context, &parts.columns, &mut schema)?
        .iter()
        .map(|(name, kind)| unmanaged::user_type(name, kind))
        .collect();
    others.extend(table::build(context, &parts, &mut schema)?);
    routines::build(context, &mut schema)?;
    others.extend(texts::build(context, &mut schema)?);
    others.sort();
    Ok((schema, others))
}

fn namespaces(context: &Context<'_>, schema: &mut Schema) -> Result<(), IntrospectError> {
    for oid in &context.raw.namespaces {
        let Some(entry) = context.names.namespaces.get(oid) else { continue };
        if context.names.extension_of(class::NAMESPACE, *oid).is_some() {
            continue;
        }
        let owner = entry.more.unwrap_or_default();
        let acl = Acl { owner, list: entry.acl.as_deref(), default: entry.default_acl.as_deref() };
        let mut common = context.common(class::NAMESPACE, *oid, owner, acl::grants(acl))?;
        // What every new database says of it.
        if entry.name.as_str() == "public" && common.comment.as_deref() == Some("standard public schema") {
            common.comment = None;
        }
        schema.insert(Namespace { name: entry.name.clone(), options: trueup_schema::Parameters::new(), common });
    }
    Ok(())
}

/// Extensions belong to the database: they are read whatever the namespaces. The one that every new database has is left out.
fn extensions(context: &Context<'_>, schema: &mut Schema) {
    for entry in context.names.extensions.values() {
        if entry.oid < super::sql::FIRST_NORMAL && entry.name.as_str() == "plpgsql" {
            continue;
        }
        let makes_its_own = context.names.extension_of(class::NAMESPACE, entry.reference) == Some(&entry.name);
        let namespace: Option<Ident> = context.names.namespace(entry.reference).cloned().filter(|_| !makes_its_own);
        schema.insert(Extension {
            name: entry.name.clone(),
            namespace,
            version: None,
            common: Common {
                comment: context
                    .comment(class::EXTENSION, entry.oid, 0)
                    .filter(|comment| !entry.acl.iter().flatten().any(|own| own == comment)),
                depends_on: context.depends(class::EXTENSION, entry.oid, 0),
                ..Common::default()
            },
        });
    }
}

/// Indexes that belong to a key or an exclusion, inherited ones included.
fn behind(raw: &Raw) -> Result<BTreeSet<i64>, IntrospectError> {
    let mut found = BTreeSet::new();
    for row in &raw.constraints {
        let row = constraints::Raw::read(row)?;
        if matches!(row.kind, "p" | "u" | "x") {
            found.insert(row.index);
        }
    }
    Ok(found)
}
