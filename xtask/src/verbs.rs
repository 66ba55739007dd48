//! The table of verbs. A new one is a module with a function like the others, and a row here.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::context::Context;
use crate::{bench, ci, db, demo, drill, fuzz, snapshots, test, tidy};

/// One thing that `cargo xtask` can do.
struct Verb {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&Context, &[String]) -> Result<ExitCode>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "demo",
        arguments: "",
        about: "the main job on SQLite: declare the example shop, plan, apply, change it, apply again, show the history",
        run: demo::run,
    },
    Verb {
        name: "tidy",
        arguments: "",
        about: "check the rules that a compiler doesn't know: layers, owners, sizes, docs, words, licences",
        run: tidy::run,
    },
    Verb {
        name: "db",
        arguments: "up|down|urls|env [NAME…]",
        about: "throw-away servers for work by hand: start, stop, list, print as environment variables",
        run: db::run,
    },
    Verb {
        name: "test",
        arguments: "[--servers NAME,…] [CARGO TEST ARGUMENTS…]",
        about: "start every server that the tests need, run all tests (or those named), stop the servers",
        run: test::run,
    },
    Verb {
        name: "snapshots",
        arguments: "[--review|--accept] [CARGO TEST ARGUMENTS…]",
        about: "run the tests with snapshots and collect what differs; then look through it, or take it all",
        run: snapshots::run,
    },
    Verb {
        name: "crash",
        arguments: "[--sample NUMBER] [--seed NUMBER] [--only KIND] [NAME…]",
        about: "kill runs at every point on every engine, on servers of their own, and look at what the next runs make of it",
        run: drill::crash,
    },
    Verb {
        name: "race",
        arguments: "[--sample NUMBER] [NAME…]",
        about: "2, 8 and 32 runners at once: every statement runs once, and every runner ends well",
        run: drill::race,
    },
    Verb {
        name: "storm",
        arguments: "[--sample NUMBER] [--seed NUMBER] [--only steal|long|convoy|pooler|canary|full|failover|elsewhere] [NAME…]",
        about: "a holder that sleeps, a queue behind a lock, a pooler, a secret, a full disk, a failover, a lease of another node",
        run: drill::storm,
    },
    Verb {
        name: "fuzz",
        arguments: "[--dialect NAME]… [--pairs NUMBER] [--seed NUMBER]",
        about: "random schemas taken from one to another and judged by what the server tells; what fails is made small and kept",
        run: fuzz::run,
    },
    Verb {
        name: "bench",
        arguments: "[--tables NUMBER] [--pg-dump COMMAND] [--pure]",
        about: "time a look at 1,000 and 10,000 tables beside pg_dump, and write docs/performance.md",
        run: bench::run,
    },
    Verb { name: "ci", arguments: "", about: "everything that must hold before a change lands", run: ci::run },
];

/// Runs the verb that the first word names.
pub(crate) fn run(words: &[String]) -> Result<ExitCode> {
    let Some((first, rest)) = words.split_first() else {
        print!("{}", usage());
        return Ok(ExitCode::SUCCESS);
    };
    if matches!(first.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(verb) = VERBS.iter().find(|verb| verb.name == first) else {
        bail!("no verb is called `{first}`\n{}", usage());
    };
    (verb.run)(&Context::new()?, rest)
}

fn usage() -> String {
    let rows: Vec<String> =
        VERBS.iter().map(|v| format!("  {} {}\n      {}\n", v.name, v.arguments, v.about)).collect();
    format!("cargo xtask VERB\n{}", rows.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_have_distinct_names() {
        let mut names: Vec<_> = VERBS.iter().map(|verb| verb.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VERBS.len());
    }

    #[test]
    fn an_unknown_verb_shows_the_table() {
        let error = run(&["nonsense".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("db up|down|urls"), "{error}");
    }
}
