//! Each property falls when it should and not otherwise: on worlds made for
//! the purpose, whose programs say marks and touch names as they are told.

mod contention;
mod live_holder;
mod mutual_exclusion;
mod no_double_start;
mod no_lost_dispatch;
mod own_release;
mod progress;
mod prompt_takeover;
mod slot_counted_once;
mod spaced_posts;

use std::sync::Arc;
use std::time::Duration;

use locklab::property::{Bounds, Contention, Judge, Jury, judge};
use locklab::scenario::PropertyName;
use locklab_models::word::mark::{
    ASKED, COUNTED, DISPATCHED, ENTERED, LEAVING, LISTENING, POSTED, REFUSED, RELEASED, STARTED,
    UNDONE, WAITING,
};
use locklab_sim::kernel::MachineConfig;
use locklab_sim::{Action, Adversary, Fault, Launch, Limits, Setup, Turns, World, run};
use locklab_sys::{Fd, FlockOp, Image, OpenFlags, SmolStr, Sys};

const SECOND: Duration = Duration::from_secs(1);
const LOCK: &str = "/run/lock";
const SOCKET: &str = "/run/daemon.sock";

/// The pids of the processes, in order.
const ANN: i64 = 1000;
const BOB: i64 = 1001;
const CAT: i64 = 1002;

/// One thing that a program does.
#[derive(Clone, Copy, Debug)]
enum Do {
    /// Sleeps for so many seconds.
    Sleep(u32),
    /// Says a mark of the lock.
    Mark(&'static str),
    /// Says a mark of another lock.
    MarkOf(&'static str, &'static str),
    /// Makes the claim.
    Claim,
    /// Removes whatever stands at the lock's path.
    Remove,
    /// Waits for the kernel's lock on a file, for ever if need be.
    Flock,
    /// Opens the lock's path, and takes the kernel's lock on it.
    Lock,
    /// Lets go of what `Lock` took.
    Unlock,
    /// Counts a free slot, of so many.
    Count(i64),
    /// Has posted to an account; so many seconds must lie between two.
    Posted(&'static str, i64),
    /// Is asked for a job by the process with this pid.
    Asked(&'static str, i64),
    /// Starts a worker for a job that takes so many seconds.
    Start(&'static str, u32),
    /// Starts a thread that does this.
    Thread(&'static [Do]),
    /// Ends this thread alone.
    EndThread,
    /// A point for faults.
    Here,
}
use Do::*;

fn program(deeds: &'static [Do]) -> Image {
    Image::new("program", format!("{deeds:?}"), move |sys: Sys| async move {
        for deed in deeds {
            perform(&sys, *deed).await;
        }
        0
    })
}

async fn perform(sys: &Sys, deed: Do) {
    match deed {
        Sleep(seconds) => sys.sleep(seconds * SECOND).await,
        Mark(name) => sys.mark(name, &SmolStr::new_static(LOCK), 1),
        MarkOf(name, lock) => sys.mark(name, &SmolStr::new_static(lock), 1),
        Claim => {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
            let fd = sys.open(LOCK, flags).await.expect("the path is free");
            sys.close(fd).await.expect("it is open");
        }
        Remove => sys.unlink(LOCK).await.expect("a claim is there"),
        Flock => {
            let fd = sys.open("/run/file", OpenFlags::RDWR | OpenFlags::CREAT).await.unwrap();
            sys.flock(fd, FlockOp::Exclusive).await.unwrap();
        }
        Lock => {
            let fd = sys.open(LOCK, OpenFlags::RDWR | OpenFlags::CREAT).await.unwrap();
            sys.flock(fd, FlockOp::Exclusive).await.unwrap();
        }
        Unlock => sys.flock(Fd(3), FlockOp::Unlock).await.unwrap(),
        Count(slots) => sys.mark(COUNTED, &SmolStr::new_static(SOCKET), slots),
        Posted(account, spacing) => sys.mark(POSTED, &SmolStr::new_static(account), spacing),
        Asked(job, pid) => sys.mark(ASKED, &SmolStr::new_static(job), pid),
        Start(job, seconds) => {
            let worker =
                Image::new("worker", format!("{job} {seconds}"), move |sys: Sys| async move {
                    sys.sleep(seconds * SECOND).await;
                    0
                });
            let pid = sys.spawn(worker, &[]).await.unwrap();
            sys.mark(STARTED, &SmolStr::new_static(job), i64::from(pid.0));
        }
        Thread(deeds) => drop(sys.spawn_thread(program(deeds)).await.unwrap()),
        EndThread => sys.thread_exit(0).await,
        Here => sys.point("here"),
    }
}

/// What is said to fall, first of all, of a monitor.
fn fell_of(judge: Box<dyn Judge>, programs: &[&'static [Do]], story: Vec<Fault>) -> Option<String> {
    let processes = programs
        .iter()
        .zip(["ann", "bob", "cat"])
        .map(|(deeds, name)| Launch::new(name, program(deeds)));
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: processes.collect(),
        story,
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let limits = Limits { horizon: 3600 * SECOND, steps: 1000 };
    let mut jury = Jury::new(vec![judge]);
    let finished = run(&mut world, &mut Turns::default(), &mut jury, limits, None);
    finished.falls.into_iter().next().map(|fall| fall.message)
}

fn fell(property: PropertyName, programs: &[&'static [Do]], story: Vec<Fault>) -> Option<String> {
    let bounds = Bounds { prompt: 2 * SECOND, grace: 30 * SECOND };
    fell_of(judge(property, bounds), programs, story)
}

fn at(process: usize, action: Action) -> Vec<Fault> {
    vec![Fault { process, at: "here".into(), nth: 1, after: Duration::ZERO, action }]
}

#[track_caller]
fn says(fell: Option<String>, words: &str) {
    assert_eq!(fell.as_deref(), Some(words));
}

const INSIDE: &[Do] =
    &[Mark(WAITING), Claim, Mark(ENTERED), Here, Sleep(10), Mark(LEAVING), Remove, Mark(RELEASED)];
