//! Catalogs of real servers.

mod counting;
mod postgres;
