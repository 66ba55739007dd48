//! What planning costs without a server: hashing, comparing, ordering and rendering schemas of several sizes.
//!
//! `cargo xtask bench --pure` runs this and works out how each part grows with the number of tables.
#![expect(clippy::unwrap_used, reason = "a bench has no caller to tell")]

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use trueup::dialect::{Dialect, dialect_with};
use trueup::diff::diff;
use trueup::plan::{Desired, Hints, Live, LiveFacts, PlanOptions, Server};
use trueup::render::render;
use trueup::schema::builder::{bigint, desc, json, now, text, timestamptz, varchar};
use trueup::schema::{DialectId, FkAction, Ident, Schema};
use trueup::snapshot::Snapshot;

const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// Eight columns, a key, two indexes, a reference to an earlier table; in a changed schema every twentieth has a column and an index more.
fn schema(tables: usize, is_changed: bool) -> Schema {
    let mut built = Schema::build(DialectId::Postgres);
    for number in 0..tables {
        let mut table = built.table(format!("public.table_{number}"));
        table.column("id", bigint()).identity_always().primary_key();
        let parent = table.column("parent", bigint());
        if number > 0 {
            parent.references(format!("public.table_{}", number / 2), "id", FkAction::Cascade);
        }
        for name in ["name", "city", "street"] {
            table.column(name, varchar(100)).not_null();
        }
        table.column("note", text());
        table.column("payload", json());
        table.column("made", timestamptz()).not_null().default(now());
        table.index(format!("table_{number}_name"), ["name"]);
        table.index(format!("table_{number}_made"), [desc("made")]);
        if is_changed && number % 20 == 0 {
            table.column("more", bigint());
            table.index(format!("table_{number}_more"), ["more"]);
        }
    }
    built.finish().unwrap()
}

fn live(snapshot: Snapshot) -> Live {
    let server = Server { dialect: DialectId::Postgres, version: [18, 0, 0], default_namespace: Some(public()) };
    Live { snapshot, facts: LiveFacts::of(server), unmanaged: Vec::new() }
}

fn desired(snapshot: Snapshot) -> Desired {
    Desired {
        snapshot,
        hints: Hints::default(),
        provenance: BTreeMap::new(),
        unmodelled: Vec::new(),
        notes: Vec::new(),
        elaborated: true,
        privileges: false,
        namespaces: BTreeSet::from([public()]),
    }
}

fn public() -> Ident {
    Ident::new("public").unwrap()
}

fn pure(criterion: &mut Criterion) {
    let dialect = dialect_with(DialectId::Postgres, [18, 0, 0], &BTreeMap::new()).unwrap();
    let dialect: &dyn Dialect = dialect.as_ref();
    let options = PlanOptions::default();
    for tables in SIZES {
        let (before, after) = (schema(tables, false), schema(tables, true));
        let made = Snapshot::of(&before, dialect).unwrap();
        let (live, same) = (live(made.clone()), desired(made));
        let changed = desired(Snapshot::of(&after, dialect).unwrap());
        let plan = diff(&live, &changed, &options, dialect);
        assert!(diff(&live, &same, &options, dialect).operations.is_empty());
        assert_eq!(plan.operations.len(), tables.div_ceil(20) * 2);
        let mut part = |name: &str, run: &mut dyn FnMut()| {
            let mut group = criterion.benchmark_group(name);
            group.sample_size(10);
            group.bench_function(BenchmarkId::from_parameter(tables), |bencher| bencher.iter(&mut *run));
            group.finish();
        };
        part("hash", &mut || drop(black_box(Snapshot::of(&before, dialect).unwrap())));
        part("diff, nothing to do", &mut || drop(black_box(diff(&live, &same, &options, dialect))));
        part("diff and order, 5 % change", &mut || drop(black_box(diff(&live, &changed, &options, dialect))));
        part("render, 5 % change", &mut || drop(black_box(render(&plan, dialect).unwrap())));
    }
}

criterion_group!(benches, pure);
criterion_main!(benches);
