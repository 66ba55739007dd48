//! What a process takes: time, processor time, memory.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use wait4::Wait4 as _;

/// What a process took that has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Used {
    /// Seconds from its start to its end.
    pub(crate) seconds: f64,
    /// Seconds that it was on a processor, itself and for itself in the kernel.
    pub(crate) cpu: f64,
    /// The most memory that it held at once, in bytes; the kernel counts from what this process holds.
    pub(crate) peak: u64,
}

/// Runs `command` and says what it took. What it prints goes nowhere; it must end with one of `codes`.
pub(crate) fn used(command: &mut Command, codes: &[i32]) -> Result<Used> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let start = now();
    let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let mut said = Vec::new();
    if let Some(mut errors) = child.stderr.take() {
        errors.read_to_end(&mut said)?;
    }
    let ended = child.wait4().with_context(|| format!("cannot wait for {command:?}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let is_good = ended.status.code().is_some_and(|code| codes.contains(&code));
    ensure!(is_good, "{command:?}: {}: {}", ended.status, String::from_utf8_lossy(&said));
    let cpu = (ended.rusage.utime + ended.rusage.stime).as_secs_f64();
    Ok(Used { seconds, cpu, peak: ended.rusage.maxrss })
}

/// Seconds that `command` takes. What it prints goes nowhere; it must succeed.
pub(crate) fn timed(command: &mut Command) -> Result<f64> {
    Ok(used(command, &[0])?.seconds)
}

#[expect(clippy::disallowed_methods, reason = "taking the time is all that this is for")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured() {
        let used = used(&mut Command::new("true"), &[0]).unwrap();
        assert!(used.seconds > 0.0 && used.cpu < used.seconds + 0.1 && used.peak > 100_000, "{used:?}");
    }

    #[test]
    fn only_expected_ends_are_taken() {
        let mut fails = Command::new("sh");
        fails.args(["-c", "echo no such thing >&2; exit 2"]);
        assert!(used(&mut fails, &[0, 2]).is_ok());
        let error = timed(&mut fails).unwrap_err().to_string();
        assert!(error.contains("no such thing"), "{error}");
    }
}
