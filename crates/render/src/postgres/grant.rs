//! Privileges: the statements between two lists.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{Flavor, Statement};
use trueup_schema::{Grant, Ident, ObjectRef};

use super::comment;
use super::words::{Rendered, role, run, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// Every privilege that there is. Anything else in a list is refused, as it would reach SQL as it stands.
const PRIVILEGES: [&str; 12] = [
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "TRUNCATE",
    "REFERENCES",
    "TRIGGER",
    "MAINTAIN",
    "USAGE",
    "CREATE",
    "EXECUTE",
    "SET",
];

/// What a privilege is on: the whole object, or one column.
type On = Option<Ident>;

/// Whether each privilege of each grantee may be passed on.
type Privileges = BTreeMap<(String, &'static str, On), bool>;

/// From `before` to `after`, taking away first. `None` is what the engine grants by itself: everything to the owner, and to PUBLIC
/// the use of routines and types.
pub(super) fn set(
    on: &ObjectRef,
    flavor: Flavor,
    before: Option<&[Grant]>,
    after: Option<&[Grant]>,
    owner: Option<&Ident>,
) -> Rendered {
    let kind = Kind::of(on, flavor)?;
    let mut was = privileges(on, before, &kind)?;
    let mut becomes = privileges(on, after, &kind)?;
    let mut statements = Vec::new();
    if let Some(owner) = owner {
        statements.extend(owners_part(&kind, owner, before.is_some(), after.is_some(), &mut was, &mut becomes)?);
    }
    let mut changes = Changes::default();
    changes.compare(&was, &becomes);
    for ((grantee, option_only), list) in &changes.revoke {
        let head = if *option_only { "REVOKE GRANT OPTION FOR" } else { "REVOKE" };
        statements.push(run(&kind.on(words(Sql::new(head), list)).words("FROM").then(role(grantee)?)));
    }
    for ((grantee, grantable), list) in &changes.grant {
        let sql = kind.on(words(Sql::new("GRANT"), list)).words("TO").then(role(grantee)?);
        statements.push(run(&sql.words_if(*grantable, "WITH GRANT OPTION")));
    }
    Ok(statements)
}

/// The owner's own entries, where one side is the default: taken out of both lists, with what it takes to get there.
///
/// MAINTAIN is looked over on the way from the default: servers before 17 do not know it and never list it.
fn owners_part(
    kind: &Kind,
    owner: &Ident,
    before_listed: bool,
    after_listed: bool,
    was: &mut Privileges,
    becomes: &mut Privileges,
) -> Result<Vec<Statement>, RenderError> {
    let has =
        |list: &Privileges, privilege: &&'static str| list.contains_key(&(owner.as_str().to_owned(), *privilege, None));
    let all = |words: &'static str, link: &'static str| -> Result<Statement, RenderError> {
        Ok(run(&kind.on(Sql::new(words)).words(link).then(role(owner.as_str())?)))
    };
    let own = |list: &mut Privileges| list.retain(|(grantee, _, _), _| grantee != owner.as_str());
    let mut statements = Vec::new();
    match (before_listed, after_listed) {
        (true, true) | (false, false) => {}
        (false, true) => {
            if kind.defaults.iter().filter(|privilege| **privilege != "MAINTAIN").all(|it| has(becomes, it)) {
                own(becomes);
            } else {
                statements.push(all("REVOKE ALL", "FROM")?);
            }
        }
        (true, false) => {
            if !kind.defaults.iter().all(|it| has(was, it)) {
                statements.push(all("GRANT ALL", "TO")?);
            }
            own(was);
        }
    }
    Ok(statements)
}

fn privileges(on: &ObjectRef, grants: Option<&[Grant]>, kind: &Kind) -> Result<Privileges, RenderError> {
    let Some(grants) = grants else {
        return Ok(kind.public.map(|privilege| (("PUBLIC".to_owned(), privilege, None), false)).into_iter().collect());
    };
    let mut list = Privileges::new();
    for grant in grants {
        let privilege = PRIVILEGES
            .into_iter()
            .find(|known| *known == grant.privilege)
            .ok_or_else(|| unsupported(format!("{on}: {}", grant.privilege), "there is no such privilege"))?;
        list.insert((grant.grantee.clone(), privilege, grant.column.clone()), grant.grantable);
    }
    Ok(list)
}

/// Privileges by grantee and by whether it is about the grant option.
#[derive(Default)]
struct Changes {
    revoke: BTreeMap<(String, bool), BTreeMap<&'static str, BTreeSet<On>>>,
    grant: BTreeMap<(String, bool), BTreeMap<&'static str, BTreeSet<On>>>,
}

impl Changes {
    fn compare(&mut self, was: &Privileges, becomes: &Privileges) {
        let mut gone = BTreeSet::new();
        for ((grantee, privilege, column), grantable) in was {
            let option_only = match becomes.get(&(grantee.clone(), *privilege, column.clone())) {
                None => false,
                Some(stays) if *grantable && !*stays => true,
                Some(_) => continue,
            };
            // A privilege on the table takes those on its columns along.
            if column.is_none() {
                gone.insert((grantee.clone(), *privilege));
            }
            let entry = self.revoke.entry((grantee.clone(), option_only)).or_default();
            entry.entry(privilege).or_default().insert(column.clone());
        }
        for ((grantee, privilege, column), grantable) in becomes {
            let had = was.get(&(grantee.clone(), *privilege, column.clone()));
            let lost = column.is_some() && gone.contains(&(grantee.clone(), *privilege));
            if !lost && had.is_some_and(|had| *had || !*grantable) {
                continue;
            }
            let entry = self.grant.entry((grantee.clone(), *grantable)).or_default();
            entry.entry(privilege).or_default().insert(column.clone());
        }
    }
}

/// `SELECT, UPDATE ("a", "b")`.
fn words(sql: Sql, list: &BTreeMap<&'static str, BTreeSet<On>>) -> Sql {
    let mut items = Vec::new();
    for (privilege, on) in list {
        if on.contains(&None) {
            items.push(Sql::new(*privilege));
        }
        let columns: Vec<&Ident> = on.iter().flatten().collect();
        if !columns.is_empty() {
            items.push(Sql::new(*privilege).names(columns));
        }
    }
    sql.series(items)
}

/// What the object is to GRANT, and what the engine grants by itself.
struct Kind {
    target: Sql,
    defaults: &'static [&'static str],
    public: Option<&'static str>,
}

impl Kind {
    fn of(on: &ObjectRef, flavor: Flavor) -> Result<Self, RenderError> {
        const TABLE: &[&str] =
            &["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"];
        let (target, defaults, public) = match on {
            ObjectRef::Table(name) | ObjectRef::View(name) => (Sql::new("TABLE").qualified(name), TABLE, None),
            ObjectRef::Sequence(name) => {
                (Sql::new("SEQUENCE").qualified(name), &["SELECT", "UPDATE", "USAGE"] as &[_], None)
            }
            ObjectRef::Namespace(_) => (comment::target(on, flavor)?, &["CREATE", "USAGE"] as &[_], None),
            ObjectRef::Type(name) => (Sql::new("TYPE").qualified(name), &["USAGE"] as &[_], Some("USAGE")),
            ObjectRef::Routine(id) => {
                // An aggregate is a function to GRANT, which writes no star.
                let flavor = if flavor == Flavor::Aggregate { Flavor::Plain } else { flavor };
                (super::routine::target(id, flavor), &["EXECUTE"] as &[_], Some("EXECUTE"))
            }
            ObjectRef::Opaque(id) => {
                let target = comment::target(on, flavor)?;
                match id.kind.as_str() {
                    "server" | "foreign server" => (Sql::new("FOREIGN").then(target), &["USAGE"] as &[_], None),
                    "foreign data wrapper" => (target, &["USAGE"] as &[_], None),
                    "language" => (target, &["USAGE"] as &[_], Some("USAGE")),
                    _ => return Err(unsupported(on, "it takes no privileges")),
                }
            }
            ObjectRef::Extension(_)
            | ObjectRef::Column(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_) => return Err(unsupported(on, "it takes no privileges of its own")),
        };
        Ok(Self { target, defaults, public })
    }

    fn on(&self, sql: Sql) -> Sql {
        sql.words("ON").then(self.target.clone())
    }
}
