//! Questions to a trace.

use locklab_sim::{Trace, TracedEvent, TracedOutcome, TracedStep};
use locklab_sys::{Call, Errno, ExitStatus};

/// The steps of a process that make such a call.
pub fn calls<'a>(
    trace: &'a Trace,
    who: &str,
    wanted: impl Fn(&Call) -> bool,
) -> Vec<&'a TracedStep> {
    let steps = trace.steps.iter().filter(|step| step.process.as_deref() == Some(who));
    steps.filter(|step| step.call.as_ref().is_some_and(&wanted)).collect()
}

/// The steps after which a process said a mark.
pub fn says<'a>(trace: &'a Trace, who: &str, mark: &str) -> Vec<&'a TracedStep> {
    let is_it = |event: &TracedEvent| matches!(event, TracedEvent::Mark { process, name, .. } if process == who && *name == mark);
    trace.steps.iter().filter(|step| step.events.iter().any(is_it)).collect()
}

/// Whether a process ended so.
pub fn ended(trace: &Trace, who: &str, how: ExitStatus) -> bool {
    let mut events = trace.steps.iter().flat_map(|step| &step.events);
    events.any(|event| matches!(event, TracedEvent::Ended { process, status } if process == who && *status == how))
}

/// Whether a call of a process failed so.
pub fn failed(trace: &Trace, who: &str, errno: Errno) -> bool {
    let failed = Some(TracedOutcome::Failed(errno));
    calls(trace, who, |_| true).iter().any(|step| step.outcome == failed)
}
