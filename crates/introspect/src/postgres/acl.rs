//! Access lists as privileges, seen from the object's owner.

use std::collections::BTreeMap;

use trueup_schema::{Grant, Ident};

/// The grantee that stands for whoever owns the object: a schema does not say who does.
const OWNER: &str = "OWNER";

/// What an owner has who has given up everything.
const NONE: &str = "NONE";

/// Grantee and privilege, with whether it may be passed on.
type Privileges = BTreeMap<(String, &'static str), bool>;

/// An access list and what it is measured against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acl<'a> {
    /// The owning role.
    pub(super) owner: &'a str,
    /// The list; none is the default.
    pub(super) list: Option<&'a [&'a str]>,
    /// The list that a new object of this owner has.
    pub(super) default: Option<&'a [&'a str]>,
}

/// The privileges, if they differ from what a new object has. The owner's own are listed only where they are not all there are;
/// an owner without any has the privilege `NONE`.
pub(super) fn grants(acl: Acl<'_>) -> Option<Vec<Grant>> {
    let list = privileges(acl.list?, acl.owner);
    let default = privileges(acl.default.unwrap_or_default(), acl.owner);
    if list == default {
        return None;
    }
    let own = |all: &Privileges| -> Privileges {
        all.iter().filter(|((grantee, _), _)| grantee == OWNER).map(|(key, flag)| (key.clone(), *flag)).collect()
    };
    let (owns, would_own) = (own(&list), own(&default));
    let mut grants: Vec<Grant> = list
        .into_iter()
        .filter(|((grantee, _), _)| grantee != OWNER || owns != would_own)
        .map(|((grantee, privilege), grantable)| grant(grantee, privilege, None, grantable))
        .collect();
    if owns.is_empty() && !would_own.is_empty() {
        grants.push(grant(OWNER.to_owned(), NONE, None, false));
    }
    grants.sort();
    Some(grants)
}

/// Privileges on one column.
pub(super) fn column_grants(list: &[&str], owner: &str, column: &Ident) -> Vec<Grant> {
    privileges(list, owner)
        .into_iter()
        .map(|((grantee, privilege), grantable)| grant(grantee, privilege, Some(column.clone()), grantable))
        .collect()
}

fn grant(grantee: String, privilege: &str, column: Option<Ident>, grantable: bool) -> Grant {
    Grant { grantee, privilege: privilege.to_owned(), column, grantable }
}

/// Who granted it is left aside: two grantors of one privilege are one privilege.
fn privileges(list: &[&str], owner: &str) -> Privileges {
    let mut found = Privileges::new();
    for item in list {
        let Some((grantee, rest)) = take_role(item) else { continue };
        let grantee = match grantee.as_str() {
            "" => "PUBLIC".to_owned(),
            role if role == owner => OWNER.to_owned(),
            _ => grantee,
        };
        let letters: Vec<char> = rest.chars().take_while(|c| *c != '/').collect();
        for (at, letter) in letters.iter().enumerate() {
            if let Some(word) = word(*letter) {
                let grantable = letters.get(at + 1) == Some(&'*');
                *found.entry((grantee.clone(), word)).or_default() |= grantable;
            }
        }
    }
    found
}

/// The role in front of the equals sign, quotes undone, and what follows the sign.
fn take_role(item: &str) -> Option<(String, &str)> {
    let mut role = String::new();
    let mut quoted = false;
    let mut chars = item.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if quoted && chars.peek().is_some_and(|(_, next)| *next == '"') => {
                role.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            '=' if !quoted => return Some((role, &item[at + 1..])),
            _ => role.push(c),
        }
    }
    None
}

const fn word(letter: char) -> Option<&'static str> {
    Some(match letter {
        'r' => "SELECT",
        'w' => "UPDATE",
        'a' => "INSERT",
        'd' => "DELETE",
        'D' => "TRUNCATE",
        'x' => "REFERENCES",
        't' => "TRIGGER",
        'm' => "MAINTAIN",
        'X' => "EXECUTE",
        'U' => "USAGE",
        'C' => "CREATE",
        'c' => "CONNECT",
        'T' => "TEMPORARY",
        's' => "SET",
        'A' => "ALTER SYSTEM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[&str], default: &[&str]) -> Option<Vec<String>> {
        let words =
            |grant: &Grant| format!("{} {}{}", grant.grantee, grant.privilege, if grant.grantable { "*" } else { "" });
        grants(Acl { owner: "me", list: Some(list), default: Some(default) })
            .map(|grants| grants.iter().map(words).collect())
    }

    #[test]
    fn the_default_is_none_whoever_granted_it() {
        assert_eq!(grants(Acl { owner: "me", list: None, default: None }), None);
        assert_eq!(of(&["me=arw/me"], &["me=arw/me"]), None);
        assert_eq!(of(&["=X/me", "me=X/me"], &["me=X/me", "=X/me"]), None);
    }

    #[test]
    fn the_owner_is_listed_only_where_something_is_missing() {
        assert_eq!(of(&["me=arw/me", "app=r*/me"], &["me=arw/me"]).unwrap(), ["app SELECT*"]);
        assert_eq!(of(&["me=r/me"], &["me=arw/me"]).unwrap(), ["OWNER SELECT"]);
        assert_eq!(of(&["app=r/me"], &["me=arw/me"]).unwrap(), ["OWNER NONE", "app SELECT"]);
        assert_eq!(of(&["me=X/me"], &["me=X/me", "=X/me"]).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn quoted_roles_are_read() {
        assert_eq!(of(&["\"a \"\"=b\"=U/me"], &[]).unwrap(), ["a \"=b USAGE"]);
    }
}
