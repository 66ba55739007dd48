//! Plans beside live traffic.

use trueup_dialect::Dialect;
use trueup_dialect::postgres::Postgres;
use trueup_plan::{Budgets, Plan, PlanOptions, StepForm, TableSize, Tracked, TxClass};
use trueup_schema::{Dependency, Index, IndexPart, ObjectRef};

use super::world::carry_out;
use crate::diff;
use crate::test_schema::{desired, ident, live, name, part, schema};

fn options() -> PlanOptions {
    PlanOptions { no_renames: true, ..PlanOptions::default() }
}

fn online() -> PlanOptions {
    PlanOptions { online: true, ..options() }
}

/// Plans on a server of `version`; tables of `empty` hold no row, and `leave` puts into the live schema what a run left.
fn plan_on(
    version: [u32; 3],
    (before, after): (&str, &str),
    empty: &[&str],
    leave: impl FnOnce(&mut trueup_schema::Schema),
    options: &PlanOptions,
) -> Plan {
    let dialect = Postgres::new(version);
    let mut before = schema(dialect.id(), before);
    leave(&mut before);
    let after = schema(dialect.id(), after);
    let (mut live, desired) = (live(&dialect, &before), desired(&dialect, &after));
    let objects = live.snapshot.objects().map(|(object, _)| object.clone()).collect();
    live.facts.tracked = Some(Tracked { objects, pairs: Vec::new() });
    for table in empty {
        live.facts.sizes.insert(name(table), TableSize { empty: true, ..TableSize::default() });
    }
    let plan = diff(&live, &desired, options, &dialect);
    if plan.refusals.is_empty() {
        carry_out(&plan, live.snapshot.schema(), &desired, &dialect);
    }
    plan
}

/// Every step with its form, segments apart by `---`.
fn lines(plan: &Plan) -> Vec<String> {
    assert_eq!(plan.refusals, []);
    let mut lines = Vec::new();
    for segment in &plan.segments {
        if !lines.is_empty() {
            lines.push("---".to_owned());
        }
        for step in &segment.steps {
            let ids: Vec<_> = step.operations.iter().map(ToString::to_string).collect();
            let form = match &step.form {
                StepForm::Statements | StepForm::Merged { .. } | StepForm::Rebuild(_) => String::new(),
                StepForm::Concurrently => " concurrently".to_owned(),
                StepForm::UsingIndex { index } => format!(" using {index}"),
            };
            assert_eq!(segment.transactional, step.form != StepForm::Concurrently);
            lines.push(format!("{}{form}", ids.join(" + ")));
        }
    }
    lines
}

#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    let plan = plan_on([15, 0, 0], (before, after), &[], |_| {}, &online());
    assert_eq!(lines(&plan), expected, "{before}  →  {after}");
}

#[test]
fn indexes_are_built_before_others_go() {
    check(
        "table t: a integer, b integer, index gone (a)",
        "table t: a integer, b integer, index made (b); table n: a integer, index new (a)",
        &[
            "create-table:n",
            "create-index:n.new",
            "---",
            "create-index:t.made concurrently",
            "---",
            "drop-index:t.gone concurrently",
        ],
    );
    check(
        "table t: a integer, b integer, index i (a)",
        "table t: a integer, b integer, index i (b)",
        &[
            "create-index:t.trueup_online_5682b11944006f26 concurrently",
            "---",
            "drop-index:t.i",
            "rename-index:t.trueup_online_5682b11944006f26",
        ],
    );
}

#[test]
fn tables_without_rows_are_not_worth_it() {
    let pair = ("table t: a integer", "table t: a integer not null, index i (a), check c (a > 0), unique u (a)");
    let plan = plan_on([15, 0, 0], pair, &["t"], |_| {}, &online());
    assert_eq!(plan, plan_on([15, 0, 0], pair, &["t"], |_| {}, &options()));
    assert_eq!(plan.segments.len(), 1);
}

#[test]
fn rules_are_looked_at_by_themselves() {
    check(
        "table t: a integer; table o: id integer not null, primary key (id)",
        "table t: a integer, check c (a > 0), foreign key f (a) references o (id); table o: id integer not null, primary key (id)",
        &[
            "add-constraint:t.c",
            "add-constraint:t.f",
            "---",
            "validate-constraint:t.c",
            "---",
            "validate-constraint:t.f",
        ],
    );
}

#[test]
fn a_key_over_columns_that_take_null_proves_them_first() {
    check(
        "table t: a integer",
        "table t: a integer not null, primary key (a)",
        &[
            "add-constraint:t.trueup_online_2d1bb795acb2f598",
            "---",
            "validate-constraint:t.trueup_online_2d1bb795acb2f598",
            "---",
            "create-index:t.t_pkey concurrently",
            "---",
            "set-not-null:t.a",
            "drop-constraint:t.trueup_online_2d1bb795acb2f598",
            "add-constraint:t.t_pkey using t_pkey",
        ],
    );
    check(
        "table t: a integer not null, check seen (a is not null)",
        "table t: a integer not null, b integer, check seen (a is not null)",
        &["add-column:t.b"],
    );
    check(
        "table t: a integer, check seen (a is not null)",
        "table t: a integer not null, check seen (a is not null)",
        &["set-not-null:t.a"],
    );
}

#[test]
fn a_key_takes_the_place_of_another_in_one_transaction() {
    check(
        "table t: a integer, b integer, unique u (a)",
        "table t: a integer, b integer, unique u (b)",
        &[
            "create-index:t.trueup_online_5682cd1944009eba concurrently",
            "---",
            "drop-constraint:t.u",
            "add-constraint:t.u using trueup_online_5682cd1944009eba",
        ],
    );
    check(
        "table t: a integer, unique index u (a)",
        "table t: a integer, unique u (a)",
        &["add-constraint:t.u using u"],
    );
}

#[test]
fn what_makes_way_is_away_for_one_transaction() {
    check(
        "table t: a integer, b integer, unique index i (a); table c: a integer, foreign key f (a) references t (a)",
        "table t: a integer, b integer, unique index i (a), unique index j (b); table c: a integer, foreign key f (a) references t (a)",
        &["create-index:t.j concurrently"],
    );
    check(
        "table t: a integer not null, unique u (a); table c: a integer, foreign key f (a) references t (a)",
        "table t: a integer not null, primary key (a); table c: a integer, foreign key f (a) references t (a)",
        &[
            "create-index:t.t_pkey concurrently",
            "---",
            "drop-constraint:c.f",
            "drop-constraint:t.u",
            "add-constraint:t.t_pkey using t_pkey",
            "add-constraint:c.f",
            "---",
            "validate-constraint:c.f",
        ],
    );
}

#[test]
fn an_index_takes_the_place_of_a_key_and_a_key_that_of_an_index() {
    check(
        "table t: a integer, b integer, unique u (a)",
        "table t: a integer, b integer, unique index u (a, b)",
        &[
            "create-index:t.trueup_online_5682cd1944009eba concurrently",
            "---",
            "drop-constraint:t.u",
            "rename-index:t.trueup_online_5682cd1944009eba",
        ],
    );
    check(
        "table t: a integer, b integer, index u (a)",
        "table t: a integer, b integer, unique u (b)",
        &[
            "create-index:t.trueup_online_5682cd1944009eba concurrently",
            "---",
            "drop-index:t.u concurrently",
            "---",
            "add-constraint:t.u using trueup_online_5682cd1944009eba",
        ],
    );
}

/// A view is gone for no longer than the change that it makes way for.
#[test]
fn what_comes_back_does_not_wait_for_a_proof() {
    let view = "view v: select a from t";
    let depend = |schema: &mut trueup_schema::Schema| {
        let on = ObjectRef::Column(part("t", "a"));
        schema.views.get_mut(&name("v")).unwrap().common.depends_on = vec![Dependency::hard(on)];
    };
    let pair = (format!("table t: a integer; {view}"), format!("table t: a bigint not null; {view}"));
    let plan = plan_on([15, 0, 0], (&pair.0, &pair.1), &[], depend, &online());
    let ids: Vec<_> = plan.segments[0].steps.iter().flat_map(|step| &step.operations).map(|id| id.0.as_str()).collect();
    let first =
        ["drop-view:v", "alter-column-type:t.a", "add-constraint:t.trueup_online_2d1bb795acb2f598", "create-view:v"];
    assert_eq!(ids, first);
    assert_eq!(plan.segments.len(), 3);
}

#[test]
fn what_a_run_left_is_used_or_dropped() {
    let pair = ("table t: a integer", "table t: a integer, unique u (a)");
    let left = |valid| {
        move |schema: &mut trueup_schema::Schema| {
            let mut index = Index::new(ident("u"), vec![IndexPart::column(ident("a"))]);
            (index.unique, index.valid) = (true, valid);
            schema.tables.get_mut(&name("t")).unwrap().indexes.push(index);
        }
    };
    let used = plan_on([15, 0, 0], pair, &[], left(true), &online());
    assert_eq!(lines(&used), ["add-constraint:t.u using u"]);
    let dropped = plan_on([15, 0, 0], pair, &[], left(false), &online());
    let expected =
        ["drop-index:t.u concurrently", "---", "create-index:t.u concurrently", "---", "add-constraint:t.u using u"];
    assert_eq!(lines(&dropped), expected);
    // Nobody's table, and without the option: what stands in the way was made by us.
    let plain = plan_on([15, 0, 0], pair, &[], left(false), &options());
    assert_eq!(lines(&plain), ["drop-index:t.u", "add-constraint:t.u"]);
}

#[test]
fn what_nobody_queues_behind_waits_as_long_as_it_takes() {
    let pair = ("table t: a integer, index gone (a)", "table t: a integer, index i (a, a), check c (a > 0)");
    let plan = plan_on([15, 0, 0], pair, &[], |_| {}, &online());
    let told = |kind: &str| plan.operations.iter().find(|operation| operation.id.0.starts_with(kind)).unwrap();
    for (kind, tx) in
        [("create-index", TxClass::Outside), ("drop-index", TxClass::Outside), ("validate-constraint", TxClass::Alone)]
    {
        assert_eq!((told(kind).budgets, told(kind).tx), (Budgets::default(), tx), "{kind}");
    }
    assert_eq!(told("add-constraint").budgets, Budgets { lock_ms: Some(3000), statement_ms: Some(10_000) });
    assert!(told("create-index").effects.partial.is_some());
}

#[test]
fn a_server_that_damages_indexes_builds_none() {
    let pair = ("table t: a integer, index gone (a)", "table t: a integer, index i (a, a)");
    let codes = |version| {
        let plan = plan_on(version, pair, &[], |_| {}, &online());
        plan.refusals.into_iter().map(|refusal| refusal.code).collect::<Vec<_>>()
    };
    assert_eq!(codes([14, 3, 0]), ["online-corrupts"]);
    assert!(codes([14, 4, 0]).is_empty() && codes([15, 1, 0]).is_empty());
    let drop = ("table t: a integer, index gone (a)", "table t: a integer");
    assert_eq!(lines(&plan_on([14, 3, 0], drop, &[], |_| {}, &online())), ["drop-index:t.gone concurrently"]);
}
