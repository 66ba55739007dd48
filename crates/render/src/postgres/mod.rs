//! The words of PostgreSQL.

mod renderer;

pub(crate) use renderer::Postgres;
