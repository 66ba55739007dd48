//! Rules that rows must keep: added first, looked at afterwards.

use trueup_plan::Change;
use trueup_schema::{Column, Constraint, ConstraintKind, Ident, PartId, QualName, SqlExpr};

use super::expand::Expansion;
use super::ground::Ground;
use super::manner::{Manner, Proof};
use super::names::{is_own_name, temporary};
use crate::draft::Draft;
use crate::graph::Stage;

const LOOK: &str = "looks at the rows that were there before";

impl<'a> Expansion<'a> {
    /// A check or foreign key binds what is written from now on, and then what was there.
    pub(super) fn add_rule(&mut self, mut draft: Draft, table: &QualName, constraint: &Constraint) {
        // One that comes back after another change was valid before: it need not be looked at while that change's locks are held.
        let is_apart = !draft.held_back
            && !draft.is_blocked()
            && self.ground.is_busy(table)
            && self.ground.is_single(table)
            && constraint.name.is_some()
            && constraint.validated
            && constraint.enforced;
        if !is_apart {
            self.drafts.push(draft);
            return;
        }
        let whole = Constraint { comment: None, ..constraint.clone() };
        let change = Change::ValidateConstraint { table: table.clone(), constraint: whole };
        let mut look = self.ground.draft(change, LOOK, &draft);
        look.manner = Manner::Apart;
        Ground::ask_in(&mut draft, &mut look);
        let was = draft.change.clone();
        draft.change = Change::AddConstraint {
            table: table.clone(),
            constraint: Constraint { validated: false, ..constraint.clone() },
        };
        self.ground.foresee(&mut draft, &was);
        self.drafts.push(draft);
        self.drafts.push(look);
    }

    /// A look at the rows takes no lock from before along.
    pub(super) fn validate(&mut self, mut draft: Draft, table: &QualName) {
        if Ground::is_free(&draft) && self.ground.is_busy(table) {
            draft.manner = Manner::Apart;
        }
        self.drafts.push(draft);
    }

    /// A check proves that no row has a NULL, so that the server need not look while it keeps everybody out.
    pub(super) fn set_not_null(&mut self, mut draft: Draft, table: &QualName, before: &Column, after: &Column) {
        let is_apart = Ground::is_free(&draft)
            && !before.not_null
            && after.not_null
            && self.ground.is_busy(table)
            && self.ground.is_single(table);
        if !is_apart {
            self.drafts.push(draft);
            return;
        }
        let was = draft.change.clone();
        let column = PartId { table: table.clone(), name: after.name.clone() };
        if let Some(proof) = self.proven(&column) {
            if !proof.validated {
                let look = self.look(&column, proof, &draft);
                self.ask(look, &mut draft);
            }
            if let Some(name) = &proof.name {
                self.proofs.push((PartId { table: table.clone(), name: name.clone() }, column.clone()));
            }
            draft.proof = Some(Proof { column, stage: Stage::NotNull });
            self.ground.foresee(&mut draft, &was);
            self.drafts.push(draft);
            return;
        }
        let seed = Ident::new(format!("{}\nnot null", after.name.as_str())).unwrap_or_else(|_| after.name.clone());
        let Ok(name) = temporary(table, &seed, |name| self.ground.is_taken(table, name)) else {
            self.drafts.push(draft);
            return;
        };
        let expr = SqlExpr::new(format!("{} IS NOT NULL", after.name.quoted(self.ground.dialect.id())));
        let kind = ConstraintKind::Check { expr, no_inherit: false, column: None };
        let check = Constraint { validated: false, ..Constraint::new(Some(name), kind) };
        let add = Change::AddConstraint { table: table.clone(), constraint: check.clone() };
        let mut add = self.ground.draft(add, format!("proves that `{column}` has no NULL"), &draft);
        add.proof = Some(Proof { column: column.clone(), stage: Stage::Prove });
        let seen = Constraint { validated: true, ..check };
        let look = self.look(&column, &seen, &draft);
        self.ask(look, &mut draft);
        let gone = Change::DropConstraint { table: table.clone(), constraint: seen };
        let mut gone = self.ground.draft(gone, format!("`{column}` is NOT NULL by itself"), &draft);
        gone.proof = Some(Proof { column: column.clone(), stage: Stage::Proven });
        draft.proof = Some(Proof { column, stage: Stage::NotNull });
        self.ground.foresee(&mut draft, &was);
        self.drafts.extend([add, draft, gone]);
    }

    fn look(&self, column: &PartId, check: &Constraint, from: &Draft) -> Draft {
        let constraint = Constraint { validated: true, comment: None, ..check.clone() };
        let change = Change::ValidateConstraint { table: column.table.clone(), constraint };
        let mut look = self.ground.draft(change, LOOK, from);
        look.manner = Manner::Apart;
        look.proof = Some(Proof { column: column.clone(), stage: Stage::Look });
        look
    }

    fn ask(&mut self, mut look: Draft, draft: &mut Draft) {
        Ground::ask_in(draft, &mut look);
        self.drafts.push(look);
    }

    /// A live check that says that the column has no NULL: one that every row was seen by, or one that a run left that was cut off.
    fn proven(&self, column: &PartId) -> Option<&'a Constraint> {
        let table = self.ground.live.tables.get(&column.table)?;
        let proves = |constraint: &&Constraint| {
            let ConstraintKind::Check { expr, no_inherit: false, .. } = &constraint.kind else { return false };
            let is_own = constraint.name.as_ref().is_some_and(is_own_name);
            let stays = constraint.name.as_ref().is_none_or(|name| !self.ground.makes_way(&column.table, name));
            constraint.enforced && (constraint.validated || is_own) && stays && self.says_not_null(expr, &column.name)
        };
        table.constraints.iter().find(proves)
    }

    fn says_not_null(&self, expr: &SqlExpr, column: &Ident) -> bool {
        let tokens = self.ground.dialect.meaning(expr.as_str());
        let mut rest = tokens.as_slice();
        while let [first, inner @ .., last] = rest
            && first.text == "("
            && last.text == ")"
        {
            rest = inner;
        }
        let [name, is, not, null] = rest else { return false };
        let named = name.text == column.as_str() || name.text == column.quoted(self.ground.dialect.id());
        named && is.is_word("is") && not.is_word("not") && null.is_word("null")
    }
}
