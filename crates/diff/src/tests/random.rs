use proptest::prelude::*;
use trueup_schema::{Schema, Table};
use trueup_snapshot::Snapshot;

use super::of_schemas;
use crate::test_dialect::TestDialect;
use crate::test_schema::{schema, table};

const COLUMNS: [&str; 4] = ["a", "b", "c", "d"];
const TYPES: [&str; 4] = ["integer", "bigint", "text", "date"];

fn item() -> impl Strategy<Value = String> {
    let column = (0..COLUMNS.len(), 0..TYPES.len(), any::<bool>());
    column.prop_map(|(column, kind, not_null)| {
        format!("{} {}{}", COLUMNS[column], TYPES[kind], if not_null { " not null" } else { "" })
    })
}

fn body() -> impl Strategy<Value = String> {
    let extras = proptest::sample::subsequence(
        vec![
            "check c1 (a > 0)",
            "check c2 (a > 1)",
            "unique u (a)",
            "index i (a)",
            "unique index j (a)",
            "primary key (a)",
        ],
        0..6,
    );
    (proptest::collection::vec(item(), 0..4), extras).prop_map(|(columns, extras)| {
        let mut items = vec!["a integer not null".to_owned()];
        for column in columns {
            let name = column.split(' ').next().unwrap_or_default().to_owned();
            if !items.iter().any(|each| each.split(' ').next() == Some(&name)) {
                items.push(column);
            }
        }
        items.extend(extras.into_iter().map(str::to_owned));
        items.join(", ")
    })
}

fn any_schema() -> impl Strategy<Value = Schema> {
    let tables = proptest::collection::btree_map(0..4_usize, body(), 0..4);
    let view = proptest::option::of(Just("view v: select 1"));
    (tables, view).prop_map(|(tables, view)| {
        let dialect = TestDialect::altering().id;
        let mut text: Vec<String> = tables.iter().map(|(at, body)| format!("table t{at}: {body}")).collect();
        text.extend(view.map(str::to_owned));
        schema(dialect, &text.join(";"))
    })
}

/// The same tables with their constraints and indexes in another order.
fn shuffled(schema: &Schema) -> Schema {
    let mut other = schema.clone();
    for table in other.tables.values_mut() {
        table.constraints.reverse();
        table.indexes.reverse();
    }
    other
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_schema_is_what_it_is(schema in any_schema()) {
        for dialect in [TestDialect::altering(), TestDialect::rebuilding()] {
            let mut schema = schema.clone();
            schema.dialect = dialect.id;
            let found = of_schemas(dialect, &schema, &shuffled(&schema)).found();
            prop_assert!(found.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn the_order_of_a_declaration_means_nothing(before in any_schema(), after in any_schema()) {
        let one = of_schemas(TestDialect::altering(), &before, &after).found();
        let other = of_schemas(TestDialect::altering(), &shuffled(&before), &shuffled(&after)).found();
        prop_assert_eq!(one, other);
    }

    #[test]
    fn a_plan_done_is_the_declaration(before in any_schema(), after in any_schema()) {
        for dialect in [TestDialect::altering(), TestDialect::rebuilding()] {
            let (mut before, mut after) = (before.clone(), after.clone());
            (before.dialect, after.dialect) = (dialect.id, dialect.id);
            let case = of_schemas(dialect, &before, &after).option(|options| options.no_renames = true);
            let plan = crate::diff(&case.live, &case.desired, &case.options, &case.dialect);
            if !plan.refusals.is_empty() {
                continue;
            }
            let mut schema = case.live.snapshot.schema().clone();
            for operation in &plan.operations {
                let done = crate::interpret(&mut schema, &operation.change);
                prop_assert!(done.is_ok(), "{}: {done:?}", operation.id);
            }
            let reached = Snapshot::of(&schema, &case.dialect).unwrap();
            prop_assert_eq!(reached.root(), case.desired.snapshot.root(), "{:?}", case.found());
        }
    }

    #[test]
    fn ids_are_unique(before in any_schema(), after in any_schema()) {
        let case = of_schemas(TestDialect::altering(), &before, &after);
        let plan = case.plan();
        let ids: std::collections::BTreeSet<_> = plan.drafts.iter().map(crate::draft::Draft::id).collect();
        prop_assert_eq!(ids.len(), plan.drafts.len());
    }
}

#[test]
fn short_words_make_tables() {
    let made: Table = table("t", "a integer not null, unique u (a)");
    assert!(made.columns[0].not_null);
    assert_eq!(made.constraints.len(), 1);
}
