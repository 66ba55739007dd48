//! Changes carried out beside live traffic: the same ends by other statements, in more transactions.
//!
//! What blocks readers or writers of a table for as long as it reads or builds is taken apart: an index is built and dropped outside of
//! a transaction, a rule is added without a look at the rows and looked at in a transaction of its own, NOT NULL is proven by a check
//! before it is set, a key takes over an index that was built for it. The pieces are ordinary drafts; what is special about one of them
//! says its [`Manner`]. Tables that are new or empty, and whatever makes way for another change, stay as they are.

mod expand;
mod ground;
mod indexes;
mod manner;
mod names;
mod rules;

pub(crate) use expand::expand;
pub(crate) use manner::{Manner, Proof};
pub(crate) use names::{is_leftover, is_own_name};
