use locklab_models::word::mark;
use locklab_sim::kernel::{Effect, ProcId};
use locklab_sim::{Event, World};
use locklab_sys::{Happening, SmolStr};

/// Who has which job to dispatch, and who works on which, by marks and deaths
/// alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Dispatches {
    /// The errands under way, by dispatcher.
    errands: Vec<Errand>,
    /// Who works, in the order of their start.
    workers: Vec<Worker>,
    /// Who listens where, by daemon.
    daemons: Vec<(ProcId, SmolStr)>,
}

/// A dispatcher with a job, until that is dispatched or given up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Errand {
    pub(super) dispatcher: ProcId,
    job: SmolStr,
    /// The socket of the daemon of which it has counted a free slot that nobody
    /// has taken for it yet.
    counted: Option<SmolStr>,
}

/// A worker that works.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Worker {
    pub(super) proc: ProcId,
    job: SmolStr,
    /// The socket of its daemon.
    socket: SmolStr,
}

/// What a mark tells of a dispatch.
pub(super) enum News {
    /// A dispatcher has counted a free slot.
    Counted { dispatcher: ProcId, socket: SmolStr, capacity: usize },
    /// A dispatcher was told that its job is started.
    Dispatched { dispatcher: ProcId, job: SmolStr },
    /// A daemon has started a worker.
    Started { daemon: ProcId, worker: ProcId, job: SmolStr },
}

impl Dispatches {
    /// Takes note of an event.
    pub(super) fn observe(&mut self, world: &World, event: &Event) -> Option<News> {
        match event {
            Event::Said { proc, said: Happening::Mark { name, subject, value }, .. } => {
                self.hear(world, *proc, name, subject, *value)
            }
            Event::Effect(Effect::Ended { proc, .. }) => {
                self.errands.retain(|errand| errand.dispatcher != *proc);
                self.workers.retain(|worker| worker.proc != *proc);
                self.daemons.retain(|(daemon, _)| daemon != proc);
                None
            }
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
            mark::PICKED => {
                self.errands.retain(|errand| errand.dispatcher != proc);
                let errand = Errand { dispatcher: proc, job: subject.clone(), counted: None };
                self.errands.push(errand);
                self.errands.sort_unstable_by_key(|errand| errand.dispatcher);
            }
            mark::COUNTED => {
                let socket = subject.clone();
                let own = self.errands.iter_mut().find(|errand| errand.dispatcher == proc);
                own?.counted = Some(socket.clone());
                let capacity = usize::try_from(value).unwrap_or(0);
                return Some(News::Counted { dispatcher: proc, socket, capacity });
            }
            mark::DISPATCHED | mark::UNDONE | mark::NEEDLESS => {
                self.errands.retain(|errand| errand.dispatcher != proc);
                let told = name == mark::DISPATCHED;
                return told.then(|| News::Dispatched { dispatcher: proc, job: subject.clone() });
            }
            mark::LISTENING => {
                self.daemons.retain(|(daemon, _)| *daemon != proc);
                self.daemons.push((proc, subject.clone()));
                self.daemons.sort_unstable();
            }
            mark::STARTED => return self.start(world, proc, subject, value),
            _ => {}
        }
        None
    }

    fn start(&mut self, world: &World, daemon: ProcId, job: &SmolStr, pid: i64) -> Option<News> {
        let (_, socket) = self.daemons.iter().find(|(listens, _)| *listens == daemon)?;
        let is_it =
            |parent: Option<ProcId>, of: u32| parent == Some(daemon) && i64::from(of) == pid;
        let mut processes = world.kernel().processes();
        let (worker, _) = processes.find(|(_, it)| it.is_alive() && is_it(it.parent, it.pid.0))?;
        let slot = Some(socket.clone());
        let mut errands = self.errands.iter_mut();
        if let Some(errand) = errands.find(|it| it.job == *job && it.counted == slot) {
            errand.counted = None;
        }
        self.workers.push(Worker { proc: worker, job: job.clone(), socket: socket.clone() });
        Some(News::Started { daemon, worker, job: job.clone() })
    }

    /// Who else has counted a slot at a daemon's socket that is not taken yet.
    pub(super) fn counted_by_others<'a>(
        &'a self,
        socket: &'a str,
        dispatcher: ProcId,
    ) -> impl Iterator<Item = &'a Errand> {
        let at = move |errand: &&Errand| errand.counted.as_deref() == Some(socket);
        self.errands.iter().filter(at).filter(move |errand| errand.dispatcher != dispatcher)
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
