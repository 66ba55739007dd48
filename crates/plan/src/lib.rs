//! The vocabulary of typed plan values: changes, classes, checks, operations, scripts.
