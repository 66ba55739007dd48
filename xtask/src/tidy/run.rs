//! Reading the workspace, asking every rule, and saying what they found.

use std::fmt;
use std::process::ExitCode;

use anyhow::Result;

use super::tree::{SourceFile, Workspace};
use super::{docs, layers, licences, owners, pure, sizes, words};
use crate::context::Context;

/// One breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file, relative to the root, or the package.
    pub(crate) place: String,
    /// The line, if one is to blame.
    pub(crate) line: Option<usize>,
    /// What is wrong and what would be right.
    pub(crate) what: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), line: None, what: what.into() }
    }

    pub(crate) fn at(file: &SourceFile, line: usize, what: impl Into<String>) -> Self {
        Self { place: file.path.clone(), line: Some(line), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.place, self.what),
            None => write!(f, "{}: {}", self.place, self.what),
        }
    }
}

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    anyhow::ensure!(words.is_empty(), "`tidy` takes no arguments");
    let workspace = Workspace::read(context)?;
    let mut findings = [
        layers::check(&workspace.packages),
        owners::check(&workspace.packages),
        pure::check(context)?,
        licences::check(context)?,
        sizes::check(&workspace.files),
        docs::check(&workspace.files),
        words::check(&workspace.files),
    ]
    .concat();
    findings.sort();
    for finding in &findings {
        eprintln!("{finding}");
    }
    println!(
        "tidy: {} packages, {} files, {}",
        workspace.packages.len(),
        workspace.files.len(),
        sizes::median(&workspace.files)
    );
    if findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("tidy: {} findings", findings.len());
    Ok(ExitCode::FAILURE)
}
