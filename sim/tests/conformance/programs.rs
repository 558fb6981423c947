//! Programs, made at random: each family of calls has a file of its own.

mod children;
mod containers;
mod files;
mod locks;
mod names;
mod processes;
mod signals;
mod sockets;
mod threads;
mod users;

use locklab_sys::{Call, Fd, Pid, SmolStr, Uid};
use proptest::prelude::*;

/// Who makes which call. Tasks, and in the call pids and descriptors, are numbers
/// to be taken round those there are when it is made.
pub type Step = (usize, Call);

/// Who is there from the beginning, and what they do in which order.
#[derive(Clone, Debug)]
pub struct Program {
    pub cast: Vec<Identity>,
    pub steps: Vec<Step>,
}

/// As whom and where a process is launched.
#[derive(Clone, Debug)]
pub struct Identity {
    pub uid: Uid,
    pub container: Option<SmolStr>,
}

/// Programs for a machine that has users, or for one that has only root.
pub fn program(has_users: bool) -> impl Strategy<Value = Program> {
    let mut families = general();
    families.extend(of_tasks());
    families.extend(interrupted());
    if has_users {
        families.extend(of_users());
    }
    prop::sample::select(families).prop_flat_map(move |Family { cast, begins, call }| {
        let steps = prop::collection::vec((task(), call), 1..60);
        let alone = Identity { uid: Uid::ROOT, container: None };
        (cast, prop::sample::select(begins), steps).prop_map(move |(cast, begin, steps)| {
            let steps = begin.into_iter().chain(steps).collect();
            let cast = if has_users { cast } else { vec![alone.clone(); cast.len()] };
            Program { cast, steps }
        })
    })
}

/// Who plays, how it may begin, and what they call. A program is mostly of one
/// family, so that its calls meet.
#[derive(Clone, Debug)]
struct Family {
    cast: BoxedStrategy<Vec<Identity>>,
    begins: Vec<Vec<Step>>,
    call: BoxedStrategy<Call>,
}

fn begins() -> Vec<Vec<Step>> {
    let of_all = [
        processes::begins(),
        sockets::begins(),
        files::begins(),
        names::begins(),
        locks::begins(),
        users::begins(),
    ];
    [Vec::new()].into_iter().chain(of_all.concat()).collect()
}

fn general() -> Vec<Family> {
    [
        prop_oneof![9 => files::call(), 1 => processes::call()].boxed(),
        prop_oneof![7 => locks::call(), 2 => files::call(), 2 => processes::call()].boxed(),
        prop_oneof![9 => names::call(), 1 => processes::call()].boxed(),
        prop_oneof![9 => sockets::call(), 1 => processes::call()].boxed(),
        prop_oneof![9 => processes::call(), 1 => files::call()].boxed(),
        prop_oneof![2 => files::call(), 2 => sockets::call(), 3 => processes::call()].boxed(),
    ]
    .map(|call| Family { cast: same_user(), begins: begins(), call })
    .into()
}

/// Without calls of [`users`]: that all threads become another user interrupts
/// what they wait in, which the model does not have.
fn of_tasks() -> Vec<Family> {
    let mut begins = begins();
    begins.extend([
        children::several(),
        threads::pairs(),
        threads::accepting(),
        threads::receiving(),
        threads::locking(),
        threads::closing(),
        threads::in_turn(),
    ]);
    let meddling = prop_oneof![4 => threads::call(), 9 => threads::meddling()].boxed();
    [
        (same_user(), prop_oneof![6 => children::call(), 3 => processes::call()].boxed()),
        (same_user(), prop_oneof![6 => threads::call(), 4 => children::call()].boxed()),
        (same_user(), meddling),
        (same_user(), prop_oneof![4 => threads::meddling(), 6 => locks::records()].boxed()),
        (same_user(), prop_oneof![4 => threads::meddling(), 3 => sockets::call()].boxed()),
    ]
    .map(|(cast, call)| Family { cast, begins: begins.clone(), call })
    .into()
}

/// Whoever waits may be interrupted. Without threads: which of them takes a
/// signal is for Linux to choose.
fn interrupted() -> Vec<Family> {
    [
        (locks::begins(), prop_oneof![9 => locks::records(), 1 => processes::call()].boxed()),
        (
            signals::begins(),
            prop_oneof![8 => locks::records(), 2 => locks::call(), 3 => signals::call()].boxed(),
        ),
        (
            signals::begins(),
            prop_oneof![
                3 => sockets::waits(),
                1 => sockets::call(),
                1 => processes::call(),
                3 => signals::call(),
            ]
            .boxed(),
        ),
    ]
    .map(|(begins, call)| Family { cast: same_user(), begins, call })
    .into()
}

fn of_users() -> Vec<Family> {
    [
        (
            users::cast(),
            prop_oneof![6 => users::call(), 6 => files::call(), 1 => processes::call()].boxed(),
        ),
        (
            users::cast(),
            prop_oneof![2 => users::call(), 4 => sockets::call(), 4 => processes::call()].boxed(),
        ),
        (
            users::cast(),
            prop_oneof![3 => users::call(), 9 => names::call(), 1 => processes::call()].boxed(),
        ),
        (
            containers::cast(),
            prop_oneof![
                4 => containers::call(),
                6 => processes::call(),
                3 => sockets::call(),
                1 => locks::records(),
                1 => signals::call(),
            ]
            .boxed(),
        ),
        (containers::cast(), prop_oneof![5 => threads::call(), 5 => children::call()].boxed()),
    ]
    .map(|(cast, call)| Family { cast, begins: begins(), call })
    .into()
}

/// Three processes of one user.
fn same_user() -> BoxedStrategy<Vec<Identity>> {
    let uid = prop::sample::select(vec![Uid::USER, Uid::ROOT]);
    uid.prop_map(|uid| vec![Identity { uid, container: None }; 3]).boxed()
}

/// Few do most, so that what one call makes another meets.
fn task() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(0), 2 => Just(1), 1 => Just(3), 2 => 2_usize..12]
}

/// What a call can be aimed at when it is made.
pub struct Targets {
    /// The caller's open descriptors.
    pub fds: Vec<Fd>,
    /// All processes and threads that there are or were.
    pub pids: Vec<Pid>,
    /// Those whose parent is the caller.
    pub children: Vec<Pid>,
}

impl Targets {
    /// The call, with what there is for the numbers in it.
    pub fn aim(&self, call: &Call) -> Call {
        let mut call = call.clone();
        match &mut call {
            Call::Wait { pid } | Call::TryWait { child: Some(pid) } => self.aim_at_child(pid),
            Call::Kill { pid, .. }
            | Call::ProcStat { pid }
            | Call::ProcStatus { pid }
            | Call::PidfdOpen { pid }
            | Call::Join { tid: pid } => {
                *pid = nth(&self.pids, pid.0).unwrap_or(*pid);
            }
            Call::Read { fd, .. }
            | Call::Write { fd, .. }
            | Call::Close { fd }
            | Call::Fstat { fd }
            | Call::Fchmod { fd, .. }
            | Call::Fsync { fd }
            | Call::Readdir { fd }
            | Call::LinkFd { fd, .. }
            | Call::Futimens { fd, .. }
            | Call::Funlinkat { fd, .. }
            | Call::Dup { fd }
            | Call::Flock { fd, .. }
            | Call::Fcntl { fd, .. }
            | Call::PidfdSendSignal { pidfd: fd, .. }
            | Call::Bind { fd, .. }
            | Call::Listen { fd, .. }
            | Call::Connect { fd, .. }
            | Call::Accept { fd }
            | Call::Send { fd, .. }
            | Call::Recv { fd, .. }
            | Call::Shutdown { fd, .. }
            | Call::SetTimeout { fd, .. }
            | Call::SetCloseOnExec { fd, .. }
            | Call::GetCloseOnExec { fd }
            | Call::PeerCred { fd } => self.aim_at_open(fd),
            Call::Spawn { keep: fds, .. } | Call::Poll { fds, .. } => {
                let mut aimed = fds.to_vec();
                aimed.iter_mut().for_each(|fd| self.aim_at_open(fd));
                *fds = aimed.into();
            }
            _ => {}
        }
        call
    }

    /// Mostly a child: all others give one error.
    fn aim_at_child(&self, pid: &mut Pid) {
        let among = if pid.0.is_multiple_of(4) { &self.pids } else { &self.children };
        *pid = nth(among, pid.0).or(nth(&self.pids, pid.0)).unwrap_or(*pid);
    }

    /// The highest numbers stand for themselves, and are mostly not open.
    fn aim_at_open(&self, fd: &mut Fd) {
        if fd.0 < FD_MAX {
            *fd = nth(&self.fds, fd.0).unwrap_or(*fd);
        }
    }
}

/// The one that a number means, taken round.
fn nth<T: Copy>(among: &[T], number: u32) -> Option<T> {
    among.get((number as usize).checked_rem(among.len())?).copied()
}

/// Few paths, so that processes meet.
fn path() -> impl Strategy<Value = String> {
    let common = prop::sample::select(vec!["/tmp/a", "/tmp/b", "/tmp/d", "/tmp/d/a", "/run/s"]);
    // Not `/tmp` itself: in the model it is a mount point, on the host it is none.
    let odd = prop::sample::select(vec![
        "/tmp/d/e",
        "/tmp/a/x",
        "/",
        "/tmp/a/",
        "/tmp/d/",
        "/tmp/./a",
        "/tmp/d/.",
        "/tmp/d/..",
        "/nowhere/a",
        "",
        "tmp/a",
    ]);
    prop_oneof![6 => common, 1 => odd].prop_map(str::to_owned)
}

const FD_MAX: u32 = 5;

fn fd() -> impl Strategy<Value = Fd> {
    prop_oneof![9 => 0..FD_MAX, 1 => Just(FD_MAX)].prop_map(Fd)
}

fn data() -> impl Strategy<Value = std::sync::Arc<[u8]>> {
    prop::sample::select(vec!["", "a", "bc", "pid=7\n"]).prop_map(|it| it.as_bytes().into())
}

/// One of the processes.
fn process() -> impl Strategy<Value = Pid> {
    (0_u32..12).prop_map(Pid)
}
