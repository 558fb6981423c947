use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::Sys;
use crate::kept::{Kept, Locals};
use crate::slot::{Event, LoopEntry};

fn recorded<T: Locals>(kept: &Arc<dyn Kept>) -> T {
    let kept: &dyn Any = &**kept;
    kept.downcast_ref::<T>().expect("a re-run loop has the locals of its first run").clone()
}

impl Sys {
    /// Loops `step` until it breaks: the one way for a program to loop.
    ///
    /// Each round starts from `locals` alone: `step` may capture nothing (the
    /// compiler checks it), `context` is what does not change while the loop
    /// runs (it is `Sync`, so that no `Cell` in it can). So where a task stands does not depend on how often it has been
    /// round, and a search that comes back to a round knows it.
    pub async fn retry<C, L, V, F>(&self, context: &C, locals: L, step: F) -> V
    where
        C: ?Sized + Sync,
        L: Locals,
        V: Locals,
        F: AsyncFn(&Sys, &C, L) -> ControlFlow<V, L>,
    {
        const { assert!(size_of::<F>() == 0, "the step of a retry may not capture anything") }
        let mut locals = match self.0.enter_loop() {
            LoopEntry::Done(value) => return recorded(&value),
            LoopEntry::At(kept) => recorded(&kept),
            LoopEntry::Fresh => {
                self.0.tell(Event::LoopOpened);
                self.0.tell(Event::LoopHead(Arc::new(locals.clone())));
                locals
            }
        };
        loop {
            match step(self, context, locals).await {
                ControlFlow::Continue(next) => {
                    self.0.tell(Event::LoopHead(Arc::new(next.clone())));
                    locals = next;
                }
                ControlFlow::Break(value) => {
                    self.0.tell(Event::LoopDone(Arc::new(value.clone())));
                    return value;
                }
            }
        }
    }
}
