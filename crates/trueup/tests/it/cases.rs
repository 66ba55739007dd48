//! Every case: the plan between its two schemas is the one in the file, and where it is not refused, carrying it out leaves nothing
//! to do. `UPDATE_CASES=1` writes what was planned into the files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use trueup::execute::RunStatus;
use trueup::plan::{Change, Class, Consent, Ownership, PlanStatus};
use trueup::{ApplyRequest, Declared, Options, Pipeline, Planned, Side, Silence};
use trueup_testkit::{TestDatabase, servers};

use crate::case::Case;

fn files() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(path.extension().unwrap(), "case", "{} is no case", path.display());
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn options(case: &Case) -> Options {
    let mut options = Options::new().unwrap();
    options.plan.ownership = Ownership::All;
    options.plan.no_renames = case.flag("no-renames");
    options.plan.safe = case.flag("safe");
    options.plan.online = case.flag("online");
    options
}

/// A plan in lines: class and operation, what it costs, and why it is refused.
fn plan_lines(planned: &Planned) -> String {
    let mut out = String::new();
    for operation in &planned.plan.operations {
        let class = if operation.held_back { "held" } else { operation.class.as_str() };
        let to = match &operation.change {
            Change::Rename { to, .. } => format!(" to {to}"),
            _ => String::new(),
        };
        writeln!(out, "{class:<8} {}{to}", operation.id).unwrap();
        match &operation.class {
            Class::Lossy { what } => writeln!(out, "           loses {what}").unwrap(),
            Class::Blocked { why, fix, .. } => writeln!(out, "           {why}\n           fix: {fix}").unwrap(),
            Class::Safe | Class::Guarded => {}
        }
        for hazard in &operation.hazards {
            writeln!(out, "           {}: {}", hazard.code.as_str(), hazard.message).unwrap();
        }
    }
    for refusal in &planned.plan.refusals {
        writeln!(
            out,
            "refused  {} ({}): {}\n           fix: {}",
            refusal.object, refusal.code, refusal.why, refusal.fix
        )
        .unwrap();
    }
    if out.is_empty() { "nothing\n".to_owned() } else { out }
}

/// Plans the case on `engine` and carries it out on `database`.
async fn rerun(case: &Case, engine: &str, database: &TestDatabase) -> Case {
    let declared = |section: &str| {
        let text = case.section(&format!("{section} {engine}")).unwrap_or_default();
        Declared::sql(format!("{section}.sql"), text)
    };
    let pipeline = Pipeline::new(database.url().clone(), None, options(case)).unwrap();
    let planned =
        pipeline.compare(&Side::Declared(declared("before")), &Side::Declared(declared("after"))).await.unwrap();
    let mut actual = case.clone();
    // Where the default namespace is the database, it has another name each time.
    let plain =
        |text: String| if matches!(engine, "mysql" | "mariadb") { text.replace(database.name(), "app") } else { text };
    actual.set(&format!("plan {engine}"), &plain(plan_lines(&planned)));
    let sql = if planned.plan.status() == PlanStatus::Pending { planned.script.to_sql() } else { String::new() };
    actual.set(&format!("sql {engine}"), &plain(sql));
    carry_out(case, engine, database, &declared("before"), &declared("after")).await;
    actual
}

/// Makes the first schema, fills it, and gets to the second. A second plan must then be empty.
async fn carry_out(case: &Case, engine: &str, database: &TestDatabase, before: &Declared, after: &Declared) {
    let pipeline = Pipeline::new(database.url().clone(), None, options(case)).unwrap();
    let apply = |declared| pipeline.apply(declared, Consent::AllLosses, ApplyRequest::default(), &Silence);
    let made = apply(before).await.unwrap();
    assert!(matches!(made.status, RunStatus::Synced | RunStatus::UpToDate), "{made:?}");
    if let Some(rows) = case.section(&format!("rows {engine}")) {
        let mut session = database.session().await.unwrap();
        for statement in rows.split(";\n").filter(|statement| !statement.trim().is_empty()) {
            session.execute(statement).await.unwrap();
        }
        session.close().await.unwrap();
    }
    let planned = pipeline.plan(after).await.unwrap();
    let done = apply(after).await.unwrap();
    match planned.status() {
        PlanStatus::Refused => assert_eq!(done.status, RunStatus::Refused),
        PlanStatus::HeldBack => assert_eq!(done.status, RunStatus::HeldBack),
        PlanStatus::UpToDate => assert_eq!(done.status, RunStatus::UpToDate),
        PlanStatus::Pending => {
            let expected = if case.flag("safe") { RunStatus::HeldBack } else { RunStatus::Synced };
            assert!(done.status == RunStatus::Synced || done.status == expected, "{done:?}");
            let again = pipeline.plan(after).await.unwrap();
            assert!(matches!(again.status(), PlanStatus::UpToDate | PlanStatus::HeldBack), "{}", plan_lines(&again));
        }
    }
}

/// Writes what was planned for one engine; another test may be writing for another one.
fn write(file: &Path, engine: &str, actual: &Case) {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let guard = ONE_AT_A_TIME.lock().unwrap();
    let mut case = Case::parse(&std::fs::read_to_string(file).unwrap());
    for section in ["plan", "sql"].map(|part| format!("{part} {engine}")) {
        case.set(&section, actual.section(&section).unwrap());
    }
    std::fs::write(file, case.to_string()).unwrap();
    drop(guard);
}

async fn check(engine: &str, database: impl AsyncFn() -> TestDatabase) {
    let update = std::env::var_os("UPDATE_CASES").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files() {
        let case = Case::parse(&std::fs::read_to_string(&file).unwrap());
        if case.section(&format!("after {engine}")).is_none() {
            continue;
        }
        count += 1;
        eprintln!("{}", file.display());
        let actual = rerun(&case, engine, &database().await).await;
        if actual == case {
            continue;
        }
        if update {
            write(&file, engine, &actual);
        } else {
            wrong.push(format!("{}, which should read\n{actual}", file.display()));
        }
    }
    assert!(count > 0, "no case for {engine}");
    assert!(wrong.is_empty(), "run with UPDATE_CASES=1 and look at the difference\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn sqlite() {
    check("sqlite", async || TestDatabase::sqlite().unwrap()).await;
}

#[tokio::test]
async fn postgres() {
    let server = servers::postgres().pop().unwrap();
    check("postgres", async || TestDatabase::on(&server).await.unwrap()).await;
}

#[tokio::test]
async fn mysql() {
    let server = servers::mysql().pop().unwrap();
    check("mysql", async || TestDatabase::on(&server).await.unwrap()).await;
}

#[tokio::test]
async fn mariadb() {
    let server = servers::mariadb().pop().unwrap();
    check("mariadb", async || TestDatabase::on(&server).await.unwrap()).await;
}
