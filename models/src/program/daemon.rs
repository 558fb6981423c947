use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Clock, Errno, Fd, FlockOp, Image, OpenFlags, Pid, Sys};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};
use tracing::debug;

use super::input::socket_path;
use super::{Parameter, ProgramInfo, wire};
use crate::lock::Foreseen;
use crate::word::{mark, point};
use crate::{Moment, Period};

/// Connections that may wait to be accepted, and one more.
const BACKLOG: u32 = 8;

/// How long it waits for a request to be whole.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);

/// Listens, lists, and starts workers as its own children.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Daemon {
    /// The path of its socket. Default: `/run/daemon.sock`.
    #[serde(deserialize_with = "socket_path")]
    pub socket: SmolStr,
    /// How long a dispatch takes it. Default: 1 s.
    pub takes: Period,
    /// How it answers a dispatch. Default: once the worker is started.
    pub answers: Answers,
    /// How long after its start a worker shows in the list. Default: none.
    pub lag: Moment,
    /// How long a worker works. Default: 2 min.
    pub work: Period,
    /// It ends when nobody has asked for anything for so long, and no worker
    /// works. Default: 5 min.
    pub idle: Period,
}

/// How a daemon answers a dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answers {
    /// Once the worker is started.
    #[default]
    Started,
    /// At once; the worker is started after.
    Early,
    /// Only the first half of the answer, once the worker is started.
    CutShort,
}

impl Default for Daemon {
    fn default() -> Self {
        Self {
            socket: "/run/daemon.sock".into(),
            takes: Period::seconds(1),
            answers: Answers::Started,
            lag: Moment::default(),
            work: Period::seconds(120),
            idle: Period::seconds(300),
        }
    }
}

impl Daemon {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "daemon",
        summary: "listens, lists, and starts a worker for whoever asks, as its own child",
        slots: &[],
        own_points: &[point::BEFORE_START, point::BEFORE_ANSWER],
        parameters: &[
            Parameter {
                name: "socket",
                default: "\"/run/daemon.sock\"",
                help: "the path of its socket",
            },
            Parameter {
                name: "takes",
                default: "\"1s\"",
                help: "how long it takes to start a worker",
            },
            Parameter {
                name: "answers",
                default: "\"started\"",
                help: "how it answers a dispatch: \"started\", once the worker is; \"early\", before; \"cut-short\", by half an answer",
            },
            Parameter {
                name: "lag",
                default: "\"0s\"",
                help: "how long after its start a worker shows in the list",
            },
            Parameter { name: "work", default: "\"2m\"", help: "how long a worker works" },
            Parameter {
                name: "idle",
                default: "\"5m\"",
                help: "it ends when it had nothing to do for so long",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        let periods = [self.takes, self.work, self.idle].map(Period::get);
        periods.into_iter().chain(Some(self.lag.get()).filter(|lag| !lag.is_zero())).collect()
    }
}

/// What does not change while it serves.
struct Desk {
    daemon: Daemon,
    listener: Fd,
}

/// A child that works.
#[derive(Clone, Hash)]
struct Hand {
    job: SmolStr,
    pid: Pid,
    pidfd: Fd,
    /// On the monotonic clock.
    since: Duration,
}

/// The children that work, in the order of their start.
type Hands = Vec<Hand>;

pub(super) async fn run(sys: Sys, daemon: Daemon) -> u8 {
    let Some(watch) = take_watch(&sys, &daemon.socket).await else { return 1 };
    let listener = listen(&sys, &daemon.socket).await;
    let desk = Desk { daemon, listener };
    sys.retry(&desk, Hands::new(), serve).await;
    let socket = &desk.daemon.socket;
    sys.unlink(socket.clone()).await.unless([Errno::ENOENT], "remove", socket);
    sys.close(listener).await.surely("close", socket);
    sys.close(watch).await.surely("close", socket);
    0
}

/// A kernel lock beside the socket, held for life; `None` if another daemon
/// has it. Who has it may remove what a dead one left at the path.
async fn take_watch(sys: &Sys, socket: &SmolStr) -> Option<Fd> {
    let path = format_smolstr!("{socket}.lock");
    let flags = OpenFlags::RDWR | OpenFlags::CREAT;
    let fd = sys.open(path.clone(), flags).await.surely("open", &path);
    let locked = sys.flock(fd, FlockOp::TryExclusive).await;
    if locked.unless([Errno::EAGAIN], "lock", &path).is_none() {
        debug!(target: "locklab", "another daemon serves {socket}");
        sys.close(fd).await.surely("close", &path);
        return None;
    }
    Some(fd)
}

/// A listening socket at `path`.
async fn listen(sys: &Sys, path: &SmolStr) -> Fd {
    sys.unlink(path.clone()).await.unless([Errno::ENOENT], "remove", path);
    let fd = sys.socket().await.surely("make", "a socket");
    sys.bind(fd, path.clone()).await.surely("bind", path);
    sys.listen(fd, BACKLOG).await.surely("listen at", path);
    sys.mark(mark::LISTENING, path, 0);
    fd
}

/// Waits for one thing to happen, and sees to it.
async fn serve(sys: &Sys, desk: &Desk, mut hands: Hands) -> ControlFlow<(), Hands> {
    let pidfds = hands.iter().map(|hand| hand.pidfd);
    let fds: Vec<Fd> = pidfds.chain([desk.listener]).collect();
    let timeout = hands.is_empty().then_some(desk.daemon.idle.get());
    let ready = sys.poll(&fds, timeout).await.surely("wait at", &desk.daemon.socket);
    let Some(first) = ready.first() else { return ControlFlow::Break(()) };
    match hands.iter().position(|hand| hand.pidfd == *first) {
        Some(index) => dismiss(sys, hands.remove(index)).await,
        None => desk.attend(sys, &mut hands).await,
    }
    ControlFlow::Continue(hands)
}

/// A worker has ended.
async fn dismiss(sys: &Sys, hand: Hand) {
    sys.wait(hand.pid).await.surely("wait for", "a worker");
    sys.close(hand.pidfd).await.surely("close", "a pidfd");
}

impl Desk {
    /// Accepts a connection, hears its request, and answers.
    async fn attend(&self, sys: &Sys, hands: &mut Hands) {
        let fd = sys.accept(self.listener).await.surely("accept at", &self.daemon.socket);
        let client = sys.peer_cred(fd).await.surely("look who is at", "a connection").pid;
        match wire::receive_line(sys, fd, REQUEST_LIMIT).await {
            Ok(request) => {
                if let Some(job) = request.strip_prefix("dispatch ") {
                    sys.mark(mark::ASKED, &job.into(), i64::from(client.0));
                }
                self.answer(sys, fd, &request, hands).await;
            }
            Err(failure) => debug!(target: "locklab", "no request: {failure}"),
        }
        sys.close(fd).await.surely("close", "a connection");
    }

    async fn answer(&self, sys: &Sys, fd: Fd, request: &str, hands: &mut Hands) {
        match request.split_once(' ') {
            None if request == "list" => {
                let list = self.list(sys, hands).await;
                say(sys, fd, format!("{list}\n").as_bytes()).await;
            }
            Some(("dispatch", job)) if !job.is_empty() && !job.contains(' ') => {
                self.dispatch(sys, fd, job, hands).await;
            }
            _ => say(sys, fd, b"unknown\n").await,
        }
    }

    /// The workers that show by now.
    async fn list(&self, sys: &Sys, hands: &Hands) -> String {
        let now = sys.clock_gettime(Clock::Monotonic).await;
        let shows = |hand: &&Hand| hand.since + self.daemon.lag.get() <= now;
        let jobs: Vec<&str> = hands.iter().filter(shows).map(|hand| hand.job.as_str()).collect();
        match jobs[..] {
            [] => "0 running".to_owned(),
            _ => format!("{} running: {}", jobs.len(), jobs.join(" ")),
        }
    }

    async fn dispatch(&self, sys: &Sys, fd: Fd, job: &str, hands: &mut Hands) {
        let answer = format!("started {job}\n");
        if self.daemon.answers == Answers::Early {
            say(sys, fd, answer.as_bytes()).await;
        }
        sys.sleep(self.daemon.takes.get()).await;
        sys.point(point::BEFORE_START);
        let hand = self.start(sys, job.into()).await;
        hands.push(hand);
        match self.daemon.answers {
            Answers::Early => {}
            Answers::Started => say(sys, fd, answer.as_bytes()).await,
            Answers::CutShort => say(sys, fd, &answer.as_bytes()[..answer.len() / 2]).await,
        }
    }

    async fn start(&self, sys: &Sys, job: SmolStr) -> Hand {
        let work = self.daemon.work.get();
        let arguments = format!("{job} for {work:?}");
        let image = Image::new("worker", arguments, move |sys: Sys| async move {
            sys.sleep(work).await;
            0
        });
        let pid = sys.spawn(image, &[]).await.surely("start", "a worker");
        sys.mark(mark::STARTED, &job, i64::from(pid.0));
        let pidfd = sys.pidfd_open(pid).await.surely("follow", "a worker");
        let since = sys.clock_gettime(Clock::Monotonic).await;
        Hand { job, pid, pidfd, since }
    }
}

async fn say(sys: &Sys, fd: Fd, words: &[u8]) {
    sys.point(point::BEFORE_ANSWER);
    if let Err(failure) = wire::send_bytes(sys, fd, words).await {
        debug!(target: "locklab", "nobody hears the answer: {failure}");
    }
}
