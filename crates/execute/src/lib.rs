//! Runs an approved script under the lock: ledger, history, recovery, convergence proof.
