//! What `/proc` tells of processes and threads.

use locklab_sys::{Errno, Pid, ProcStat, ProcState, ProcStatus, Reply, Ret, Uid};

use super::pid::{Holder, INIT};
use super::{Kernel, ProcId, State};

impl Kernel {
    pub(super) fn proc_stat(&self, reader: ProcId, pid: Pid) -> Reply {
        let Some(holder) = self.shown(reader, pid)? else {
            let init = ProcStat { state: ProcState::Running, ppid: Pid(0), start_ticks: 0 };
            return Ok(Ret::ProcStat(init));
        };
        Ok(Ret::ProcStat(ProcStat {
            state: self.state_of(holder),
            ppid: self.parent_pid_for(reader, self.owner(holder)),
            start_ticks: match holder {
                // A stranger's thread starts when it does.
                Holder::Process(proc) | Holder::ThreadOf(proc) => self.process(proc).start_ticks,
                Holder::Thread(task) => self.thread(task).start_ticks,
            },
        }))
    }

    pub(super) fn proc_status(&self, reader: ProcId, pid: Pid) -> Reply {
        let Some(holder) = self.shown(reader, pid)? else {
            return Ok(Ret::ProcStatus(ProcStatus {
                state: ProcState::Running,
                tgid: INIT,
                ppid: Pid(0),
                uid: Uid::ROOT,
                namespace_pids: [INIT].into(),
            }));
        };
        let proc = self.owner(holder);
        let process = self.process(proc);
        let own = match holder {
            Holder::Process(_) => process.pid,
            Holder::Thread(task) => self.tid(task),
            // There are none in containers, where it would have another id.
            Holder::ThreadOf(_) => pid,
        };
        let is_below = process.container() != self.process(reader).container();
        Ok(Ret::ProcStatus(ProcStatus {
            state: self.state_of(holder),
            tgid: self.pid_for(reader, proc),
            ppid: self.parent_pid_for(reader, proc),
            uid: process.uid,
            namespace_pids: if is_below { [pid, own].into() } else { [pid].into() },
        }))
    }

    /// Whom a reader sees by this pid; `None` for the machine's init.
    fn shown(&self, reader: ProcId, pid: Pid) -> Result<Option<Holder>, Errno> {
        self.holder_of(reader, pid).map_err(|_| Errno::ENOENT)
    }

    fn state_of(&self, holder: Holder) -> ProcState {
        let process = self.process(self.owner(holder));
        match process.state {
            // The main thread has ended, others have not.
            _ if matches!(holder, Holder::Process(_)) && process.has_lost_its_main() => {
                ProcState::Zombie
            }
            State::Running => ProcState::Running,
            State::Stopped => ProcState::Stopped,
            State::Zombie(_) => ProcState::Zombie,
            State::Dead(_) => unreachable!("a dead process has no pid"),
        }
    }
}
