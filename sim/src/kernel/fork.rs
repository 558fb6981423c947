//! How one program becomes another, or two.

use locklab_sys::{Errno, Fd, Image, Ret};

use super::children::Child;
use super::descriptors::Descriptors;
use super::pid::Holder;
use super::{Kernel, Outcome, Process, TaskId};

impl Kernel {
    pub(super) fn spawn(&mut self, task: TaskId, image: &Image, keep: &[Fd]) -> Outcome {
        match self.process(self.process_of(task)).descriptors.inherited(Some(keep)) {
            Ok(descriptors) => self.fork_with(task, image, descriptors),
            Err(errno) => errno.into(),
        }
    }

    pub(super) fn fork(&mut self, task: TaskId, image: &Image) -> Outcome {
        let all = self.process(self.process_of(task)).descriptors.inherited(None);
        self.fork_with(task, image, all.expect("all of them are open"))
    }

    fn fork_with(&mut self, task: TaskId, image: &Image, descriptors: Descriptors) -> Outcome {
        let parent = self.process_of(task);
        let proc = self.next_proc();
        let &Process { machine, uid, .. } = self.process(parent);
        let container = self.process(parent).container();
        let Some(numbered) = self.number(machine, container, Holder::Process(proc)) else {
            return Errno::EAGAIN.into();
        };
        let pid = numbered.pid;
        for description in descriptors.descriptions() {
            self.machine_of_mut(parent).files.share(description);
        }
        let process = self.process_mut(parent);
        process.spawned += 1;
        process.children.push(Child { proc, of: task });
        let name = format!("{}/{}.{}", process.name, image.name(), process.spawned).into();
        let (cells, signals) = (process.cells.clone(), process.signals);
        let child = self.begin(machine, numbered, name, uid, Some(parent));
        child.descriptors = descriptors;
        child.cells = cells;
        child.signals = signals;
        let task = self.add_task(proc, 1);
        Outcome::Spawned { reply: Ok(Ret::Pid(pid)), proc, task, image: image.clone() }
    }

    pub(super) fn exec(&mut self, task: TaskId, image: &Image) -> Outcome {
        let proc = self.process_of(task);
        self.become_only_thread(task);
        let process = self.process_mut(proc);
        process.cells.clear();
        process.signals.forget_handlers();
        let closed: Vec<_> = process.descriptors.drain_close_on_exec().collect();
        for description in closed {
            self.close_description(proc, description);
        }
        Outcome::Executed { image: image.clone() }
    }
}
