//! The command line as people and scripts meet it.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod applying;
mod comparing;
mod crowd;
mod declarations;
mod docs;
mod interrupts;
mod kit;
mod machine;
mod mysql;
mod operator;
mod postgres;
mod terminal;
mod urls;
