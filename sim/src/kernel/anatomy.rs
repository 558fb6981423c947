use super::Kernel;
use crate::part::{Owner, Visitor, VisitorMut};

impl Kernel {
    /// Shows all that what happens from here on depends on.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        let Self { now, machines, procs, tasks, alarms, seed, effects: _ } = self;
        visitor.rest(&(now, alarms, seed, machines.len(), procs.len()));
        visitor.part(tasks, Owner::Nobody);
        for (process, proc) in procs.iter().zip(0..) {
            visitor.part(process, Owner::Process(proc));
        }
        machines.iter().for_each(|machine| machine.visit(visitor));
    }

    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitorMut) {
        visitor.part(&mut self.tasks);
        self.procs.iter_mut().for_each(|process| visitor.part(process));
        self.machines.iter_mut().for_each(|machine| machine.visit_mut(visitor));
    }
}
