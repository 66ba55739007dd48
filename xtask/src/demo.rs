//! `cargo xtask demo`: the main job on SQLite, in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::context::Context;

/// What is run, in order. `trueup` stands for the built command.
const COMMANDS: [&str; 9] = [
    "plan --url sqlite://shop.db --schema v1",
    "apply --url sqlite://shop.db --schema v1 --yes",
    "plan --url sqlite://shop.db --schema v1",
    "plan --url sqlite://shop.db --schema v2",
    "rehearse --url sqlite://shop.db --schema v2",
    "apply --url sqlite://shop.db --schema v2 --yes",
    "plan --url sqlite://shop.db --schema v2",
    "drift --url sqlite://shop.db",
    "status --url sqlite://shop.db",
];

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    ensure!(words.is_empty(), "`demo` takes no arguments");
    let trueup = build(context, &[])?;
    let folder = tempfile::TempDir::with_prefix("trueup-demo-").context("cannot make a temporary folder")?;
    for version in ["v1", "v2"] {
        copy(&context.root.join("docs/examples/shop").join(version), &folder.path().join(version))?;
    }
    println!("the shop's schema, version 1 and 2: docs/examples/shop");
    for words in COMMANDS {
        println!("\n$ trueup {words}");
        let mut command = Command::new(&trueup);
        command.args(words.split(' ')).current_dir(folder.path()).env_remove("DATABASE_URL");
        let status = command.status().context("cannot run the built command")?;
        ensure!(status.success(), "`trueup {words}` ended with {status}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the command line and says where it is.
pub(crate) fn build(context: &Context, flags: &[&str]) -> Result<PathBuf> {
    let words =
        [&["build", "--package", "trueup-cli", "-j2", "--message-format=json-render-diagnostics"], flags].concat();
    let output = context.cargo(&words).stderr(std::process::Stdio::inherit()).output().context("cannot run cargo")?;
    ensure!(output.status.success(), "the command line does not build");
    let text = String::from_utf8_lossy(&output.stdout);
    let artifacts = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = artifacts.filter_map(|artifact| artifact["executable"].as_str().map(PathBuf::from));
    programs.next_back().context("cargo did not say where the command line is")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
