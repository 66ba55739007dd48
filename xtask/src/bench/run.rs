//! Starting servers, filling them, and taking the time.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};
use trueup_testkit::servers::{Engine, Home, Lifetime, ServerName};

use super::generate::{schema, step};
use super::place::{Place, done, dump_of};
use super::process::timed;
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
    /// Only the promises.
    goals: bool,
    /// Only the race with other tools.
    peers: bool,
    /// A build of the program to measure instead of this checkout's.
    program: Option<PathBuf>,
}

fn read(words: &[String]) -> Result<Request> {
    let mut request = Request { sizes: SIZES.to_vec(), ..Request::default() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--pure" {
            request.pure = true;
            continue;
        }
        if word == "--goals" {
            request.goals = true;
            continue;
        }
        if word == "--peers" {
            request.peers = true;
            continue;
        }
        let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--tables" => request.sizes = vec![(value.parse().context("`--tables` needs a number")?, 3)],
            "--pg-dump" => request.dumps.push(value.clone()),
            "--program" => request.program = Some(value.into()),
            other => {
                bail!(
                    "`{other}` is not known: --tables NUMBER, --pg-dump COMMAND, --program FILE, --pure, --goals, --peers"
                )
            }
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
    let trueup = request.program.clone().map_or_else(|| demo::build(context, &["--release"]), Ok)?;
    let home = context.servers()?;
    home.reap()?;
    let folder = tempfile::TempDir::with_prefix("trueup-bench-").context("cannot make a temporary folder")?;
    let machine = Machine { trueup: &trueup, home: &home, folder: folder.path(), dumps: &request.dumps };
    if request.goals {
        write(&document, "goals", &super::goals::measure(&machine)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if request.peers {
        write(&document, "peers", &super::peers::measure(&machine)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut measured = Vec::new();
    for version in ["postgres15", "postgres18", "mariadb11.8", "mysql9.7", "sqlite"] {
        let sizes = if version == LARGE { &request.sizes[..] } else { &request.sizes[..1] };
        machine.with(version, |label, bench| bench.sizes(label, sizes, &mut measured))?;
    }
    let table = markdown(&measured);
    println!("{table}");
    if !words.iter().any(|word| word == "--tables") {
        write(&document, "bench", &table)?;
        write(&document, "goals", &super::goals::measure(&machine)?)?;
        write(&document, "peers", &super::peers::measure(&machine)?)?;
        write(&document, "pure", &super::pure::measure(context)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What measuring needs of this machine.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    trueup: &'a Path,
    home: &'a Home,
    folder: &'a Path,
    /// Commands of `pg_dump`.
    dumps: &'a [String],
}

impl Machine<'_> {
    /// Starts the server called `version`, or takes a folder for `sqlite`, and measures there.
    pub(super) fn with<T>(&self, version: &str, work: impl FnOnce(&str, &Bench<'_>) -> Result<T>) -> Result<T> {
        let bench = |place| Bench { trueup: self.trueup, folder: self.folder, place };
        if version == "sqlite" {
            return work("SQLite", &bench(Place::Sqlite { folder: self.folder.to_owned() }));
        }
        let name: ServerName = version.parse()?;
        let server = self.home.start(name, Lifetime::Owner).with_context(|| format!("cannot start {name}"))?;
        let url = server.record().url.clone();
        let (label, place) = match name.engine {
            Engine::Postgres => ("PostgreSQL", Place::Postgres { url, dump: dump_of(name.version, self.dumps) }),
            Engine::MariaDb => ("MariaDB", Place::MariaDb { url }),
            Engine::MySql => ("MySQL", Place::MariaDb { url }),
        };
        work(&format!("{label} {}", server.record().version()?), &bench(place))
    }
}

/// The program beside a place for schemas.
#[derive(Debug)]
pub(super) struct Bench<'a> {
    pub(super) trueup: &'a Path,
    /// For files.
    pub(super) folder: &'a Path,
    pub(super) place: Place,
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

    /// Makes a database of this size that trueup has looked after once; returns its name and its compiled document.
    pub(super) fn project(&self, database: &str, tables: usize) -> Result<(String, String)> {
        let sql = self.file("schema.sql", &schema(self.place.words(), tables, 0))?;
        self.place.create(database)?;
        done(&mut self.place.script(database, &sql)?)?;
        self.place.settle(database)?;
        let url = self.place.url(database);
        let document = self.compile(&url, tables, 0)?;
        // what is measured is a project's database, not one that is met for the first time
        done(&mut self.trueup(&["apply", "--yes", "--url", &url, "--schema", &document]))?;
        Ok((database.to_owned(), document))
    }

    /// Makes two databases of this size, and looks at and changes them turn by turn: one with trueup, one with the engine's tools.
    fn measure(&self, server: &str, tables: usize, rounds: usize) -> Result<Measured> {
        let (ours, theirs) = (format!("bench_{tables}"), format!("bench_{tables}_raw"));
        let (_, mut document) = self.project(&ours, tables)?;
        let sql = self.file("schema.sql", &schema(self.place.words(), tables, 0))?;
        self.place.create(&theirs)?;
        done(&mut self.place.script(&theirs, &sql)?)?;
        let url = self.place.url(&ours);
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

    pub(super) fn file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// A compiled document of the schema after `steps` steps: planning it needs no scratch database.
    pub(super) fn compile(&self, url: &str, tables: usize, steps: usize) -> Result<String> {
        self.compile_text(url, &schema(self.place.words(), tables, steps))
    }

    /// The same of any SQL.
    pub(super) fn compile_text(&self, url: &str, sql: &str) -> Result<String> {
        let sql = self.file("declared.sql", sql)?.display().to_string();
        let output = self.trueup(&["inspect", "--url", url, "--schema", &sql, "--format", "json"]).output()?;
        ensure!(output.status.success(), "inspect failed: {}", String::from_utf8_lossy(&output.stderr));
        let document = self.folder.join("declared.json");
        std::fs::write(&document, output.stdout)?;
        Ok(document.display().to_string())
    }

    pub(super) fn trueup(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.trueup);
        command.args(words).env("TRUEUP_CACHE_DIR", self.folder.join("cache"));
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_sizes_and_clients() {
        let words = ["--tables", "50", "--pg-dump", "a b", "--program", "x"].map(str::to_owned);
        let expected = Request {
            sizes: vec![(50, 3)],
            dumps: vec!["a b".to_owned()],
            program: Some("x".into()),
            ..Request::default()
        };
        assert_eq!(read(&words).unwrap(), expected);
        assert_eq!(read(&[]).unwrap().sizes, SIZES);
        assert!(read(&["--pure".to_owned()]).unwrap().pure);
        assert!(read(&["--goals".to_owned()]).unwrap().goals);
        assert!(read(&["--peers".to_owned()]).unwrap().peers);
        assert!(read(&["--tables".to_owned()]).is_err());
    }
}
