//! Names that a body of text mentions. Good for an order, never for a refusal.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::postgres::Postgres;
use trueup_dialect::{Token, TokenKind};
use trueup_schema::{Ident, ObjectRef, QualName};

use super::names::Names;
use super::sql::class;

/// What is in scope, by bare name.
#[derive(Debug)]
pub(super) struct KnownNames<'a>(BTreeMap<&'a str, Vec<(&'a QualName, &'a ObjectRef)>>);

impl<'a> KnownNames<'a> {
    pub(super) fn of(names: &'a Names<'_>) -> Self {
        let mut known: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for ((class, oid), object) in &names.objects {
            let name = match object {
                ObjectRef::Type(name) | ObjectRef::Sequence(name) | ObjectRef::Table(name) | ObjectRef::View(name) => {
                    name
                }
                ObjectRef::Routine(id) => &id.name,
                ObjectRef::Namespace(_)
                | ObjectRef::Extension(_)
                | ObjectRef::Column(_)
                | ObjectRef::Constraint(_)
                | ObjectRef::Index(_)
                | ObjectRef::Trigger(_)
                | ObjectRef::Policy(_)
                | ObjectRef::Opaque(_) => continue,
            };
            // A row type goes by its table.
            let once = matches!(object, ObjectRef::Type(_)) || *class != class::TYPE;
            if once && names.extension_of(*class, *oid).is_none() {
                known.entry(name.name.as_str()).or_default().push((name, object));
            }
        }
        Self(known)
    }

    /// Everything that `body` may mean, seen from the namespace of the routine.
    pub(super) fn mentioned(&self, body: &str, namespace: Option<&Ident>) -> BTreeSet<ObjectRef> {
        let mut found = BTreeSet::new();
        self.scan(body, namespace, 0, &mut found);
        found
    }

    /// Texts inside the body are looked into as well: statements are often put together from them.
    fn scan(&self, body: &str, namespace: Option<&Ident>, depth: u8, found: &mut BTreeSet<ObjectRef>) {
        let tokens: Vec<Token> = Postgres::split(body).into_iter().filter(Token::is_solid).collect();
        for (at, token) in tokens.iter().enumerate() {
            if token.kind == TokenKind::Text && depth < 2 {
                let inner = token.text.trim_matches(|c: char| c == '\'' || c == '$');
                self.scan(inner, namespace, depth + 1, found);
            }
            let Some(name) = folded(token) else { continue };
            let qualifier = (at >= 2 && tokens[at - 1].text == ".").then(|| folded(&tokens[at - 2])).flatten();
            let candidates = self.0.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
            found.extend(pick(candidates, qualifier.as_deref(), namespace).map(|object| (*object).clone()));
        }
    }
}

fn folded(token: &Token) -> Option<String> {
    let name = token.name()?;
    Some(if token.kind == TokenKind::Word { name.to_lowercase() } else { name })
}

/// A qualifier may be a namespace or something else, such as an alias: then it decides nothing.
fn pick<'a>(
    candidates: &'a [(&'a QualName, &'a ObjectRef)],
    qualifier: Option<&str>,
    namespace: Option<&Ident>,
) -> impl Iterator<Item = &'a ObjectRef> {
    let within = |name: &QualName, wanted: Option<&str>| {
        wanted.is_some() && name.namespace.as_ref().map(Ident::as_str) == wanted
    };
    let qualified = candidates.iter().any(|(name, _)| within(name, qualifier));
    let own = namespace.map(Ident::as_str);
    let at_home = candidates.iter().any(|(name, _)| within(name, own));
    let (qualifier, own) = (qualifier.map(str::to_owned), own.map(str::to_owned));
    candidates.iter().filter_map(move |(name, object)| {
        let wanted = match (qualified, at_home) {
            (true, _) => within(name, qualifier.as_deref()),
            (false, true) => within(name, own.as_deref()),
            (false, false) => true,
        };
        wanted.then_some(*object)
    })
}
