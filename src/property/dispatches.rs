use locklab_models::word::mark;
use locklab_sim::kernel::{Effect, ProcId};
use locklab_sim::{Event, World};
use locklab_sys::{Happening, SmolStr};

/// Who has counted a slot for a job, and who works on which, by marks and
/// deaths alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Dispatches {
    /// The errands under way, by dispatcher.
    errands: Vec<Errand>,
    /// Who works, in the order of their start.
    workers: Vec<Worker>,
    /// Who listens, by daemon.
    daemons: Vec<Daemon>,
}

/// A dispatcher that has counted a free slot, until a worker is started for it
/// or it gives up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Errand {
    pub(super) dispatcher: ProcId,
    /// The socket of the daemon whose slot it has counted.
    socket: SmolStr,
    /// The daemon that has its request.
    asked: Option<ProcId>,
    progress: Progress,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Progress {
    UnderWay,
    /// A worker is started, and the dispatcher does not know it yet.
    Started,
    /// The dispatcher was told that this job is started, and it is not yet.
    Promised(SmolStr),
}

impl Errand {
    /// The job that is promised, if one is.
    pub(super) fn promised(&self) -> Option<&SmolStr> {
        match &self.progress {
            Progress::Promised(job) => Some(job),
            _ => None,
        }
    }
}

/// A worker that works.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Worker {
    pub(super) proc: ProcId,
    job: SmolStr,
    /// The socket of its daemon.
    socket: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Daemon {
    proc: ProcId,
    socket: SmolStr,
    /// Whose dispatch it sees to.
    client: Option<ProcId>,
}

/// What became of a dispatch.
pub(super) enum News {
    /// A dispatcher has counted a free slot.
    Counted { dispatcher: ProcId, socket: SmolStr, capacity: usize },
    /// A daemon has started a worker.
    Started { daemon: ProcId, worker: ProcId, job: SmolStr },
    /// A daemon has ended before it started what it had promised.
    Lost(Errand),
}

impl Dispatches {
    /// Takes note of an event.
    pub(super) fn observe(&mut self, world: &World, event: &Event) -> Option<News> {
        match event {
            Event::Said { proc, said: Happening::Mark { name, subject, value }, .. } => {
                self.hear(world, *proc, name, subject, *value)
            }
            Event::Effect(Effect::Ended { proc, .. }) => self.end(*proc),
            _ => None,
        }
    }

    fn hear(
        &mut self,
        world: &World,
        proc: ProcId,
        name: &str,
        subject: &SmolStr,
        value: i64,
    ) -> Option<News> {
        match name {
            mark::COUNTED => {
                self.errands.retain(|errand| errand.dispatcher != proc);
                let (socket, progress) = (subject.clone(), Progress::UnderWay);
                self.errands.push(Errand { dispatcher: proc, socket, asked: None, progress });
                self.errands.sort_unstable_by_key(|errand| errand.dispatcher);
                let capacity = usize::try_from(value).unwrap_or(0);
                let socket = subject.clone();
                return Some(News::Counted { dispatcher: proc, socket, capacity });
            }
            mark::DISPATCHED => return self.hear_of_start(proc, subject),
            mark::UNDONE | mark::NEEDLESS => {
                self.errands.retain(|errand| errand.dispatcher != proc);
            }
            mark::LISTENING => {
                self.daemons.retain(|daemon| daemon.proc != proc);
                self.daemons.push(Daemon { proc, socket: subject.clone(), client: None });
                self.daemons.sort_unstable_by_key(|daemon| daemon.proc);
            }
            mark::ASKED => {
                // It asks before it is told anything.
                let has_pid = |errand: &&Errand| {
                    let pid = world.kernel().process(errand.dispatcher).pid;
                    errand.progress == Progress::UnderWay && i64::from(pid.0) == value
                };
                let client = self.errands.iter().find(has_pid).map(|errand| errand.dispatcher);
                self.daemons.iter_mut().find(|daemon| daemon.proc == proc)?.client = client;
                self.errand_of(client?)?.asked = Some(proc);
            }
            mark::STARTED => return self.start(world, proc, subject, value),
            _ => {}
        }
        None
    }

    /// A dispatcher hears that its job is started: it is, or it will be, or the
    /// daemon that said so is dead by now.
    fn hear_of_start(&mut self, dispatcher: ProcId, job: &SmolStr) -> Option<News> {
        let at = self.errands.iter().position(|errand| errand.dispatcher == dispatcher)?;
        if self.errands[at].progress == Progress::Started {
            self.errands.remove(at);
            return None;
        }
        self.errands[at].progress = Progress::Promised(job.clone());
        let asked = self.errands[at].asked;
        let lives = |daemon: ProcId| self.daemons.iter().any(|it| it.proc == daemon);
        asked.is_some_and(|daemon| !lives(daemon)).then(|| News::Lost(self.errands.remove(at)))
    }

    fn start(&mut self, world: &World, daemon: ProcId, job: &SmolStr, pid: i64) -> Option<News> {
        let at = self.daemons.iter_mut().find(|it| it.proc == daemon)?;
        let (socket, client) = (at.socket.clone(), at.client.take());
        let mut processes = world.kernel().processes();
        let (worker, _) = processes.find(|(_, it)| {
            it.is_alive() && it.parent == Some(daemon) && i64::from(it.pid.0) == pid
        })?;
        // Who has given up meanwhile has no errand any more.
        if let Some(errand) = client.and_then(|client| self.errand_of(client)) {
            match errand.progress {
                Progress::Promised(_) => {
                    self.errands.retain(|errand| Some(errand.dispatcher) != client);
                }
                _ => errand.progress = Progress::Started,
            }
        }
        self.workers.push(Worker { proc: worker, job: job.clone(), socket });
        Some(News::Started { daemon, worker, job: job.clone() })
    }

    /// A process has ended. What it was promised is promised still; what it
    /// had promised will never be.
    fn end(&mut self, proc: ProcId) -> Option<News> {
        self.errands.retain(|it| it.dispatcher != proc || it.promised().is_some());
        self.workers.retain(|worker| worker.proc != proc);
        self.daemons.retain(|daemon| daemon.proc != proc);
        let lost = |it: &Errand| it.promised().is_some() && it.asked == Some(proc);
        let first = self.errands.iter().find(|errand| lost(errand)).cloned();
        self.errands.retain(|errand| !lost(errand));
        first.map(News::Lost)
    }

    fn errand_of(&mut self, dispatcher: ProcId) -> Option<&mut Errand> {
        self.errands.iter_mut().find(|errand| errand.dispatcher == dispatcher)
    }

    /// What was promised and has not been started.
    pub(super) fn promised(&self) -> Option<&Errand> {
        self.errands.iter().find(|errand| errand.promised().is_some())
    }

    /// Who else has counted a slot at a daemon's socket that no worker has
    /// taken for it yet.
    pub(super) fn counted_by_others<'a>(
        &'a self,
        socket: &'a str,
        dispatcher: ProcId,
    ) -> impl Iterator<Item = &'a Errand> {
        let counts =
            move |errand: &&Errand| errand.socket == socket && errand.progress != Progress::Started;
        self.errands.iter().filter(counts).filter(move |errand| errand.dispatcher != dispatcher)
    }

    /// Who works for the daemon at a socket.
    pub(super) fn workers_at<'a>(&'a self, socket: &'a str) -> impl Iterator<Item = &'a Worker> {
        self.workers.iter().filter(move |worker| worker.socket == socket)
    }

    /// Who works on a job.
    pub(super) fn workers_on<'a>(&'a self, job: &'a str) -> impl Iterator<Item = &'a Worker> {
        self.workers.iter().filter(move |worker| worker.job == job)
    }
}
