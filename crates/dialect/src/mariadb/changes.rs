//! How MariaDB carries out changes, where that differs.

use trueup_plan::{Change, Object};
use trueup_schema::ObjectRef;

use crate::{Tables, Verdict, mysql};

pub(super) fn verdict(change: &Change, tables: Tables<'_>) -> Verdict {
    match change {
        Change::Create { object: Object::Sequence(_) } | Change::Drop { object: Object::Sequence(_) } => {
            Verdict::InPlace
        }
        Change::Rename { from: ObjectRef::Sequence(_), .. } => Verdict::InPlace,
        Change::AlterSequence { before, after } => {
            if before.options.data_type == after.options.data_type {
                Verdict::InPlace
            } else {
                Verdict::Replace
            }
        }
        Change::AddColumn { .. } => Verdict::InPlace,
        // CREATE OR REPLACE knows routines here, and checks are always enforced.
        Change::ReplaceRoutine { .. } => Verdict::InPlace,
        Change::AlterConstraint { .. } => Verdict::Replace,
        Change::SetComment { on: ObjectRef::Namespace(_), .. } => Verdict::InPlace,
        other => mysql::verdict(other, tables),
    }
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
