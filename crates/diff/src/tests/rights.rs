use trueup_plan::{Ownership, Unmanaged};
use trueup_schema::ObjectRef;

use super::{Case, case, of_schemas};
use crate::test_dialect::TestDialect;
use crate::test_schema::{name, part, schema};

fn untracked(mut case: Case) -> Case {
    case.live.facts.tracked = None;
    case
}

fn all(case: Case) -> Case {
    untracked(case).option(|options| options.ownership = Ownership::All)
}

#[test]
fn only_tracked_objects_are_dropped() {
    let before = "table t: a integer; table u: a integer; view v: select 1";
    let other = untracked(case(before, "table t: a integer"));
    assert!(other.found().is_empty());
    let plan = other.plan();
    assert_eq!(plan.undeclared.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(), ["u", "v"]);
    assert_eq!(plan.adopts, [ObjectRef::Table(name("t"))]);
    assert_eq!(all(case(before, "table t: a integer")).found(), ["drop-table:u lossy", "drop-view:v safe"]);
}

#[test]
fn parts_of_an_adopted_table_wait_for_consent() {
    let adopted = untracked(case("table t: a integer, b text, index i (a)", "table t: a integer"));
    assert_eq!(adopted.found(), ["drop-column:t.b blocked(adopt-differs)"]);
    assert_eq!(adopted.plan().undeclared.len(), 1);
    let id = trueup_plan::OpId("drop-column:t.b".to_owned());
    let consented = adopted.option(|options| options.adopt_differs.extend([id]));
    assert_eq!(consented.found(), ["drop-column:t.b lossy"]);
}

#[test]
fn scope_leaves_the_rest_alone() {
    let before = "table s.t: a integer; table s.u: a integer; table o.t: a integer";
    assert_eq!(all(case(before, "table s.t: a integer")).found(), ["drop-table:s.u lossy"]);
    let excluded =
        all(case(before, "table s.t: a integer")).option(|options| options.scope.exclude.push("*.u".to_owned()));
    assert!(excluded.found().is_empty());
    let wider =
        all(case(before, "table s.t: a integer")).option(|options| options.scope.namespaces.push("o*".to_owned()));
    assert_eq!(wider.found(), ["drop-table:o.t lossy", "drop-table:s.u lossy"]);
    let mut ignored = all(case(before, "table s.t: a integer"));
    ignored.desired.hints.ignored.push(ObjectRef::Table(name("s.u")));
    assert!(ignored.found().is_empty());
    let new = case("", "table s.t: a integer; table s.u: a integer")
        .option(|options| options.scope.include.push("s.t".to_owned()));
    assert_eq!(new.found(), ["create-namespace:s safe", "create-table:s.t safe"]);
}

#[test]
fn unmodelled_kinds() {
    let odd = Unmanaged {
        kind: "collation".to_owned(),
        name: "c".to_owned(),
        namespace: None,
        table: None,
        definition: "x".to_owned(),
        depends_on: Vec::new(),
    };
    let mut live = case("", "");
    live.live.unmanaged.push(odd.clone());
    assert!(live.found().is_empty());
    let live = all(live);
    assert_eq!(live.found(), ["refused unmodelled c"]);
    let live = live.option(|options| options.ignore_unmanaged = true);
    assert!(live.found().is_empty());
    assert_eq!(live.plan().notes.len(), 1);
    let mut strict = case("", "").option(|options| options.strict = true);
    strict.live.unmanaged.push(odd.clone());
    assert_eq!(strict.found(), ["refused unmodelled c"]);
    let theirs = untracked(case("table t: a integer; table u: a integer", "table t: a integer"));
    assert!(theirs.found().is_empty());
    assert_eq!(theirs.option(|options| options.strict = true).found(), ["refused unmanaged u"]);
    let mut declared = case("", "");
    declared.desired.unmodelled.push(odd);
    assert_eq!(declared.found(), ["refused unmodelled c"]);
}

#[test]
fn safe_mode_is_one_gate() {
    let safe = |case: Case| case.option(|options| options.safe = true).found();
    let before = "table t: a bigint, b text, k date, check c (a > 0); view v: select 1; table gone: z date";
    let after = "table t: a integer, n integer, check c (a > 1), index i (a), index j (n); table new: y text";
    assert_eq!(
        safe(case(before, after)),
        [
            "create-table:new safe",
            "drop-column:t.b lossy held",
            "drop-column:t.k lossy held",
            "alter-column-type:t.a guarded held",
            "add-column:t.n safe",
            "drop-constraint:t.c safe held",
            "add-constraint:t.c guarded held",
            "create-index:t.i safe held",
            "create-index:t.j safe",
            "drop-table:gone lossy held",
            "drop-view:v safe held",
        ]
    );
    let dialect = TestDialect::rebuilding();
    let (before, after) = (
        schema(dialect.id, "table r: a integer; table t: a integer"),
        schema(dialect.id, "table r: a integer; table t: a integer, foreign key - (a) references r (a)"),
    );
    let found = safe(of_schemas(dialect, &before, &after));
    assert_eq!(found, ["add-constraint:t:foreign-key(a)->r guarded held"]);
}

#[test]
fn what_hangs_on_a_view_that_is_made_anew_is_made_anew() {
    let text = |query: &str| format!("view v: select {query}; trigger v.r: x");
    let dialect = TestDialect::rebuilding();
    let (before, after) = (schema(dialect.id, &text("1")), schema(dialect.id, &text("2")));
    let found = of_schemas(dialect, &before, &after).found();
    assert_eq!(found, ["drop-view:v safe", "create-view:v safe", "create-trigger:v.r safe"]);
    assert_eq!(part("v", "r").to_string(), "v.r");
}

#[test]
fn a_name_that_stays_taken_is_refused() {
    let plan = |case: Case| case.plan().refusals.iter().map(|each| each.why.clone()).collect::<Vec<_>>();
    let other = plan(untracked(case("view x: select 1", "table x: a integer")));
    assert_eq!(other, ["table `x` cannot be made: its name belongs to view `x`, which stays"]);
    assert!(plan(case("view x: select 1", "table x: a integer")).is_empty());
    let mut outside = case("", "table t: a integer, index x (a)");
    outside.live.facts.taken.insert(name("x"));
    assert_eq!(plan(outside).len(), 1);
}

#[test]
fn a_tracked_namespace_goes_with_everything_in_it() {
    let before = "table a.t: x integer; table b.t: x integer";
    let (before, after) =
        (schema(TestDialect::altering().id, before), schema(TestDialect::altering().id, "table a.t: x integer"));
    let with_namespace = |mut schema: trueup_schema::Schema| {
        let name = crate::test_schema::ident("b");
        schema.insert(trueup_schema::Namespace { name, options: Default::default(), common: Default::default() });
        schema
    };
    let case = of_schemas(TestDialect::altering(), &with_namespace(before), &after);
    assert_eq!(case.found(), ["drop-namespace:b safe", "drop-table:b.t lossy"]);
    let mut shared = case;
    let tracked = shared.live.facts.tracked.as_mut().unwrap();
    tracked.objects.remove(&ObjectRef::Table(name("b.t")));
    assert!(shared.found().is_empty());
}

#[test]
fn what_is_not_ours_does_not_go_with_what_is() {
    let mut index = case("table t: a integer, b text, index i (b)", "table t: a integer");
    let tracked = index.live.facts.tracked.as_mut().unwrap();
    tracked.objects.remove(&ObjectRef::Index(part("t", "i")));
    assert_eq!(index.found(), ["drop-column:t.b lossy"]);
    let plan = crate::diff(&index.live, &index.desired, &index.options, &index.dialect);
    assert!(plan.refusals.iter().any(|each| each.code == "unmanaged-dependent"), "{:?}", plan.refusals);
}

#[test]
fn safe_mode_does_not_hide_a_possible_rename() {
    let like = case("table t: a integer, k text", "table t: b integer, k text").option(|options| options.safe = true);
    assert_eq!(like.found(), ["drop-column:t.a blocked(ambiguous-rename) held", "add-column:t.b safe"]);
    assert_eq!(like.plan().refusals.len(), 1);
}
