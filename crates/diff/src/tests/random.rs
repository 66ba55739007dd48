use proptest::prelude::*;
use trueup_schema::{Column, DataType, Generated, PartId, Schema, SqlExpr, Table};

use super::of_schemas;
use crate::test_dialect::TestDialect;
use crate::test_schema::{ident, name, schema, table};

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

/// Everything besides tables, all of it optional.
fn others() -> impl Strategy<Value = Vec<String>> {
    let all = [
        "view v: select 1",
        "view v: select a from t0",
        "materialized m: select 2",
        "materialized m: select a from t1",
        "view m: select 3",
        "enum mood: x, y",
        "enum mood: x, z, y",
        "enum mood: z, y",
        "sequence s",
        "trigger t0.r: x",
        "trigger t0.r: y",
        "function f(integer): x",
        "function f(integer): y",
    ];
    proptest::sample::subsequence(all.map(str::to_owned).to_vec(), 0..8)
}

pub(super) fn any_schema() -> impl Strategy<Value = Schema> {
    let tables = proptest::collection::btree_map(0..4_usize, body(), 0..4);
    let links = proptest::collection::btree_set((0..4_usize, 0..4_usize), 0..3);
    (tables, links, others(), any::<u8>()).prop_map(|(tables, links, others, spice)| {
        let dialect = TestDialect::altering().id;
        let mut text: Vec<String> = Vec::new();
        for (at, body) in &tables {
            let targets = links.iter().filter(|(from, to)| from == at && tables.contains_key(to));
            let keys: Vec<String> =
                targets.map(|(_, to)| format!(", foreign key f{to} (a) references t{to} (a)")).collect();
            text.push(format!("table t{at}: {body}{}", keys.concat()));
        }
        let exists = |line: &String| (0..4).all(|at| !line.contains(&format!("t{at}")) || tables.contains_key(&at));
        text.extend(others.into_iter().filter(exists));
        let mut schema = schema(dialect, &text.join(";"));
        season(&mut schema, spice);
        schema
    })
}

/// Comments, defaults, uses of the enum, an owned sequence, a generated column.
fn season(schema: &mut Schema, spice: u8) {
    let has = |bit: u8| spice & (1 << bit) != 0;
    let mood = name("mood");
    let has_mood = schema.types.contains_key(&mood);
    let has_sequence = schema.sequences.contains_key(&name("s"));
    let Some(table) = schema.tables.values_mut().next() else { return };
    let owner = PartId { table: table.name.clone(), name: table.columns[0].name.clone() };
    if has(0) {
        table.common.comment = Some("words".to_owned());
    }
    if has(1) {
        table.columns[0].comment = Some("more words".to_owned());
    }
    if has(2) {
        table.columns[0].default = Some(SqlExpr::new("7"));
    }
    if has(3) && has_mood {
        table.columns.push(Column::new(ident("m"), DataType::named(mood)));
    }
    if has(4) {
        let mut column = Column::new(ident("g"), DataType::builtin("integer"));
        let expr = SqlExpr::new(if has(5) { "a + 1" } else { "a + 2" });
        column.generated = has(6).then_some(Generated { expr, stored: true });
        table.columns.push(column);
    }
    if has(7) && has_sequence {
        schema.sequences.values_mut().for_each(|sequence| sequence.owned_by = Some(owner.clone()));
    }
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

fn without_comments(schema: &mut Schema) {
    for table in schema.tables.values_mut() {
        table.common.comment = None;
        table.columns.iter_mut().for_each(|column| column.comment = None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

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
            if !dialect.capabilities.comments {
                [&mut before, &mut after].into_iter().for_each(without_comments);
            }
            let case = of_schemas(dialect, &before, &after).option(|options| options.no_renames = true);
            case.prove();
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
