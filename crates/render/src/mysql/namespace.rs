//! Databases.

use trueup_schema::Namespace;

use super::flavour::Flavour;
use super::words::{Rendered, literal, run, word};
use crate::RenderError;
use crate::sql::Sql;

pub(super) fn create(flavour: &Flavour, namespace: &Namespace) -> Rendered {
    Ok(vec![run(&options(flavour, Sql::new("CREATE DATABASE").name(&namespace.name), namespace)?)])
}

pub(super) fn drop(namespace: &Namespace) -> Rendered {
    Ok(vec![run(&Sql::new("DROP DATABASE").name(&namespace.name))])
}

pub(super) fn alter(flavour: &Flavour, after: &Namespace) -> Rendered {
    Ok(vec![run(&options(flavour, Sql::new("ALTER DATABASE").name(&after.name), after)?)])
}

fn options(flavour: &Flavour, mut sql: Sql, namespace: &Namespace) -> Result<Sql, RenderError> {
    for (name, words) in [("charset", "CHARACTER SET"), ("collation", "COLLATE")] {
        if let Some(value) = namespace.options.get(name) {
            sql = sql.words(words).words(word(flavour, value)?);
        }
    }
    Ok(match &namespace.common.comment {
        Some(comment) => sql.words("COMMENT").words(literal(comment)),
        None => sql,
    })
}

/// The comment alone.
pub(super) fn comment(name: &trueup_schema::Ident, text: &str) -> Rendered {
    Ok(vec![run(&Sql::new("ALTER DATABASE").name(name).words("COMMENT").words(literal(text)))])
}
