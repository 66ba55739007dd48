//! Which SQL texts of the two sides mean the same.
//!
//! Texts that do are given the declared spelling on the live side too, so that everything after this compares plain values. Nothing
//! is matched by stripping parentheses or casts.

use std::collections::BTreeMap;

use trueup_dialect::{Dialect, Token, TokenKind};
use trueup_plan::{Pair, Tracked};
use trueup_schema::{DataType, ExprSite, ExprSlot, Ident, ObjectRef, Schema, SqlExpr};
use trueup_snapshot::Fingerprint;

/// What is known of texts that differ.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Texts that differ, although they may mean the same: nobody has said so, and only the server could tell. With each, what to record
    /// once somebody says so; nothing where one text could stand for several.
    pub(crate) unverified: BTreeMap<(ObjectRef, ExprSlot), Option<Pair>>,
    /// How many texts were taken as equal because an earlier run recorded it.
    pub(crate) by_pairs: usize,
}

/// How a declared text stands to the live one.
enum Standing {
    Same,
    SameByPair,
    Differs,
    Unverified,
}

/// What decides about texts that are not spelled alike.
pub(crate) struct Rules<'a> {
    pub(crate) dialect: &'a dyn Dialect,
    /// Whether declared texts are in the server's spelling.
    pub(crate) elaborated: bool,
    pub(crate) tracked: Option<&'a Tracked>,
    /// The server's major version.
    pub(crate) major: u32,
}

/// Whether both texts are the same tokens; blanks and comments aside, and letter case where the engine does not look at it.
pub(crate) fn same_tokens(dialect: &dyn Dialect, a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (dialect.meaning(a), dialect.meaning(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_token(dialect, a, b))
}

fn same_token(dialect: &dyn Dialect, a: &Token, b: &Token) -> bool {
    if a == b {
        return true;
    }
    if a.kind == TokenKind::Word && b.kind == TokenKind::Word {
        return a.text.eq_ignore_ascii_case(&b.text);
    }
    let name = |token: &Token| {
        let name = token.name()?;
        Some(if token.kind == TokenKind::Word { name.to_ascii_lowercase() } else { name })
    };
    name(a).zip(name(b)).is_some_and(|(a, b)| folded(dialect, a) == folded(dialect, b))
}

fn folded(dialect: &dyn Dialect, name: String) -> Option<String> {
    Ident::new(name).ok().map(|name| dialect.fold(&name))
}

/// The text of a declared or live text in a list of recorded pairs: `check:shop.users.users_age_check`.
pub(crate) fn site_name(site: &ExprSite<'_>) -> String {
    format!("{}:{}", site.slot.to_string().replace(' ', "-"), site.object)
}

/// Gives `live` the declared spelling of every text that means the same, and tells what is left open. Objects of which `is_same` is true
/// hold the same texts.
pub(crate) fn reconcile(
    live: &mut Schema,
    desired: &Schema,
    rules: &Rules<'_>,
    is_same: impl Fn(&ObjectRef) -> bool,
) -> Texts {
    let mut declared: BTreeMap<(ObjectRef, ExprSlot), Vec<SqlExpr>> = BTreeMap::new();
    let mut by_table: BTreeMap<(ObjectRef, ExprSlot), Vec<SqlExpr>> = BTreeMap::new();
    desired.visit_exprs(&mut |site, text| {
        if is_same(site.object) {
            return;
        }
        declared.entry((site.object.clone(), site.slot)).or_default().push(text.clone());
        by_table.entry((holder(site.object), site.slot)).or_default().push(text.clone());
    });
    let types = if rules.elaborated { BTreeMap::new() } else { column_types(desired) };
    let mut texts = Texts::default();
    live.visit_exprs_mut(&mut |site, text| {
        if is_same(site.object) {
            return;
        }
        let key = (site.object.clone(), site.slot);
        let own = declared.get(&key).map_or(&[][..], Vec::as_slice);
        let beside = by_table.get(&(holder(site.object), site.slot)).map_or(&[][..], Vec::as_slice);
        let same = |each: &&SqlExpr| same_tokens(rules.dialect, each.as_str(), text.as_str());
        if let Some(same) = own.iter().chain(beside).find(same) {
            text.clone_from(same);
        } else if let [other] = own {
            match standing(&site, text, other, types.get(site.object), rules) {
                Standing::Same => text.clone_from(other),
                Standing::SameByPair => {
                    text.clone_from(other);
                    texts.by_pairs += 1;
                }
                Standing::Differs => {}
                Standing::Unverified => {
                    texts.unverified.insert(key, Some(pair(&site, text, other, rules.major)));
                }
            }
        } else if !own.is_empty() && !rules.elaborated {
            texts.unverified.insert(key, None);
        }
    });
    texts
}

/// What says that `declared` is `live` as the server spells it.
fn pair(site: &ExprSite<'_>, live: &SqlExpr, declared: &SqlExpr, major: u32) -> Pair {
    let hash = |text: &SqlExpr| Fingerprint::of(text.as_str().as_bytes()).hex();
    Pair { site: site_name(site), declared: hash(declared), canonical: hash(live), major }
}

/// Constraints and indexes are looked for in their whole table: their names may be the engine's.
fn holder(object: &ObjectRef) -> ObjectRef {
    match object {
        ObjectRef::Constraint(id) | ObjectRef::Index(id) => ObjectRef::Table(id.table.clone()),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => object.clone(),
    }
}

fn column_types(schema: &Schema) -> BTreeMap<ObjectRef, DataType> {
    let mut types = BTreeMap::new();
    for table in schema.tables.values() {
        for column in &table.columns {
            let id = trueup_schema::PartId { table: table.name.clone(), name: column.name.clone() };
            types.insert(ObjectRef::Column(id), column.data_type.clone());
        }
    }
    types
}

fn standing(
    site: &ExprSite<'_>,
    live: &SqlExpr,
    declared: &SqlExpr,
    data_type: Option<&DataType>,
    rules: &Rules<'_>,
) -> Standing {
    if rules.elaborated {
        return Standing::Differs;
    }
    let canonical = |expr| rules.dialect.canonical_expr(expr, data_type);
    if let (Some(live), Some(declared)) = (canonical(live), canonical(declared)) {
        let same = same_tokens(rules.dialect, live.as_str(), declared.as_str());
        return if same { Standing::Same } else { Standing::Differs };
    }
    let name = site_name(site);
    let pairs = rules.tracked.map_or(&[][..], |tracked| tracked.pairs.as_slice());
    let mut known = pairs.iter().filter(|pair| pair.site == name && pair.major == rules.major).peekable();
    if known.peek().is_none() {
        return Standing::Unverified;
    }
    let wanted = pair(site, live, declared, rules.major);
    if known.any(|known| *known == wanted) { Standing::SameByPair } else { Standing::Differs }
}
