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
    let mut statements = owners_part(on, &kind, owner, (before, after), (&mut was, &mut becomes))?;
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

/// Stands for whoever owns the object.
const OWNER: &str = "OWNER";

/// Whoever runs the statement.
const CREATOR: &str = "CURRENT_USER";

/// The one privilege of an owner that has given up every one.
const NONE: &str = "NONE";

/// The owner's own entries. A list without any says that the owner has all privileges, so that only a list with some takes a
/// statement, on either side.
fn owners_part(
    on: &ObjectRef,
    kind: &Kind,
    owner: Option<&Ident>,
    (before, after): (Option<&[Grant]>, Option<&[Grant]>),
    (was, becomes): (&mut Privileges, &mut Privileges),
) -> Result<Vec<Statement>, RenderError> {
    let is_owner = |grantee: &str| grantee == OWNER || owner.is_some_and(|owner| owner.as_str() == grantee);
    let own = |grants: Option<&[Grant]>| -> Option<Vec<Grant>> {
        let own: Vec<Grant> = grants.into_iter().flatten().filter(|it| is_owner(&it.grantee)).cloned().collect();
        (!own.is_empty()).then_some(own)
    };
    let (had, gets) = (own(before), own(after));
    was.retain(|(grantee, _, _), _| !is_owner(grantee));
    becomes.retain(|(grantee, _, _), _| !is_owner(grantee));
    if had == gets {
        return Ok(Vec::new());
    }
    let owner = match owner {
        Some(owner) => owner.as_str(),
        // a new object belongs to whoever makes it
        None if before.is_none() => CREATOR,
        None => return Err(unsupported(on, "its owner's own privileges change, and who owns it is not known")),
    };
    let all = |words: &'static str, link: &'static str| -> Result<Statement, RenderError> {
        Ok(run(&kind.on(Sql::new(words)).words(link).then(role(owner)?)))
    };
    let Some(gets) = gets else { return Ok(vec![all("GRANT ALL", "TO")?]) };
    let named = |list: Vec<Grant>| -> Vec<Grant> {
        let named = list.into_iter().map(|grant| Grant { grantee: owner.to_owned(), ..grant });
        named.collect()
    };
    becomes.extend(privileges(on, Some(&named(gets)), kind)?);
    match had {
        Some(had) => {
            was.extend(privileges(on, Some(&named(had)), kind)?);
            Ok(Vec::new())
        }
        None => Ok(vec![all("REVOKE ALL", "FROM")?]),
    }
}

fn privileges(on: &ObjectRef, grants: Option<&[Grant]>, kind: &Kind) -> Result<Privileges, RenderError> {
    let Some(grants) = grants else {
        return Ok(kind.public.map(|privilege| (("PUBLIC".to_owned(), privilege, None), false)).into_iter().collect());
    };
    let mut list = Privileges::new();
    for grant in grants.iter().filter(|grant| grant.privilege != NONE) {
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

/// What the object is to GRANT, and what the engine grants to PUBLIC by itself.
struct Kind {
    target: Sql,
    public: Option<&'static str>,
}

impl Kind {
    fn of(on: &ObjectRef, flavor: Flavor) -> Result<Self, RenderError> {
        let (target, public) = match on {
            ObjectRef::Table(name) | ObjectRef::View(name) => (Sql::new("TABLE").qualified(name), None),
            ObjectRef::Sequence(name) => (Sql::new("SEQUENCE").qualified(name), None),
            ObjectRef::Namespace(_) => (comment::target(on, flavor)?, None),
            ObjectRef::Type(name) => (Sql::new("TYPE").qualified(name), Some("USAGE")),
            ObjectRef::Routine(id) => {
                // An aggregate is a function to GRANT, which writes no star.
                let flavor = if flavor == Flavor::Aggregate { Flavor::Plain } else { flavor };
                (super::routine::target(id, flavor), Some("EXECUTE"))
            }
            ObjectRef::Opaque(id) => {
                let target = comment::target(on, flavor)?;
                match id.kind.as_str() {
                    "server" | "foreign server" => (Sql::new("FOREIGN").then(target), None),
                    "foreign data wrapper" => (target, None),
                    "language" => (target, Some("USAGE")),
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
        Ok(Self { target, public })
    }

    fn on(&self, sql: Sql) -> Sql {
        sql.words("ON").then(self.target.clone())
    }
}
