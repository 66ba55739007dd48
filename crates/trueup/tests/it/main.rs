//! The pipeline over the case files of `tests/cases`, and with a cache.
#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    clippy::print_stderr,
    reason = "a failed step fails the test; a case shows what it cares for"
)]

mod cache;
mod case;
mod cases;
mod memory;
mod mysql;
mod online;
mod stores;
