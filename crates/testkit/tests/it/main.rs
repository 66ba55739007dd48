//! The testkit's own live tests: databases come and go, and sessions break where they should.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod databases;
mod faults;
