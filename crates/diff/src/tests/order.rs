//! In which order things happen, and what must make way.

use trueup_plan::{StepForm, TxClass};
use trueup_schema::{Dependency, ObjectRef, Schema};

use super::{Case, case, of_schemas};
use crate::test_dialect::TestDialect;
use crate::test_schema::{name, part, schema};

/// Plans on the engine that alters in place and compares the steps.
#[track_caller]
fn steps(before: &str, after: &str, expected: &[&str]) {
    let mut case = case(before, after);
    case.options.no_renames = true;
    assert_eq!(case.steps(), expected, "{before}  →  {after}");
}

/// A case with dependencies added on both sides.
fn depending(before: &str, after: &str, depend: impl Fn(&mut Schema)) -> Case {
    let dialect = TestDialect::altering();
    let (mut before, mut after) = (schema(dialect.id, before), schema(dialect.id, after));
    depend(&mut before);
    depend(&mut after);
    let mut case = of_schemas(dialect, &before, &after);
    case.options.no_renames = true;
    case
}

#[test]
fn tables_that_refer_to_each_other_come_before_their_foreign_keys() {
    steps(
        "",
        "table a: id integer not null, b integer, primary key (id), foreign key ab (b) references b (id)
         table b: id integer not null, a integer, primary key (id), foreign key ba (a) references a (id)",
        &["create-table:a", "create-table:b", "add-constraint:a.ab", "add-constraint:b.ba"],
    );
}

#[test]
fn tables_that_refer_to_each_other_lose_their_foreign_keys_first() {
    steps(
        "table a: id integer not null, b integer, primary key (id), foreign key ab (b) references b (id)
         table b: id integer not null, a integer, primary key (id), foreign key ba (a) references a (id)
         table c: id integer, a integer, foreign key ca (a) references a (id)",
        "",
        &["drop-constraint:a.ab", "drop-constraint:b.ba", "drop-table:b", "drop-table:c", "drop-table:a"],
    );
}

#[test]
fn views_make_way_for_a_type_and_come_back_upstream_first() {
    let depend = |schema: &mut Schema| {
        let on = |object| vec![Dependency::hard(object)];
        for (view, on) in [("v", on(ObjectRef::Column(part("t", "a")))), ("w", on(ObjectRef::View(name("v"))))] {
            if let Some(view) = schema.views.get_mut(&name(view)) {
                view.common.depends_on = on;
            }
        }
    };
    let views = "view v: select a from t; view w: select a from v";
    let case = depending(
        &format!("table t: a integer, b integer; {views}"),
        &format!("table t: a bigint, b integer; {views}"),
        depend,
    );
    assert_eq!(case.steps(), ["drop-view:w", "drop-view:v", "alter-column-type:t.a", "create-view:v", "create-view:w"]);
    let plan = case.planned();
    let causes = |id: &str| plan.operations.iter().find(|each| each.id.0 == id).unwrap().cause.clone();
    assert_eq!(causes("drop-view:w").into_iter().next().unwrap().0, "alter-column-type:t.a");
    assert!(causes("alter-column-type:t.a").is_empty());

    let other = depending(
        &format!("table t: a integer, b integer; {views}"),
        &format!("table t: a integer, b bigint; {views}"),
        depend,
    );
    assert_eq!(other.steps(), ["alter-column-type:t.b"]);
}

/// The steps of each transaction where the server has room for so many locks, and what is said of that.
fn transactions(mut case: Case, locks: &str) -> (Vec<Vec<String>>, Vec<String>) {
    case.live.facts.settings.insert("locks".to_owned(), locks.to_owned());
    let plan = case.planned();
    let step = |step: &trueup_plan::Step| step.operations.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    (plan.segments.iter().map(|segment| segment.steps.iter().map(step).collect()).collect(), plan.notes)
}

#[test]
fn a_transaction_takes_half_of_the_locks_that_the_server_has() {
    let five = || {
        case("", "table a: x integer; table b: x integer; table c: x integer; table d: x integer; table e: x integer")
    };
    let (all, notes) = transactions(five(), "10");
    assert_eq!((all.len(), notes.len()), (1, 0));
    let (parts, notes) = transactions(five(), "4");
    assert_eq!(
        parts,
        [vec!["create-table:a", "create-table:b"], vec!["create-table:c", "create-table:d"], vec!["create-table:e"]]
    );
    assert!(notes.concat().contains("carried out in 3 transactions"), "{notes:?}");
}

#[test]
fn a_transaction_is_never_cut_while_something_is_missing() {
    let depend = |schema: &mut Schema| {
        if let Some(view) = schema.views.get_mut(&name("v")) {
            view.common.depends_on = vec![Dependency::hard(ObjectRef::Column(part("t", "a")))];
        }
    };
    let view = "view v: select a from t";
    let case = depending(
        &format!("table t: a integer; {view}"),
        &format!("table t: a bigint; {view}; table u: x integer; table w: x integer"),
        depend,
    );
    let (parts, notes) = transactions(case, "2");
    assert_eq!(parts.len(), 1, "{parts:?}");
    assert!(notes.concat().ends_with("raise `locks`"), "{notes:?}");
}

#[test]
fn a_view_may_use_a_column_that_replaces_another() {
    let case = depending(
        "table t: a integer, b integer; view v: select b from t",
        "table t: a integer, c integer; view v: select c from t",
        |schema| {
            let column =
                if schema.tables[&name("t")].columns.iter().any(|each| each.name.as_str() == "b") { "b" } else { "c" };
            schema.views.get_mut(&name("v")).unwrap().common.depends_on =
                vec![Dependency::hard(ObjectRef::Column(part("t", column)))];
        },
    );
    assert_eq!(case.steps(), ["add-column:t.c", "replace-view:v", "drop-column:t.b"]);
}

#[test]
fn a_key_takes_its_foreign_keys_along_and_brings_them_back() {
    steps(
        "table p: id integer not null, unique u (id); table c: p integer, foreign key f (p) references p (id)",
        "table p: id integer not null, x integer not null, unique u (id, x), unique index k (id)
         table c: p integer, foreign key f (p) references p (id)",
        &[
            "drop-constraint:c.f",
            "drop-constraint:p.u",
            "add-column:p.x",
            "add-constraint:p.u",
            "create-index:p.k",
            "add-constraint:c.f",
        ],
    );
}

#[test]
fn freed_names_come_before_their_next_owner() {
    steps("table t: id integer", "view t: select 1", &["drop-table:t", "create-view:t"]);
    steps(
        "table t: a integer, index i (a); table u: a integer",
        "table t: a integer; table u: a integer, index i (a)",
        &["drop-index:t.i", "create-index:u.i"],
    );
}

#[test]
fn a_new_label_is_committed_before_its_first_use_only() {
    let before = "enum mood: sad; table t: m @mood";
    let mut alone = case(before, "enum mood: sad, happy; table t: m @mood, n @mood");
    alone.options.no_renames = true;
    assert_eq!(alone.steps(), ["add-enum-value:mood:happy", "add-column:t.n"]);
    let mut used = case(before, "enum mood: sad, happy; table t: m @mood default 'happy'");
    used.options.no_renames = true;
    assert_eq!(used.steps(), ["add-enum-value:mood:happy", "---", "set-default:t.m"]);
    assert!(used.planned().operations.iter().any(|each| each.tx == TxClass::CommitAfter));
}

#[test]
fn an_unmanaged_dependent_is_named_and_nothing_cascades() {
    let before = "table t: a integer; view v: select a from t";
    let dialect = TestDialect::altering();
    let (before, after) = (schema(dialect.id, before), schema(dialect.id, "table t: a bigint"));
    let mut case = of_schemas(dialect, &before, &after);
    let view = ObjectRef::View(name("v"));
    case.live.facts.tracked.as_mut().unwrap().objects.remove(&view);
    assert_eq!(case.refusals(), ["unmanaged-dependent view v"]);
}

#[test]
fn one_rebuild_does_everything_to_its_table() {
    let dialect = TestDialect::rebuilding();
    let before = schema(dialect.id, "table t: a integer, b text, index i (a); trigger t.r: x; view v: select a from t");
    let after = schema(
        dialect.id,
        "table t: a bigint, c text not null default 'x', index i (a), check k (a > 0); trigger t.r: x; view v: select a from t",
    );
    let mut case = of_schemas(dialect, &before, &after);
    case.options.no_renames = true;
    let plan = case.planned();
    assert_eq!(plan.refusals, []);
    case.carry_out(&plan);
    let rebuilds: Vec<_> = plan
        .segments
        .iter()
        .flat_map(|segment| &segment.steps)
        .filter_map(|step| match &step.form {
            StepForm::Rebuild(rebuild) => Some((rebuild, step.operations.len())),
            StepForm::Statements | StepForm::Merged { .. } | StepForm::Concurrently | StepForm::UsingIndex { .. } => {
                None
            }
        })
        .collect();
    let [(rebuild, operations)] = rebuilds.as_slice() else { panic!("{rebuilds:?}") };
    assert!(*operations >= 4);
    let sources: Vec<_> = rebuild.columns.iter().map(|each| format!("{}={}", each.column, each.value)).collect();
    assert_eq!(sources, ["a=\"a\""]);
    assert_eq!(rebuild.triggers.len(), 1);
    assert_eq!(rebuild.before.columns.len(), 2);
    assert_eq!(rebuild.after.columns.len(), 2);
    assert!(rebuild.temporary.as_str().starts_with("trueup_"));
    assert_eq!(plan, case.planned(), "the same plan twice");
}

#[test]
fn swapped_names_go_through_a_third() {
    let case = case("table t: a integer, b text", "table t: b integer, a text")
        .rename(ObjectRef::Column(part("t", "a")), "b")
        .rename(ObjectRef::Column(part("t", "b")), "a");
    let steps = case.steps();
    assert_eq!(steps.len(), 3, "{steps:?}");
}

#[test]
fn a_sequence_is_made_then_read_then_owned() {
    let case = depending("", "sequence s; table t: id integer default nextval('s')", |schema| {
        if let Some(table) = schema.tables.get_mut(&name("t")) {
            table.columns[0].depends_on = vec![Dependency::hard(ObjectRef::Sequence(name("s")))];
            schema.sequences.get_mut(&name("s")).unwrap().owned_by = Some(part("t", "id"));
        }
    });
    assert_eq!(case.steps(), ["create-sequence:s", "create-table:t", "set-sequence-owner:s"]);
}

#[test]
fn a_default_that_calls_a_routine_over_its_own_table_comes_last() {
    let case = depending("", "table t: id integer default f(); function f(): select 1 from t", |schema| {
        let routine = schema.routines.values().next().map(|routine| routine.id.clone());
        let Some(routine) = routine else { return };
        schema.tables.get_mut(&name("t")).unwrap().columns[0].depends_on =
            vec![Dependency::hard(ObjectRef::Routine(routine.clone()))];
        let routine = schema.routines.get_mut(&routine).unwrap();
        routine.tracked = true;
        routine.common.depends_on = vec![Dependency::hard(ObjectRef::Table(name("t")))];
    });
    assert_eq!(
        case.steps(),
        ["create-table:t", "create-function:f()", "set-default:t.id"]
            .map(|id| id.replace("create-function", "create-routine"))
    );
}
