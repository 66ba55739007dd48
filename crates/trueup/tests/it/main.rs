//! The pipeline over the case files of `tests/cases`.

mod case;
mod cases;
