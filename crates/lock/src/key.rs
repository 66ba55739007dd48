//! What a lock is called.

use trueup_schema::{Ident, fnv1a64};

/// The name of the scope that nobody chose, and under which its control rows are kept.
const DEFAULT_SCOPE: &str = "default";

/// The control namespace that nobody chose, where the engine has namespaces.
const DEFAULT_NAMESPACE: &str = "trueup";

/// FNV-1a 64 of `trueup`, sign bit cleared. Old and new replicas of a rolling deploy must meet at the same lock: this
/// number never changes.
const DEFAULT_NUMBER: i64 = 0x292b_c607_7628_6a00;

/// What every named lock begins with.
const PREFIX: &str = "trueup_lock_";

/// Longest name of a named lock on MySQL.
const NAME_LIMIT: usize = 64;

/// `scope` as it is stored: no scope, an empty one, `public` and `default` are one and the same.
#[must_use]
pub fn canonical_scope(scope: &str) -> &str {
    match scope {
        "" | "public" => DEFAULT_SCOPE,
        scope => scope,
    }
}

/// The identity of a lock.
///
/// Two scopes whose keys are equal by accident only wait for each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockKey {
    number: i64,
    name: String,
}

impl LockKey {
    /// The key of `scope` in `database` whose control tables live in `control_namespace`.
    ///
    /// `database` tells databases apart where one server keeps the locks of all of them; a number is only ever used where
    /// the server keeps them apart itself.
    #[must_use]
    pub fn new(database: &str, scope: &str, control_namespace: Option<&Ident>) -> Self {
        let scope = canonical_scope(scope);
        let namespace = control_namespace.map_or(DEFAULT_NAMESPACE, Ident::as_str);
        let number = if scope == DEFAULT_SCOPE && namespace == DEFAULT_NAMESPACE {
            DEFAULT_NUMBER
        } else {
            clear_sign(fnv1a64(["trueup", scope, namespace].join("\0").as_bytes()))
        };
        Self { number, name: name(database, scope, namespace) }
    }

    /// The key as a number, never negative.
    #[must_use]
    pub const fn number(&self) -> i64 {
        self.number
    }

    /// The key as a name of at most 64 characters.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

const fn clear_sign(hash: u64) -> i64 {
    (hash & i64::MAX.unsigned_abs()).cast_signed()
}

fn name(database: &str, scope: &str, namespace: &str) -> String {
    let base = format!("{PREFIX}{}", base_36(DEFAULT_NUMBER.unsigned_abs()));
    let mut name = base.clone();
    if !database.is_empty() {
        name = format!("{name}_{database}");
    }
    if scope != DEFAULT_SCOPE {
        name = format!("{name}_{scope}");
    }
    if namespace == DEFAULT_NAMESPACE && name.chars().count() <= NAME_LIMIT {
        return name;
    }
    let identity = ["trueup", database, scope, namespace].join("\0");
    format!("{base}_h{:016x}", fnv1a64(identity.as_bytes()))
}

fn base_36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(number % 36).unwrap_or_default();
        digits.extend(char::from_digit(digit, 36));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changing any of these lets an old and a new replica run at the same time.
    #[test]
    fn keys_never_change() {
        let of = |database: &str, scope: &str| LockKey::new(database, scope, None);
        assert_eq!(DEFAULT_NUMBER, clear_sign(fnv1a64(b"trueup")));
        for scope in ["", "public", "default"] {
            assert_eq!(of("shop", scope).number(), 2_966_682_514_903_034_368);
            assert_eq!(of("", scope).name(), "trueup_lock_mjf56kn0mdj4");
            assert_eq!(of("shop", scope).name(), "trueup_lock_mjf56kn0mdj4_shop");
        }
        assert_eq!(of("shop", "billing").number(), 3_861_920_972_582_861_700);
        assert_eq!(of("shop", "billing").name(), "trueup_lock_mjf56kn0mdj4_shop_billing");
    }

    #[test]
    fn a_long_name_is_hashed() {
        let long = LockKey::new(&"d".repeat(40), "billing", None);
        assert_eq!(long.name(), "trueup_lock_mjf56kn0mdj4_hb7fa6555d228ab64");
        assert!(long.name().len() <= NAME_LIMIT);
        assert_ne!(long, LockKey::new(&"d".repeat(41), "billing", None));
    }

    #[test]
    fn the_control_namespace_counts() {
        let other = Ident::new("elsewhere").unwrap();
        let default = Ident::new("trueup").unwrap();
        assert_ne!(LockKey::new("shop", "", Some(&other)), LockKey::new("shop", "", None));
        assert_eq!(LockKey::new("shop", "", Some(&default)), LockKey::new("shop", "", None));
        assert!((0..1000).all(|n| LockKey::new("", &format!("scope {n}"), None).number() >= 0));
    }
}
