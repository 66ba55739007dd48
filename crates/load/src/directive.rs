//! Comment lines that carry intent: `-- trueup: rename column shop.users.mail to email`.

use trueup_plan::{Hints, RenameHint};
use trueup_schema::{Ident, ObjectRef, PartId, QualName, SqlExpr, split_path};

use crate::LoadError;
use crate::split::Aside;

/// Reads every directive into hints. A path without a namespace is in `default_namespace`.
///
/// # Errors
/// [`LoadError::Directive`] with file and line for one that is not understood, or that says what another one contradicts.
pub(crate) fn read_directives(directives: &[Aside], default_namespace: Option<&Ident>) -> Result<Hints, LoadError> {
    let mut hints = Hints::default();
    for directive in directives {
        let failed = |why: String| LoadError::Directive { at: format!("{}:{}", directive.file, directive.line), why };
        read_one(directive, default_namespace, &mut hints).map_err(failed)?;
    }
    Ok(hints)
}

fn read_one(directive: &Aside, default_namespace: Option<&Ident>, hints: &mut Hints) -> Result<(), String> {
    let (verb, rest) = directive.text.split_once(char::is_whitespace).unwrap_or((&directive.text, ""));
    let rest = rest.trim().trim_end_matches(';').trim_end();
    match verb.to_ascii_lowercase().as_str() {
        "rename" => {
            let hint = rename(rest, default_namespace, directive)?;
            let twice = hints.renames.iter().any(|other| other.from == hint.from && other.to != hint.to);
            if twice {
                return Err(format!("`{}` is renamed twice, to different names", hint.from));
            }
            if !hints.renames.iter().any(|other| other.from == hint.from) {
                hints.renames.push(hint);
            }
            Ok(())
        }
        "using" => set(rest, default_namespace, &mut hints.using),
        "backfill" => set(rest, default_namespace, &mut hints.backfills),
        "ignore" => {
            let (kind, path) = rest.split_once(char::is_whitespace).ok_or("write `ignore KIND PATH`")?;
            hints.ignored.push(object(kind, path.trim(), default_namespace)?);
            Ok(())
        }
        _ => Err(format!(
            "`{verb}` is no directive; there are `rename KIND PATH to NAME`, `using PATH = EXPRESSION`, `backfill PATH = EXPRESSION` and `ignore KIND PATH`"
        )),
    }
}

fn rename(rest: &str, default_namespace: Option<&Ident>, directive: &Aside) -> Result<RenameHint, String> {
    let form = "write `rename KIND PATH to NAME`";
    let (kind, rest) = rest.split_once(char::is_whitespace).ok_or(form)?;
    let at = find_to(rest).ok_or(form)?;
    let (path, to) = (rest[..at].trim(), rest[at + 4..].trim());
    let from = object(kind, path, default_namespace)?;
    let mut names = split_path(to).map_err(|error| error.to_string())?;
    let to = names.pop().filter(|_| names.is_empty()).ok_or_else(|| {
        format!("the new name `{to}` is a path; an object keeps its parent, so write its own name only")
    })?;
    Ok(RenameHint { from, to, source: Some(format!("{}:{}", directive.file, directive.line)) })
}

/// Where ` to ` stands outside double quotes.
fn find_to(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, c)| {
        if c == '"' {
            quoted = !quoted;
        }
        let here = !quoted && text.get(at..at + 4).is_some_and(|part| part.eq_ignore_ascii_case(" to "));
        here.then_some(at)
    })
}

fn set(
    rest: &str,
    default_namespace: Option<&Ident>,
    map: &mut std::collections::BTreeMap<PartId, SqlExpr>,
) -> Result<(), String> {
    let (path, expr) = rest.split_once('=').ok_or("write `PATH = EXPRESSION`")?;
    let ObjectRef::Column(column) = object("column", path.trim(), default_namespace)? else {
        return Err("the path should name a column".to_owned());
    };
    let expr = SqlExpr::new(expr.trim());
    if expr.as_str().is_empty() {
        return Err("the expression is empty".to_owned());
    }
    match map.insert(column.clone(), expr.clone()) {
        Some(other) if other != expr => Err(format!("`{column}` has two different expressions")),
        _ => Ok(()),
    }
}

/// The object of `kind` at `path`.
fn object(kind: &str, path: &str, default_namespace: Option<&Ident>) -> Result<ObjectRef, String> {
    let names = split_path(path).map_err(|error| error.to_string())?;
    let whole = |form: &str| format!("`{path}` should be {form}");
    let qualified = |mut names: Vec<Ident>, form: &str| match (names.pop(), names.pop(), names.len()) {
        (Some(name), namespace, 0) => Ok(QualName::new(namespace.or_else(|| default_namespace.cloned()), name)),
        _ => Err(whole(form)),
    };
    let part = |mut names: Vec<Ident>, form: &str| {
        let name = names.pop().filter(|_| !names.is_empty()).ok_or_else(|| whole(form))?;
        Ok::<_, String>(PartId { table: qualified(names, form)?, name })
    };
    Ok(match kind.to_ascii_lowercase().as_str() {
        "namespace" | "schema" => {
            let mut names = names;
            let name = names.pop().filter(|_| names.is_empty()).ok_or_else(|| whole("one name"))?;
            ObjectRef::Namespace(name)
        }
        "table" => ObjectRef::Table(qualified(names, "`table` or `namespace.table`")?),
        "view" => ObjectRef::View(qualified(names, "`view` or `namespace.view`")?),
        "type" | "enum" | "domain" => ObjectRef::Type(qualified(names, "`type` or `namespace.type`")?),
        "sequence" => ObjectRef::Sequence(qualified(names, "`sequence` or `namespace.sequence`")?),
        "column" => ObjectRef::Column(part(names, "`table.column` or `namespace.table.column`")?),
        "constraint" => ObjectRef::Constraint(part(names, "`table.constraint` or `namespace.table.constraint`")?),
        "index" => ObjectRef::Index(part(names, "`table.index` or `namespace.table.index`")?),
        "trigger" => ObjectRef::Trigger(part(names, "`table.trigger` or `namespace.table.trigger`")?),
        "policy" => ObjectRef::Policy(part(names, "`table.policy` or `namespace.table.policy`")?),
        other => return Err(format!("`{other}` is no kind of object that a directive can name")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Hints, LoadError> {
        let public = Ident::new("public").unwrap();
        let aside = Aside { text: text.to_owned(), file: "s.sql".to_owned(), line: 7 };
        read_directives(&[aside], Some(&public))
    }

    #[test]
    fn a_rename_names_the_old_path_and_the_new_name() {
        let hints = read("rename column users.\"e to mail\" to email;").unwrap();
        assert_eq!(hints.renames[0].from.to_string(), "public.users.\"e to mail\"");
        assert_eq!(hints.renames[0].to.as_str(), "email");
        assert_eq!(hints.renames[0].source.as_deref(), Some("s.sql:7"));
    }

    #[test]
    fn expressions_keep_what_follows_the_first_equals_sign() {
        let hints = read("using shop.users.age = (age = '1')::int").unwrap();
        let (column, expr) = hints.using.iter().next().unwrap();
        assert_eq!((column.to_string().as_str(), expr.as_str()), ("shop.users.age", "(age = '1')::int"));
    }

    #[test]
    fn what_is_not_understood_is_an_error_with_file_and_line() {
        for text in [
            "renam table a to b",
            "rename table a",
            "rename column a to b",
            "using a.b",
            "backfill a.b =",
            "rename table a to x.b",
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("s.sql:7: "), "{text}: {error}");
        }
    }
}
