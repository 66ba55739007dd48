//! A parsed text whose every value and key knows its place.

/// A value and the byte that it starts at.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) value: Value,
}

/// What JSON and TOML have in common.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Entry>),
}

/// A key of an object and its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) at: usize,
    pub(super) node: Node,
}

impl Value {
    /// The value for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }
}

impl Node {
    /// The value under `key`, if this is an object that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// The members of a list.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::Object(_) => &[],
        }
    }

    /// The place of the first key called `key` in this object or below it, nearest first, and the keys on the way from here.
    pub(super) fn find_key(&self, key: &str) -> Option<(usize, String)> {
        match &self.value {
            Value::Object(entries) => {
                let own = entries.iter().find(|entry| entry.key == key).map(|entry| (entry.at, key.to_owned()));
                own.or_else(|| {
                    entries
                        .iter()
                        .find_map(|entry| entry.node.find_key(key).map(|(at, path)| (at, join(&entry.key, &path))))
                })
            }
            Value::List(items) => items.iter().enumerate().find_map(|(index, item)| {
                item.find_key(key).map(|(at, path)| (at, join(&format!("[{index}]"), &path)))
            }),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => None,
        }
    }
}

/// Two pieces of a path as one.
pub(super) fn join(before: &str, after: &str) -> String {
    let glue = if before.is_empty() || after.is_empty() || after.starts_with('[') { "" } else { "." };
    format!("{before}{glue}{after}")
}
