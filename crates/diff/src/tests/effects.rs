//! What is seen of every change before and after it.

use trueup_plan::samples::{sample_changes, sample_schema};
use trueup_plan::{Change, OpId, Predicate};

use crate::{effects, interpret};

/// Changes that looking at a schema cannot tell.
const fn is_undecidable(change: &Change) -> bool {
    matches!(change, Change::Backfill { .. } | Change::Adopt { .. })
}

/// Owners are read only on request: without them the start cannot be told.
const fn starts_unknown(change: &Change) -> bool {
    matches!(change, Change::SetOwner { .. })
}

#[test]
fn every_change_turns_what_is_before_into_what_is_after() {
    for change in sample_changes() {
        let id = OpId::of(&change);
        let seen = effects(&change);
        if is_undecidable(&change) {
            assert_eq!((&seen.pre, &seen.post), (&Predicate::Undecidable, &Predicate::Undecidable), "{id}");
        }
        let wanted = (!is_undecidable(&change)).then_some(true);
        let mut schema = sample_schema();
        let start = if starts_unknown(&change) { None } else { wanted };
        assert_eq!(seen.pre.holds(&schema), start, "before {id}");
        assert_ne!(seen.post.holds(&schema), Some(true), "{id} looks done before it ran");
        interpret(&mut schema, &change).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(seen.post.holds(&schema), wanted, "after {id}");
        assert_ne!(seen.pre.holds(&schema), Some(true), "{id} looks undone after it ran");
        if let Some(partial) = &seen.partial {
            assert_eq!(partial.holds(&sample_schema()), Some(false), "{id} looks half done before it ran");
            assert_eq!(partial.holds(&schema), Some(false), "{id} looks half done after it ran");
        }
    }
}

#[test]
fn a_change_that_does_not_fit_is_refused() {
    for change in sample_changes() {
        // Adopting and filling twice changes nothing, and neither does setting what is set.
        if effects(&change).post == Predicate::Undecidable {
            continue;
        }
        let mut empty = trueup_schema::Schema::new(trueup_schema::DialectId::Postgres);
        let makes_alone = matches!(&change, Change::Create { object } if !matches!(
            object,
            trueup_plan::Object::Index(_) | trueup_plan::Object::Trigger(_) | trueup_plan::Object::Policy(_)
        ));
        assert_eq!(interpret(&mut empty, &change).is_ok(), makes_alone, "{}", OpId::of(&change));
    }
}
