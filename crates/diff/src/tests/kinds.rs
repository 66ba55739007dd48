use trueup_plan::{CheckRule, LossProbe};
use trueup_schema::{Common, Generated, Grant, Identity, Policy, RowSecurity, Sequence, SequenceOptions, SqlExpr};

use super::{case, check, of_schemas};
use crate::test_dialect::TestDialect;
use crate::test_schema::{name, part, schema};

#[test]
fn tables_come_and_go() {
    check("", "table t: id integer", &["create-table:t safe"]);
    check("table t: id integer", "", &["drop-table:t lossy"]);
    let implied = case("", "table s.t: id integer, index i (id), unique u (id)");
    assert_eq!(implied.found(), ["create-namespace:s safe", "create-table:s.t safe", "create-index:s.t.i safe"]);
    check("table t: id integer, index i (id); trigger t.r: x; sequence s", "sequence s", &["drop-table:t lossy"]);
}

#[test]
fn columns() {
    check("table t: a integer", "table t: a integer, b text", &["add-column:t.b safe"]);
    check("table t: a integer, b text", "table t: a integer", &["drop-column:t.b lossy"]);
    check("table t: a integer", "table t: a integer, b text not null", &["add-column:t.b guarded"]);
    check("table t: a integer", "table t: a integer, b text default 'x' not null", &["add-column:t.b safe"]);
    check("table t: a integer", "table t: a bigint", &["alter-column-type:t.a safe"]);
    check("table t: a bigint", "table t: a integer", &["alter-column-type:t.a guarded"]);
    check("table t: a timestamp", "table t: a date", &["alter-column-type:t.a lossy"]);
    check("table t: a text", "table t: a integer", &["alter-column-type:t.a blocked(needs-using)"]);
    check("table t: a text", "table t: a text default 'x'", &["set-default:t.a safe"]);
    check("table t: a text default 'x'", "table t: a text", &["drop-default:t.a safe"]);
    check("table t: a text", "table t: a text not null", &["set-not-null:t.a guarded"]);
    check("table t: a text not null", "table t: a text", &["drop-not-null:t.a safe"]);
}

#[test]
fn a_hint_fills_rows_before_not_null() {
    let mut added = case("table t: a integer", "table t: a integer, b text default 'y' not null");
    added.desired.hints.backfills.insert(part("t", "b"), SqlExpr::new("'x'"));
    let expected = ["add-column:t.b safe", "backfill:t.b safe", "set-not-null:t.b guarded", "set-default:t.b safe"];
    assert_eq!(added.found(), expected);
    assert!(added.plan().drafts.iter().all(|draft| draft.checks.is_empty()));

    let mut existing = case("table t: a integer", "table t: a integer not null");
    assert_eq!(existing.plan().drafts[0].checks.len(), 1);
    existing.desired.hints.backfills.insert(part("t", "a"), SqlExpr::new("0"));
    assert_eq!(existing.found(), ["backfill:t.a safe", "set-not-null:t.a guarded"]);
    assert!(existing.plan().drafts[1].checks.is_empty());
}

#[test]
fn a_hint_converts_values() {
    let mut case = case("table t: a text", "table t: a integer");
    case.desired.hints.using.insert(part("t", "a"), SqlExpr::new("a::integer"));
    assert_eq!(case.found(), ["alter-column-type:t.a guarded"]);
    let plan = case.plan();
    assert!(matches!(&plan.drafts[0].checks[0].rule, CheckRule::Converts { using: Some(_), .. }));
}

#[test]
fn a_generated_column_is_replaced_unless_the_rule_only_goes() {
    let dialect = TestDialect::altering();
    let plain = schema(dialect.id, "table t: a integer, b integer");
    let mut generated = plain.clone();
    let rule = Some(Generated { expr: SqlExpr::new("a + 1"), stored: true });
    generated.tables.get_mut(&name("t")).unwrap().columns[1].generated = rule;
    let mut other = generated.clone();
    let rule = Some(Generated { expr: SqlExpr::new("a + 2"), stored: true });
    other.tables.get_mut(&name("t")).unwrap().columns[1].generated = rule;
    let found = |before, after| of_schemas(TestDialect::altering(), before, after).found();
    assert_eq!(found(&plain, &generated), ["drop-column:t.b lossy", "add-column:t.b safe"]);
    assert_eq!(found(&generated, &other), ["drop-column:t.b safe", "add-column:t.b safe"]);
    assert_eq!(found(&generated, &plain), ["set-generated:t.b safe"]);
}

#[test]
fn identities_and_attributes() {
    let dialect = TestDialect::altering();
    let plain = schema(dialect.id, "table t: a integer not null");
    let mut other = plain.clone();
    let column = &mut other.tables.get_mut(&name("t")).unwrap().columns[0];
    column.identity = Some(Box::new(Identity { always: true, options: SequenceOptions::default(), sequence: None }));
    column.attributes.insert("storage".to_owned(), "plain".to_owned());
    column.comment = Some("c".to_owned());
    let found = of_schemas(dialect, &plain, &other).found();
    assert_eq!(found, ["set-identity:t.a safe", "set-column-attributes:t.a safe", "set-comment:t.a safe"]);
}

#[test]
fn constraints() {
    let t = "table t: a integer, b integer";
    check(t, &format!("{t}, primary key (a)"), &["add-constraint:t.t_pkey guarded"]);
    check(t, &format!("{t}, unique u (a)"), &["add-constraint:t.u guarded"]);
    check(t, &format!("{t}, check c (a > 0)"), &["add-constraint:t.c guarded"]);
    check(&format!("{t}, check c (a > 0)"), t, &["drop-constraint:t.c safe"]);
    check(
        &format!("{t}, check c (a > 0)"),
        &format!("{t}, check c (a > 1)"),
        &["drop-constraint:t.c safe", "add-constraint:t.c guarded"],
    );
    check(
        &format!("table r: a integer; {t}"),
        &format!("table r: a integer; {t}, foreign key f (a) references r (a)"),
        &["add-constraint:t.f guarded"],
    );
}

#[test]
fn a_constraint_is_validated_or_deferred_in_place() {
    let dialect = TestDialect::altering();
    let text = "table r: a integer; table t: a integer, foreign key f (a) references r (a)";
    let valid = schema(dialect.id, text);
    let mut open = valid.clone();
    open.tables.get_mut(&name("t")).unwrap().constraints[0].validated = false;
    let mut deferred = valid.clone();
    deferred.tables.get_mut(&name("t")).unwrap().constraints[0].deferrable =
        trueup_schema::Deferrable::InitiallyDeferred;
    let found = |before, after| of_schemas(TestDialect::altering(), before, after).found();
    assert_eq!(found(&open, &valid), ["validate-constraint:t.f guarded"]);
    assert_eq!(found(&valid, &deferred), ["alter-constraint:t.f safe"]);
    assert_eq!(found(&valid, &open), ["drop-constraint:t.f safe", "add-constraint:t.f safe"]);
}

#[test]
fn constraints_without_names_are_paired_by_what_they_demand() {
    let found = |before: &str, after: &str| {
        let dialect = TestDialect::rebuilding();
        let (before, after) = (schema(dialect.id, before), schema(dialect.id, after));
        of_schemas(dialect, &before, &after).found()
    };
    let two = "table t: a integer, check - (a > 0), check - (a > 0)";
    assert!(found(two, two).is_empty());
    assert_eq!(
        found(two, "table t: a integer, check - (a > 0), check - (a < 9)"),
        ["drop-constraint:t:check(a > 0) safe", "add-constraint:t:check(a < 9) guarded"]
    );
    // a name is part of the declaration, and an engine that rebuilds has no other way to change it
    assert_eq!(
        found("table t: a integer, check c (a > 0)", "table t: a integer, check - (a > 0)"),
        ["drop-constraint:t.c safe", "add-constraint:t:check(a > 0) guarded"]
    );
}

#[test]
fn indexes() {
    let t = "table t: a integer, b integer";
    check(t, &format!("{t}, index i (a)"), &["create-index:t.i safe"]);
    check(t, &format!("{t}, unique index i (a)"), &["create-index:t.i guarded"]);
    check(&format!("{t}, index i (a)"), t, &["drop-index:t.i safe"]);
    check(
        &format!("{t}, index i (a)"),
        &format!("{t}, index i (b)"),
        &["drop-index:t.i safe", "create-index:t.i safe"],
    );
    let dialect = TestDialect::altering();
    let whole = schema(dialect.id, &format!("{t}, index i (a)"));
    let mut cut = whole.clone();
    cut.tables.get_mut(&name("t")).unwrap().indexes[0].valid = false;
    assert_eq!(of_schemas(dialect, &cut, &whole).found(), ["drop-index:t.i safe", "create-index:t.i safe"]);
}

#[test]
fn views() {
    let t = "table t: a integer;";
    check(t, &format!("{t} view v: select a from t"), &["create-view:v safe"]);
    check(&format!("{t} view v: select a from t"), &format!("{t} view v: select 1"), &["replace-view:v safe"]);
    check(
        &format!("{t} materialized v: select a from t"),
        &format!("{t} materialized v: select 1"),
        &["drop-view:v safe", "create-view:v safe"],
    );
    check(
        &format!("{t} view v: select a from t"),
        &format!("{t} materialized v: select a from t"),
        &["drop-view:v safe", "create-view:v safe"],
    );
    check(&format!("{t} materialized v: select a from t"), t, &["drop-view:v lossy"]);
}

#[test]
fn enums() {
    let used = |labels: &str| format!("enum mood: {labels}; table t: a @mood");
    check(
        &used("a, c"),
        &used("x, a, b, c, d, e"),
        &[
            "add-enum-value:mood:x safe",
            "add-enum-value:mood:b safe",
            "add-enum-value:mood:d safe",
            "add-enum-value:mood:e safe",
        ],
    );
    check(&used("a, b"), &used("b"), &["rebuild-enum:mood guarded"]);
    check(&used("a, b"), &used("b, a"), &["rebuild-enum:mood safe"]);
    let case = case(&used("a, b"), &used("b"));
    let plan = case.plan();
    let CheckRule::ValuesUnused { column, values } = &plan.drafts[0].checks[0].rule else { panic!("another check") };
    assert_eq!((column.as_str(), values.as_slice()), ("a", &["a".to_owned()][..]));
}

#[test]
fn sequences_are_tied_after_they_are_made() {
    let dialect = TestDialect::altering();
    let before = schema(dialect.id, "table t: a integer");
    let mut after = before.clone();
    let owned_by = Some(part("t", "a"));
    let (options, common) = (SequenceOptions::default(), Common::default());
    after.insert(Sequence { name: name("s"), options, unlogged: false, owned_by, common });
    let made = of_schemas(TestDialect::altering(), &before, &after).found();
    assert_eq!(made, ["create-sequence:s safe", "set-sequence-owner:s safe"]);
    let dropped = of_schemas(TestDialect::altering(), &after, &before);
    assert_eq!(dropped.found(), ["drop-sequence:s lossy"]);
    let plan = dropped.plan();
    assert_eq!(plan.drafts[0].loss, [LossProbe::Position { sequence: name("s") }]);
    let with_column = of_schemas(dialect, &after, &schema(before.dialect, "table t: b text"));
    assert_eq!(with_column.found(), ["drop-column:t.a lossy", "add-column:t.b safe"]);
}

#[test]
fn routines_triggers_policies_and_switches() {
    check("function f(integer): a", "function f(integer): b", &["replace-routine:f(integer) safe"]);
    let t = "table t: a integer;";
    check(
        &format!("{t} trigger t.r: a"),
        &format!("{t} trigger t.r: b"),
        &["drop-trigger:t.r safe", "create-trigger:t.r safe"],
    );
    let dialect = TestDialect::altering();
    let before = schema(dialect.id, t);
    let mut after = before.clone();
    after.tables.get_mut(&name("t")).unwrap().row_security = RowSecurity { enabled: true, forced: false };
    after.insert(Policy {
        id: part("t", "p"),
        restrictive: false,
        command: "ALL".to_owned(),
        roles: vec!["PUBLIC".to_owned()],
        using: Some(SqlExpr::new("a > 0")),
        check: None,
        comment: None,
        depends_on: Vec::new(),
    });
    let made = of_schemas(TestDialect::altering(), &before, &after).found();
    assert_eq!(made, ["set-row-security:t safe", "create-policy:t.p safe"]);
    let back = of_schemas(dialect, &after, &before);
    let plan = back.plan();
    for draft in &plan.drafts {
        assert_eq!(draft.hazards[0].code, trueup_plan::HazardCode::RemovesProtection, "{}", draft.id());
    }
    assert_eq!(plan.drafts.len(), 2);
}

#[test]
fn privileges_of_unknown_roles_are_refused() {
    let dialect = TestDialect::altering();
    let before = schema(dialect.id, "table t: a integer");
    let mut after = before.clone();
    let grant = Grant { grantee: "ann".to_owned(), privilege: "SELECT".to_owned(), column: None, grantable: false };
    after.tables.get_mut(&name("t")).unwrap().common.grants = Some(vec![grant]);
    let mut case = of_schemas(dialect, &before, &after);
    case.live.facts.roles.insert("bob".to_owned());
    assert_eq!(case.found(), ["set-grants:t safe", "refused unknown-role t"]);
    case.live.facts.roles.insert("ann".to_owned());
    assert_eq!(case.found(), ["set-grants:t safe"]);
}

#[test]
fn checks_ask_about_what_rows_hold_today() {
    let new_column = case("table t: a integer", "table t: a integer, b integer, check c (a > b)");
    let plan = new_column.plan();
    let check = plan.drafts.iter().find_map(|draft| draft.checks.first()).unwrap();
    assert_eq!(check.rule, CheckRule::Holds { expr: SqlExpr::new("a > NULL") });

    let new_target =
        case("table t: a integer", "table r: a integer; table t: a integer, foreign key f (a) references r (a)");
    let plan = new_target.plan();
    let check = plan.drafts.iter().find_map(|draft| draft.checks.first()).unwrap();
    assert_eq!(check.rule, CheckRule::Holds { expr: SqlExpr::new("\"a\" IS NULL") });

    let mut empty = case("table t: a integer", "table t: a integer, unique u (a)");
    let size = trueup_plan::TableSize { rows: Some(0), bytes: 0, empty: true };
    empty.live.facts.sizes.insert(name("t"), size);
    assert!(empty.plan().drafts[0].checks.is_empty());
}

#[test]
fn a_verdict_of_no_way_blocks() {
    let dialect = TestDialect::altering();
    let before = schema(dialect.id, "table t: a integer");
    let mut after = before.clone();
    let by = SqlExpr::new("HASH (a)");
    let partitioning = trueup_schema::Partitioning { by, partitions: Vec::new() };
    after.tables.get_mut(&name("t")).unwrap().partitioning = Some(partitioning);
    let case = of_schemas(dialect, &before, &after);
    assert_eq!(case.found(), ["alter-table:t blocked(partitioning)"]);
    assert_eq!(case.plan().refusals.len(), 1);
}

#[test]
fn moved_columns_are_as_few_as_can_be() {
    let mut dialect = TestDialect::altering();
    dialect.capabilities.column_order = true;
    let before = schema(dialect.id, "table t: a integer, b integer, c integer, d integer");
    let after = schema(dialect.id, "table t: d integer, a integer, x text, b integer, c integer");
    let case = of_schemas(dialect, &before, &after);
    assert_eq!(case.found(), ["move-column:t.d safe", "add-column:t.x safe"]);
}
