//! Everything that any library traces, on standard error.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Prints whatever there is.
struct Loud(AtomicU64);

/// The fields of one event or span.
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // writing into a text does not fail
        write!(self.0, " {}={value:?}", field.name()).unwrap_or_default();
    }
}

impl Subscriber for Loud {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        eprintln!("span {}{}", span.metadata().name(), fields.0);
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut fields = Fields(String::new());
        values.record(&mut fields);
        eprintln!("recorded{}", fields.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        eprintln!("{} {}{}", event.metadata().level(), event.metadata().target(), fields.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// From now on everything is printed.
pub(crate) fn listen() -> Result<()> {
    Ok(tracing::subscriber::set_global_default(Loud(AtomicU64::new(1)))?)
}
