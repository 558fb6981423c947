use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use locklab_sys::Task;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::Registry;

/// What programs note with `tracing`, collected while a run goes on: a trace
/// shows each note beside the step after which it was made.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Runs `work` with its notes collected here.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let subscriber = Registry::default().with(self.clone());
        tracing::subscriber::with_default(subscriber, work)
    }

    /// Takes the notes made since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Subscriber> Layer<S> for Notes {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if Task::is_rerunning() {
            return;
        }
        let mut message = Message::default();
        event.record(&mut message);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.0);
    }
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if !self.0.is_empty() {
            self.0.push_str(", ");
        }
        if field.name() != "message" {
            self.0.push_str(field.name());
            self.0.push(' ');
        }
        self.0.push_str(&format!("{value:?}"));
    }
}
