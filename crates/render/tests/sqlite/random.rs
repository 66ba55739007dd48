//! Tables that nobody thought of: what is rendered is what is read back, and any one becomes any other.

use proptest::prelude::*;
use trueup_plan::{Desired, Hints, Live, Ownership, PlanOptions};
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, Deferrable, DialectId, FkAction, ForeignKey, Generated, Ident, Index,
    IndexKey, IndexPart, Key, QualName, Schema, SqlExpr, Table,
};
use trueup_snapshot::Snapshot;

use crate::harness::{dialect, empty, ident, name, read, run, snapshot, values};

/// Names that are keywords, need quotes, or look like something else.
const NAMES: [&str; 6] = ["plain", "Mixed Case", "order", "it's", "a\"b", "größe"];

fn key(columns: Vec<IndexPart>) -> Key {
    Key { columns, include: Vec::new(), nulls_not_distinct: false, without_overlaps: false }
}

prop_compose! {
    fn column(at: usize)(
        kind in 0..4usize, not_null in any::<bool>(), clause in 0..3usize, default in 0..5usize, collated in any::<bool>(), generated in 0..4usize,
    ) -> Column {
        let mut column = Column::new(ident(NAMES[at]), DataType::builtin(["INTEGER", "TEXT", "REAL", "BLOB"][kind]));
        column.not_null = not_null;
        column.not_null_clause = (not_null && clause == 1).then(|| "FAIL".to_owned());
        column.collation = (collated && kind == 1).then(|| name("NOCASE"));
        if generated == 0 && at > 1 {
            let expr = SqlExpr::new(format!("{} || 'x'", ident(NAMES[1]).quoted(DialectId::Sqlite)));
            column.generated = Some(Generated { expr, stored: clause == 2 });
        } else if default < 4 {
            column.default = Some(SqlExpr::new(["'it''s -- no'", "-5", "(1 + 2)", "CURRENT_TIMESTAMP"][default]));
        }
        column
    }
}

fn constraint(which: usize, width: usize, parent: &QualName) -> Constraint {
    let column = |at: usize| ident(NAMES[at % width]);
    let named = |at: usize| (at.is_multiple_of(2)).then(|| ident(["c1", "odd \"name"][at / 2 % 2]));
    let quoted = column(1).quoted(DialectId::Sqlite);
    let kind = match which % 4 {
        0 => ConstraintKind::Unique(key(vec![IndexPart::column(column(1))])),
        1 => ConstraintKind::Check {
            expr: SqlExpr::new(format!("{quoted} <> 'a, (b' /* c */")),
            no_inherit: false,
            column: None,
        },
        2 => ConstraintKind::ForeignKey(ForeignKey {
            columns: vec![column(which)],
            references: parent.clone(),
            referenced_columns: Vec::new(),
            on_delete: [FkAction::Cascade, FkAction::NoAction, FkAction::SetNull][which % 3],
            on_delete_columns: Vec::new(),
            on_update: FkAction::Restrict,
            match_type: None,
            period: false,
        }),
        _ => ConstraintKind::Unique(key(vec![
            IndexPart { descending: true, ..IndexPart::column(column(2)) },
            IndexPart { collation: Some(name("RTRIM")), ..IndexPart::column(column(0)) },
        ])),
    };
    let mut constraint = Constraint::new(named(which), kind);
    if which > 6 && matches!(constraint.kind, ConstraintKind::ForeignKey(_)) {
        constraint.deferrable = Deferrable::InitiallyDeferred;
    } else if which > 6 && matches!(constraint.kind, ConstraintKind::Unique(_)) {
        constraint.on_conflict = Some("IGNORE".to_owned());
    }
    constraint
}

fn index(at: usize, which: usize, width: usize) -> Index {
    let column = |at: usize| ident(NAMES[at % width]);
    let expr = SqlExpr::new(format!("lower({})", column(1).quoted(DialectId::Sqlite)));
    let part = |key| IndexPart { key, ..IndexPart::column(column(0)) };
    let parts = match which % 3 {
        0 => vec![IndexPart { descending: true, ..IndexPart::column(column(1)) }],
        1 => vec![part(IndexKey::Expr(expr))],
        _ => vec![
            IndexPart { collation: Some(name("NOCASE")), ..IndexPart::column(column(0)) },
            part(IndexKey::Column(column(1))),
        ],
    };
    let mut index = Index::new(ident(&format!("ix {at}")), parts);
    index.unique = which > 3;
    index.predicate = (which > 4).then(|| SqlExpr::new(format!("{} IS NOT NULL", column(1).quoted(DialectId::Sqlite))));
    index
}

prop_compose! {
    fn table(at: usize)(
        columns in (column(0), column(1), column(2), column(3), column(4)), width in 2..6usize, key_kind in 0..5usize,
        constraints in prop::collection::vec(0..10usize, 0..4), indexes in prop::collection::vec(0..6usize, 0..3), strict in any::<bool>(),
    ) -> Table {
        let mut table = Table::new(name(["t", "Other Table"][at]));
        let (a, b, c, d, e) = columns;
        table.columns = vec![a, b, c, d, e];
        table.columns.truncate(width);
        table.options.strict = strict;
        let first = table.columns[0].name.clone();
        let parts = match key_kind {
            0 => Vec::new(),
            1 | 2 => vec![IndexPart::column(first)],
            _ => vec![IndexPart::column(table.columns[1].name.clone()), IndexPart::column(first)],
        };
        if !parts.is_empty() {
            table.constraints.push(Constraint::new(None, ConstraintKind::PrimaryKey(key(parts))));
        }
        if key_kind == 1 {
            table.columns[0] = Column { auto_increment: true, ..Column::new(table.columns[0].name.clone(), DataType::builtin("INTEGER")) };
        }
        table.options.without_rowid = key_kind == 4;
        for which in constraints {
            let constraint = constraint(which, width, &name(["Other Table", "t"][at]));
            if !table.constraints.iter().any(|other| other.kind == constraint.kind || (other.name == constraint.name && other.name.is_some())) {
                table.constraints.push(constraint);
            }
        }
        table.indexes = indexes.iter().enumerate().map(|(n, which)| index(at * 10 + n, *which, width)).collect();
        table
    }
}

fn schema() -> impl Strategy<Value = Schema> {
    (table(0), table(1)).prop_map(|(one, other)| {
        let mut schema = Schema::new(DialectId::Sqlite);
        schema.insert(one);
        schema.insert(other);
        schema
    })
}

fn desired(snapshot: Snapshot) -> Desired {
    Desired {
        snapshot,
        hints: Hints::default(),
        provenance: std::collections::BTreeMap::new(),
        unmodelled: Vec::new(),
        notes: Vec::new(),
        elaborated: true,
        privileges: false,
        namespaces: std::collections::BTreeSet::new(),
    }
}

/// Takes the database to `schema`; gives the statements.
async fn apply(session: &mut dyn trueup_session::Session, schema: &Schema) -> String {
    let now = read(session).await;
    let dialect = dialect(&now);
    let live =
        Live { snapshot: Snapshot::of(&now.schema, &dialect).unwrap(), facts: now.facts, unmanaged: now.unmanaged };
    let wanted = Snapshot::of(schema, &dialect).unwrap();
    let options = PlanOptions { ownership: Ownership::All, no_renames: true, ..PlanOptions::default() };
    let plan = trueup_diff::diff(&live, &desired(wanted.clone()), &options, &dialect);
    assert!(plan.refusals.is_empty(), "{:#?}", plan.refusals);
    let script = trueup_render::render(&plan, &dialect).unwrap();
    let sql = script.to_sql();
    run(session, &script).await.unwrap_or_else(|error| panic!("{error}\n{sql}"));
    let after = snapshot(session).await;
    assert_eq!(after.root(), wanted.root(), "{sql}\n{:#?}\n{:#?}", after.schema().tables, wanted.schema().tables);
    sql
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schema_becomes_any_other(one in schema(), other in schema()) {
        wait(async {
            let mut session = empty().await;
            apply(session.as_mut(), &one).await;
            let again = apply(session.as_mut(), &one).await;
            assert_eq!(again, "", "nothing was left to do");
            apply(session.as_mut(), &other).await;
            assert_eq!(values(session.as_mut(), "PRAGMA integrity_check").await, [["ok"]]);
        });
    }
}

#[test]
fn names_are_names() {
    assert!(NAMES.iter().all(|text| Ident::new(text).is_ok()));
}
