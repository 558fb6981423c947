use std::ops::Range;

use locklab_sim::Trace;
use locklab_sys::Call;

use super::paths::Paths;
use super::words::call_and_reply;

/// A step of a process, in few words.
pub(crate) struct ToldCall {
    /// What it calls, and what it is answered.
    pub(crate) words: String,
    /// Whether it only reads or writes its memory: that is no system call.
    pub(crate) is_memory: bool,
}

/// What a process calls in some of a trace's steps. Files are called by their names.
pub(crate) fn calls(trace: &Trace, process: &str, steps: &Range<usize>) -> Vec<ToldCall> {
    let mut paths = Paths::of_nobody();
    let mut told = Vec::new();
    for (index, step) in trace.steps.iter().enumerate().take(steps.end) {
        if index >= steps.start
            && step.process.as_deref() == Some(process)
            && let Some(call) = &step.call
        {
            let words = call_and_reply(process, call, step.outcome.as_ref(), &paths);
            let is_memory = is_memory(call);
            told.extend(words.map(|words| ToldCall { words, is_memory }));
        }
        paths.follow(step);
    }
    told
}

fn is_memory(call: &Call) -> bool {
    matches!(call, Call::CellRead { .. } | Call::CellWrite { .. } | Call::CellSwap { .. })
}
