//! Runs on real databases, with a planner whose plans are written down.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod both;
mod crash;
mod kit;
mod mysql;
mod postgres;
mod sqlite;
