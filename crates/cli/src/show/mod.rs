//! Everything that is printed.

mod json;
mod markdown;
mod text;

use std::io::Write;

pub(crate) use json::{plan_json, standing_json};
pub(crate) use markdown::plan_markdown;
pub(crate) use text::{applied_text, plan_text, refusals_text, schema_text, standing_text};

/// Prints a result on standard output. A closed pipe ends quietly.
pub(crate) fn print(text: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let written =
        out.write_all(text.as_bytes()).and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Says something to the person, on standard error.
pub(crate) fn say(text: &str) {
    // there is nobody left to tell when standard error is gone
    writeln!(anstream::stderr().lock(), "{text}").ok();
}
