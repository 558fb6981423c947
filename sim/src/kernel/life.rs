//! How processes begin and end.

use locklab_sys::{ExitStatus, SmolStr, Uid};

use super::cells::Cells;
use super::container::Inside;
use super::descriptors::Descriptors;
use super::machine::Machine;
use super::namespace::Numbered;
use super::pid::Holder;
use super::signals::Signals;
use super::{Effect, Kernel, MachineId, ProcId, Process, State, Task, TaskId, TaskState};
use crate::part::Part;

impl Kernel {
    /// Init starts a process of an ordinary user.
    ///
    /// # Panics
    ///
    /// When the machine has no pid left.
    pub fn launch(&mut self, machine: MachineId, name: SmolStr) -> (ProcId, TaskId) {
        self.launch_as(machine, name, Uid::USER, None)
    }

    /// Init starts a process of a user; in a container, which starts with it
    /// unless it runs.
    ///
    /// # Panics
    ///
    /// When the machine or the container has no pid left.
    pub fn launch_as(
        &mut self,
        machine: MachineId,
        name: SmolStr,
        uid: Uid,
        container: Option<&SmolStr>,
    ) -> (ProcId, TaskId) {
        let proc = self.next_proc();
        let init = container.map(|container| {
            let Machine { containers, pids, .. } = self.machine_mut(machine);
            containers.named(container).unwrap_or_else(|| {
                containers.start(container.clone(), proc, pids.max());
                proc
            })
        });
        let numbered = self.number(machine, init, Holder::Process(proc));
        self.begin(machine, numbered.expect("a machine has a pid left"), name, uid, None);
        (proc, self.add_task(proc, 1))
    }

    /// Gives the pid of a dead process to a stranger of the same user, which lives
    /// on and makes no calls.
    ///
    /// # Panics
    ///
    /// Unless the [pid is free](Self::pid_is_free).
    pub fn reuse_pid(&mut self, dead: ProcId, name: SmolStr) -> ProcId {
        assert!(self.pid_is_free(dead), "only the pid of a dead process is reused");
        let &Process { machine, pid, inside, uid, .. } = self.process(dead);
        let proc = self.next_proc();
        let holder = Holder::Process(proc);
        let Machine { containers, pids, .. } = self.machine_mut(machine);
        let inside = inside.map(|Inside { init, .. }| {
            let outer = pids.walk(holder).expect("a machine has a pid left");
            containers.pids_mut(init).expect("the container runs").take(pid, holder);
            Inside { init, outer }
        });
        if inside.is_none() {
            pids.take(pid, holder);
        }
        self.begin(machine, Numbered { pid, inside }, name, uid, None);
        proc
    }

    /// Gives the pid of a dead process to a thread of a stranger of the same user, which has
    /// a pid of its own, lives on and makes no calls.
    ///
    /// # Panics
    ///
    /// Unless the [pid is free](Self::pid_is_free), or when the machine has no pid left, or if
    /// it is the pid of a container.
    pub fn reuse_pid_by_thread(&mut self, dead: ProcId, name: SmolStr) -> ProcId {
        assert!(self.pid_is_free(dead), "only the pid of a dead process is reused");
        let &Process { machine, pid, inside, uid, .. } = self.process(dead);
        assert!(inside.is_none(), "a container has no strangers with threads");
        let proc = self.next_proc();
        let pids = &mut self.machine_mut(machine).pids;
        let own = pids.walk(Holder::Process(proc)).expect("a machine has a pid left");
        pids.take(pid, Holder::ThreadOf(proc));
        self.begin(machine, Numbered { pid: own, inside }, name, uid, None);
        proc
    }

    /// Launches a process like a dead one, with its pid.
    ///
    /// # Panics
    ///
    /// Unless the [pid is free](Self::pid_is_free).
    pub fn launch_with_pid_of(&mut self, dead: ProcId, name: SmolStr) -> (ProcId, TaskId) {
        let proc = self.reuse_pid(dead, name);
        (proc, self.add_task(proc, 1))
    }

    /// Whether a process is dead, and no other has its pid, though one could: the
    /// pids of a container that has ended come back with its next start.
    pub fn pid_is_free(&self, dead: ProcId) -> bool {
        let &Process { machine, pid, inside, state, .. } = self.process(dead);
        let machine = self.machine(machine);
        let pids = match inside {
            None => Some(&*machine.pids),
            Some(Inside { init, .. }) => machine.containers.pids(init),
        };
        matches!(state, State::Dead(_)) && pids.is_some_and(|pids| pids.get(pid).is_none())
    }

    /// Ends a process, unless it has ended: what it holds is freed at once.
    pub(super) fn end(&mut self, proc: ProcId, status: ExitStatus) {
        if !self.process(proc).is_alive() {
            return;
        }
        for index in 0..self.tasks.len() {
            if self.tasks[index].proc == proc {
                self.unblock(TaskId(index as u32));
                self.tasks[index].parent_death_signal = None;
            }
        }
        while let Some(description) = self.process_mut(proc).descriptors.pop() {
            self.close_description(proc, description);
        }
        self.disarm(proc);
        self.machine_of_mut(proc).files.forgive(proc);
        let process = self.process_mut(proc);
        process.cells.clear();
        process.drawn = 0;
        process.signals = Signals::default();
        process.state = State::Zombie(status);
        let threads = process.threads.take();
        let is_init_child = process.parent.is_none();
        if let Some(threads) = threads {
            self.free_thread_ids(proc, &threads);
        }
        self.effects.push(Effect::Ended { proc, status });
        if self.process(proc).is_container_init(proc) {
            self.end_container(proc);
        } else {
            self.orphan_children_of(proc);
        }
        if is_init_child {
            self.reap(proc);
        }
    }

    /// All who live in a container die with its init.
    fn end_container(&mut self, init: ProcId) {
        let others: Vec<ProcId> = self.pids_of(init).owners().filter(|&it| it != init).collect();
        for &other in &others {
            self.end(other, ExitStatus::Killed);
        }
        for other in others {
            if matches!(self.process(other).state, State::Zombie(_)) {
                self.reap(other);
            }
        }
        self.machine_of_mut(init).containers.end(init);
    }

    /// Frees the pid of a zombie.
    pub(super) fn reap(&mut self, proc: ProcId) {
        let process = self.process_mut(proc);
        let State::Zombie(status) = process.state else {
            unreachable!("only zombies are reaped");
        };
        process.state = State::Dead(status);
        let parent = process.parent;
        self.free_pids(proc);
        if let Some(parent) = parent {
            self.process_mut(parent).children.retain(|child| child.proc != proc);
        }
    }

    pub(super) fn next_proc(&self) -> ProcId {
        ProcId(self.procs.len() as u32)
    }

    /// A new process, which has taken its pids.
    pub(super) fn begin(
        &mut self,
        machine: MachineId,
        Numbered { pid, inside }: Numbered,
        name: SmolStr,
        uid: Uid,
        parent: Option<ProcId>,
    ) -> &mut Process {
        let proc = self.next_proc();
        self.effects.push(Effect::Started { proc });
        let session = parent.map_or(proc, |parent| self.process(parent).session);
        let start_ticks = self.machine(machine).ticks();
        self.machine_mut(machine).files.expect(proc);
        self.procs.push(Part::new(Process {
            name,
            machine,
            pid,
            inside,
            uid,
            parent,
            state: State::Running,
            start_ticks,
            session,
            signals: Signals::default(),
            spawned: 0,
            children: Vec::new(),
            is_subreaper: false,
            threads: None,
            descriptors: Descriptors::default(),
            cells: Cells::default(),
            drawn: 0,
        }));
        self.procs.last_mut().expect("a process was just added")
    }

    /// A new task; its number is 1 in a new process.
    pub(super) fn add_task(&mut self, proc: ProcId, number: u32) -> TaskId {
        let state = TaskState { number, ended: false, parent_death_signal: None, blocked: None };
        self.tasks.push(Task { proc, state: Part::new(state) });
        TaskId(self.tasks.len() as u32 - 1)
    }
}
