use trueup_plan::{Change, CheckRule};
use trueup_schema::{Dependency, ObjectRef, SqlExpr};

use super::{case, check, of_schemas};
use crate::test_dialect::TestDialect;
use crate::test_schema::{name, part, schema};

fn table(text: &str) -> ObjectRef {
    ObjectRef::Table(name(text))
}

fn column(table: &str, column: &str) -> ObjectRef {
    ObjectRef::Column(part(table, column))
}

#[test]
fn a_renamed_table_keeps_its_rows_and_its_made_up_names_follow() {
    let before = "table users: id integer, primary key (id), index i (id)";
    let after = "table people: id integer, primary key (id), index i (id)";
    let renamed = case(before, after).rename(table("users"), "people");
    assert_eq!(renamed.found(), ["rename-table:users safe", "rename-constraint:people.users_pkey safe"]);
    renamed.prove();
    let again = case(after, after).rename(table("users"), "people");
    assert!(again.found().is_empty());
    let fresh = case("", after).rename(table("users"), "people");
    assert_eq!(fresh.found()[0], "create-table:people safe");
}

#[test]
fn a_renamed_column_is_followed_everywhere() {
    let parts = |c: &str| {
        format!(
            "table t: id integer, {c} integer, check c ({c} > 0), index i ({c}), unique t_{c}_key ({c}); view v: select {c} from t"
        )
    };
    let renamed = case(&parts("a"), &parts("b")).rename(column("t", "a"), "b");
    assert_eq!(renamed.found(), ["rename-column:t.a safe", "rename-constraint:t.t_a_key safe"]);
    let mut without_view = renamed;
    for side in [&mut without_view.live.snapshot, &mut without_view.desired.snapshot] {
        // The interpreter doesn't look into texts.
        let mut schema = side.schema().clone();
        schema.views.clear();
        schema
            .tables
            .values_mut()
            .for_each(|table| table.constraints.retain(|each| each.name != Some(crate::test_schema::ident("c"))));
        *side = trueup_snapshot::Snapshot::of(&schema, &without_view.dialect).unwrap();
    }
    without_view.prove();
}

#[test]
fn hints_that_contradict_what_is_there_are_refused() {
    let both = case("table t: a integer, b integer", "table t: b integer").rename(column("t", "a"), "b");
    assert_eq!(both.found().last().unwrap(), "refused rename-conflict t.a");
    let lost = case("table t: a integer", "table t: a integer").rename(column("t", "a"), "b");
    assert_eq!(lost.found(), ["refused rename-target-missing t.a"]);
    let back = case("table t: a integer", "table t: a integer, b integer").rename(column("t", "a"), "b");
    assert_eq!(back.found().last().unwrap(), "refused rename-conflict t.a");
}

#[test]
fn swaps_go_through_a_temporary_name_and_chains_do_not() {
    let swap = |case: super::Case| case.rename(column("t", "a"), "b").rename(column("t", "b"), "a");
    let swapped = swap(case("table t: a integer, b text", "table t: b integer, a text"));
    let plan = swapped.plan();
    let mut renames = Vec::new();
    for draft in &plan.drafts {
        let Change::Rename { from, to, .. } = &draft.change else { panic!("another change: {}", draft.id()) };
        renames.push(format!("{from} {to}"));
    }
    assert_eq!(renames, ["t.a t.trueup_595ade7b", "t.b t.a", "t.trueup_595ade7b t.b"]);
    swapped.prove();
    let done = swap(case("table t: b integer, a text", "table t: b integer, a text"));
    assert!(done.found().is_empty());
    assert_eq!(done.plan().notes.len(), 1);

    let chain = |case: super::Case| case.rename(column("t", "a"), "b").rename(column("t", "b"), "c");
    let chained = chain(case("table t: a integer, b text", "table t: b integer, c text"));
    assert_eq!(chained.found(), ["rename-column:t.b safe", "rename-column:t.a safe"]);
    chained.prove();
    assert!(chain(case("table t: b integer, c text", "table t: b integer, c text")).found().is_empty());
    let through = chain(case("table t: a integer", "table t: c integer"));
    assert_eq!(through.found(), ["rename-column:t.a safe"]);
}

#[test]
fn checks_ask_under_the_old_names() {
    let renamed = case("table t: a integer, b integer", "table u: b integer, a integer, check c (b > a)")
        .rename(table("t"), "u")
        .rename(column("u", "a"), "b")
        .rename(column("u", "b"), "a");
    let plan = renamed.plan();
    let check = plan.drafts.iter().find_map(|draft| draft.checks.first());
    // The two columns are alike, so that the swap counts as done: only the table's name is undone.
    assert_eq!(check.unwrap().table, name("t"));

    let renamed = case("table t: a integer, b text", "table u: b integer, a text, check c (b > a)")
        .rename(table("t"), "u")
        .rename(column("u", "a"), "b")
        .rename(column("u", "b"), "a");
    let plan = renamed.plan();
    let check = plan.drafts.iter().find_map(|draft| draft.checks.first()).unwrap();
    assert_eq!(check.table, name("t"));
    assert_eq!(check.rule, CheckRule::Holds { expr: SqlExpr::new("\"a\" > \"b\"") });
}

#[test]
fn namespaces_move_with_everything_in_them() {
    let renamed = case(
        "table a.t: id integer, index i (id); view a.v: select id from t",
        "table b.t: id integer, index i (id); view b.v: select id from t",
    )
    .rename(ObjectRef::Namespace(crate::test_schema::ident("a")), "b");
    assert_eq!(renamed.found(), ["rename-namespace:a safe"]);
    renamed.prove();
}

#[test]
fn what_differs_only_by_name_is_renamed() {
    check(
        "table t: a integer, check x (a > 0)",
        "table t: a integer, check y (a > 0)",
        &["rename-constraint:t.x safe"],
    );
    check("table t: a integer, index x (a)", "table t: a integer, index y (a)", &["rename-index:t.x safe"]);
}

#[test]
fn like_columns_and_tables_are_ambiguous() {
    let columns = case("table t: a integer, k text", "table t: b integer, k text");
    assert_eq!(columns.found(), ["drop-column:t.a blocked(ambiguous-rename)", "add-column:t.b safe"]);
    let plan = columns.plan();
    assert!(plan.refusals[0].fix.contains("-- trueup: rename column t.a to b"), "{}", plan.refusals[0].fix);
    let tables = case("table t: a integer, k text", "table u: a integer, m date");
    assert_eq!(tables.found(), ["create-table:u safe", "drop-table:t blocked(ambiguous-rename)"]);
    let meant = tables.option(|options| options.no_renames = true);
    assert_eq!(meant.found(), ["create-table:u safe", "drop-table:t lossy"]);
    let mut empty = columns;
    let size = trueup_plan::TableSize { rows: Some(0), bytes: 0, empty: true };
    empty.live.facts.sizes.insert(name("t"), size);
    assert_eq!(empty.found(), ["drop-column:t.a lossy", "add-column:t.b safe"]);
    assert!(empty.plan().drafts[0].provenance.is_some());
}

#[test]
fn names_that_differ_in_case_are_one_where_the_engine_says_so() {
    let dialect = TestDialect::rebuilding();
    let before = schema(dialect.id, "table Users: Id integer, index I (Id)");
    let after = schema(dialect.id, "table users: id integer, index i (id)");
    let found = of_schemas(dialect, &before, &after).found();
    assert_eq!(found, ["rename-table:Users safe", "rename-column:users.Id safe"]);
    let before = schema(TestDialect::altering().id, "table Users: Id integer");
    let after = schema(TestDialect::altering().id, "table users: id integer");
    let found = of_schemas(TestDialect::altering(), &before, &after).found();
    assert_eq!(found, ["create-table:users safe", "drop-table:Users lossy"]);
}

#[test]
fn a_name_in_another_objects_text_is_left_alone() {
    let dialect = TestDialect::altering();
    let text = |c: &str| format!("table t: {c} integer; table o: a integer; view v: select a from o");
    let (mut before, mut after) = (schema(dialect.id, &text("a")), schema(dialect.id, &text("b")));
    for side in [&mut before, &mut after] {
        let on = ObjectRef::Column(part("o", "a"));
        side.views.get_mut(&name("v")).unwrap().common.depends_on = vec![Dependency::hard(on)];
    }
    let renamed = of_schemas(dialect, &before, &after).rename(column("t", "a"), "b");
    assert_eq!(renamed.found(), ["rename-column:t.a safe"]);
}
