//! PostgreSQL, 14 and newer.

mod answers;
mod capabilities;
mod changes;
mod dependents;
mod forecast;
mod literal;
mod locks;
mod names;
mod normalize;
mod quoting;
mod respell;
mod spelling;
mod tokens;
mod types;

pub use answers::Postgres;

#[cfg(test)]
mod tests;
