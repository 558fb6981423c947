use locklab_sim::kernel::State;
use locklab_sim::{End, Finished, World};
use locklab_sys::ExitStatus;

use super::Watchers;
use crate::arm::Arm;
use crate::scenario::Scenario;

impl Watchers {
    /// Why one run shows less than it should; nothing when it shows all.
    pub fn reasons(
        &self,
        arm: Arm,
        scenario: &Scenario,
        world: &World,
        run: &Finished,
    ) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some(message) = self.abort(run) {
            reasons.push(message.to_owned());
        }
        if let Some(bound) = cut_off(run) {
            reasons.push(format!("the {arm} was cut off by the {bound}"));
        }
        if everybody_crashed(scenario, world) {
            reasons.push(format!("everybody crashed in the {arm}"));
        }
        if arm == Arm::Story {
            reasons.extend(never_fired(scenario, world));
            reasons.extend(self.never_reached(scenario, run));
        }
        if arm != Arm::Baseline && !self.contended(run) {
            reasons.push(format!("nobody contended for the lock in the {arm}"));
        }
        reasons
    }

    /// The message of a program that aborted.
    pub fn abort<'a>(&self, run: &'a Finished) -> Option<&'a str> {
        let abort = run.falls.iter().find(|fall| fall.which == self.witnesses_from);
        abort.map(|fall| fall.message.as_str())
    }

    /// Whether somebody wanted a lock that was not free.
    pub fn contended(&self, run: &Finished) -> bool {
        self.saw(run, 1)
    }

    fn never_reached(&self, scenario: &Scenario, run: &Finished) -> Vec<String> {
        let goals = scenario.reached.iter().enumerate();
        let missed = goals.filter(|(index, _)| !self.saw(run, 2 + index));
        missed
            .map(|(_, goal)| {
                let process = &scenario.processes[goal.process].name;
                format!("{process} never came to `{}` in the story", goal.mark)
            })
            .collect()
    }

    fn saw(&self, run: &Finished, witness: usize) -> bool {
        run.falls.iter().any(|fall| fall.which == self.witnesses_from + witness)
    }
}

/// The bound that cut a run off.
pub fn cut_off(run: &Finished) -> Option<&'static str> {
    match run.end {
        End::Horizon => Some("horizon"),
        End::StepBound => Some("bound on steps"),
        End::Finished | End::Hung | End::Abandoned => None,
    }
}

fn never_fired(scenario: &Scenario, world: &World) -> Vec<String> {
    let faults = scenario.faults.iter().enumerate();
    let missed = faults.filter(|(index, _)| !world.fired()[*index]);
    missed
        .map(|(index, fault)| {
            let process = &scenario.processes[fault.process].name;
            let what = if world.is_over_with(index) {
                "came to nothing: when it was due, there was nothing to do"
            } else {
                "never fired"
            };
            format!("the fault of {process} at `{}` {what}", fault.at)
        })
        .collect()
}

fn everybody_crashed(scenario: &Scenario, world: &World) -> bool {
    let mut launched =
        (0..scenario.processes.len()).filter_map(|index| world.launched(index)).peekable();
    launched.peek().is_some()
        && launched
            .all(|proc| world.kernel().process(proc).state == State::Dead(ExitStatus::Killed))
}
