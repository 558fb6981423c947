use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody has had enough.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on the signal is heard, and ends the program only the second time.
    pub(super) fn on_signal() -> Self {
        let interrupt = Self::default();
        let flag = Arc::clone(&interrupt.0);
        // Who cannot be interrupted so is ended by the signal, as any program.
        let _ = ctrlc::set_handler(move || {
            // Whoever asks twice does not want to wait for an answer.
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        interrupt
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
