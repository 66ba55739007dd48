//! Starting servers, filling them, and taking the time.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use trueup_testkit::servers::{Lifetime, ServerName};

use super::generate::{schema, step};
use super::place::{Place, done, dump_of};
use super::table::{Measured, markdown, write};
use crate::context::Context;
use crate::demo;

/// Sizes with the number of rounds for each.
const SIZES: [(usize, usize); 2] = [(1_000, 7), (10_000, 2)];

/// What is measured at every size; the rest only at the first, since making ten thousand tables again and again takes most of an hour.
const LARGE: &str = "postgres15";

/// MariaDB's own dump takes minutes beyond this size, and SQLite's CREATE is quadratic.
const MOST_ELSEWHERE: usize = 2_000;

/// What the words ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    sizes: Vec<(usize, usize)>,
    /// Commands of `pg_dump`, tried before those of the machine.
    dumps: Vec<String>,
    /// Only what needs no server.
    pure: bool,
}

fn read(words: &[String]) -> Result<Request> {
    let mut request = Request { sizes: SIZES.to_vec(), dumps: Vec::new(), pure: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--pure" {
            request.pure = true;
            continue;
        }
        let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--tables" => request.sizes = vec![(value.parse().context("`--tables` needs a number")?, 3)],
            "--pg-dump" => request.dumps.push(value.clone()),
            other => bail!("`{other}` is not known: --tables NUMBER, --pg-dump COMMAND, --pure"),
        }
    }
    Ok(request)
}

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    let request = read(words)?;
    let document = context.root.join("docs/performance.md");
    if request.pure {
        let table = super::pure::measure(context)?;
        println!("{table}");
        write(&document, "pure", &table)?;
        return Ok(ExitCode::SUCCESS);
    }
    let trueup = demo::build(context, &["--release"])?;
    let home = context.servers()?;
    home.reap()?;
    let folder = tempfile::TempDir::with_prefix("trueup-bench-").context("cannot make a temporary folder")?;
    let mut measured = Vec::new();
    for version in ["postgres15", "postgres18", "mariadb10.11"] {
        let name: ServerName = version.parse()?;
        let server = home.start(name, Lifetime::Owner).with_context(|| format!("cannot start {name}"))?;
        let url = server.record().url.clone();
        let (label, place) = if version.starts_with("postgres") {
            ("PostgreSQL", Place::Postgres { url, dump: dump_of(name.version, &request.dumps) })
        } else {
            ("MariaDB", Place::MariaDb { url })
        };
        let bench = Bench { trueup: &trueup, folder: folder.path(), place };
        let sizes = if version == LARGE { &request.sizes[..] } else { &request.sizes[..1] };
        bench.sizes(&format!("{label} {}", server.record().version()?), sizes, &mut measured)?;
    }
    let place = Place::Sqlite { folder: folder.path().to_owned() };
    Bench { trueup: &trueup, folder: folder.path(), place }.sizes("SQLite", &request.sizes[..1], &mut measured)?;
    let table = markdown(&measured);
    println!("{table}");
    if !words.iter().any(|word| word == "--tables") {
        write(&document, "bench", &table)?;
        write(&document, "pure", &super::pure::measure(context)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

struct Bench<'a> {
    trueup: &'a Path,
    folder: &'a Path,
    place: Place,
}

impl Bench<'_> {
    fn sizes(&self, label: &str, sizes: &[(usize, usize)], measured: &mut Vec<Measured>) -> Result<()> {
        for (tables, rounds) in sizes {
            if *tables > MOST_ELSEWHERE && !matches!(self.place, Place::Postgres { .. }) {
                continue;
            }
            eprintln!("  {label}, {tables} tables");
            let row = self.measure(label, *tables, *rounds)?;
            println!("{}", row.row());
            measured.push(row);
        }
        Ok(())
    }

    /// Makes two databases of this size, and looks at and changes them turn by turn: one with trueup, one with the engine's tools.
    fn measure(&self, server: &str, tables: usize, rounds: usize) -> Result<Measured> {
        let (ours, theirs) = (format!("bench_{tables}"), format!("bench_{tables}_raw"));
        let sql = self.file("schema.sql", &schema(self.place.words(), tables, 0))?;
        for database in [&ours, &theirs] {
            self.place.create(database)?;
            done(&mut self.place.script(database, &sql)?)?;
            self.place.settle(database)?;
        }
        let url = self.place.url(&ours);
        let mut document = self.compile(&url, tables, 0)?;
        // what is measured is a project's database, not one that is met for the first time
        done(&mut self.trueup(&["apply", "--yes", "--url", &url, "--schema", &document]))?;
        let mut row = Measured::new(server, self.place.measure(), tables, rounds);
        for round in 0..rounds {
            if let Some(mut dump) = self.place.dump(&ours)? {
                row.dump.push(timed(&mut dump)?);
            }
            row.inspect.push(timed(&mut self.trueup(&["inspect", "--url", &url, "--format", "json"]))?);
            row.same.push(timed(&mut self.trueup(&["plan", "--url", &url, "--schema", &document, "--exit-code"]))?);
            document = self.compile(&url, tables, round + 1)?;
            row.plan.push(timed(&mut self.trueup(&["plan", "--url", &url, "--schema", &document]))?);
            let ddl = self.file("step.sql", &step(tables, round))?;
            row.raw.push(timed(&mut self.place.script(&theirs, &ddl)?)?);
            let apply = ["apply", "--yes", "--url", &url, "--schema", &document];
            row.apply.push(timed(&mut self.trueup(&apply))?);
            row.trusted.push(timed(&mut self.trueup(&[&apply[..], &["--trust-history"]].concat()))?);
        }
        for database in [&ours, &theirs] {
            self.place.drop(database)?;
        }
        Ok(row)
    }

    fn file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// A compiled document of the schema after `steps` steps: planning it needs no scratch database.
    fn compile(&self, url: &str, tables: usize, steps: usize) -> Result<String> {
        let sql = self.file("declared.sql", &schema(self.place.words(), tables, steps))?.display().to_string();
        let output = self.trueup(&["inspect", "--url", url, "--schema", &sql, "--format", "json"]).output()?;
        ensure!(output.status.success(), "inspect failed: {}", String::from_utf8_lossy(&output.stderr));
        let document = self.folder.join("declared.json");
        std::fs::write(&document, output.stdout)?;
        Ok(document.display().to_string())
    }

    fn trueup(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.trueup);
        command.args(words).env("TRUEUP_CACHE_DIR", self.folder.join("cache"));
        command
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_sizes_and_clients() {
        let words = ["--tables", "50", "--pg-dump", "a b"].map(str::to_owned);
        assert_eq!(read(&words).unwrap(), Request { sizes: vec![(50, 3)], dumps: vec!["a b".to_owned()], pure: false });
        assert_eq!(read(&[]).unwrap().sizes, SIZES);
        assert!(read(&["--pure".to_owned()]).unwrap().pure);
        assert!(read(&["--tables".to_owned()]).is_err());
    }
}
