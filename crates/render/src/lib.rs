//! From a plan to the SQL script that is shown and executed.
//!
//! [`render`] says every operation of a [`trueup_plan::Plan`] in the words of its engine, one step at a time. It decides nothing: what
//! shares a step, a transaction or a statement was settled when the plan was made, and a plan that lacks something to be said is a
//! mistake of the plan.
//!
//! There is one folder per engine. Names reach SQL through [`trueup_schema::Ident::quoted`] alone, or through sea-query's own quoting of
//! the same checked names.

mod error;
mod mariadb;
mod mysql;
mod postgres;
mod render;
mod renderer;
mod sql;
mod sqlite;

pub use error::RenderError;
pub use render::{definition, render};
