//! Options by name.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Options by name, in the order in which they were written.
///
/// A server keeps that order and prints it, so that an object made anew must have it; but no two objects differ by it alone, so that
/// equality ignores it. There are never more than a few, so that looking one up is a walk.
#[derive(Clone, Default, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// No options.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// The value of an option.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&String> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The value of an option, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut String> {
        self.0.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether there is such an option.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets an option where it stands, or as the last one. Returns its old value.
    pub fn insert(&mut self, name: String, value: String) -> Option<String> {
        if let Some(old) = self.get_mut(&name) {
            return Some(std::mem::replace(old, value));
        }
        self.0.push((name, value));
        None
    }

    /// Takes an option out. Returns its value.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps those options of which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&String, &mut String) -> bool) {
        self.0.retain_mut(|(name, value)| keep(name, value));
    }

    /// Brings the options in the order of their names.
    pub fn sort(&mut self) {
        self.0.sort();
    }

    /// The options in order.
    pub fn iter(&self) -> Iter<'_> {
        self.0.iter().map(pair)
    }

    /// The options in order, their values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut String)> {
        self.0.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// Their names in order.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(name, _)| name)
    }

    /// Their values in order.
    pub fn values(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Their values in order, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

type Iter<'a> = std::iter::Map<std::slice::Iter<'a, (String, String)>, fn(&(String, String)) -> (&String, &String)>;

const fn pair((name, value): &(String, String)) -> (&String, &String) {
    (name, value)
}

/// Like that of a map: there must be such an option.
impl std::ops::Index<&str> for Parameters {
    type Output = String;
    fn index(&self, name: &str) -> &String {
        &self.0[self.0.iter().position(|(key, _)| key == name).unwrap_or(self.0.len())].1
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Extend<(String, String)> for Parameters {
    fn extend<I: IntoIterator<Item = (String, String)>>(&mut self, more: I) {
        for (name, value) in more {
            self.insert(name, value);
        }
    }
}

impl FromIterator<(String, String)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        let mut made = Self::new();
        made.extend(pairs);
        made
    }
}

impl<const N: usize> From<[(String, String); N]> for Parameters {
    fn from(pairs: [(String, String); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl From<BTreeMap<String, String>> for Parameters {
    fn from(pairs: BTreeMap<String, String>) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl IntoIterator for Parameters {
    type Item = (String, String);
    type IntoIter = std::vec::IntoIter<(String, String)>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Parameters {
    type Item = (&'a String, &'a String);
    type IntoIter = Iter<'a>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Parameters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("options by name")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut made = Parameters::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    if made.contains_key(&name) {
                        return Err(A::Error::custom(format!("key `{name}` is there twice")));
                    }
                    made.0.push((name, value));
                }
                Ok(made)
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}
