//! What was declared, before any server sees it.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::mysql::Quoting;
use trueup_introspect::Introspected;
use trueup_plan::Hints;
use trueup_schema::{Ident, ObjectRef};

use super::{DevTarget, Loaded, mysql};
use crate::directive::read_directives;
use crate::provenance::declared_object;
use crate::screen::{Allowances, Verdict, screen};
use crate::split::{SqlStatement, split_under};
use crate::{LoadError, Source};

/// A declaration, cut and screened.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) statements: Vec<SqlStatement>,
    pub(crate) hints: Hints,
    pub(crate) notes: Vec<String>,
    pub(crate) provenance: BTreeMap<ObjectRef, String>,
}

impl Declaration {
    pub(super) fn read(sources: &[Source], target: &DevTarget, allow: Allowances) -> Result<Self, LoadError> {
        let mut statements = Vec::new();
        let mut directives = Vec::new();
        let mut notes: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let mut note = |why: String, at: String| {
            let entry = notes.entry(why).or_insert((0, at));
            entry.0 += 1;
        };
        let quoting = target.sql_mode.as_deref().map(Quoting::of).unwrap_or_default();
        for source in sources {
            let script = split_under(target.dialect, source, quoting)?;
            directives.extend(script.directives);
            for aside in script.skipped {
                note("client command left out".to_owned(), format!("{}:{}", aside.file, aside.line));
            }
            for statement in script.statements {
                match screen(target.dialect, &statement, allow) {
                    Verdict::Load => statements.push(statement),
                    Verdict::Skip(why) if why.is_empty() => {}
                    Verdict::Skip(why) => note(why, statement.at()),
                    Verdict::Unknown(why) => {
                        return Err(LoadError::NotUnderstood {
                            at: statement.at(),
                            why: format!("{why} (`{}`)", statement.summary()),
                        });
                    }
                    Verdict::Refuse(why) => {
                        return Err(LoadError::NotAllowed {
                            at: statement.at(),
                            why: format!("{why} (`{}`)", statement.summary()),
                        });
                    }
                }
            }
        }
        let notes = notes
            .into_iter()
            .map(
                |(why, (count, at))| {
                    if count == 1 { format!("{at}: {why}") } else { format!("{at} and {} more: {why}", count - 1) }
                },
            )
            .collect();
        let provenance = provenance(&statements, target);
        let hints = read_directives(&directives, target.default_namespace.as_ref())?;
        Ok(Self { statements, hints, notes, provenance })
    }

    pub(crate) fn loaded(self_: &Self, introspected: Introspected, namespaces: BTreeSet<Ident>) -> Loaded {
        Loaded {
            introspected,
            hints: self_.hints.clone(),
            provenance: self_.provenance.clone(),
            notes: self_.notes.clone(),
            namespaces,
        }
    }
}

/// Where each object is declared, as far as a statement names it.
fn provenance(statements: &[SqlStatement], target: &DevTarget) -> BTreeMap<ObjectRef, String> {
    let mut home = target.default_namespace.clone();
    let mut places = BTreeMap::new();
    for statement in statements {
        if statement.head.first().is_some_and(|word| word == "USE") {
            home = mysql::used(statement).or(home);
        }
        if let Some(object) = declared_object(target.dialect, statement, home.as_ref()) {
            places.insert(object, statement.at());
        }
    }
    places
}
