//! How MariaDB carries out changes, where that differs.

use trueup_plan::{Change, Object};
use trueup_schema::ObjectRef;

use crate::{Tables, Verdict, mysql};

pub(super) fn verdict(change: &Change, tables: Tables<'_>) -> Verdict {
    if let Change::AlterSequence { before, after } = change {
        return if before.options.data_type == after.options.data_type { Verdict::InPlace } else { Verdict::Replace };
    }
    // Checks are always enforced.
    if let Change::AlterConstraint { before, after, .. } = change {
        return mysql::respelled(before, after);
    }
    if is_known_here(change) { Verdict::InPlace } else { mysql::verdict(change, tables) }
}

/// Sequences, comments of databases, CREATE OR REPLACE of routines, and any default of a new column.
const fn is_known_here(change: &Change) -> bool {
    matches!(
        change,
        Change::Create { object: Object::Sequence(_) }
            | Change::Drop { object: Object::Sequence(_) }
            | Change::Rename { from: ObjectRef::Sequence(_), .. }
            | Change::SetComment { on: ObjectRef::Namespace(_), .. }
            | Change::ReplaceRoutine { .. }
            | Change::AddColumn { .. }
    )
}

#[cfg(test)]
mod tests {
    use trueup_schema::{DialectId, QualName, Sequence, SequenceOptions};

    use super::*;
    use crate::dialect_for;

    #[test]
    fn sequences_are_known_here_and_not_to_mysql() {
        let name = QualName::parse("s.q").unwrap();
        let sequence = Sequence {
            name,
            options: SequenceOptions::default(),
            unlogged: false,
            owned_by: None,
            common: Default::default(),
        };
        let change = Change::Create { object: Object::Sequence(sequence) };
        let verdict = |id, version| dialect_for(id, version).unwrap().verdict(&change, Tables::default());
        assert_eq!(verdict(DialectId::MariaDb, [10, 11, 6]), Verdict::InPlace);
        assert!(matches!(verdict(DialectId::MySql, [8, 4, 0]), Verdict::Blocked { .. }));
    }
}
