//! From a live catalog to a schema and live facts, in a fixed number of statements.
