//! Exit codes and how a run ends.

use std::error::Error;
use std::process::ExitCode;

use trueup::load::LoadError;

use crate::show::say;

/// Every exit code with its meaning. `--help` and the manual list this table.
pub(crate) const CODES: [(u8, &str); 3] = [
    (0, "done, or nothing to do, or (plan) pending work that needs nobody's consent"),
    (2, "a human is needed: refused, held back, declined, drift, a lossy or blocked plan"),
    (1, "no answer: error, not converged, lost lock, deadline"),
];

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Done, or nothing to do.
    Done,
    /// A human is needed.
    Human,
    /// Not converged.
    Failed,
}

/// Any error of a command.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Prints an error with its causes and returns the exit code.
pub(crate) fn of(result: Result<End, Failure>) -> ExitCode {
    match result {
        Ok(End::Done) => ExitCode::from(CODES[0].0),
        Ok(End::Human) => ExitCode::from(CODES[1].0),
        Ok(End::Failed) => ExitCode::from(CODES[2].0),
        Err(error) if let Some(refusal) = not_allowed(error.as_ref()) => {
            say(&refusal);
            ExitCode::from(CODES[1].0)
        }
        Err(error) => {
            say(&explained(error.as_ref()));
            ExitCode::from(CODES[2].0)
        }
    }
}

/// What is said of a statement that a declaration may not hold, by commands that have no plan to say it in.
fn not_allowed(error: &(dyn Error + 'static)) -> Option<String> {
    match error.downcast_ref::<trueup::Error>() {
        Some(trueup::Error::Load(LoadError::NotAllowed { at, why })) => {
            Some(format!("refused (statement-not-allowed): {at}: {why}"))
        }
        Some(_) | None => None,
    }
}

/// An error with its causes, a line each. A cause that begins with what was just said goes on from there.
fn explained(error: &(dyn Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut text = format!("error: {said}");
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        let rest = words.strip_prefix(&said).map_or(words.as_str(), |rest| rest.trim_start_matches([':', ' ']));
        for (number, line) in rest.lines().enumerate() {
            text.push_str(if number == 0 { "\n  cause: " } else { "\n         " });
            text.push_str(line);
        }
        source = cause.source();
        said = words;
    }
    text
}

/// Prints what clap says. Help and version are answers, anything else could not be answered.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    if error.print().is_err() {
        return ExitCode::from(CODES[2].0);
    }
    if error.use_stderr() { ExitCode::from(CODES[2].0) } else { ExitCode::from(CODES[0].0) }
}
