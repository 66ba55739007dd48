//! Random pairs of schemas: the plan works out in memory, step by step.

use std::fmt::Write as _;

use proptest::prelude::*;
use trueup_dialect::postgres::Postgres;
use trueup_dialect::sqlite::Sqlite;
use trueup_dialect::{Dialect, Online};
use trueup_plan::{PlanOptions, Refusal, Tracked};
use trueup_schema::{Dependency, ObjectRef, PartId, Schema};

use super::world::carry_out;
use crate::diff;
use crate::test_dialect::TestDialect;
use crate::test_schema::{desired, live, name, schema};

/// Knobs of one table.
type Knobs = (bool, u8, u8, Option<usize>, u8);

const TABLES: usize = 4;

fn any_world(dialect: impl Dialect + 'static) -> impl Strategy<Value = Schema> {
    let table = (any::<bool>(), 0..4_u8, any::<u8>(), proptest::option::of(0..TABLES), any::<u8>());
    let tables = proptest::collection::vec(proptest::option::weighted(0.8, table), TABLES);
    let views = (any::<u8>(), 0..3_u8);
    (tables, views, 1..4_usize).prop_map(move |(tables, views, labels)| world(&dialect, &tables, views, labels))
}

/// A schema in which tables refer to each other, views stand on views, and columns use an enum and a sequence.
fn world(dialect: &dyn Dialect, tables: &[Option<Knobs>], views: (u8, u8), labels: usize) -> Schema {
    let mut text = String::new();
    let typed = dialect.capabilities().namespaces;
    if typed {
        let labels: Vec<&str> = ["sad", "glad", "mad"].into_iter().take(labels).collect();
        writeln!(text, "enum mood: {}\nsequence s", labels.join(", ")).unwrap();
    }
    for (at, knobs) in tables.iter().enumerate() {
        let Some((wide, kind, bits, target, more)) = knobs else { continue };
        let id = if *wide { "bigint" } else { "integer" };
        write!(text, "table t{at}: id {id} not null, primary key (id)").unwrap();
        let kind = ["integer", "bigint", "date", "text"][usize::from(*kind)];
        if bits & 1 > 0 {
            write!(text, ", a {kind}{}", if bits & 2 > 0 { " not null" } else { "" }).unwrap();
            if bits & 4 > 0 {
                text.push_str(", index ");
                write!(text, "i{} (a)", if bits & 8 > 0 { at } else { 9 - at }).unwrap();
            }
            if bits & 16 > 0 {
                write!(text, ", check c{at} (a is not null)").unwrap();
            }
        }
        if bits & 32 > 0 {
            write!(text, ", b integer{}", if typed && bits & 64 > 0 { " default nextval('s')" } else { "" }).unwrap();
        }
        if typed && more & 1 > 0 {
            write!(text, ", m @mood{}", if more & 2 > 0 { " default 'sad'" } else { "" }).unwrap();
        }
        if more & 4 > 0 {
            write!(text, ", unique u{at} (id{})", if bits & 1 > 0 && more & 8 > 0 { ", a" } else { "" }).unwrap();
        }
        if let Some(target) = target.filter(|target| tables[*target].is_some()) {
            write!(text, ", r {}", if more & 16 > 0 { "integer" } else { "bigint" }).unwrap();
            write!(text, ", foreign key f{at} (r) references t{target} (id)").unwrap();
        }
        text.push('\n');
    }
    let mut schema = schema(dialect.id(), &text);
    add_views(&mut schema, views);
    let sequence = Dependency::hard(ObjectRef::Sequence(name("s")));
    for column in schema.tables.values_mut().flat_map(|table| &mut table.columns) {
        if column.default.as_ref().is_some_and(|default| default.as_str().starts_with("nextval")) {
            column.depends_on = vec![sequence.clone()];
        }
    }
    schema
}

fn add_views(schema: &mut Schema, (bits, shape): (u8, u8)) {
    let tables: Vec<_> = schema.tables.values().cloned().collect();
    for (at, table) in tables.iter().enumerate().filter(|(at, _)| bits & (1 << at) > 0) {
        let column = table.columns.iter().find(|column| shape > 0 && column.name.as_str() == "a");
        let column = column.unwrap_or(&table.columns[0]);
        let on = PartId { table: table.name.clone(), name: column.name.clone() };
        let query = format!("select {} from {}", column.name, table.name);
        let mut view = trueup_schema::View::new(name(&format!("v{at}")), trueup_schema::SqlExpr::new(query));
        view.common.depends_on = vec![Dependency::hard(ObjectRef::Column(on))];
        schema.insert(view);
        if bits & (16 << at) > 0 {
            let query = format!("select {shape} from v{at}");
            let mut view = trueup_schema::View::new(name(&format!("w{at}")), trueup_schema::SqlExpr::new(query));
            view.materialized = shape == 2;
            view.common.depends_on = vec![Dependency::hard(ObjectRef::View(name(&format!("v{at}"))))];
            schema.insert(view);
        }
    }
}

fn check(dialect: &dyn Dialect, before: &Schema, after: &Schema) -> Result<(), TestCaseError> {
    for online in [false, true] {
        works_out(dialect, before, after, online)?;
    }
    Ok(())
}

fn works_out(dialect: &dyn Dialect, before: &Schema, after: &Schema, online: bool) -> Result<(), TestCaseError> {
    let is_same = dialect.capabilities().online == Online::Same;
    if online && is_same {
        return Ok(());
    }
    let (mut live, desired) = (live(dialect, before), desired(dialect, after));
    let objects = live.snapshot.objects().map(|(object, _)| object.clone()).collect();
    live.facts.tracked = Some(Tracked { objects, pairs: Vec::new() });
    let options = PlanOptions { no_renames: true, online, ..PlanOptions::default() };
    let plan = diff(&live, &desired, &options, dialect);
    let faults = ["dependency-cycle", "inconsistent-plan", "ambiguous-operation"];
    // A sequence that moves from a dropped table to a new one which takes a name over from it: refused, since its owner would have to
    // change twice in one plan.
    let moves_an_owner = |refusal: &&Refusal| refusal.why.contains("`set-sequence-owner:");
    let faulty = plan.refusals.iter().filter(|refusal| faults.contains(&refusal.code.as_str()));
    let bad: Vec<_> = faulty.filter(|refusal| !moves_an_owner(refusal)).collect();
    prop_assert!(bad.is_empty(), "{bad:#?}");
    if plan.refusals.is_empty() {
        carry_out(&plan, live.snapshot.schema(), &desired, dialect);
    }
    prop_assert_eq!(&plan, &diff(&live, &desired, &options, dialect));
    Ok(())
}

fn retargeted(schema: &Schema, dialect: &dyn Dialect) -> Schema {
    Schema { dialect: dialect.id(), ..schema.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn plans_work_out(before in any_world(TestDialect::altering()), after in any_world(TestDialect::altering())) {
        check(&TestDialect::altering(), &before, &after)?;
        check(&Postgres::new([18, 0, 0]), &before, &after)?;
    }

    #[test]
    fn plans_of_rebuilds_work_out(
        before in any_world(TestDialect::rebuilding()),
        after in any_world(TestDialect::rebuilding()),
    ) {
        check(&TestDialect::rebuilding(), &before, &after)?;
        let sqlite = Sqlite::new([3, 46, 0]);
        check(&sqlite, &before, &after)?;
    }

    #[test]
    fn plans_of_shared_statements_work_out(
        before in any_world(TestDialect::merging()),
        after in any_world(TestDialect::merging()),
    ) {
        check(&TestDialect::merging(), &before, &after)?;
    }

    #[test]
    fn plans_of_everything_work_out(before in super::random::any_schema(), after in super::random::any_schema()) {
        for dialect in [TestDialect::altering(), TestDialect::merging()] {
            check(&dialect, &retargeted(&before, &dialect), &retargeted(&after, &dialect))?;
        }
        check(&Postgres::new([18, 0, 0]), &before, &after)?;
    }
}
