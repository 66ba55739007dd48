//! Nodes into values, with errors that know their place.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor, value::StrDeserializer,
};
use serde::forward_to_deserialize_any;

use super::error::{DocumentError, Position};
use super::node::{Entry, Node, Value, join};

/// An error on its way up to the top, gathering its path.
#[derive(Debug)]
pub(super) struct FieldError {
    message: String,
    /// The field that is at fault, if it is known by name only.
    unknown: Option<String>,
    at: Option<usize>,
    path: String,
}

impl FieldError {
    /// Fixes the place, if it is not yet, to somewhere in `node`.
    fn within(mut self, node: &Node) -> Self {
        if self.at.is_none() {
            let found = self.unknown.as_deref().and_then(|key| node.find_key(key));
            let (at, path) = found.unwrap_or((node.at, String::new()));
            self.at = Some(at);
            self.path = path;
        }
        self
    }

    fn below(self, node: &Node, step: &str) -> Self {
        let mut error = self.within(node);
        error.path = join(step, &error.path);
        error
    }

    /// The finished error.
    pub(super) fn at_root(self, root: &Node, text: &str) -> DocumentError {
        let error = self.within(root);
        let at = Position::of(text, error.at.unwrap_or(root.at));
        DocumentError::Field { at, path: error.path, message: error.message }
    }

    fn new(message: String) -> Self {
        Self { message, unknown: None, at: None, path: String::new() }
    }
}

/// Says in the document's words what serde says in those of the code: which key was looked for in vain.
fn clarify(message: String) -> String {
    let keys = match message.as_str() {
        "no variant of enum UserTypeKind found in flattened data" => "`enum`, `domain`, `composite`, `range`",
        "no variant of enum ConstraintKind found in flattened data" => {
            "`primary_key`, `unique`, `check`, `foreign_key`, `exclude`"
        }
        "no variant of enum IndexKey found in flattened data" => "`column`, `expr`",
        _ => return message,
    };
    format!("has none of the keys {keys}")
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FieldError {}

impl Error for FieldError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = clarify(message.to_string());
        // A flattened struct says it in these words, and only then has a text instead of a call.
        let unknown =
            message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()).map(str::to_owned);
        Self { unknown, ..Self::new(message) }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let known = expected.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = if known.is_empty() {
            format!("unknown field `{field}`")
        } else {
            format!("unknown field `{field}`, expected one of {known}")
        };
        Self { unknown: Some(field.to_owned()), ..Self::new(message) }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let known = expected.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Self::new(format!("`{variant}` is none of {known}"))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {found}"))
    }
}

/// Reads one node.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'n> {
    node: &'n Node,
}

impl<'n> NodeDeserializer<'n> {
    pub(super) const fn new(node: &'n Node) -> Self {
        Self { node }
    }
}

impl<'de> Deserializer<'de> for NodeDeserializer<'de> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => visitor.visit_seq(Items { items: items.iter().enumerate() }),
            Value::Object(entries) => visitor.visit_map(Fields { entries: entries.iter(), current: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match &self.node.value {
            Value::Null => visitor.visit_none(),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) | Value::Object(_) => {
                visitor.visit_some(self)
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match &self.node.value {
            Value::Text(name) => visitor.visit_enum(Variant { name, content: None }),
            Value::Object(entries) => match entries.as_slice() {
                [entry] => visitor.visit_enum(Variant { name: &entry.key, content: Some(&entry.node) }),
                _ => Err(FieldError::new(format!("expected an object with one key, found {}", entries.len()))),
            },
            other @ (Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::List(_)) => {
                Err(FieldError::new(format!("expected a word or an object with one key, found {}", other.describe())))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Items<'n> {
    items: std::iter::Enumerate<std::slice::Iter<'n, Node>>,
}

impl<'n> SeqAccess<'n> for Items<'n> {
    type Error = FieldError;

    fn next_element_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<Option<T::Value>, FieldError> {
        let Some((index, node)) = self.items.next() else { return Ok(None) };
        let value = seed.deserialize(NodeDeserializer { node });
        value.map(Some).map_err(|error| error.below(node, &format!("[{index}]")))
    }
}

struct Fields<'n> {
    entries: std::slice::Iter<'n, Entry>,
    current: Option<&'n Entry>,
}

impl<'n> MapAccess<'n> for Fields<'n> {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'n>>(&mut self, seed: K) -> Result<Option<K::Value>, FieldError> {
        self.current = self.entries.next();
        self.current.map(|entry| seed.deserialize(StrDeserializer::new(&entry.key))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'n>>(&mut self, seed: V) -> Result<V::Value, FieldError> {
        let Some(entry) = self.current.take() else { return Err(FieldError::new("a value without a key".to_owned())) };
        let value = seed.deserialize(NodeDeserializer { node: &entry.node });
        value.map_err(|error| error.below(&entry.node, &entry.key))
    }
}

struct Variant<'n> {
    name: &'n str,
    content: Option<&'n Node>,
}

impl<'n> EnumAccess<'n> for Variant<'n> {
    type Error = FieldError;
    type Variant = Content<'n>;

    fn variant_seed<V: DeserializeSeed<'n>>(self, seed: V) -> Result<(V::Value, Content<'n>), FieldError> {
        let variant = seed.deserialize(StrDeserializer::new(self.name))?;
        Ok((variant, Content { name: self.name, node: self.content }))
    }
}

struct Content<'n> {
    name: &'n str,
    node: Option<&'n Node>,
}

impl<'n> Content<'n> {
    fn required(&self) -> Result<&'n Node, FieldError> {
        self.node.ok_or_else(|| FieldError::new(format!("`{}` needs its fields", self.name)))
    }
}

impl<'n> VariantAccess<'n> for Content<'n> {
    type Error = FieldError;

    fn unit_variant(self) -> Result<(), FieldError> {
        match self.node {
            None => Ok(()),
            Some(_) => Err(FieldError::new(format!("`{}` has no fields", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'n>>(self, seed: T) -> Result<T::Value, FieldError> {
        let node = self.required()?;
        seed.deserialize(NodeDeserializer { node }).map_err(|error| error.below(node, self.name))
    }

    fn tuple_variant<V: Visitor<'n>>(self, _: usize, visitor: V) -> Result<V::Value, FieldError> {
        let node = self.required()?;
        NodeDeserializer { node }.deserialize_any(visitor).map_err(|error| error.below(node, self.name))
    }

    fn struct_variant<V: Visitor<'n>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, FieldError> {
        let node = self.required()?;
        NodeDeserializer { node }.deserialize_any(visitor).map_err(|error| error.below(node, self.name))
    }
}
