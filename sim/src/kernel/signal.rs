//! Signals, sent by processes or by the world.

use locklab_sys::{Errno, ExitStatus, Pid, Ret, Signal};

use super::pid::INIT;
use super::{Effect, Kernel, Outcome, ProcId, State};

impl Kernel {
    /// Stops a process, if it runs.
    pub fn stop(&mut self, proc: ProcId) {
        if self.process(proc).state == State::Running {
            self.interrupt(proc);
            self.process_mut(proc).state = State::Stopped;
            self.effects.push(Effect::Stopped { proc });
        }
    }

    /// Continues a process, if it is stopped.
    pub fn cont(&mut self, proc: ProcId) {
        if self.process(proc).is_stopped() {
            self.process_mut(proc).state = State::Running;
            self.effects.push(Effect::Continued { proc });
        }
    }

    /// Kills a process, if it is alive.
    pub fn kill(&mut self, proc: ProcId) {
        self.end(proc, ExitStatus::Killed);
    }

    /// A process aborts, if it is alive.
    pub fn abort(&mut self, proc: ProcId) {
        self.end(proc, ExitStatus::Aborted);
    }

    pub(super) fn signal(&mut self, sender: ProcId, pid: Pid, signal: Signal) -> Outcome {
        match pid {
            // The sender's process group, which programs here do not have.
            Pid(0) => return Errno::EINVAL.into(),
            // Programs here are not root's, whatever the signal.
            INIT => return Errno::EPERM.into(),
            _ => {}
        }
        let Some(proc) = self.machine_of(sender).pids.get(pid) else {
            return Errno::ESRCH.into();
        };
        self.send_signal(sender, proc, signal)
    }

    pub(super) fn send_signal(&mut self, sender: ProcId, proc: ProcId, signal: Signal) -> Outcome {
        self.deliver(proc, signal);
        // It may have sent it to itself, or to a parent whose end is its own.
        if self.process(sender).is_alive() { Ret::Unit.into() } else { Outcome::Ended }
    }

    /// What a signal does to a process; nothing to one that has ended.
    pub(super) fn deliver(&mut self, proc: ProcId, signal: Signal) {
        match signal {
            Signal::Probe => {}
            Signal::Stop => self.stop(proc),
            Signal::Cont => self.cont(proc),
            Signal::Kill => self.kill(proc),
        }
    }
}
