//! The pipeline over the case files of `tests/cases`.
#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    clippy::print_stderr,
    reason = "a failed step fails the test; a case shows what it cares for"
)]

mod case;
mod cases;
