//! Starting servers, filling them, and taking the time.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use trueup_testkit::servers::{Lifetime, ServerName};

use super::generate::schema;
use super::table::{Measured, markdown, write};
use crate::context::Context;
use crate::demo;

/// Sizes with the number of rounds for each.
const SIZES: [(usize, usize); 2] = [(1_000, 7), (10_000, 3)];

/// What the words ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    sizes: Vec<(usize, usize)>,
    /// Commands of `pg_dump`, tried before those of the machine.
    dumps: Vec<String>,
}

fn read(words: &[String]) -> Result<Request> {
    let mut request = Request { sizes: SIZES.to_vec(), dumps: Vec::new() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--tables" => request.sizes = vec![(value.parse().context("`--tables` needs a number")?, 3)],
            "--pg-dump" => request.dumps.push(value.clone()),
            other => bail!("`{other}` is not known: --tables NUMBER, --pg-dump COMMAND"),
        }
    }
    Ok(request)
}

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    let request = read(words)?;
    let trueup = demo::build(context, &["--release"])?;
    let home = context.servers()?;
    home.reap()?;
    let folder = tempfile::TempDir::with_prefix("trueup-bench-").context("cannot make a temporary folder")?;
    let mut measured = Vec::new();
    for version in ["postgres15", "postgres18"] {
        let name: ServerName = version.parse()?;
        let server = home.start(name, Lifetime::Owner).with_context(|| format!("cannot start {name}"))?;
        let major = name.version;
        let dump = dump_of(major, &request.dumps);
        for (tables, rounds) in &request.sizes {
            let bench = Bench { trueup: &trueup, folder: folder.path(), url: server.record().url.clone(), dump: &dump };
            eprintln!("  PostgreSQL {major}, {tables} tables");
            let row = bench.measure(format!("PostgreSQL {}", server.record().version()?), *tables, *rounds)?;
            println!("{}", row.row());
            measured.push(row);
        }
    }
    let table = markdown(&measured);
    println!("{table}");
    if words.is_empty() || !words.iter().any(|word| word == "--tables") {
        write(&context.root.join("docs/performance.md"), &table)?;
    }
    Ok(ExitCode::SUCCESS)
}

struct Bench<'a> {
    trueup: &'a Path,
    folder: &'a Path,
    url: String,
    dump: &'a Option<Vec<String>>,
}

impl Bench<'_> {
    /// Makes a database of this size and looks at it, turn by turn.
    fn measure(&self, server: String, tables: usize, rounds: usize) -> Result<Measured> {
        let database = format!("bench_{tables}");
        self.psql("postgres", &["-c", &format!("CREATE DATABASE {database}")])?;
        let sql = self.folder.join(format!("{database}.sql"));
        std::fs::write(&sql, schema(tables))?;
        self.psql(&database, &["-1", "-f", &sql.display().to_string()])?;
        self.psql(&database, &["-c", "VACUUM ANALYZE"])?;
        let url = format!("{}/{database}", self.url);
        // a compiled document: planning it needs no scratch database
        let document = self.folder.join(format!("{database}.json"));
        let inspect = ["inspect", "--url", &url, "--format", "json"];
        let output = Command::new(self.trueup).args(inspect).output()?;
        ensure!(output.status.success(), "inspect failed: {}", String::from_utf8_lossy(&output.stderr));
        std::fs::write(&document, output.stdout)?;
        let document = document.display().to_string();
        let plan = ["plan", "--url", &url, "--schema", &document, "--exit-code"];
        let mut row = Measured {
            server,
            tables,
            rounds,
            dump: self.dump.as_ref().map(|_| Vec::new()),
            inspect: vec![],
            plan: vec![],
        };
        for _ in 0..rounds {
            if let (Some(dump), Some(times)) = (self.dump, &mut row.dump) {
                let (program, more) = dump.split_first().context("an empty pg_dump command")?;
                times.push(timed(Command::new(program).args(more).args(["-s", "-d", &url]))?);
            }
            row.inspect.push(timed(Command::new(self.trueup).args(inspect))?);
            row.plan.push(timed(Command::new(self.trueup).args(plan))?);
        }
        self.psql("postgres", &["-c", &format!("DROP DATABASE {database}")])?;
        Ok(row)
    }

    fn psql(&self, database: &str, words: &[&str]) -> Result<()> {
        let mut command = Command::new(client("psql").context("no psql: install postgresql-client")?);
        command.args(["-qX", "-v", "ON_ERROR_STOP=1", "-d", &format!("{}/{database}", self.url)]).args(words);
        let output = command.stdin(Stdio::null()).output().context("cannot run psql")?;
        ensure!(output.status.success(), "psql: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }
}

/// Seconds that `command` takes. What it says goes nowhere; it must succeed.
fn timed(command: &mut Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let start = now();
    let output = command.output().context("cannot run what is measured")?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(output.status.success(), "{:?}: {}", command, String::from_utf8_lossy(&output.stderr));
    Ok(seconds)
}

#[expect(clippy::disallowed_methods, reason = "taking the time is all that this is for")]
fn now() -> Instant {
    Instant::now()
}

/// A client program of the machine.
fn client(name: &str) -> Option<PathBuf> {
    clients(name).pop()
}

/// Every such program of Debian's packages, oldest first.
fn clients(name: &str) -> Vec<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = folders.map(|folder| folder.path().join("bin").join(name)).collect();
    found.retain(|path| path.exists());
    found.sort();
    found
}

/// The command of a `pg_dump` of this major version: a dump of another version reads other catalogs, or refuses.
fn dump_of(major: &str, given: &[String]) -> Option<Vec<String>> {
    let given = given.iter().map(|command| command.split_whitespace().map(str::to_owned).collect());
    let packaged = clients("pg_dump").into_iter().map(|path| vec![path.display().to_string()]);
    let of_major = |command: &Vec<String>| {
        let output = Command::new(&command[0]).args(&command[1..]).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&format!("(PostgreSQL) {major}.")))
    };
    given.chain(packaged).filter(|command| !command.is_empty()).find(of_major)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_sizes_and_clients() {
        let words = ["--tables", "50", "--pg-dump", "a b"].map(str::to_owned);
        assert_eq!(read(&words).unwrap(), Request { sizes: vec![(50, 3)], dumps: vec!["a b".to_owned()] });
        assert_eq!(read(&[]).unwrap().sizes, SIZES);
        assert!(read(&["--tables".to_owned()]).is_err());
    }
}
