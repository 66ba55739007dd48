//! How MySQL carries out changes.

use trueup_plan::{Change, Object};
use trueup_schema::{Column, Constraint, Index, ObjectRef, TableKind};

use super::tokens::tokens;
use crate::{Tables, Token, Verdict};

pub(crate) fn verdict(change: &Change, _: Tables<'_>) -> Verdict {
    match change {
        Change::Create { object } | Change::Drop { object } => standalone(object),
        Change::Rename { from, to, .. } => rename(from, to),
        Change::AlterTable { before, after }
            if before.kind != TableKind::Ordinary || after.kind != TableKind::Ordinary =>
        {
            missing("tables of this kind")
        }
        Change::AddColumn { column, .. } => {
            match column.default.as_ref().and_then(|default| unsafe_call(default.as_str())) {
                Some(name) => Verdict::Blocked {
                    code: "unsafe-default",
                    why: format!(
                        "the server adds no column whose default calls `{name}`, which differs from row to row"
                    ),
                    fix: "say what existing rows hold (`backfill`); the default is then set afterwards".to_owned(),
                },
                None => Verdict::InPlace,
            }
        }
        Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterTable { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. } => Verdict::InPlace,
        Change::SetGenerated { before, after, .. } => generated(before, after),
        Change::AlterConstraint { before, after, .. } => constraint(before, after),
        Change::AlterIndex { before, after, .. } => index(before, after),
        Change::ReplaceRoutine { .. } => Verdict::Replace,
        Change::SetComment { on, .. } => comment(on),
        Change::AlterExtension { .. } => missing("extensions"),
        Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. } => missing("named types"),
        Change::AlterSequence { .. } | Change::SetSequenceOwner { .. } => missing("sequences"),
        Change::AttachPartition { .. } | Change::DetachPartition { .. } => missing("partitions that are tables"),
        Change::SetRowSecurity { .. } | Change::AlterPolicy { .. } => missing("row security"),
        Change::ValidateConstraint { .. } => missing("constraints that are not valid yet"),
        Change::AlterOpaque { .. } => missing("objects whose parts come one by one"),
        Change::SetTriggerEnabled { .. } => missing("disabled triggers"),
        Change::SetGrants { .. } | Change::SetOwner { .. } => missing("privileges in a schema"),
    }
}

/// Functions whose value depends on the moment or the server.
const UNSAFE: [&str; 12] = [
    "uuid",
    "uuid_short",
    "rand",
    "random_bytes",
    "sysdate",
    "user",
    "current_user",
    "session_user",
    "system_user",
    "connection_id",
    "found_rows",
    "version",
];

/// The function in a default that keeps MySQL from adding the column to a table.
fn unsafe_call(default: &str) -> Option<String> {
    let list: Vec<_> = tokens(default).into_iter().filter(Token::is_solid).collect();
    let call = list.windows(2).find(|pair| pair[1].text == "(" && UNSAFE.iter().any(|name| pair[0].is_word(name)))?;
    Some(call[0].text.to_ascii_lowercase())
}

/// What the server has no word for.
pub(crate) fn missing(what: &str) -> Verdict {
    Verdict::Blocked {
        code: "not-in-mysql",
        why: format!("the server has no {what}"),
        fix: "leave it out of the declaration".to_owned(),
    }
}

fn standalone(object: &Object) -> Verdict {
    match object {
        Object::Table(table) if table.kind != TableKind::Ordinary => missing("tables of this kind"),
        Object::Namespace(_)
        | Object::Table(_)
        | Object::View(_)
        | Object::Index(_)
        | Object::Routine(_)
        | Object::Trigger(_)
        | Object::Opaque(_) => Verdict::InPlace,
        Object::Extension(_) => missing("extensions"),
        Object::Type(_) => missing("named types"),
        Object::Sequence(_) => missing("sequences"),
        Object::Policy(_) => missing("row security"),
    }
}

fn rename(from: &ObjectRef, to: &ObjectRef) -> Verdict {
    match from {
        ObjectRef::Table(_) | ObjectRef::Column(_) | ObjectRef::Index(_) => Verdict::InPlace,
        // A view stays in its database.
        ObjectRef::View(_) if from.namespace() == to.namespace() => Verdict::InPlace,
        ObjectRef::View(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Opaque(_) => Verdict::Replace,
        ObjectRef::Namespace(name) => Verdict::Blocked {
            code: "rename-database",
            why: format!("database `{name}` cannot be renamed by the server"),
            fix: "create the new database, move the tables by hints, and drop the old one".to_owned(),
        },
        ObjectRef::Extension(_) => missing("extensions"),
        ObjectRef::Type(_) => missing("named types"),
        ObjectRef::Sequence(_) => missing("sequences"),
        ObjectRef::Policy(_) => missing("row security"),
    }
}

/// A column becomes stored from plain and plain from stored; whatever has to do with virtual ones is made anew.
pub(crate) fn generated(before: &Column, after: &Column) -> Verdict {
    let stored = |column: &Column| column.generated.as_ref().map(|generated| generated.stored);
    match (stored(before), stored(after)) {
        (Some(a), Some(b)) if a == b => Verdict::InPlace,
        (Some(true), None) => Verdict::InPlace,
        // Stored values would be written over in silence.
        (None, Some(true)) | (None | Some(true), Some(false)) | (Some(false), None | Some(true)) => Verdict::Replace,
        (Some(_), Some(_)) | (None, None) => Verdict::InPlace,
    }
}

/// A check can be enforced and left alone, and a key said in other words; anything else is dropped and added.
fn constraint(before: &Constraint, after: &Constraint) -> Verdict {
    if respelled(before, after) == Verdict::InPlace {
        return Verdict::InPlace;
    }
    let toggled = Constraint { enforced: after.enforced, depends_on: after.depends_on.clone(), ..before.clone() };
    if toggled == *after { Verdict::InPlace } else { Verdict::Replace }
}

/// A key that is said in other words, and is the same: one ALTER drops and adds it, whatever leans on it.
pub(crate) fn respelled(before: &Constraint, after: &Constraint) -> Verdict {
    let plain = |constraint: &Constraint| {
        let mut plain = constraint.clone();
        plain.spell(None);
        plain.depends_on.clear();
        plain
    };
    let is_same = before.is_respelled(after) && plain(before) == plain(after);
    if is_same { Verdict::InPlace } else { Verdict::Replace }
}

/// An index can be hidden, shown, and said in other words; anything else is dropped and added.
pub(crate) fn index(before: &Index, after: &Index) -> Verdict {
    let plain = |index: &Index| {
        let mut index = index.clone();
        index.spell(None);
        index.parameters.remove("invisible");
        index.depends_on.clear();
        index.renamed_from = None;
        index
    };
    if plain(before) == plain(after) { Verdict::InPlace } else { Verdict::Replace }
}

/// Comments of tables and columns are changed by an ALTER; an index with another comment is another index.
pub(crate) fn comment(on: &ObjectRef) -> Verdict {
    match on {
        ObjectRef::Table(_) | ObjectRef::Column(_) => Verdict::InPlace,
        ObjectRef::Index(_) | ObjectRef::Constraint(_) => Verdict::Replace,
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => missing("comments on objects of this kind"),
    }
}

#[cfg(test)]
mod tests {
    use trueup_schema::{ConstraintKind, DataType, Generated, Ident, SqlExpr};

    use super::*;

    #[test]
    fn a_key_in_other_words_is_the_same_key() {
        let key = |said: &[(&str, &str)]| {
            let mut index = Index::new(Ident::new("k").unwrap(), Vec::new());
            index.parameters = said.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            index
        };
        let spelled = key(&[("spelled", "btree")]);
        assert_eq!(index(&key(&[]), &spelled), Verdict::InPlace);
        assert_eq!(index(&spelled, &key(&[("invisible", "true")])), Verdict::InPlace);
        assert_eq!(index(&spelled, &key(&[("parser", "ngram")])), Verdict::Replace);
        let mut other = spelled.clone();
        other.method = Some("hash".to_owned());
        assert_eq!(index(&key(&[]), &other), Verdict::Replace);
        let primary = |said: &Index| {
            let kind = ConstraintKind::PrimaryKey(trueup_schema::Key {
                columns: Vec::new(),
                include: Vec::new(),
                nulls_not_distinct: false,
                without_overlaps: false,
            });
            let mut constraint = Constraint::new(None, kind);
            constraint.parameters.clone_from(&said.parameters);
            constraint
        };
        assert_eq!(constraint(&primary(&spelled), &primary(&key(&[]))), Verdict::InPlace);
        let hash = key(&[("using", "hash")]);
        assert_eq!(constraint(&primary(&spelled), &primary(&hash)), Verdict::Replace);
    }

    #[test]
    fn generated_columns_change_in_place_only_where_the_server_does_it() {
        let column = |stored: Option<bool>| {
            let mut column = Column::new(Ident::new("a").unwrap(), DataType::builtin("int"));
            column.generated = stored.map(|stored| Generated { expr: SqlExpr::new("1"), stored });
            column
        };
        let all = [None, Some(false), Some(true)];
        let replaced: Vec<_> = all
            .iter()
            .flat_map(|from| all.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| generated(&column(*from), &column(*to)) == Verdict::Replace)
            .collect();
        assert_eq!(
            replaced,
            [
                (None, Some(false)),
                (None, Some(true)),
                (Some(false), None),
                (Some(false), Some(true)),
                (Some(true), Some(false))
            ]
        );
    }
}
