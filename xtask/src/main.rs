//! Automation of the trueup workspace.

fn main() {}
