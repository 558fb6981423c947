//! Every outcome that the simulated kernel can give to a program.

use std::collections::{BTreeSet, VecDeque};

use locklab_sim::kernel::{
    Kernel, MachineConfig, MachineId, Outcome as CallOutcome, Process, TaskId,
};
use locklab_sys::host::Step;
use locklab_sys::{Call, Fingerprint, Image, Pid, Reply, Uid};

use crate::outcome::Outcome;
use crate::program::{Begin, Beginning, Program, aimed};

const BOX: MachineId = MachineId(0);

/// The first process's pid.
const FIRST: Pid = Pid(1_000);

/// Walks all orders of a program's calls, on each of these machines.
pub fn outcomes(program: &Program, machines: Vec<MachineConfig>) -> BTreeSet<Outcome> {
    let mut walk = Walk { program, been: BTreeSet::new(), outcomes: BTreeSet::new() };
    for machine in machines {
        let machine = MachineConfig { first_pid: FIRST.0, ..machine };
        walk.go_on(State::new(program, Kernel::new(&[machine], 1)));
    }
    walk.outcomes
}

struct Walk<'p> {
    program: &'p Program,
    /// States, by their fingerprints.
    been: BTreeSet<Fingerprint>,
    outcomes: BTreeSet<Outcome>,
}

impl Walk<'_> {
    fn go_on(&mut self, state: State) {
        if !self.been.insert(state.fingerprint()) {
            return;
        }
        let mut is_end = true;
        for who in 0..state.actors.len() {
            if state.can_go_on(who) {
                is_end = false;
                let mut next = state.clone();
                next.step(who);
                self.go_on(next);
            }
        }
        if is_end {
            self.outcomes.insert(state.end(self.program));
        }
    }
}

#[derive(Clone)]
struct State {
    kernel: Kernel,
    /// Those who race, and then the children they start.
    actors: Vec<Actor>,
}

/// A task and its steps.
#[derive(Clone)]
struct Actor {
    task: TaskId,
    /// Those not taken yet.
    steps: VecDeque<Step>,
    replies: Vec<Reply>,
}

impl State {
    fn new(program: &Program, mut kernel: Kernel) -> Self {
        let mut tasks = Vec::new();
        match &program.begin {
            Begin::Files(calls) => {
                let maker = launch(&mut kernel, "maker");
                calls.iter().for_each(|it| drop(call(&mut kernel, maker, it)));
                let all = kernel.process(kernel.process_of(maker)).descriptors();
                for fd in all.collect::<Vec<_>>() {
                    call(&mut kernel, maker, &Call::Close { fd }).expect("it is open");
                }
                tasks.extend((0..program.racers()).map(|_| launch(&mut kernel, "racer")));
            }
            Begin::Processes(beginnings) => {
                for beginning in beginnings {
                    begin(&mut kernel, &mut tasks, beginning);
                }
            }
        }
        assert_eq!(tasks.len(), program.racers(), "{}: who begins, races", program.name);
        let steps = (0..program.racers()).map(|who| program.steps(who, FIRST));
        let actors = tasks.into_iter().zip(steps);
        let actors = actors.map(|(task, steps)| Actor::new(task, steps)).collect();
        Self { kernel, actors }
    }

    fn process(&self, who: usize) -> &Process {
        self.kernel.process(self.kernel.process_of(self.actors[who].task))
    }

    fn can_go_on(&self, who: usize) -> bool {
        let task = self.actors[who].task;
        let runs = self.process(who).is_alive() && !self.process(who).is_stopped();
        runs && if self.kernel.is_blocked(task) {
            self.kernel.ready(task)
        } else {
            !self.actors[who].steps.is_empty()
        }
    }

    fn step(&mut self, who: usize) {
        let actor = &mut self.actors[who];
        if self.kernel.is_blocked(actor.task) {
            actor.replies.push(self.kernel.finish(actor.task));
            return;
        }
        let step = actor.steps.pop_front().expect("it has a step to take");
        match &step {
            Step::Call(call) => match self.kernel.call(actor.task, call) {
                CallOutcome::Done(reply) => actor.replies.push(reply),
                CallOutcome::Blocked | CallOutcome::Ended => {}
                CallOutcome::Spawned { .. } | CallOutcome::Executed { .. } => {
                    unreachable!("a fork is a step of its own, and nobody executes")
                }
            },
            Step::Fork { keep, child } => {
                let spawn = spawn(keep);
                match self.kernel.call(actor.task, &spawn) {
                    CallOutcome::Spawned { reply, task, .. } => {
                        actor.replies.push(reply);
                        self.actors.push(Actor::new(task, child.clone()));
                    }
                    other => panic!("a fork gives {other:?}"),
                }
            }
            // Each is a step.
            Step::CloseAll => {
                let process = self.kernel.process(self.kernel.process_of(actor.task));
                let open = process.descriptors().next();
                if let Some(fd) = open {
                    actor.steps.push_front(step);
                    call(&mut self.kernel, actor.task, &Call::Close { fd }).expect("it is open");
                }
            }
        }
    }

    fn end(mut self, program: &Program) -> Outcome {
        for (who, actor) in self.actors.iter().enumerate() {
            let is_through = actor.steps.is_empty() && !self.kernel.is_blocked(actor.task);
            let is_through = is_through || !self.process(who).is_alive();
            assert!(is_through, "{}: {who} can wait for ever", program.name);
        }
        let looker = launch(&mut self.kernel, "looker");
        let looks: Vec<Reply> =
            program.look.iter().map(|it| call(&mut self.kernel, looker, it)).collect();
        let racers = self.actors.iter().take(program.racers());
        let told = racers.map(|actor| actor.told()).chain([Some(&looks[..])]);
        Outcome::new(FIRST, told)
    }

    fn fingerprint(&self) -> Fingerprint {
        let of_actors: Vec<_> =
            self.actors.iter().map(|actor| (actor.steps.len(), &actor.replies)).collect();
        Fingerprint::of(&(&self.kernel, of_actors))
    }
}

impl Actor {
    fn new(task: TaskId, steps: Vec<Step>) -> Self {
        Self { task, steps: steps.into(), replies: Vec::new() }
    }

    /// A process that is killed tells nothing.
    fn told(&self) -> Option<&[Reply]> {
        self.steps.is_empty().then_some(&self.replies[..])
    }
}

fn begin(kernel: &mut Kernel, tasks: &mut Vec<TaskId>, beginning: &Beginning) {
    match beginning {
        Beginning::Launch => tasks.push(launch(kernel, "racer")),
        Beginning::Fork { parent, keep } => match kernel.call(tasks[*parent], &spawn(keep)) {
            CallOutcome::Spawned { task, .. } => tasks.push(task),
            other => panic!("a fork gives {other:?}"),
        },
        Beginning::Calls(who, calls) => {
            for it in calls {
                call(kernel, tasks[*who], &aimed(it, FIRST))
                    .expect("what comes before a race succeeds");
            }
        }
    }
}

fn launch(kernel: &mut Kernel, name: &str) -> TaskId {
    kernel.launch_as(BOX, name.into(), Uid::ROOT, None).1
}

fn spawn(keep: &[locklab_sys::Fd]) -> Call {
    let image = Image::new("child", "", |_| std::future::pending());
    Call::Spawn { image, keep: keep.into() }
}

/// A call that does not wait.
fn call(kernel: &mut Kernel, task: TaskId, call: &Call) -> Reply {
    match kernel.call(task, call) {
        CallOutcome::Done(reply) => reply,
        other => panic!("{call} gives {other:?}"),
    }
}
