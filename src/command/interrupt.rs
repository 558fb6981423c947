use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody has had enough (Ctrl-C), and wants to hear what is known by then.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. Who cannot be interrupted so is ended by the signal, as any
    /// program.
    pub fn listen() -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        let _ = ctrlc::set_handler(move || {
            // Whoever asks twice does not want to wait for an answer.
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        Self(interrupted)
    }

    /// Whether it has come.
    pub fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether to go on.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.has_come() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
