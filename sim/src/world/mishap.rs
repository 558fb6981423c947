//! What happens to whole machines.

use std::sync::Arc;
use std::time::Duration;

use locklab_sys::Clock;

use super::apply::enter;
use super::{Appointment, Due, World};
use crate::choice::Choice;
use crate::event::Event;
use crate::kernel::{MachineId, Rest, Survivor};
use crate::mishap::{Budgets, Mishap};

impl World {
    /// Whether it would change anything.
    pub(super) fn may_befall(&self, machine: MachineId, mishap: Mishap) -> bool {
        match mishap {
            Mishap::Sleep(_) | Mishap::Pause(_) => !self.state.course.resting.contains(&machine),
            Mishap::FullDisk(_) => !self.is_due(Due::Drain(machine)),
            Mishap::Reboot
            | Mishap::PowerLoss(_)
            | Mishap::ClockForward(_)
            | Mishap::ClockBack(_) => true,
        }
    }

    pub(super) fn befall(&mut self, machine: MachineId, mishap: Mishap) {
        let realtime = self.state.kernel.clock(machine, Clock::Realtime);
        match mishap {
            Mishap::Sleep(time) => self.suspend(machine, Rest::Asleep, time),
            Mishap::Pause(time) => self.suspend(machine, Rest::Paused, time),
            Mishap::Reboot => self.reboot(machine, None),
            Mishap::PowerLoss(survivor) => self.reboot(machine, Some(survivor)),
            Mishap::ClockForward(time) => self.set_clock(machine, realtime.saturating_add(time)),
            Mishap::ClockBack(time) => self.set_clock(machine, realtime.saturating_sub(time)),
            Mishap::FullDisk(time) => {
                self.state.kernel.fill_disk(machine);
                self.appoint(time, Due::Drain(machine));
            }
        }
    }

    fn set_clock(&mut self, machine: MachineId, realtime: Duration) {
        self.state.kernel.set_clock(machine, realtime);
        self.happened.events.push(Event::ClockSet);
    }

    fn suspend(&mut self, machine: MachineId, rest: Rest, time: Duration) {
        self.state.kernel.suspend(machine, rest, time);
        self.state.course.resting.push(machine);
        self.state.course.resting.sort_unstable();
        self.appoint(time, Due::Wake(machine));
    }

    /// Whether something that is to happen waits for a machine: nothing is launched on one
    /// that does not run.
    pub(super) fn is_held(&self, appointment: &Appointment) -> bool {
        let (Due::Launch(index) | Due::Restart(index, _)) = appointment.what else { return false };
        let machine = self.state.setup.processes[index].machine;
        self.state.course.resting.iter().any(|resting| usize::from(resting.0) == machine)
    }

    fn launches_on(&self, machine: MachineId) -> Vec<usize> {
        let launches = self.state.setup.processes.iter().enumerate();
        let there = launches.filter(|(_, launch)| launch.machine == usize::from(machine.0));
        there.map(|(index, _)| index).collect()
    }

    /// Launches a process of the set-up when it was to be, and not before `from`.
    fn launch_at(&mut self, index: usize, from: Duration) {
        let what = Due::Launch(index);
        let due = self.state.course.agenda.iter().find(|appointment| appointment.what == what);
        let at = due.map_or(from, |due| due.at.max(from));
        self.forget(what);
        enter(&mut self.state.course.agenda, Appointment { at, what: Due::Launch(index) });
    }

    pub(super) fn wake(&mut self, machine: MachineId) {
        self.forget(Due::Wake(machine));
        self.state.kernel.wake(machine);
        self.state.course.resting.retain(|resting| *resting != machine);
        self.happened.events.push(Event::TimePassed);
    }

    fn reboot(&mut self, machine: MachineId, survivor: Option<Survivor>) {
        if self.state.course.resting.contains(&machine) {
            self.wake(machine);
        }
        self.forget(Due::Drain(machine));
        self.state.kernel.drain_disk(machine);
        let setup = Arc::clone(&self.state.setup);
        let config = &setup.machines[usize::from(machine.0)];
        self.state.kernel.reboot(machine, config, survivor);
        self.take_effects();
        self.launch_again(machine, config.uptime);
    }

    /// What a machine starts by itself is launched as long after the boot as it
    /// was after the one before the world began, and nothing else earlier.
    fn launch_again(&mut self, machine: MachineId, uptime: Duration) {
        let up = self.state.kernel.now() + uptime;
        for index in self.launches_on(machine) {
            let launch = &self.state.setup.processes[index];
            if launch.every_boot {
                self.launch_at(index, up + launch.start);
            } else if self.is_due(Due::Launch(index)) {
                self.launch_at(index, up);
            }
        }
    }

    fn is_due(&self, what: Due) -> bool {
        self.state.course.agenda.iter().any(|appointment| appointment.what == what)
    }

    /// The mishaps that the adversary can pay for.
    pub(crate) fn offer_mishaps(&self, moves: &mut Vec<Choice>) {
        let mut budgets = self.state.course.budget.mishaps;
        if budgets == Budgets::default() {
            return;
        }
        let now = self.state.kernel.now();
        let rests: Vec<Duration> =
            self.instants().into_iter().map(|instant| instant - now).collect();
        for machine in (0..self.state.setup.machines.len()).map(|index| MachineId(index as u16)) {
            let durable = self.state.setup.machines[usize::from(machine.0)].durability.is_some();
            let losses = Survivor::ALL.iter().filter(|_| durable);
            let all = (rests.iter().map(|rest| Mishap::Sleep(*rest)))
                .chain(rests.iter().map(|rest| Mishap::Pause(*rest)))
                .chain([Mishap::Reboot])
                .chain(losses.map(|survivor| Mishap::PowerLoss(*survivor)))
                .chain([Mishap::ClockForward(Mishap::STEP), Mishap::ClockBack(Mishap::STEP)])
                .chain([Mishap::FullDisk(Mishap::WHILE_FULL)]);
            let offered = all.filter(|mishap| {
                *mishap.budget(&mut budgets) > 0 && self.may_befall(machine, *mishap)
            });
            moves.extend(offered.map(|mishap| Choice::Mishap(machine, mishap)));
        }
    }
}
