//! Mutual exclusion of runs: an advisory lock on the executing session plus a fenced lease.
