//! What the project promises of its speed and memory, measured beside what it is promised against.

mod compile;
mod create;
mod look;
mod promise;
mod rebuild;

pub(super) use promise::measure;
use promise::{Goal, Unit, ratio};
