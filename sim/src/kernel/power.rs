//! What happens to a whole machine.

use std::time::Duration;

use locklab_sys::ExitStatus;

use super::fs::{IoCall, Survivor};
use super::machine::{MachineConfig, Rest};
use super::{Kernel, MachineId, ProcId};

impl Kernel {
    /// Whether a machine is suspended or paused.
    pub fn rest(&self, machine: MachineId) -> Option<Rest> {
        self.machine(machine).past.as_ref()?.rest
    }

    /// Suspends or pauses a machine, to [wake](Self::wake) it when so much time
    /// has passed: until then nobody on it is to make a call. What waits by the
    /// monotonic clock waits that much longer.
    ///
    /// A machine that is suspended writes its files to the disk first. (`sync_on_suspend`,
    /// Documentation/ABI/testing/sysfs-power)
    ///
    /// # Panics
    ///
    /// When it rests already.
    pub fn suspend(&mut self, machine: MachineId, rest: Rest, time: Duration) {
        let home = self.machine_mut(machine);
        match rest {
            Rest::Asleep => home.files.sync_all(),
            Rest::Paused => home.files.postpone(time),
        }
        let before = home.past.get_or_insert_default().rest.replace(rest);
        assert_eq!(before, None, "who is awake is put to sleep");
        for task in self.tasks.iter_mut() {
            if self.procs[task.proc.0 as usize].machine == machine
                && task.blocked.is_some()
                && let Some(blocked) = &mut task.blocked
            {
                blocked.postpone(self.now, time);
            }
        }
        self.postpone_alarms(machine, time);
    }

    /// A machine runs again.
    pub fn wake(&mut self, machine: MachineId) {
        if let Some(past) = &mut self.machine_mut(machine).past {
            past.rest = None;
        }
    }

    /// A machine boots anew, at once: all its processes are gone, its pids walk from
    /// the first again, and so do its clocks, but for realtime. If it lost its
    /// power, `survivor` says what its disk is left with; else it was shut down in
    /// good order.
    ///
    /// `config` is that of the machine: what it begins with.
    ///
    /// # Panics
    ///
    /// When the power is lost of a machine that has no
    /// [`Durability`](super::Durability).
    pub fn reboot(
        &mut self,
        machine: MachineId,
        config: &MachineConfig,
        survivor: Option<Survivor>,
    ) {
        for index in 0..self.procs.len() {
            if self.procs[index].machine == machine {
                self.end(ProcId(index as u32), ExitStatus::Killed);
            }
        }
        let (now, seed) = (self.now, self.seed);
        let index = usize::from(machine.0);
        let home = &mut self.machines[index];
        home.begin_again(config, index, seed);
        home.files.reboot(config, now, survivor, &mut self.effects);
    }

    /// Somebody takes all the room that is left on a machine's disk.
    pub fn fill_disk(&mut self, machine: MachineId) {
        self.machine_mut(machine).files.fill();
    }

    /// The room that was taken is given back.
    pub fn drain_disk(&mut self, machine: MachineId) {
        self.machine_mut(machine).files.drain();
    }

    /// Lets the next such call of a process on a file fail with EIO.
    pub fn fail_next(&mut self, proc: ProcId, call: IoCall) {
        if self.process(proc).is_alive() {
            self.machine_of_mut(proc).files.fail_next(proc, call);
        }
    }

    /// How often a machine has booted since the world began.
    pub fn boots(&self, machine: MachineId) -> u32 {
        self.machine(machine).past.as_ref().map_or(0, |past| past.boots)
    }
}
