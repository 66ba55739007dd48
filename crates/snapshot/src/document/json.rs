//! JSON into nodes (RFC 8259). Own code, because only so does every value keep its place; escapes and numbers are read by `serde_json`.

use super::error::{DocumentError, Position};
use super::limits::DEPTH;
use super::node::{Entry, Node, Value};

pub(super) fn parse(text: &str) -> Result<Node, DocumentError> {
    let mut reader = Reader { text, at: 0 };
    let root = reader.value(1)?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(root),
        Some(_) => reader.failed(reader.at, "something follows the document"),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn failed<T>(&self, at: usize, message: impl Into<String>) -> Result<T, DocumentError> {
        Err(DocumentError::Syntax { at: Position::of(self.text, at), message: message.into() })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Steps over `byte` if it is next, spaces aside.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn value(&mut self, depth: usize) -> Result<Node, DocumentError> {
        self.skip_space();
        let at = self.at;
        if depth > DEPTH + 1 {
            return self.failed(at, format!("nested deeper than {DEPTH} levels"));
        }
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return self.failed(at, "expected a value"),
            None => return self.failed(at, "the document ends too early"),
        };
        Ok(Node { at, value })
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, DocumentError> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else {
            self.failed(self.at, "expected a value")
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, DocumentError> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        if self.take(b'}') {
            return Ok(Value::Object(entries));
        }
        loop {
            self.skip_space();
            let at = self.at;
            if self.peek() != Some(b'"') {
                return self.failed(at, "expected a key in double quotes");
            }
            let key = self.string()?;
            if !seen.insert(key.clone()) {
                return self.failed(at, format!("key `{key}` is there twice"));
            }
            if !self.take(b':') {
                return self.failed(self.at, "expected `:` after a key");
            }
            let node = self.value(depth + 1)?;
            entries.push(Entry { key, at, node });
            if self.take(b'}') {
                return Ok(Value::Object(entries));
            }
            if !self.take(b',') {
                return self.failed(self.at, "expected `,` or `}`");
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, DocumentError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return self.failed(self.at, "expected `,` or `]`");
            }
        }
    }

    fn string(&mut self) -> Result<String, DocumentError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => return self.failed(start, "a string is never closed"),
            }
        }
        self.at = end + 1;
        match serde_json::from_str(&self.text[start..=end]) {
            Ok(text) => Ok(text),
            Err(error) => self
                .failed(start + error.column().saturating_sub(1), "a string holds a bad escape or control character"),
        }
    }

    fn number(&mut self) -> Result<Value, DocumentError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        let whole = serde_json::from_str(digits).map(Value::Int);
        match whole.or_else(|_| serde_json::from_str(digits).map(Value::Float)) {
            Ok(value) => Ok(value),
            Err(_) => self.failed(start, format!("`{digits}` is no number")),
        }
    }
}
