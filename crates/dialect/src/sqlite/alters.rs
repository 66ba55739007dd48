//! What a DROP COLUMN does to the rest of a schema.
//!
//! SQLite reads every view and trigger again when it drops a column, and refuses when one of them names a table that is not there. It
//! also writes every string in double quotes, wherever it stands in the schema, in single ones. A table that is written anew does
//! neither.

use std::collections::BTreeSet;

use trueup_schema::Schema;

use super::grammar::is_symbol;
use super::texts::{Names, fold};
use super::tokens::tokens;
use crate::{Token, TokenKind};

/// Whether a column can be dropped in place, and nothing else changes.
pub(crate) fn leaves_others_alone(schema: &Schema) -> bool {
    let relations = Relations::of(schema);
    let names = Names::of(schema);
    let views = schema.views.values().map(|view| view.source.as_deref().unwrap_or(view.query.as_str()));
    let triggers = schema.triggers.values().filter_map(|trigger| trigger.source.as_deref());
    let tables = schema.tables.values().filter_map(|table| table.source.as_deref());
    let indexes = schema.tables.values().flat_map(|table| &table.indexes).filter_map(|index| index.source.as_deref());
    views.chain(triggers).all(|sql| relations.has_all_of(sql) && !has_strings(sql, &names))
        && tables.chain(indexes).all(|sql| !has_strings(sql, &names))
}

/// Whether something in double quotes is called like nothing in the schema. More is found than strings (the name of a constraint, say),
/// which does no harm.
fn has_strings(sql: &str, names: &Names) -> bool {
    tokens(sql).iter().any(|token| {
        token.kind == TokenKind::QuotedName
            && token.text.starts_with('"')
            && token.name().is_some_and(|name| !names.has(&name))
    })
}

/// What can be read from, folded.
struct Relations {
    known: BTreeSet<String>,
    /// Starts of the names of virtual tables' own tables.
    prefixes: Vec<String>,
}

impl Relations {
    fn of(schema: &Schema) -> Self {
        let tables = schema.tables.keys().map(|name| fold(name.name.as_str()));
        let known: BTreeSet<String> = tables.chain(schema.views.keys().map(|name| fold(name.name.as_str()))).collect();
        let prefixes = known.iter().map(|name| format!("{name}_"));
        let own = ["sqlite_", "pragma_", "json_", "dbstat", "bytecode", "tables_used", "generate_series", "trueup_"];
        let prefixes = prefixes.chain(own.map(ToOwned::to_owned)).collect();
        Self { known, prefixes }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Whether everything right behind FROM and JOIN is there.
    fn has_all_of(&self, sql: &str) -> bool {
        let solid: Vec<Token> = tokens(sql).into_iter().filter(Token::is_solid).collect();
        let local = common_tables(&solid);
        let starts = solid.iter().enumerate().filter(|(at, token)| {
            let is_distinct = at.checked_sub(1).and_then(|at| solid.get(at)).is_some_and(|it| it.is_word("DISTINCT"));
            token.is_word("JOIN") || (token.is_word("FROM") && !is_distinct)
        });
        starts.filter_map(|(at, _)| relation(solid.get(at + 1..)?)).all(|name| self.has(&name) || local.contains(&name))
    }
}

/// The table named at the start of `rest`, behind a database's name or not; none for a query, a function or a name that is none.
fn relation(rest: &[Token]) -> Option<String> {
    let (first, mut rest) = rest.split_first()?;
    let mut name = first.name()?;
    while let [dot, next, others @ ..] = rest
        && is_symbol(dot, ".")
    {
        name = next.name()?;
        rest = others;
    }
    let calls = rest.first().is_some_and(|token| is_symbol(token, "("));
    (!calls).then(|| fold(&name))
}

/// Names of WITH, folded: those before `AS (`, behind a list of columns or not.
fn common_tables(solid: &[Token]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, token) in solid.iter().enumerate() {
        let opens = |at: usize| solid.get(at).is_some_and(|next| is_symbol(next, "("));
        let follows = solid.get(at + 1).is_some_and(|next| next.is_word("MATERIALIZED") || next.is_word("NOT"));
        if !token.is_word("AS") || !(opens(at + 1) || follows) {
            continue;
        }
        let mut before = at;
        if before.checked_sub(1).and_then(|at| solid.get(at)).is_some_and(|token| is_symbol(token, ")")) {
            let list = solid.get(..before).unwrap_or_default();
            before = list.iter().rposition(|token| is_symbol(token, "(")).unwrap_or(before);
        }
        let name = before.checked_sub(1).and_then(|at| solid.get(at)).and_then(Token::name);
        found.extend(name.map(|name| fold(&name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relations(list: &[&str]) -> Relations {
        Relations { known: list.iter().map(|name| fold(name)).collect(), prefixes: vec!["sqlite_".to_owned()] }
    }

    #[test]
    fn what_a_query_reads_from_is_found() {
        let known = relations(&["T", "odd name"]);
        for whole in [
            "SELECT * FROM t JOIN main.\"Odd Name\" USING (a)",
            "WITH RECURSIVE x(a, b) AS (SELECT 1, 2), y AS NOT MATERIALIZED (SELECT 3) SELECT * FROM x JOIN y",
            "SELECT * FROM (SELECT 1) WHERE a IS NOT DISTINCT FROM b",
            "SELECT * FROM json_each('[]'), t",
            "SELECT sql FROM sqlite_schema",
            "SELECT 'FROM gone' -- from gone",
        ] {
            assert!(known.has_all_of(whole), "{whole}");
        }
        for broken in ["SELECT * FROM gone", "SELECT * FROM t LEFT JOIN main.gone", "SELECT (SELECT a FROM \"gone\")"] {
            assert!(!known.has_all_of(broken), "{broken}");
        }
    }

    #[test]
    fn strings_in_double_quotes_are_found() {
        let mut names = Names::default();
        names.add("a");
        assert!(has_strings("CREATE TABLE t (a, b AS (json_extract(a, \"$.b\")))", &names));
        assert!(!has_strings("CREATE TABLE t (\"a\", b AS (json_extract(\"A\", '$.b')))", &names));
    }
}
