//! Mutual exclusion of runs: an advisory lock on the executing session plus a fenced lease.
//!
//! Two keys. The advisory lock ([`acquire`]) lives on the session that runs the DDL and vanishes with it; it leaves no trace.
//! The lease ([`Lease`]) is a row whose epoch rises with every holder: a transaction that begins with [`Lease::fence`]
//! cannot commit for a holder that has lost it. A [`Heartbeat`] keeps the lease from running out.
//!
//! [`LockStore`] is the port behind which a run finds either of them, or a lock of the embedder's own.

mod advisory;
mod backoff;
mod error;
mod heartbeat;
mod holder;
mod key;
mod lease;
mod mysql;
mod nonce;
mod pooler;
mod postgres;
mod sqlite;
mod store;

pub use advisory::{Advisory, Wait, acquire};
pub use backoff::full_jitter;
pub use error::LockError;
pub use heartbeat::{Heartbeat, Pulse};
pub use holder::{Holder, end_holder, holder, is_alive};
pub use key::{LockKey, canonical_scope};
pub use lease::{Lease, LeaseRequest, LeaseStanding, LeaseTable};
pub use nonce::nonce;
pub use pooler::refuse_pooler;
pub use store::{Claim, Line, LockGuard, LockStanding, LockStore};
