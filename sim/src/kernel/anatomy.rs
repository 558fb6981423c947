use super::{Kernel, ProcId};
use crate::part::{Owner, Visitor, VisitorMut};

impl Kernel {
    /// Shows all that what happens from here on depends on.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        let Self { now, machines, procs, tasks, alarms, seed, effects: _ } = self;
        let of_tasks: Vec<ProcId> = tasks.iter().map(|task| task.proc).collect();
        visitor.rest(&(now, alarms, seed, machines.len(), procs.len(), of_tasks));
        for (process, proc) in procs.iter().zip(0..) {
            visitor.part(process, Owner::Process(proc));
        }
        for (task, number) in tasks.iter().zip(0..) {
            visitor.part(&task.state, Owner::Task(number));
        }
        machines.iter().for_each(|machine| machine.visit(visitor));
    }

    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitorMut) {
        self.procs.iter_mut().for_each(|process| visitor.part(process));
        self.tasks.iter_mut().for_each(|task| visitor.part(&mut task.state));
        self.machines.iter_mut().for_each(|machine| machine.visit_mut(visitor));
    }
}
