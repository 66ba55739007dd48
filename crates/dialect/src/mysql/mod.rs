//! MySQL, and what MariaDB shares with it.

mod charsets;
mod literals;
mod options;
mod qualifiers;
mod tokens;

pub use charsets::charset_of;
pub use literals::{quoted, unquoted};
pub use options::create_options;
pub use qualifiers::{Objects, drop_qualifier, replace_qualifier};

use crate::Token;

/// Splits SQL text of MySQL or MariaDB into tokens. Joined again, the tokens give the text back.
#[must_use]
pub fn tokens(sql: &str) -> Vec<Token> {
    tokens::tokens(sql)
}
