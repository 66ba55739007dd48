//! Values that travel as a bare text where they can, and as an object with fields where they must.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{DataType, Ident, IndexKey, IndexPart, NamedType};

impl Serialize for IndexPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.key {
            IndexKey::Column(name) if *self == Self::column(name.clone()) => name.serialize(serializer),
            IndexKey::Column(_) | IndexKey::Expr(_) => Self::serialize(self, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for IndexPart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = IndexPart;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column's name, or an object with `column` or `expr`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<IndexPart, E> {
        Ident::new(text).map(IndexPart::column).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<IndexPart, A::Error> {
        IndexPart::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<'de> Deserialize<'de> for DataType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TypeVisitor)
    }
}

struct TypeVisitor;

impl<'de> Visitor<'de> for TypeVisitor {
    type Value = DataType;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a type's text, or an object with the `name` of a named type")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DataType, E> {
        Ok(DataType::builtin(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DataType, A::Error> {
        NamedType::deserialize(MapAccessDeserializer::new(map)).map(DataType::Named)
    }
}
