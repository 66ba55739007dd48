//! What PostgreSQL's folder says, word by word, and what real servers make of it.

mod checks;
mod live;
mod refusals;
mod samples;
mod snapshots;

use std::collections::BTreeSet;

use samples::{Names, Sample, samples};
use trueup_plan::Change;

use super::Postgres;
use crate::renderer::Renderer;

/// The statements of a change, one a line.
fn sql(change: &Change) -> String {
    let statements = Postgres.change(change).unwrap();
    statements.into_iter().map(|statement| statement.sql).collect::<Vec<_>>().join(";\n")
}

/// A variant's place in the list below. A new variant does not compile until it is there, and then needs a sample.
fn variant(change: &Change) -> usize {
    match change {
        Change::Create { .. } => 0,
        Change::Drop { .. } => 1,
        Change::Rename { .. } => 2,
        Change::Adopt { .. } => 3,
        Change::AlterNamespace { .. } => 4,
        Change::AlterExtension { .. } => 5,
        Change::AddEnumValue { .. } => 6,
        Change::RebuildEnum { .. } => 7,
        Change::AlterDomain { .. } => 8,
        Change::AlterComposite { .. } => 9,
        Change::AlterSequence { .. } => 10,
        Change::SetSequenceOwner { .. } => 11,
        Change::AlterTable { .. } => 12,
        Change::AttachPartition { .. } => 13,
        Change::DetachPartition { .. } => 14,
        Change::SetRowSecurity { .. } => 15,
        Change::AddColumn { .. } => 16,
        Change::DropColumn { .. } => 17,
        Change::AlterColumnType { .. } => 18,
        Change::SetDefault { .. } => 19,
        Change::SetNotNull { .. } => 20,
        Change::DropNotNull { .. } => 21,
        Change::SetIdentity { .. } => 22,
        Change::SetGenerated { .. } => 23,
        Change::SetColumnAttributes { .. } => 24,
        Change::MoveColumn { .. } => 25,
        Change::Backfill { .. } => 26,
        Change::AddConstraint { .. } => 27,
        Change::DropConstraint { .. } => 28,
        Change::ValidateConstraint { .. } => 29,
        Change::AlterConstraint { .. } => 30,
        Change::AlterIndex { .. } => 31,
        Change::ReplaceView { .. } => 32,
        Change::AlterView { .. } => 33,
        Change::ReplaceRoutine { .. } => 34,
        Change::SetTriggerEnabled { .. } => 35,
        Change::AlterPolicy { .. } => 36,
        Change::SetComment { .. } => 37,
        Change::SetGrants { .. } => 38,
        Change::SetOwner { .. } => 39,
        Change::AlterOpaque { .. } => 40,
    }
}

#[test]
fn every_variant_has_a_sample() {
    let seen: BTreeSet<usize> = samples(Names::plain()).iter().map(|sample| variant(&sample.change)).collect();
    // Columns cannot be moved: that has a test of its own.
    let missing: Vec<usize> = (0..=40).filter(|at| *at != 25 && !seen.contains(at)).collect();
    assert_eq!(missing, [] as [usize; 0]);
}

#[test]
fn every_sample_is_shown() {
    let source = include_str!("snapshots.rs");
    for Sample { label, .. } in samples(Names::plain()) {
        assert!(source.contains(&format!("show(\"{label}\")")), "no snapshot of `{label}`");
    }
}
