//! Everything that is printed.

mod json;
mod markdown;
mod operator;
mod print;
mod text;

pub(crate) use json::{plan_json, standing_json};
pub(crate) use markdown::plan_markdown;
pub(crate) use operator::{broken_json, broken_text, ledger_json, ledger_text, lock_json, lock_text};
pub(crate) use print::{print, print_text, say};
pub(crate) use text::{applied_text, plan_text, refusals_text, schema_text, standing_text};
