//! Enums, domains, composites, ranges, and types as columns use them.

use std::collections::BTreeMap;

use trueup_schema::{
    Common, DataType, Domain, DomainCheck, NamedType, QualName, RangeType, Schema, SqlExpr, UserType, UserTypeKind,
};
use trueup_session::Row;

use super::acl::{self, Acl};
use super::build::Context;
use super::columns::{self, attribute};
use super::constraints;
use super::names::Names;
use super::reader::{Reader, printed_name};
use super::sql::{FIRST_NORMAL, class};
use crate::IntrospectError;

/// A type as printed: `character varying(20)`, `public.mood[]`, `public."Geo"(Point,4326)`.
pub(super) fn data_type(oid: i64, text: &str) -> Result<DataType, IntrospectError> {
    if oid < FIRST_NORMAL {
        return Ok(DataType::builtin(text));
    }
    let element = text.trim_end_matches("[]");
    let dimensions = u8::try_from((text.len() - element.len()) / 2).unwrap_or(u8::MAX);
    let end = name_end(element);
    let (name, modifiers) = element.split_at(end);
    if !name.contains('.') {
        return Ok(DataType::builtin(text));
    }
    let (name, modifiers) = (printed_name(name)?, modifiers.to_owned());
    Ok(DataType::Named(NamedType { name, modifiers, dimensions }))
}

/// Where the name ends and its parameters begin.
fn name_end(text: &str) -> usize {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// A type's own entry.
struct Raw<'a> {
    oid: i64,
    name: QualName,
    kind: &'a str,
    relation: i64,
    owner: &'a str,
    acl: Option<Vec<&'a str>>,
    default_acl: Option<Vec<&'a str>>,
    labels: Vec<&'a str>,
    base: i64,
    base_text: Option<&'a str>,
    not_null: bool,
    default: Option<&'a str>,
    collation: i64,
    base_collation: Option<i64>,
    range: Option<RawRange<'a>>,
}

struct RawRange<'a> {
    subtype: i64,
    subtype_text: &'a str,
    multirange: &'a str,
    collation: i64,
    subtype_collation: i64,
    opclass: i64,
    canonical: Option<&'a str>,
    diff: Option<&'a str>,
}

impl<'a> Raw<'a> {
    fn read(row: &'a Row, names: &Names<'_>) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "types");
        let (oid, namespace) = (row.int()?, row.int()?);
        let name = names.qualified(namespace, row.ident()?)?;
        let kind = row.text()?;
        let (relation, _array) = (row.int()?, row.int()?);
        let owner = row.text()?;
        let (acl, default_acl) = (row.texts_or_null()?, row.texts_or_null()?);
        let labels = row.texts()?;
        let (base, base_text) = (row.int()?, row.text_or_null()?);
        let (not_null, default) = (row.flag()?, row.text_or_null()?);
        let (collation, base_collation) = (row.int()?, row.int_or_null()?);
        let range = range(&mut row)?;
        Ok(Self {
            oid,
            name,
            kind,
            relation,
            owner,
            acl,
            default_acl,
            labels,
            base,
            base_text,
            not_null,
            default,
            collation,
            base_collation,
            range,
        })
    }

    fn common(&self, context: &Context<'_>) -> Result<Common, IntrospectError> {
        let acl = Acl { owner: self.owner, list: self.acl.as_deref(), default: self.default_acl.as_deref() };
        let mut common = context.common(class::TYPE, self.oid, self.owner, acl::grants(acl))?;
        // What a composite's attributes need is kept at the relation behind it, and what a domain's checks need at these.
        if self.relation != 0 {
            common.depends_on.extend(context.depends_of_parts(class::CLASS, self.relation));
            let own = trueup_schema::ObjectRef::Type(self.name.clone());
            common.depends_on.retain(|dependency| dependency.on != own);
            common.comment = common.comment.or_else(|| context.comment(class::CLASS, self.relation, 0));
        }
        Ok(common)
    }
}

fn range<'a>(row: &mut Reader<'a>) -> Result<Option<RawRange<'a>>, IntrospectError> {
    let (subtype, subtype_text) = (row.int_or_null()?, row.text_or_null()?);
    let (_multirange, multirange) = (row.int_or_null()?, row.text_or_null()?);
    let (collation, subtype_collation) = (row.int_or_null()?, row.int_or_null()?);
    let (opclass, canonical, diff) = (row.int_or_null()?, row.text_or_null()?, row.text_or_null()?);
    let Some((subtype, (subtype_text, multirange))) = subtype.zip(subtype_text.zip(multirange)) else {
        return Ok(None);
    };
    Ok(Some(RawRange {
        subtype,
        subtype_text,
        multirange,
        collation: collation.unwrap_or_default(),
        subtype_collation: subtype_collation.unwrap_or_default(),
        opclass: opclass.unwrap_or_default(),
        canonical,
        diff,
    }))
}

/// Puts every modelled type into `schema`; the others are returned, by name.
pub(super) fn build<'a>(
    context: &Context<'a>,
    columns: &columns::ByRelation<'_>,
    schema: &mut Schema,
) -> Result<Vec<(QualName, &'a str)>, IntrospectError> {
    let mut others = Vec::new();
    let mut checks = domain_checks(context)?;
    for row in &context.raw.types {
        let raw = Raw::read(row, &context.names)?;
        if context.names.extension_of(class::TYPE, raw.oid).is_some() {
            continue;
        }
        let kind = match raw.kind {
            "e" => UserTypeKind::Enum { labels: raw.labels.iter().map(|label| (*label).to_owned()).collect() },
            "d" => UserTypeKind::Domain(domain(context, &raw, checks.remove(&raw.oid).unwrap_or_default())?),
            "r" => match &raw.range {
                Some(range) => UserTypeKind::Range(range_type(context, &raw.name, range)?),
                None => continue,
            },
            "c" => {
                let attributes = columns.read(raw.relation)?;
                let attributes = attributes.iter().map(|raw| attribute(context, raw)).collect::<Result<_, _>>()?;
                UserTypeKind::Composite { attributes }
            }
            other => {
                others.push((raw.name, if other == "p" { "shell type" } else { "base type" }));
                continue;
            }
        };
        schema.insert(UserType { common: raw.common(context)?, name: raw.name, kind });
    }
    Ok(others)
}

fn domain(context: &Context<'_>, raw: &Raw<'_>, checks: Vec<DomainCheck>) -> Result<Domain, IntrospectError> {
    let collation = raw.base_collation.is_some_and(|base| base != raw.collation);
    Ok(Domain {
        base: data_type(raw.base, raw.base_text.unwrap_or_default())?,
        not_null: raw.not_null,
        default: raw.default.map(SqlExpr::new),
        collation: collation.then(|| context.names.collations.get(&raw.collation).cloned()).flatten(),
        checks,
    })
}

fn domain_checks(context: &Context<'_>) -> Result<BTreeMap<i64, Vec<DomainCheck>>, IntrospectError> {
    let mut found: BTreeMap<i64, Vec<DomainCheck>> = BTreeMap::new();
    for row in &context.raw.constraints {
        let raw = constraints::Raw::read(row)?;
        if let (true, "c", Some(text)) = (raw.domain != 0, raw.kind, raw.text) {
            let own = context.names.objects.get(&(class::TYPE, raw.domain));
            let mut depends_on = context.depends(class::CONSTRAINT, raw.oid, 0);
            depends_on.retain(|dependency| Some(&dependency.on) != own);
            found.entry(raw.domain).or_default().push(DomainCheck {
                name: raw.name,
                expr: SqlExpr::new(text),
                validated: raw.validated,
                comment: context.comment(class::CONSTRAINT, raw.oid, 0),
                depends_on,
            });
        }
    }
    Ok(found)
}

fn range_type(context: &Context<'_>, name: &QualName, raw: &RawRange<'_>) -> Result<RangeType, IntrospectError> {
    let opclass = context.names.opclasses.get(&raw.opclass).filter(|opclass| !opclass.default);
    let multirange = printed_name(raw.multirange)?;
    let collation = raw.collation != raw.subtype_collation;
    Ok(RangeType {
        subtype: data_type(raw.subtype, raw.subtype_text)?,
        opclass: opclass.map(|opclass| opclass.name.clone()),
        collation: collation.then(|| context.names.collations.get(&raw.collation).cloned()).flatten(),
        canonical: Names::printed_function(raw.canonical)?,
        subtype_diff: Names::printed_function(raw.diff)?,
        multirange: (multirange != default_multirange(name)).then_some(multirange),
    })
}

/// `range` in the name becomes `multirange`; without one, `_multirange` is put behind it.
fn default_multirange(name: &QualName) -> QualName {
    let text = name.name.as_str();
    let made = match text.find("range") {
        Some(at) => format!("{}multi{}", &text[..at], &text[at..]),
        None => format!("{text}_multirange"),
    };
    trueup_schema::Ident::new(made).map_or_else(|_| name.clone(), |made| name.sibling(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> (String, String, u8) {
        match data_type(20_000, text).unwrap() {
            DataType::Named(named) => (named.name.to_string(), named.modifiers, named.dimensions),
            DataType::Builtin(text) => panic!("`{text}` taken for a type of the server"),
        }
    }

    #[test]
    fn printed_types_are_taken_apart() {
        assert_eq!(data_type(1043, "character varying(20)").unwrap(), DataType::builtin("character varying(20)"));
        assert_eq!(named("public.mood[]"), ("public.mood".to_owned(), String::new(), 1));
        let geometry = ("public.\"odd (name)\"".to_owned(), "(Point,4326)".to_owned(), 0);
        assert_eq!(named("public.\"odd (name)\"(Point,4326)"), geometry);
    }

    #[test]
    fn multiranges_are_named_after_their_range() {
        let of = |text: &str| default_multirange(&QualName::parse(text).unwrap()).to_string();
        assert_eq!(of("s.floatrange"), "s.floatmultirange");
        assert_eq!(of("s.span"), "s.span_multirange");
    }
}
