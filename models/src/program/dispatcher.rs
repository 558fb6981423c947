use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Errno, ExitStatus, Pid, Signal, Sys};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use tracing::debug;

use super::input::{absolute_path, socket_path, word};
use super::{LOCK, Parameter, PayloadGuard, ProgramInfo, Setting, wire};
use crate::lock::Foreseen;
use crate::word::{mark, point};
use crate::{Handle, Owner, Period};

/// Has a daemon start a worker, if there is a free slot for one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Dispatcher {
    /// The path of the admission lock. Default: `/run/admission.lock`.
    #[serde(deserialize_with = "absolute_path")]
    pub path: SmolStr,
    /// The path of the daemon's socket. Default: `/run/daemon.sock`.
    #[serde(deserialize_with = "socket_path")]
    pub socket: SmolStr,
    /// The job that it wants to be worked on. Default: `job`.
    #[serde(deserialize_with = "word")]
    pub job: SmolStr,
    /// How many workers there may be at once. Default: 1.
    pub capacity: u32,
    /// How many payloads go through the guard. Default: 4.
    pub payloads: u32,
    /// How long a guard takes. Default: 1 s.
    pub guard_takes: Period,
    /// Whether a guard finds nothing wrong. Default: yes.
    pub guard_passes: bool,
    /// A guard that takes longer is killed. Default: 10 s.
    pub guard_limit: Period,
    /// How long it waits for an answer of the daemon. Default: 15 s.
    pub limit: Period,
    /// The pause between two attempts to take the lock. Default: 1 s.
    pub every: Period,
}

impl Default for Dispatcher {
    fn default() -> Self {
        Self {
            path: "/run/admission.lock".into(),
            socket: "/run/daemon.sock".into(),
            job: "job".into(),
            capacity: 1,
            payloads: 4,
            guard_takes: Period::seconds(1),
            guard_passes: true,
            guard_limit: Period::seconds(10),
            limit: Period::seconds(15),
            every: Period::seconds(1),
        }
    }
}

impl Dispatcher {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "dispatcher",
        summary: "has a daemon start a worker, if there is a free slot for one",
        slots: &[LOCK],
        own_points: &[
            point::BEFORE_COUNT,
            point::COUNTED,
            point::BEFORE_GUARD,
            point::GUARDING,
            point::BEFORE_DISPATCH,
            point::SENT,
        ],
        parameters: &[
            Parameter {
                name: "path",
                default: "\"/run/admission.lock\"",
                help: "the path of the admission lock",
            },
            Parameter {
                name: "socket",
                default: "\"/run/daemon.sock\"",
                help: "the path of the daemon's socket",
            },
            Parameter {
                name: "job",
                default: "\"job\"",
                help: "the job that it wants to be worked on",
            },
            Parameter {
                name: "capacity",
                default: "1",
                help: "how many workers there may be at once",
            },
            Parameter {
                name: "payloads",
                default: "4",
                help: "how many payloads go through the guard",
            },
            Parameter { name: "guard-takes", default: "\"1s\"", help: "how long a guard takes" },
            Parameter {
                name: "guard-passes",
                default: "true",
                help: "whether a guard finds nothing wrong",
            },
            Parameter {
                name: "guard-limit",
                default: "\"10s\"",
                help: "a guard that takes longer is killed",
            },
            Parameter {
                name: "limit",
                default: "\"15s\"",
                help: "how long it waits for an answer of the daemon",
            },
            Parameter {
                name: "every",
                default: "\"1s\"",
                help: "the pause between two attempts to take the lock",
            },
        ],
    };

    pub(super) fn durations(&self) -> Vec<Duration> {
        [self.guard_takes, self.guard_limit, self.limit, self.every].map(Period::get).to_vec()
    }
}

struct Errand {
    dispatcher: Dispatcher,
    lock: Handle,
    pid: Pid,
}

/// How an errand ended that did not fail.
enum Done {
    /// A worker was started.
    Dispatched,
    /// There was no need, or no slot.
    Needless,
}

/// The errand has failed, and the trace says why.
#[derive(Clone, Hash)]
struct Undone;

pub(super) async fn run(sys: Sys, dispatcher: Dispatcher, setting: Setting) -> u8 {
    let owner = Owner::learn(&sys, setting.policy(LOCK)).await;
    let lock = Handle::new(setting.policy(LOCK), &dispatcher.path, &owner);
    let polling = setting.polling(dispatcher.every);
    let errand = Errand { pid: sys.getpid().await, dispatcher, lock };
    let Some(claim) = errand.lock.acquire(&sys, polling).await else { return 1 };
    let job = &errand.dispatcher.job;
    let done = errand.dispatch(&sys).await;
    match &done {
        Ok(Done::Dispatched) => sys.mark(mark::DISPATCHED, job, 0),
        Ok(Done::Needless) => sys.mark(mark::NEEDLESS, job, 0),
        Err(Undone) => sys.mark(mark::UNDONE, job, 0),
    }
    errand.lock.release(&sys, claim).await;
    u8::from(done.is_err())
}

impl Errand {
    /// Everything that is done inside.
    async fn dispatch(&self, sys: &Sys) -> Result<Done, Undone> {
        sys.point(point::BEFORE_COUNT);
        let Dispatcher { job, capacity, socket, limit, .. } = &self.dispatcher;
        let running = self.running(sys).await?;
        if running.contains(job) {
            debug!(target: "locklab", "{job} is worked on already");
            return Ok(Done::Needless);
        }
        if running.len() >= *capacity as usize {
            debug!(target: "locklab", "no free slot: {} of {capacity} taken", running.len());
            return Ok(Done::Needless);
        }
        debug!(target: "locklab", "a free slot: {} of {capacity} taken", running.len());
        sys.mark(mark::COUNTED, socket, i64::from(*capacity));
        sys.point(point::COUNTED);
        sys.retry(self, 0, guard_next).await?;
        sys.point(point::BEFORE_DISPATCH);
        self.find_socket(sys).await?;
        match wire::ask(sys, socket, &format!("dispatch {job}"), limit.get()).await {
            Ok(answer) if answer == format!("started {job}") => Ok(Done::Dispatched),
            Ok(answer) => {
                debug!(target: "locklab", "the daemon says {answer:?}");
                Err(Undone)
            }
            Err(failure) => Err(failed("dispatch", failure)),
        }
    }

    /// The jobs that the daemon lists.
    async fn running(&self, sys: &Sys) -> Result<Vec<SmolStr>, Undone> {
        let Dispatcher { socket, limit, .. } = &self.dispatcher;
        let list = wire::ask(sys, socket, "list", limit.get()).await;
        let list = list.map_err(|failure| failed("list", failure))?;
        jobs(&list).ok_or_else(|| {
            debug!(target: "locklab", "the daemon says {list:?}");
            Undone
        })
    }

    async fn find_socket(&self, sys: &Sys) -> Result<(), Undone> {
        let socket = &self.dispatcher.socket;
        let found = sys.stat(socket.clone()).await.unless([Errno::ENOENT], "look for", socket);
        found.map(drop).ok_or_else(|| failed("dispatch", wire::Failure::Absent))
    }

    /// Whether a guard, as a child, passes a payload in time.
    async fn passes(&self, sys: &Sys, payload: u32) -> bool {
        let Dispatcher { guard_takes, guard_passes, guard_limit, .. } = &self.dispatcher;
        let payload = smol_str::format_smolstr!("payload-{}", payload + 1);
        let guard = PayloadGuard { payload, takes: *guard_takes, passes: *guard_passes };
        sys.point(point::BEFORE_GUARD);
        let pid = sys.spawn(guard.image(self.pid), &[]).await.surely("start", "a guard");
        let pidfd = sys.pidfd_open(pid).await.surely("follow", "a guard");
        sys.point(point::GUARDING);
        let ready = sys.poll(&[pidfd], Some(guard_limit.get())).await;
        let in_time = !ready.surely("wait for", "a guard").is_empty();
        if !in_time {
            debug!(target: "locklab", "the guard takes longer than {guard_limit}: killed");
            sys.pidfd_send_signal(pidfd, Signal::Kill).await.surely("kill", "a guard");
        }
        let status = sys.wait(pid).await.surely("wait for", "a guard");
        sys.close(pidfd).await.surely("close", "a pidfd");
        // It may have passed the payload in the instant before it was killed.
        in_time && status == ExitStatus::Code(0)
    }
}

async fn guard_next(
    sys: &Sys,
    errand: &Errand,
    passed: u32,
) -> ControlFlow<Result<(), Undone>, u32> {
    if passed == errand.dispatcher.payloads {
        return ControlFlow::Break(Ok(()));
    }
    let passes = errand.passes(sys, passed).await;
    // Between what it does, not meanwhile: whoever waits for something shows nothing.
    errand.lock.beat(sys).await;
    if passes { ControlFlow::Continue(passed + 1) } else { ControlFlow::Break(Err(Undone)) }
}

/// The jobs of a list such as `0 running`, or `2 running: nightly weekly`.
fn jobs(list: &str) -> Option<Vec<SmolStr>> {
    let (count, jobs) = list.split_once(" running")?;
    let jobs = jobs.strip_prefix(": ").unwrap_or(jobs).split_whitespace();
    let jobs: Vec<SmolStr> = jobs.map(SmolStr::new).collect();
    (count.parse() == Ok(jobs.len())).then_some(jobs)
}

fn failed(what: &str, failure: wire::Failure) -> Undone {
    debug!(target: "locklab", "no {what}: {failure}");
    Undone
}

#[cfg(test)]
mod tests {
    use super::jobs;

    #[test]
    fn a_list_names_as_many_jobs_as_it_says() {
        assert_eq!(jobs("0 running"), Some(vec![]));
        assert_eq!(
            jobs("2 running: nightly weekly"),
            Some(vec!["nightly".into(), "weekly".into()])
        );
        for other in ["", "unknown", "1 running", "2 running: nightly", "x running: nightly"] {
            assert_eq!(jobs(other), None, "{other}");
        }
    }
}
