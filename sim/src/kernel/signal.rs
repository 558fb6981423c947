//! Signals, sent by processes or by the world.

use locklab_sys::{Disposition, Errno, ExitStatus, Pid, Ret, Signal, SmolStr};

use super::{Effect, Kernel, Outcome, ProcId, State};

impl Kernel {
    /// Stops a process, if it runs.
    pub fn stop(&mut self, proc: ProcId) {
        if self.process(proc).state == State::Running {
            self.interrupt_by_stop(proc);
            self.process_mut(proc).state = State::Stopped;
            self.effects.push(Effect::Stopped { proc });
        }
    }

    /// Continues a process, if it is stopped.
    pub fn cont(&mut self, proc: ProcId) {
        if !self.process(proc).is_alive() {
            return;
        }
        let was_stopped = self.process(proc).is_stopped();
        if was_stopped {
            self.process_mut(proc).state = State::Running;
            self.effects.push(Effect::Continued { proc });
        }
        let signals = &mut self.process_mut(proc).signals;
        let came_first = std::mem::take(&mut signals.alrm_pending).then_some(signals.alrm);
        match (came_first, signals.cont) {
            (Some(Disposition::Default), _) => self.end(proc, ExitStatus::Alarmed),
            // Of two handlers, the one for the lower number decides.
            (Some(Disposition::Handle { restart }), cont) => {
                if let Disposition::Handle { .. } = cont {
                    self.run_handler(proc, Signal::Cont);
                }
                self.run_handler(proc, Signal::Alrm);
                self.interrupt(proc, restart, was_stopped);
            }
            (_, Disposition::Handle { restart }) => {
                self.run_handler(proc, Signal::Cont);
                self.interrupt(proc, restart, was_stopped);
            }
            _ => {}
        }
        if was_stopped {
            self.ask_again(proc);
        }
    }

    fn alarm(&mut self, proc: ProcId) {
        let process = self.process_mut(proc);
        match process.signals.alrm {
            Disposition::Ignore => {}
            // Whoever sends it: only what it handles reaches the init of a container.
            Disposition::Default if process.is_container_init(proc) => {}
            _ if process.is_stopped() => process.signals.alrm_pending = true,
            Disposition::Default => self.end(proc, ExitStatus::Alarmed),
            Disposition::Handle { restart } => {
                self.run_handler(proc, Signal::Alrm);
                self.interrupt(proc, restart, false);
            }
        }
    }

    fn run_handler(&mut self, proc: ProcId, signal: Signal) {
        let cell = signal.cell().expect("it can be handled");
        self.process_mut(proc).cells.write(&SmolStr::new_static(cell), 1);
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
            Pid(0) => Errno::EINVAL.into(),
            _ => match self.meant_by(sender, pid) {
                Ok(None) => self.signal_init(sender),
                Ok(Some(proc)) => self.send_signal(sender, proc, signal),
                Err(errno) => errno.into(),
            },
        }
    }

    /// Init is root's, and no signal from inside its machine does anything to it.
    pub(super) fn signal_init(&self, sender: ProcId) -> Outcome {
        match self.process(sender).uid.is_root() {
            true => Ret::Unit.into(),
            false => Errno::EPERM.into(),
        }
    }

    pub(super) fn send_signal(&mut self, sender: ProcId, proc: ProcId, signal: Signal) -> Outcome {
        if !self.process(sender).may_signal(self.process(proc), signal) {
            return Errno::EPERM.into();
        }
        if !self.is_shielded(proc, sender, signal) {
            self.deliver(proc, signal);
        }
        // It may have sent it to itself, or to a parent whose end is its own.
        if self.process(sender).is_alive() { Ret::Unit.into() } else { Outcome::Ended }
    }

    /// From inside, nothing stops or kills the init of a container.
    fn is_shielded(&self, proc: ProcId, sender: ProcId, signal: Signal) -> bool {
        matches!(signal, Signal::Stop | Signal::Kill)
            && self.process(proc).is_container_init(proc)
            && self.process(sender).inside.is_some()
    }

    /// What a signal does to a process; nothing to one that has ended.
    pub(super) fn deliver(&mut self, proc: ProcId, signal: Signal) {
        match signal {
            Signal::Probe => {}
            Signal::Stop => self.stop(proc),
            Signal::Cont => self.cont(proc),
            Signal::Kill => self.kill(proc),
            Signal::Alrm => self.alarm(proc),
        }
    }
}
