//! One file per verb.

mod apply;
mod diff;
mod init;
mod inspect;
mod ledger;
mod lock;
mod plan;
mod rehearse;
mod run;
mod standing;

pub(crate) use run::run;
