//! From a live and a desired schema to a classified, ordered, grouped plan.

mod draft;
#[cfg(test)]
mod test_dialect;
#[cfg(test)]
mod test_schema;
