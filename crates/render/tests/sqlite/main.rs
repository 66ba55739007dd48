//! SQLite's scripts, run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod harness;
mod random;
mod rebuild;
