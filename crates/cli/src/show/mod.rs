//! Everything that is printed.

mod json;
mod markdown;
mod print;
mod text;

pub(crate) use json::{plan_json, standing_json};
pub(crate) use markdown::plan_markdown;
pub(crate) use print::{print, print_text, say};
pub(crate) use text::{applied_text, plan_text, refusals_text, schema_text, standing_text};
