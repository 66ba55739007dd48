//! What comparing works with, and what it finds.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::{Capabilities, Dialect, Tables, Verdict};
use trueup_plan::{Change, Class, Hints, LiveFacts, Object, OpId, Pair, PlanOptions, Refusal, Unmanaged};
use trueup_schema::{ExprSlot, ObjectRef, QualName, Schema, Table};

use crate::draft::Draft;
use crate::ownership::{self, Rights};
use crate::texts::Texts;

/// Both sides and everything that decides between them.
pub(crate) struct Context<'a> {
    pub(crate) dialect: &'a dyn Dialect,
    pub(crate) options: &'a PlanOptions,
    pub(crate) facts: &'a LiveFacts,
    pub(crate) hints: &'a Hints,
    pub(crate) provenance: &'a BTreeMap<ObjectRef, String>,
    /// Whether the declaration says everything about privileges.
    pub(crate) privileges: bool,
    /// The live schema under its names after the renames.
    pub(crate) before: &'a Schema,
    /// The declared schema.
    pub(crate) after: &'a Schema,
    pub(crate) texts: &'a Texts,
    pub(crate) rights: &'a Rights<'a>,
    /// Objects that hash alike on both sides.
    pub(crate) same: BTreeSet<ObjectRef>,
}

/// What comparing found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) notes: Vec<String>,
    pub(crate) unmanaged: Vec<Unmanaged>,
    pub(crate) adopts: Vec<ObjectRef>,
    /// Texts that a person says mean the same.
    pub(crate) accepted: Vec<Pair>,
    /// Tables and views that are dropped and made again, so that what hangs on them is new.
    pub(crate) remade: BTreeSet<QualName>,
}

/// A change with the reason for it.
pub(crate) struct Remark {
    pub(crate) change: Change,
    pub(crate) why: String,
}

impl Remark {
    pub(crate) fn new(change: Change, why: impl Into<String>) -> Self {
        Self { change, why: why.into() }
    }
}

/// What to do with a change of a text that only the server could compare.
enum Text {
    Verified,
    Accepted,
    Blocked,
}

impl<'a> Context<'a> {
    pub(crate) fn capabilities(&self) -> &'a Capabilities {
        self.dialect.capabilities()
    }

    /// Whether comments are set by statements of their own.
    pub(crate) fn separate_comments(&self) -> bool {
        self.capabilities().comments && !self.capabilities().whole_definitions
    }

    pub(crate) fn tables(&self, change: &Change) -> Tables<'a> {
        let table = change.table();
        let find = |schema: &'a Schema| table.as_ref().and_then(|name| schema.tables.get(name));
        Tables { before: find(self.before), after: find(self.after) }
    }

    pub(crate) fn verdict(&self, change: &Change) -> Verdict {
        self.dialect.verdict(change, self.tables(change))
    }

    /// Where the object was declared, for the reason of an operation.
    pub(crate) fn declared(&self, object: &ObjectRef) -> String {
        let place = self.provenance.get(object).or_else(|| self.provenance.get(&object.owner()));
        place.map_or_else(|| "declared".to_owned(), |place| format!("declared in {place}"))
    }

    /// Whether the object may be looked at and changed.
    pub(crate) fn in_scope(&self, object: &ObjectRef) -> bool {
        self.rights.in_scope(object)
    }

    /// The table on the live side.
    pub(crate) fn live_table(&self, name: &QualName) -> Option<&'a Table> {
        self.before.tables.get(name)
    }

    fn text(&self, change: &Change) -> Text {
        let Some(open) = open_texts(self, change) else { return Text::Verified };
        let id = OpId::of(change);
        if open.is_empty() || self.options.rewrite_text.contains(&id) {
            Text::Verified
        } else if self.options.accept_text.contains(&id) {
            Text::Accepted
        } else {
            Text::Blocked
        }
    }
}

/// The texts that the change sets and that differ, although they may mean the same, each with what to record of it. `None` for changes
/// that set none.
fn open_texts<'a>(cx: &Context<'a>, change: &Change) -> Option<Vec<Option<&'a Pair>>> {
    let slots: &[fn(&ExprSlot) -> bool] = match change {
        Change::SetDefault { .. } => &[|slot| matches!(slot, ExprSlot::Default)],
        Change::SetGenerated { .. } => &[|slot| matches!(slot, ExprSlot::Generated)],
        Change::AlterConstraint { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::AlterDomain { .. }
        | Change::Create { object: Object::Trigger(_) | Object::Opaque(_) } => &[|_| true],
        Change::AlterTable { .. } => &[
            |slot| matches!(slot, ExprSlot::Module | ExprSlot::Versioning),
            |slot| matches!(slot, ExprSlot::PartitionBy | ExprSlot::Partition(_)),
        ],
        Change::AttachPartition { .. } => &[|slot| matches!(slot, ExprSlot::Bound)],
        Change::Create { .. }
        | Change::Drop { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::AddColumn { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterView { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => return None,
    };
    let object = change.object();
    let open =
        cx.texts.unverified.iter().filter(|((site, slot), _)| *site == object && slots.iter().any(|fits| fits(slot)));
    Some(open.map(|(_, pair)| pair.as_ref()).collect())
}

impl Findings {
    /// Takes a change in as the engine carries it out.
    pub(crate) fn push(&mut self, cx: &Context<'_>, remark: Remark) {
        let verdict = cx.verdict(&remark.change);
        self.drafts.push(Draft::new(remark.change, verdict, remark.why));
    }

    /// Takes in the changes of one object, unless the engine can only make the object anew: then the caller has to do that.
    pub(crate) fn settle(&mut self, cx: &Context<'_>, remarks: Vec<Remark>) -> Settled {
        let mut kept = Vec::new();
        let mut replace = None;
        for remark in remarks {
            match cx.text(&remark.change) {
                Text::Accepted => self.accept(cx, &remark.change),
                Text::Blocked => kept.push(unverified(remark)),
                Text::Verified => match cx.verdict(&remark.change) {
                    Verdict::Replace => replace = Some(remark.why),
                    verdict @ (Verdict::InPlace | Verdict::Rebuild | Verdict::Blocked { .. }) => {
                        kept.push(Draft::new(remark.change, verdict, remark.why));
                    }
                },
            }
        }
        let is_blocked = kept.iter().any(Draft::is_blocked);
        match replace {
            Some(why) if !is_blocked => Settled::Replace(why),
            Some(_) | None => {
                self.drafts.extend(kept);
                Settled::Done
            }
        }
    }

    /// Whether an object that can only be replaced may be: the change stands for its creation.
    pub(crate) fn may_replace(&mut self, cx: &Context<'_>, create: &Change, why: &str) -> bool {
        match cx.text(create) {
            Text::Verified => true,
            Text::Accepted => {
                self.accept(cx, create);
                false
            }
            Text::Blocked => {
                self.drafts.push(unverified(Remark::new(create.clone(), why)));
                false
            }
        }
    }

    fn accept(&mut self, cx: &Context<'_>, change: &Change) {
        self.accepted.extend(open_texts(cx, change).into_iter().flatten().flatten().cloned());
        self.notes.push(format!("the declared text of `{}` is accepted as equal to the live one", OpId::of(change)));
    }

    /// Drops `object`, if that is this run's right; else it is listed and left alone.
    pub(crate) fn drop_undeclared(&mut self, cx: &Context<'_>, object: Object) {
        let reference = object.reference();
        if cx.rights.may_drop(&reference, cx.before, cx.after) {
            self.push(cx, Remark::new(Change::Drop { object }, "no longer declared"));
        } else {
            self.unmanaged.push(ownership::unmanaged(&cx.rights.renames().object(&reference)));
        }
    }

    /// Notes that a declared object is live; it becomes tracked if it is not yet.
    pub(crate) fn found(&mut self, cx: &Context<'_>, object: &ObjectRef) {
        if !cx.rights.is_tracked(object) {
            self.adopts.push(object.clone());
        }
    }
}

/// What became of the changes of one object.
#[must_use]
pub(crate) enum Settled {
    /// They are in.
    Done,
    /// The object has to be made anew, for this reason.
    Replace(String),
}

fn unverified(remark: Remark) -> Draft {
    let id = OpId::of(&remark.change);
    let mut draft = Draft::new(remark.change, Verdict::InPlace, remark.why);
    draft.class = Class::Blocked {
        code: "unverified-text".to_owned(),
        why: "the declared text differs from the live one, and only the server could tell whether both mean the same"
            .to_owned(),
        fix: format!(
            "give a dev database (--dev-url), or say that they mean the same (--accept-text '{id}'), or have it written \
             again (--rewrite-text '{id}')"
        ),
    };
    draft
}
