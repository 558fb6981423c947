//! How processes begin and end.

use locklab_sys::{Errno, ExitStatus, Fd, Image, Pid, ProcStat, ProcState, Reply, Ret, SmolStr};

use super::cells::Cells;
use super::descriptors::Descriptors;
use super::pid::INIT;
use super::{Effect, Kernel, MachineId, Outcome, ProcId, Process, State, Task, TaskId};

impl Kernel {
    /// Init starts a process.
    ///
    /// # Panics
    ///
    /// When the machine has no pid left.
    pub fn launch(&mut self, machine: MachineId, name: SmolStr) -> (ProcId, TaskId) {
        let proc = self.next_proc();
        let pid = self.machine_mut(machine).pids.walk(proc).expect("a machine has a pid left");
        self.begin(machine, pid, name, None);
        (proc, self.add_task(proc))
    }

    /// Gives the pid of a dead process to a stranger, which lives on and makes
    /// no calls.
    ///
    /// # Panics
    ///
    /// Unless the [pid is free](Self::pid_is_free).
    pub fn reuse_pid(&mut self, dead: ProcId, name: SmolStr) -> ProcId {
        assert!(self.pid_is_free(dead), "only the pid of a dead process is reused");
        let &Process { machine, pid, .. } = self.process(dead);
        let proc = self.next_proc();
        self.machine_mut(machine).pids.take(pid, proc);
        self.begin(machine, pid, name, None);
        proc
    }

    /// Whether a process is dead, and no other has its pid.
    pub fn pid_is_free(&self, dead: ProcId) -> bool {
        let process = self.process(dead);
        let is_dead = matches!(process.state, State::Dead(_));
        is_dead && self.machine(process.machine).pids.get(process.pid).is_none()
    }

    pub(super) fn spawn(&mut self, parent: ProcId, image: &Image, keep: &[Fd]) -> Outcome {
        let descriptors = match self.process(parent).descriptors.inherited(keep) {
            Ok(descriptors) => descriptors,
            Err(errno) => return errno.into(),
        };
        let proc = self.next_proc();
        let Some(pid) = self.machine_of_mut(parent).pids.walk(proc) else {
            return Errno::EAGAIN.into();
        };
        for description in descriptors.descriptions() {
            self.machine_of_mut(parent).files.share(description);
        }
        let process = self.process_mut(parent);
        process.spawned += 1;
        let name = format!("{}/{}.{}", process.name, image.name(), process.spawned).into();
        let (machine, cells) = (process.machine, process.cells.clone());
        let child = self.begin(machine, pid, name, Some(parent));
        child.descriptors = descriptors;
        child.cells = cells;
        let task = self.add_task(proc);
        Outcome::Spawned { reply: Ok(Ret::Pid(pid)), proc, task, image: image.clone() }
    }

    /// Ends a process, unless it has ended: what it holds is freed at once.
    pub(super) fn end(&mut self, proc: ProcId, status: ExitStatus) {
        if !self.process(proc).is_alive() {
            return;
        }
        let files = self.files(proc);
        let mut sockets = Vec::new();
        for description in files.descriptors.drain() {
            sockets.extend(files.system.close(description));
        }
        for socket in sockets {
            self.close_socket(self.process(proc).machine, socket);
        }
        for task in &mut self.tasks {
            if task.proc == proc {
                task.blocked = None;
            }
        }
        let process = self.process_mut(proc);
        process.cells.clear();
        process.parent_death_signal = None;
        process.state = State::Zombie(status);
        let is_init_child = process.parent.is_none();
        self.effects.push(Effect::Ended { proc, status });
        self.orphan_children_of(proc);
        if is_init_child {
            self.reap(proc);
        }
    }

    fn orphan_children_of(&mut self, parent: ProcId) {
        for index in 0..self.procs.len() {
            let process = &mut self.procs[index];
            if process.parent == Some(parent) {
                process.parent = None;
                let child = ProcId(index as u32);
                let signal = process.parent_death_signal.take();
                if matches!(process.state, State::Zombie(_)) {
                    self.reap(child);
                } else if let Some(signal) = signal {
                    self.deliver(child, signal);
                }
            }
        }
    }

    /// Frees the pid of a zombie.
    pub(super) fn reap(&mut self, proc: ProcId) {
        let process = self.process_mut(proc);
        let State::Zombie(status) = process.state else {
            unreachable!("only zombies are reaped");
        };
        process.state = State::Dead(status);
        let &mut Process { machine, pid, .. } = process;
        self.machine_mut(machine).pids.free(pid);
    }

    pub(super) fn proc_stat(&self, machine: MachineId, pid: Pid) -> Reply {
        if pid == INIT {
            let init = ProcStat { state: ProcState::Running, ppid: Pid(0), start_ticks: 0 };
            return Ok(Ret::ProcStat(init));
        }
        let proc = self.machine(machine).pids.get(pid).ok_or(Errno::ENOENT)?;
        let process = self.process(proc);
        let state = match process.state {
            State::Running => ProcState::Running,
            State::Stopped => ProcState::Stopped,
            State::Zombie(_) => ProcState::Zombie,
            State::Dead(_) => unreachable!("a dead process has no pid"),
        };
        let ppid = self.parent_pid(proc);
        Ok(Ret::ProcStat(ProcStat { state, ppid, start_ticks: process.start_ticks }))
    }

    /// The pid of init, for those whose parent has ended.
    pub(super) fn parent_pid(&self, proc: ProcId) -> Pid {
        self.process(proc).parent.map_or(INIT, |parent| self.process(parent).pid)
    }

    fn next_proc(&self) -> ProcId {
        ProcId(self.procs.len() as u32)
    }

    /// A new process, which has taken its pid.
    fn begin(
        &mut self,
        machine: MachineId,
        pid: Pid,
        name: SmolStr,
        parent: Option<ProcId>,
    ) -> &mut Process {
        self.effects.push(Effect::Started { proc: self.next_proc() });
        let start_ticks = self.machine(machine).ticks();
        self.procs.push(Process {
            name,
            machine,
            pid,
            parent,
            state: State::Running,
            start_ticks,
            parent_death_signal: None,
            spawned: 0,
            descriptors: Descriptors::default(),
            cells: Cells::default(),
        });
        self.procs.last_mut().expect("a process was just added")
    }

    fn add_task(&mut self, proc: ProcId) -> TaskId {
        self.tasks.push(Task { proc, blocked: None });
        TaskId(self.tasks.len() as u32 - 1)
    }
}
