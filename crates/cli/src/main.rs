//! The trueup command line.

fn main() {}
