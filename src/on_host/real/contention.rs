//! Who waits no longer in Linux, and is held back in the simulation, has what others
//! may want.

use locklab_sys::Call;

/// Whether a call may give something else when a wait is over already. That both are
/// of one kind is enough: whether they mean one file is not looked at.
pub(super) fn competes(call: &Call, wait: &Call) -> bool {
    match wait {
        Call::Flock { .. } => matches!(call, Call::Flock { .. }),
        Call::Fcntl { .. } => matches!(call, Call::Fcntl { .. }),
        // A child that was waited for is no zombie any more.
        Call::Wait { .. } | Call::WaitAny => matches!(
            call,
            Call::Wait { .. }
                | Call::WaitAny
                | Call::TryWait { .. }
                | Call::Kill { .. }
                | Call::ProcStat { .. }
                | Call::ProcStatus { .. }
                | Call::PidfdOpen { .. }
                | Call::PidfdSendSignal { .. }
        ),
        wait if uses_socket(wait) => uses_socket(call) || matches!(call, Call::Poll { .. }),
        // A poll takes nothing, and nobody sleeps.
        _ => false,
    }
}

fn uses_socket(call: &Call) -> bool {
    matches!(
        call,
        Call::Accept { .. }
            | Call::Connect { .. }
            | Call::Recv { .. }
            | Call::Send { .. }
            | Call::Read { .. }
            | Call::Write { .. }
    )
}
