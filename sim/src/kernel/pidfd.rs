//! Descriptors that stand for processes.

use locklab_sys::{Errno, Fd, Pid, Reply, Ret, Signal};

use super::fs::Target;
use super::pid::Holder;
use super::{Kernel, Outcome, ProcId, State};

impl Kernel {
    /// Init can be opened too: it never ends.
    pub(super) fn pidfd_open(&mut self, caller: ProcId, pid: Pid) -> Reply {
        let process = match pid {
            Pid(0) => return Err(Errno::EINVAL),
            _ => match self.holder_of(caller, pid)? {
                None => None,
                Some(Holder::Process(proc)) => Some(proc),
                Some(Holder::Thread(_) | Holder::ThreadOf(_)) => return Err(Errno::ENOENT),
            },
        };
        let files = self.files(caller);
        let fd = files.process.descriptors.lowest_free()?;
        let description = files.system.open_special(caller, Target::Process(process));
        files.process.descriptors.insert(fd, description, true);
        Ok(Ret::Fd(fd))
    }

    pub(super) fn pidfd_signal(&mut self, sender: ProcId, fd: Fd, signal: Signal) -> Outcome {
        let files = self.files(sender);
        let target =
            files.process.descriptors.get(fd).map(|description| files.system.opened(description));
        match target {
            Ok(Target::Process(None)) => self.signal_init(sender),
            Ok(Target::Process(Some(proc))) => match self.process(proc).state {
                State::Dead(_) => Errno::ESRCH.into(),
                _ => self.send_signal(sender, proc, signal),
            },
            _ => Errno::EBADF.into(),
        }
    }
}
