//! JSON straight into a schema, without nodes in between: what a text without faults is read by.

use std::fmt;

use serde::Deserialize as _;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer as _, Error, IntoDeserializer as _, MapAccess, Visitor};
use trueup_schema::Schema;

use super::{VERSION, VERSION_KEY, limits};

/// The schema of a text without faults. `None` where there is any: reading it as nodes finds the place and the words.
pub(super) fn read(text: &str) -> Option<Schema> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let schema = reader.deserialize_map(Root).ok()?;
    reader.end().ok()?;
    limits::is_within(&schema).then_some(schema)
}

struct Root;

impl<'de> Visitor<'de> for Root {
    type Value = Schema;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Schema, A::Error> {
        let mut version = None;
        let rest = WithoutVersion { fields, version: &mut version };
        let schema = Schema::deserialize(MapAccessDeserializer::new(rest))?;
        if version == Some(VERSION) { Ok(schema) } else { Err(A::Error::custom("another format")) }
    }
}

/// The fields of a document but its version, which is put aside.
struct WithoutVersion<'v, A> {
    fields: A,
    version: &'v mut Option<i64>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutVersion<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.fields.next_key::<String>()? {
            if key != VERSION_KEY {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            if self.version.replace(self.fields.next_value()?).is_some() {
                return Err(A::Error::duplicate_field(VERSION_KEY));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.fields.next_value_seed(seed)
    }
}
