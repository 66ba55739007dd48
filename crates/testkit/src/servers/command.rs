//! Running programs to their end.

use std::io::Write;
use std::process::{Command, Stdio};

use super::ServerError;
use super::account::Account;

/// A program, its arguments and what it reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Invocation {
    /// Program first, then its arguments.
    pub(crate) words: Vec<String>,
    /// Its standard input; empty for none.
    pub(crate) input: String,
}

impl Invocation {
    pub(crate) fn new(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), input: String::new() }
    }

    /// The command as `account`, outside any folder of the caller and in a fixed locale.
    pub(crate) fn command(&self, account: Account) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("false", String::as_str));
        command.args(words).current_dir("/").env("LC_ALL", "C.UTF-8").env_remove("LANG").env_remove("LANGUAGE");
        account.apply(&mut command);
        command
    }

    /// Runs it to its end as `account`.
    pub(crate) fn run(&self, account: Account) -> Result<String, ServerError> {
        run_with_input(&mut self.command(account), &self.input)
    }
}

/// Runs `command` to its end and returns what it printed to standard output.
pub(crate) fn run(command: &mut Command) -> Result<String, ServerError> {
    run_with_input(command, "")
}

fn run_with_input(command: &mut Command, input: &str) -> Result<String, ServerError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let cannot_run = |source| ServerError::CannotRun { program: program.clone(), source };
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot_run)?;
    let pipe = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // On its own thread: a program that prints before it has read everything would block both sides.
        let writer = scope.spawn(move || pipe.map_or(Ok(()), |mut pipe| pipe.write_all(input.as_bytes())));
        let output = child.wait_with_output();
        // A program that ends without reading its input says why in its own output.
        drop(writer.join());
        output
    })
    .map_err(cannot_run)?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(ServerError::Failed {
        command: format!("{program} {}", words.join(" ")),
        output: format!("{}\n{}", tail(&stdout), tail(&stderr)),
    })
}

/// The last lines of a long text.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(25)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_arrives_and_output_comes_back() {
        let mut cat = Invocation::new(["cat"]);
        cat.input = "a line\n".repeat(100_000);
        let account = Account::for_servers().unwrap();
        assert_eq!(cat.run(account).unwrap(), cat.input);
    }

    #[test]
    fn a_failure_shows_the_program_and_its_words() {
        let error = run(Command::new("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("why"), "{error}");
    }

    #[test]
    fn tail_keeps_the_end() {
        let text: String = (0..100).map(|n| format!("{n}\n")).collect();
        assert!(tail(&text).starts_with("75\n"));
        assert!(tail(&text).ends_with("99"));
    }
}
