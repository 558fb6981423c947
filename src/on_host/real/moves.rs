//! What the world does, instead of a step.

use std::time::Duration;

use locklab_sim::kernel::ProcId;
use locklab_sys::host::Puppet;
use locklab_sys::{Call, Image, Pid, Ret, Signal, SmolStr, Uid};

use super::agreement::Apart;
use super::{Done, PATIENCE, Parting, Real};
use crate::on_host::LAUNCHED;
use crate::on_host::plan::Newborn;

/// How often a process is launched before that is given up: Linux frees a pid a
/// little later than its process is gone, and a tick of its clock takes 10 ms.
const LAUNCHES: u32 = 10_000;

impl Real<'_> {
    pub(super) fn launch(
        &mut self,
        born: Newborn,
        image: &Image,
        container: Option<&SmolStr>,
    ) -> Done {
        let linux = self.bear(born, container).map(|()| {
            self.enter(born.proc, image);
            format!("pid {}", born.pid)
        });
        Done { who: Some(born.proc), what: LAUNCHED.to_owned(), linux }
    }

    pub(super) fn reuse(&mut self, born: Newborn) -> Done {
        let linux = self.bear(born, None).map(|()| {
            self.deeds.reused.push(born.pid.0);
            format!("pid {} reused", born.pid)
        });
        Done { who: Some(born.proc), what: "is launched: a stranger".to_owned(), linux }
    }

    /// Launches a process with the pid that it has in the simulation, and no sooner
    /// than it can be told from who had it before, if that is to be.
    fn bear(&mut self, born: Newborn, container: Option<&SmolStr>) -> Result<(), Parting> {
        // Where there are no users, everybody is the one.
        let uid = if self.machine.has_users() { born.uid } else { Uid::ROOT };
        for _ in 0..LAUNCHES {
            self.machine.next_pid(born.outer_pid).map_err(Parting::not_forced)?;
            let puppet = self.machine.launch(uid, container).map_err(Parting::not_forced)?;
            if (puppet.pid(), puppet.outer_pid()) == (born.pid, born.outer_pid) {
                let ticks = [born.start_ticks, start_ticks(&puppet)?];
                let outside = self.agreement.start_tells_apart(born.outer_pid, ticks);
                let inside = container.map(|container| {
                    self.agreement.inner_start_tells_apart(container, born.pid, ticks)
                });
                match inside.filter(|_| outside == Apart::AsHere).unwrap_or(outside) {
                    Apart::AsHere => {
                        if let Some(container) = container {
                            self.agreement.learn_inner_start(container, born.pid, ticks);
                        }
                        self.welcome(born, puppet, ticks);
                        return Ok(());
                    }
                    Apart::TooEarly => {}
                    Apart::TooLate => {
                        let pid = born.pid;
                        let why = format!("pid {pid} did not come back within a tick of the clock");
                        return Err(Parting::NotForced(why));
                    }
                }
            }
            let pid = puppet.outer_pid();
            self.machine.signal(pid, Signal::Kill).map_err(Parting::not_forced)?;
            puppet.until(|state| state.is_none()).map_err(Parting::not_forced)?;
        }
        let why = format!("no process got the pid {} in its time", born.pid);
        Err(Parting::NotForced(why))
    }

    /// Takes in a process that has just begun, at these ticks here and there.
    pub(super) fn welcome(&mut self, born: Newborn, puppet: Puppet, ticks: [u64; 2]) {
        self.agreement.learn_start(born.outer_pid, ticks);
        self.puppets[born.proc.0 as usize] = Some(puppet);
    }

    pub(super) fn stop(&mut self, proc: ProcId) -> Done {
        self.deeds.stopped.push(self.name(proc).into());
        let sent = self.signal(proc, Signal::Stop);
        self.done(proc, "is stopped", sent.map(|()| "SIGSTOP, seen in state T"))
    }

    pub(super) fn kill(&mut self, proc: ProcId) -> Done {
        self.deeds.killed.push(self.name(proc).into());
        let sent = self.signal(proc, Signal::Kill);
        self.done(proc, "is killed", sent.map(|()| "SIGKILL, seen to be gone"))
    }

    pub(super) fn cont(&mut self, procs: &[ProcId]) -> Done {
        let mut sent = Ok(());
        for proc in procs {
            self.deeds.continued.push(self.name(*proc).into());
            let runs = self.signal(*proc, Signal::Cont).and_then(|()| {
                self.puppet(*proc)?.until(|state| state != Some('T')).map_err(Parting::lost)
            });
            sent = sent.and(runs);
        }
        let names: Vec<&str> = procs.iter().map(|proc| self.name(*proc)).collect();
        let what = match names[..] {
            [_] => "continues".to_owned(),
            _ => format!("{} continue", names.join(", ")),
        };
        self.done(procs[0], &what, sent.map(|()| "SIGCONT"))
    }

    pub(super) fn pass(&mut self, time: Duration) -> Done {
        self.deeds.set_back += time;
        let time_words = humantime::format_duration(time);
        let aged = self.machine.age(time).map_err(Parting::not_forced);
        Done {
            who: None,
            what: format!("{time_words} pass"),
            linux: aged.map(|()| format!("mtimes set back {time_words}")),
        }
    }

    fn done(&self, proc: ProcId, what: &str, linux: Result<&str, Parting>) -> Done {
        Done { who: Some(proc), what: what.to_owned(), linux: linux.map(str::to_owned) }
    }

    fn signal(&self, proc: ProcId, signal: Signal) -> Result<(), Parting> {
        let pid = self.puppet(proc)?.outer_pid();
        self.machine.signal(pid, signal).map_err(Parting::lost)
    }
}

/// When a process was started, as it sees it itself.
pub(super) fn start_ticks(puppet: &Puppet) -> Result<u64, Parting> {
    let pid: Pid = puppet.pid();
    puppet.order(&Call::ProcStat { pid }).map_err(Parting::lost)?;
    match puppet.reply(PATIENCE).map_err(Parting::lost)? {
        Some(Ok(Ret::ProcStat(stat))) => Ok(stat.start_ticks),
        other => Err(Parting::Differs(format!("/proc/{pid}/stat gives {other:?}"))),
    }
}
