//! What a dev database made of a declaration, kept while one pair is judged.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use trueup::CompileCache;

/// A cache in memory.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    kept: Mutex<BTreeMap<String, String>>,
}

impl CompileCache for Cache {
    fn get(&self, key: &str) -> Option<String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&self, key: &str, text: &str) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), text.to_owned());
    }
}
