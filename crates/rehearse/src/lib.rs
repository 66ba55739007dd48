//! Rehearsal of a plan on a throw-away branch of the live schema.
