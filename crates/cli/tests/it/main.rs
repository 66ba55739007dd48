//! The command line as people and scripts meet it.

mod applying;
mod declarations;
mod docs;
mod interrupts;
mod kit;
mod machine;
mod postgres;
mod terminal;
mod urls;
