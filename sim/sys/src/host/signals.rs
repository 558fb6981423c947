use std::time::Duration;

use smol_str::SmolStr;

use super::{known, raw, unit};
use crate::{Disposition, Errno, Reply, Ret, Signal};

/// The signals that a process here can choose for, with their numbers.
const CATCHABLE: [(Signal, i32); 2] =
    [(Signal::Alrm, libc::SIGALRM), (Signal::Cont, libc::SIGCONT)];

pub(super) fn sigaction(signal: Signal, disposition: Disposition) -> Reply {
    let known = CATCHABLE.iter().find(|(catchable, _)| *catchable == signal);
    let (_, number) = known.ok_or(Errno::EINVAL)?;
    unit(match disposition {
        Disposition::Default => raw::set_disposition(*number, libc::SIG_DFL),
        Disposition::Ignore => raw::set_disposition(*number, libc::SIG_IGN),
        Disposition::Handle { restart } => raw::catch(*number, restart),
    })
}

/// The memory cells of handlers that have run since this was last asked.
pub(super) fn caught() -> impl Iterator<Item = SmolStr> {
    let caught = CATCHABLE.into_iter().filter(|(_, number)| raw::take_caught(*number));
    caught.filter_map(|(signal, _)| signal.cell().map(SmolStr::new_static))
}

pub(super) fn setitimer(after: Duration) -> Reply {
    raw::set_timer(after).map(Ret::Time).map_err(known)
}
