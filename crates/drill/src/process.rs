//! Runs in processes of their own.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::arena::Arena;
use crate::crash::Wanted;
use crate::job::{Ended, Job};

/// Longest time for one run in a process of its own.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run that goes on.
#[derive(Debug)]
pub(crate) struct Runner {
    child: tokio::process::Child,
    path: PathBuf,
}

/// Everything that a run printed.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Starts `job`.
pub(crate) fn start(job: &Job, arena: &Arena, wanted: &Wanted) -> Result<Runner> {
    let path = arena.file(&format!("job-{:08x}.json", rand::random::<u32>()));
    std::fs::write(&path, serde_json::to_vec(job)?)?;
    let mut command = tokio::process::Command::new(&wanted.binary);
    command.arg("run").arg(&path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    Ok(Runner { child: command.spawn()?, path })
}

impl Runner {
    fn pid(&self) -> Option<i32> {
        self.child.id().and_then(|id| i32::try_from(id).ok())
    }

    /// Waits until it has stopped itself.
    pub(crate) async fn until_stopped(&mut self) -> Result<()> {
        let pid = self.pid().context("the run is over")?;
        for _ in 0..PATIENCE.as_millis() / 20 {
            ensure!(self.child.try_wait()?.is_none(), "the run ended before it was stopped");
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
            if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T')) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        bail!("the run was never stopped")
    }

    /// Lets it go on.
    pub(crate) fn go_on(&self) -> Result<()> {
        let pid = self.pid().and_then(Pid::from_raw).context("the run is over")?;
        Ok(kill_process(pid, Signal::CONT)?)
    }

    /// Everything that it printed until its end; `None` if it was killed.
    pub(crate) async fn printed(self) -> Result<(Option<i32>, Printed)> {
        let output = tokio::time::timeout(PATIENCE, self.child.wait_with_output());
        let output = output.await.context("a run did not end")??;
        std::fs::remove_file(&self.path).ok();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = if output.status.signal().is_some() { None } else { output.status.code() };
        Ok((code, Printed { stdout: text(&output.stdout), stderr: text(&output.stderr) }))
    }

    /// How it ended; `None` if it was killed.
    pub(crate) async fn end(self) -> Result<Option<Ended>> {
        let (code, printed) = self.printed().await?;
        if code.is_none() {
            return Ok(None);
        }
        let Printed { stdout, stderr } = printed;
        ensure!(!stderr.contains("panicked"), "a run panicked: {stderr}");
        let ended = serde_json::from_str(&stdout).with_context(|| format!("a run said nothing: {stderr}"))?;
        Ok(Some(ended))
    }
}

/// Runs `job` in a process of its own; `None` if it was killed.
pub(crate) async fn spawn(job: &Job, arena: &Arena, wanted: &Wanted) -> Result<Option<Ended>> {
    start(job, arena, wanted)?.end().await
}
