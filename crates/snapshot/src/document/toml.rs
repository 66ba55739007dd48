//! TOML into nodes. The parser is the `toml` crate's, which keeps the place of everything.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{DocumentError, Position};
use super::limits::DEPTH;
use super::node::{Entry, Node, Value};

pub(super) fn parse(text: &str) -> Result<Node, DocumentError> {
    check_depth(text)?;
    let table = DeTable::parse(text).map_err(|error| DocumentError::Syntax {
        at: Position::of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let reader = Reader { text };
    Ok(Node { at: 0, value: reader.table(table.get_ref(), 1)? })
}

/// Refuses deep nesting before the parser builds it: that limits dotted keys and brackets each, but not one inside the other,
/// and a value of some thousand levels takes more stack to drop than a thread has.
fn check_depth(text: &str) -> Result<(), DocumentError> {
    let bytes = text.as_bytes();
    // Levels that the keys and brackets around this place add, innermost last: dots of the key so far, and one for the bracket.
    let mut open = vec![0];
    let mut depth = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'#' => {
                at += bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            b'{' | b'[' => {
                open.push(1);
                depth += 1;
            }
            b'}' | b']' if open.len() > 1 => depth -= open.pop().unwrap_or(0),
            b'.' => {
                depth += 1;
                if let Some(level) = open.last_mut() {
                    *level += 1;
                }
            }
            b',' | b'\n' => {
                let own = usize::from(open.len() > 1);
                if let Some(level) = open.last_mut() {
                    depth -= *level - own;
                    *level = own;
                }
            }
            _ => {}
        }
        if depth > DEPTH {
            let message = format!("nested deeper than {DEPTH} levels");
            return Err(DocumentError::Syntax { at: Position::of(text, at), message });
        }
        at += 1;
    }
    Ok(())
}

/// The place after the string that starts at `at`; a string of one line ends with its line, closed or not.
fn skip_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let lines = bytes[at..].starts_with(&[quote; 3]);
    let closing = if lines { 3 } else { 1 };
    let mut end = at + closing;
    while let Some(byte) = bytes.get(end) {
        if *byte == b'\\' && quote == b'"' {
            // A backslash does not carry a string of one line over to the next.
            end += if !lines && bytes.get(end + 1) == Some(&b'\n') { 1 } else { 2 };
        } else if *byte == b'\n' && !lines {
            return end;
        } else if bytes[end..].starts_with(&[quote; 3][..closing]) {
            return end + closing;
        } else {
            end += 1;
        }
    }
    end
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn failed<T>(&self, at: usize, message: impl Into<String>) -> Result<T, DocumentError> {
        Err(DocumentError::Syntax { at: Position::of(self.text, at), message: message.into() })
    }

    fn table(&self, table: &DeTable<'_>, depth: usize) -> Result<Value, DocumentError> {
        let entries = table.iter().map(|(key, value)| {
            let node = self.value(value, depth)?;
            Ok(Entry { key: key.get_ref().to_string(), at: key.span().start, node })
        });
        Ok(Value::Object(entries.collect::<Result<_, _>>()?))
    }

    fn value(&self, value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, DocumentError> {
        let at = value.span().start;
        if depth > DEPTH {
            return self.failed(at, format!("nested deeper than {DEPTH} levels"));
        }
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::Int(number),
                Err(_) => return self.failed(at, format!("number {number} is out of range")),
            },
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(number) => Value::Float(number),
                Err(_) => return self.failed(at, format!("number {number} is out of range")),
            },
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(_) => return self.failed(at, "a date or time has no place in a schema; quote it"),
            DeValue::Array(items) => {
                let items = items.iter().map(|item| self.value(item, depth + 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(table, depth + 1)?,
        };
        Ok(Node { at, value })
    }
}
