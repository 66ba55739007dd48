//! Who servers run as.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::ServerError;

/// The account of a server's process: an ordinary one where the caller is root, else the caller's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Account(Option<(u32, u32)>);

impl Account {
    /// The account to run servers as. Root hands over to `postgres` or, without one, to `nobody`.
    pub(crate) fn for_servers() -> Result<Self, ServerError> {
        if !is_root() {
            return Ok(Self(None));
        }
        let path = Path::new("/etc/passwd");
        let users = fs::read_to_string(path).map_err(ServerError::io(path))?;
        let ids = find(&users, "postgres").or_else(|| find(&users, "nobody"));
        ids.map(|ids| Self(Some(ids))).ok_or_else(|| ServerError::Missing {
            what: "an ordinary user".to_owned(),
            fix: "make a user `postgres` or `nobody`, or run as an ordinary user".to_owned(),
        })
    }

    /// Gives a file or folder to this account.
    pub(crate) fn own(self, path: &Path) -> Result<(), ServerError> {
        self.0.map_or(Ok(()), |(user, group)| chown(path, Some(user), Some(group)).map_err(ServerError::io(path)))
    }

    /// Makes `command` run as this account, without supplementary groups.
    pub(crate) fn apply(self, command: &mut Command) {
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
    }
}

/// Whether the caller is root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// User and group number of `name` in the text of a password file.
fn find(users: &str, name: &str) -> Option<(u32, u32)> {
    users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        match fields.as_slice() {
            [user, _, uid, gid, ..] if *user == name => Some((uid.parse().ok()?, gid.parse().ok()?)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_whole_name() {
        let users = "root:x:0:0:root:/root:/bin/bash\nnobody2:x:7:8::/:\nnobody:x:65534:65533:nobody:/:/bin/false\n";
        assert_eq!(find(users, "nobody"), Some((65534, 65533)));
        assert_eq!(find(users, "postgres"), None);
    }
}
