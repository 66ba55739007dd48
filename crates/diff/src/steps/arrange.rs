//! Puts the parts together.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{Class, Desired, Live, OpId, Plan, PlanOptions, Refusal};

use super::finish::Finish;
use super::merge::merge;
use super::units::Units;
use super::{fold, order};
use crate::draft::{Draft, DraftPlan};
use crate::graph::{break_cycles, build, hold_back};

/// Orders and groups the drafts of `plan` and says what every operation needs and shows.
pub(crate) fn arrange(mut plan: DraftPlan<'_>, live: &Live, desired: &Desired, options: &PlanOptions) -> Plan {
    fold::fold(&mut plan);
    if options.online {
        crate::online::expand(&mut plan);
    }
    one_draft_per_id(&mut plan);
    let (mut graph, nodes) = build(&plan);
    hold_back(&graph, &mut plan.drafts);
    let left: Vec<bool> = plan.drafts.iter().map(|draft| !draft.held_back).collect();
    graph.retain_nodes(|graph, node| left[graph[node]]);
    for cycle in break_cycles(&mut graph) {
        let members = cycle.iter().map(|at| OpId::of(&plan.drafts[*at].change)).collect();
        plan.refusals.push(refuse_cycle(&members));
    }
    let mut units = Units::new(&graph);
    merge(&mut units, &graph, &plan);
    let mut contracted = units.contracted();
    let cycles = break_cycles(&mut contracted);
    if plan.refusals.iter().all(|refusal| refusal.code != CYCLE) {
        for cycle in cycles {
            let drafts = cycle.iter().flat_map(|unit| units.drafts(*unit));
            let members = drafts.map(|at| OpId::of(&plan.drafts[at].change)).collect();
            plan.refusals.push(refuse_cycle(&members));
        }
    }
    let ordered = order::order(&contracted, &units, &plan);
    let indices = graph.node_indices().map(|node| (graph[node], node)).collect::<BTreeMap<_, _>>();
    let steps: Vec<_> = ordered
        .into_iter()
        .map(|(unit, slot)| {
            let drafts: Vec<usize> = units.drafts(unit).collect();
            (order::members(&graph, &indices, &plan, &drafts), units.form(unit), slot)
        })
        .collect();
    let mut needs = Units::needs(&graph);
    refuse_blocked(&mut plan);
    Finish::new(plan, live, desired, nodes, options.any_algorithm).plan(steps, &mut needs)
}

const CYCLE: &str = "dependency-cycle";

fn refuse_cycle(members: &BTreeSet<OpId>) -> Refusal {
    let list = members.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    Refusal {
        code: CYCLE.to_owned(),
        object: members.iter().next().map(ToString::to_string).unwrap_or_default(),
        operation: members.iter().next().cloned(),
        why: format!("each of these needs another of them to come first: {list}"),
        fix: "take one of them out of the declaration, apply, and put it back".to_owned(),
    }
}

/// Two drafts with one id are one operation; where they are not the same change, something is wrong with the input.
fn one_draft_per_id(plan: &mut DraftPlan<'_>) {
    let mut known = BTreeMap::<OpId, Draft>::new();
    let mut refusals = Vec::new();
    for draft in std::mem::take(&mut plan.drafts) {
        let id = OpId::of(&draft.change);
        match known.get_mut(&id) {
            Some(other) if other.change == draft.change => other.cause.extend(draft.cause),
            Some(_) => refusals.push(Refusal {
                code: "ambiguous-operation".to_owned(),
                object: draft.change.object().to_string(),
                operation: Some(id.clone()),
                why: format!("two different changes are called `{id}`"),
                fix: "change the object in two runs".to_owned(),
            }),
            None => drop(known.insert(id, draft)),
        }
    }
    plan.drafts = known.into_values().collect();
    plan.refusals.extend(refusals);
}

/// Blocked operations are refusals as well.
fn refuse_blocked(plan: &mut DraftPlan<'_>) {
    let mut refusals = Vec::new();
    for draft in plan.drafts.iter().filter(|draft| !draft.held_back) {
        if let Class::Blocked { code, why, fix } = &draft.class {
            let id = OpId::of(&draft.change);
            if plan.refusals.iter().all(|refusal| refusal.operation.as_ref() != Some(&id)) {
                refusals.push(Refusal {
                    code: code.clone(),
                    object: draft.change.object().to_string(),
                    operation: Some(id),
                    why: why.clone(),
                    fix: fix.clone(),
                });
            }
        }
    }
    plan.refusals.extend(refusals);
}
