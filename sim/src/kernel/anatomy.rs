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

    /// Takes over what is in no part of a kernel that this one becomes, and the parts that
    /// it has more of.
    pub(crate) fn take_rest(&mut self, its: &Self) {
        let Self { now, machines, procs, tasks: _, alarms, seed, effects: _ } = self;
        (*now, *seed) = (its.now, its.seed);
        alarms.clone_from(&its.alarms);
        procs.extend(its.procs[procs.len()..].iter().cloned());
        machines.iter_mut().zip(&its.machines).for_each(|(mine, its)| mine.take_rest(its));
    }
}
