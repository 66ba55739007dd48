//! Other tools that look at the same databases, as far as the machine has them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::generate::{Words, models, schema};
use super::place::{Account, Place, done};
use super::process::used;
use super::run::{Bench, Machine};
use super::table::median;

const TABLES: usize = 1_000;
const ROUNDS: usize = 3;

/// A tool that tells a database from a wanted schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    Migra,
    Alembic,
    Prisma,
    Skeema,
    Psqldef,
    Mysqldef,
    Sqlite3def,
}

const PEERS: [Peer; 7] =
    [Peer::Migra, Peer::Alembic, Peer::Prisma, Peer::Skeema, Peer::Psqldef, Peer::Mysqldef, Peer::Sqlite3def];

impl Peer {
    const fn program(self) -> &'static str {
        match self {
            Self::Migra => "migra",
            Self::Alembic => "alembic",
            Self::Prisma => "prisma",
            Self::Skeema => "skeema",
            Self::Psqldef => "psqldef",
            Self::Mysqldef => "mysqldef",
            Self::Sqlite3def => "sqlite3def",
        }
    }

    const fn is_for(self, words: Words) -> bool {
        match self {
            Self::Migra | Self::Alembic | Self::Prisma | Self::Psqldef => matches!(words, Words::Postgres),
            Self::Skeema | Self::Mysqldef => matches!(words, Words::MariaDb),
            Self::Sqlite3def => matches!(words, Words::Sqlite),
        }
    }

    /// The codes with which it ends where it found something to do.
    const fn differs(self) -> &'static [i32] {
        match self {
            Self::Migra | Self::Prisma => &[2],
            Self::Skeema => &[1],
            Self::Alembic => &[255],
            Self::Psqldef | Self::Mysqldef | Self::Sqlite3def => &[0],
        }
    }
}

/// What a peer is to compare a database with, in each form that one of them takes.
#[derive(Debug)]
struct Wanted {
    /// A file of SQL.
    sql: PathBuf,
    /// Another database.
    database: String,
    /// A folder of the peer's own files.
    folder: PathBuf,
}

/// One peer on one server. Times are seconds, one of each kind a round.
#[derive(Debug)]
struct Race {
    peer: Peer,
    server: String,
    ours: [Vec<f64>; 2],
    theirs: [Vec<f64>; 2],
}

impl Race {
    fn row(&self) -> String {
        let cell = |kind: usize| {
            let (ours, theirs) = (median(&self.ours[kind]), median(&self.theirs[kind]));
            format!("{ours:.3} s | {theirs:.3} s, {:.1} ×", theirs / ours)
        };
        format!("| {} | {} | {TABLES} | {} | {} |", self.peer.program(), self.server, cell(0), cell(1))
    }
}

/// Races every peer that the machine has.
pub(super) fn measure(machine: &Machine<'_>) -> Result<String> {
    let found: Vec<Peer> = PEERS.into_iter().filter(|peer| is_here(peer.program())).collect();
    let mut out =
        "| peer | server | tables | trueup, nothing to do | the peer | trueup, plan of a 5 % change | the peer |\n\
                   | --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for version in ["postgres15", "mariadb11.8", "mysql9.7", "sqlite"] {
        let words = if version.starts_with("postgres") {
            Words::Postgres
        } else if version == "sqlite" {
            Words::Sqlite
        } else {
            Words::MariaDb
        };
        let here: Vec<Peer> = found.iter().copied().filter(|peer| peer.is_for(words)).collect();
        if here.is_empty() {
            continue;
        }
        let races = machine.with(version, |label, bench| races(bench, label, &here))?;
        for race in races {
            println!("{}", race.row());
            writeln!(out, "{}", race.row()).ok();
        }
    }
    let missing: Vec<&str> = PEERS.into_iter().filter(|peer| !found.contains(peer)).map(Peer::program).collect();
    if !missing.is_empty() {
        writeln!(out, "\nNot on the machine of this run: {}.", missing.join(", ")).ok();
    }
    Ok(out)
}

fn is_here(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Every round looks twice, with trueup and with each peer in turn: at a database that is as wanted, and at one where every twentieth table
/// wants a column and an index.
fn races(bench: &Bench<'_>, label: &str, peers: &[Peer]) -> Result<Vec<Race>> {
    let (own, _) = bench.project("peers_own", TABLES)?;
    let url = bench.place.url(&own);
    let wanted = [wanted(bench, 0)?, wanted(bench, 1)?];
    // peers look at one where nobody keeps a record
    let live = "peers_live";
    bench.place.create(live)?;
    done(&mut bench.place.script(live, &wanted[0].sql)?)?;
    bench.place.settle(live)?;
    let ours = |wanted: &Wanted| {
        let sql = wanted.sql.display().to_string();
        used(&mut bench.trueup(&["plan", "--url", &url, "--schema", &sql]), &[0])
    };
    // what was made of the files is remembered from here on
    for wanted in &wanted {
        ours(wanted)?;
    }
    let mut races = Vec::new();
    for peer in peers {
        let mut race = Race { peer: *peer, server: label.to_owned(), ours: [vec![], vec![]], theirs: [vec![], vec![]] };
        for _ in 0..ROUNDS {
            for (kind, wanted) in wanted.iter().enumerate() {
                race.ours[kind].push(ours(wanted)?.seconds);
                let codes = if kind == 0 { &[0] } else { peer.differs() };
                let mut command = look(*peer, &bench.place, live, wanted)?;
                let took = used(&mut command, codes).with_context(|| format!("{} on {label}", peer.program()))?;
                race.theirs[kind].push(took.seconds);
            }
        }
        races.push(race);
    }
    for database in [own.as_str(), live, &wanted[0].database, &wanted[1].database] {
        bench.place.drop(database)?;
    }
    Ok(races)
}

fn wanted(bench: &Bench<'_>, steps: usize) -> Result<Wanted> {
    let text = schema(bench.place.words(), TABLES, steps);
    let database = format!("peers_wanted_{steps}");
    let folder = bench.folder.join(&database).with_extension("files");
    std::fs::create_dir_all(folder.join("versions"))?;
    let sql = folder.join("schema.sql");
    std::fs::write(&sql, text)?;
    std::fs::write(folder.join("models.py"), models(TABLES, steps))?;
    bench.place.create(&database)?;
    done(&mut bench.place.script(&database, &sql)?)?;
    bench.place.settle(&database)?;
    Ok(Wanted { sql, database, folder })
}

/// The peer, looking at `live` and saying what it lacks.
fn look(peer: Peer, place: &Place, live: &str, wanted: &Wanted) -> Result<Command> {
    let mut command = Command::new(peer.program());
    let url = |database: &str| place.url(database).replacen("postgres://", "postgresql://", 1);
    match peer {
        Peer::Migra => {
            command.args(["--unsafe", &url(live), &url(&wanted.database)]);
        }
        Peer::Prisma => {
            let (from, to) = (url(live), url(&wanted.database));
            command.args(["migrate", "diff", "--from-url", &from, "--to-url", &to, "--exit-code"]);
        }
        Peer::Alembic => {
            alembic(&wanted.folder, &url(live))?;
            command.arg("check").current_dir(&wanted.folder);
        }
        Peer::Skeema => {
            let Account { user, host, port } = place.account()?;
            let settings = format!("schema={live}\n[production]\nhost={host}\nport={port}\nuser={user}\n");
            std::fs::write(wanted.folder.join(".skeema"), settings)?;
            command.arg("diff").current_dir(&wanted.folder);
        }
        Peer::Psqldef => {
            let Account { user, host, port } = place.account()?;
            command.args(["-U", &user, "-h", &host, "-p", &port, live, "--dry-run", "--file"]).arg(&wanted.sql);
        }
        Peer::Mysqldef => {
            let Account { user, host, port } = place.account()?;
            command.args(["-u", &user, "-h", &host, "-P", &port, live, "--dry-run", "--file"]).arg(&wanted.sql);
        }
        Peer::Sqlite3def => {
            let file = url(live);
            command.args([file.trim_start_matches("sqlite://"), "--dry-run", "--file"]).arg(&wanted.sql);
        }
    }
    Ok(command)
}

/// The files of a project of alembic: its settings, its connection, and no version yet.
fn alembic(folder: &Path, url: &str) -> Result<()> {
    std::fs::write(folder.join("alembic.ini"), "[alembic]\nscript_location = .\nprepend_sys_path = .\n")?;
    let environment = format!(
        "from alembic import context\nfrom sqlalchemy import create_engine\nfrom models import metadata\n\n\
         with create_engine(\"{url}\").connect() as connection:\n    \
         context.configure(connection=connection, target_metadata=metadata, compare_type=True)\n    \
         with context.begin_transaction():\n        context.run_migrations()\n"
    );
    Ok(std::fs::write(folder.join("env.py"), environment)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> String {
        let words: Vec<String> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn every_peer_is_told_where_to_look() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let wanted = Wanted { sql: "s.sql".into(), database: "b".to_owned(), folder: home };
        let postgres = Place::Postgres { url: "postgres://u@h:1".to_owned(), dump: None };
        let mariadb = Place::MariaDb { url: "mysql://u@h:1".to_owned() };
        let sqlite = Place::Sqlite { folder: "/f".into() };
        let said = |peer, place: &Place| words(&look(peer, place, "a", &wanted).unwrap());
        assert_eq!(said(Peer::Migra, &postgres), "--unsafe postgresql://u@h:1/a postgresql://u@h:1/b");
        assert_eq!(said(Peer::Psqldef, &postgres), "-U u -h h -p 1 a --dry-run --file s.sql");
        assert_eq!(said(Peer::Mysqldef, &mariadb), "-u u -h h -P 1 a --dry-run --file s.sql");
        assert_eq!(said(Peer::Sqlite3def, &sqlite), "/f/a --dry-run --file s.sql");
        assert_eq!(said(Peer::Skeema, &mariadb), "diff");
        let settings = std::fs::read_to_string(folder.path().join(".skeema")).unwrap();
        assert_eq!(settings, "schema=a\n[production]\nhost=h\nport=1\nuser=u\n");
        assert_eq!(said(Peer::Alembic, &postgres), "check");
        let environment = std::fs::read_to_string(folder.path().join("env.py")).unwrap();
        assert!(environment.contains("create_engine(\"postgresql://u@h:1/a\")"), "{environment}");
    }

    #[test]
    fn a_row_says_how_many_times_longer_the_peer_took() {
        let race = Race {
            peer: Peer::Migra,
            server: "PostgreSQL 15".to_owned(),
            ours: [vec![0.5], vec![1.0]],
            theirs: [vec![1.0], vec![3.0]],
        };
        let row = "| migra | PostgreSQL 15 | 1000 | 0.500 s | 1.000 s, 2.0 × | 1.000 s | 3.000 s, 3.0 × |";
        assert_eq!(race.row(), row);
    }
}
