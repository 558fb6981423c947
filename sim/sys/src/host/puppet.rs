//! A real process that makes the calls it is told, one at a time.

use std::io;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::channel::Channel;
use super::exec::exec;
use super::{Host, Race, own, raw};
use crate::{Call, Errno, Fd, Pid, Reply, Ret};

/// What a puppet is told.
#[derive(Serialize, Deserialize)]
pub(super) enum Order {
    /// To make a call.
    Call(Call),
    /// To fork. The child inherits these descriptors alone, or all, and follows
    /// the channel that comes with the order.
    Fork { keep: Option<Arc<[Fd]>> },
    /// To start a thread, which follows the channel that comes with the order.
    Thread,
    /// To run the program anew, which follows the same channel.
    Exec,
    /// To tell the id by which its machine knows it.
    OuterPid,
    /// To take part in a race.
    Race(Race),
}

/// Makes this thread a puppet for the rest of its life.
pub(super) fn follow(host: Arc<Host>, channel: Channel) -> ! {
    let followed = panic::catch_unwind(AssertUnwindSafe(|| obey(&host, channel)));
    raw::exit(if matches!(followed, Ok(Ok(()))) { 0 } else { 101 })
}

/// Until the leader is gone.
fn obey(host: &Arc<Host>, mut channel: Channel) -> io::Result<()> {
    while let Some((order, passed)) = channel.receive()? {
        let reply = match order {
            Order::Call(call) => host.perform(&call),
            Order::OuterPid => host.outer_pid(),
            Order::Fork { keep } => {
                let passed = passed.expect("a child has a channel of its own");
                let new = Channel::over(own(passed)?);
                let mut ours = host.numbers();
                ours.push(new.number());
                match fork(keep.as_deref(), &ours) {
                    Forked::Child => {
                        host.threads.begin();
                        // The old one is closed: this process never had it.
                        std::mem::forget(std::mem::replace(&mut channel, new));
                        continue;
                    }
                    Forked::Parent(reply) => reply,
                }
            }
            Order::Thread => {
                let passed = passed.expect("a thread has a channel of its own");
                start_thread(Arc::clone(host), Channel::over(own(passed)?))
            }
            Order::Exec => Err(super::known_error(&exec(host, &channel))),
            Order::Race(race) => {
                let tell = |told: &[Vec<Reply>]| channel.send(&told, None);
                tell(&race.take_part(host, tell)?)?;
                continue;
            }
        };
        channel.send(&reply, None)?;
    }
    Ok(())
}

pub(super) enum Forked {
    Parent(Reply),
    Child,
}

impl Forked {
    /// In the child, which closes all but what a program keeps and `ours`.
    pub(super) fn as_child(keep: &[Fd], ours: &[RawFd]) -> Self {
        raw::reap_children(false);
        let kept = keep.iter().map(|fd| fd.0 as RawFd).chain(ours.iter().copied());
        raw::close_all_but(&kept.collect::<Vec<_>>());
        Self::Child
    }

    pub(super) fn as_parent(child: rustix::process::Pid) -> Self {
        Self::Parent(Ok(Ret::Pid(Pid(child.as_raw_nonzero().get().cast_unsigned()))))
    }
}

/// Starts another thread of this process.
fn start_thread(host: Arc<Host>, channel: Channel) -> Reply {
    let started = std::thread::Builder::new().spawn(move || {
        host.threads.join_in();
        follow(host, channel);
    });
    started.map(|_| Ret::Unit).map_err(|error| super::known_error(&error))
}

/// Forks; the child has nothing open but what a program keeps, or all that it
/// has, and `ours`.
pub(super) fn fork(keep: Option<&[Fd]>, ours: &[RawFd]) -> Forked {
    if keep.is_some_and(|keep| keep.iter().any(|fd| !super::is_open(*fd))) {
        return Forked::Parent(Err(Errno::EBADF));
    }
    let all: Vec<Fd> = (super::FIRST..super::LIMIT).map(Fd).collect();
    let keep = keep.unwrap_or(&all);
    match raw::fork() {
        Ok(None) => Forked::as_child(keep, ours),
        Ok(Some(child)) => Forked::as_parent(child),
        Err(error) => Forked::Parent(Err(super::known_error(&error))),
    }
}

/// A real process that follows, as its leader has it in hand: it makes a call
/// only when it is told to.
pub struct Puppet {
    pid: Pid,
    outer: Pid,
    channel: Channel,
    /// `/proc` as its machine has it.
    proc: Arc<OwnedFd>,
}

/// So long is looked, for what must come, before that is given up: only on a
/// machine that is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

const MOMENT: Duration = Duration::from_millis(1);

impl Puppet {
    /// Who follows the other end of the channel, and is asked for its ids.
    pub(super) fn new(channel: Channel, proc: Arc<OwnedFd>) -> io::Result<Self> {
        let mut new = Self { pid: Pid(0), outer: Pid(0), channel, proc };
        new.introduce()?;
        Ok(new)
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.pid = self.ask(&Order::Call(Call::Gettid))?;
        self.outer = self.ask(&Order::OuterPid)?;
        Ok(())
    }

    fn ask(&self, order: &Order) -> io::Result<Pid> {
        self.channel.send(order, None)?;
        match self.reply(PATIENCE)? {
            Some(Ok(Ret::Pid(pid))) => Ok(pid),
            other => Err(io::Error::other(format!("a new process says {other:?}"))),
        }
    }

    /// Its pid or thread id, in its container if it is in one.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// The same in the machine's own pid namespace.
    pub fn outer_pid(&self) -> Pid {
        self.outer
    }

    /// Tells it to make a call.
    ///
    /// # Errors
    ///
    /// When it has ended.
    ///
    /// # Panics
    ///
    /// For calls that start a program: who runs it needs a leader too.
    pub fn order(&self, call: &Call) -> io::Result<()> {
        use Call::{Exec, Fork, Spawn, SpawnThread};
        let starts = matches!(call, Spawn { .. } | Fork { .. } | Exec { .. } | SpawnThread { .. });
        assert!(!starts, "{call} needs a leader");
        self.channel.send(&Order::Call(call.clone()), None)
    }

    /// Its reply, if it comes within this time; `None` of what has ended, too.
    pub fn reply(&self, within: Duration) -> io::Result<Option<Reply>> {
        if !self.channel.has_news(within)? {
            return Ok(None);
        }
        Ok(self.channel.receive()?.map(|(reply, _)| reply))
    }

    /// Tells it to take part in a race.
    ///
    /// # Errors
    ///
    /// When it has ended.
    pub fn race(&self, race: &Race) -> io::Result<()> {
        self.channel.send(&Order::Race(race.clone()), None)
    }

    /// Its replies in a race, for each run; `None` of what was killed in it.
    ///
    /// # Errors
    ///
    /// When they do not come.
    pub fn raced(&self) -> io::Result<Option<Vec<Vec<Reply>>>> {
        if !self.channel.has_news(PATIENCE)? {
            return Err(io::Error::other(format!("process {} comes to no end", self.pid)));
        }
        Ok(self.channel.receive()?.map(|(told, _)| told))
    }

    /// Tells it to fork, as [`Call::Spawn`] does, or without `keep` as
    /// [`Call::Fork`]; the child, which makes no call by itself.
    ///
    /// # Errors
    ///
    /// When it has ended; as a reply, what Linux says.
    pub fn fork(&self, keep: Option<&Arc<[Fd]>>) -> io::Result<Result<Self, Errno>> {
        let (ours, theirs) = Channel::pair()?;
        self.channel.send(&Order::Fork { keep: keep.cloned() }, Some(theirs.as_fd()))?;
        match self.reply(PATIENCE)? {
            Some(Ok(Ret::Pid(_))) => {
                drop(theirs);
                Self::new(ours, Arc::clone(&self.proc)).map(Ok)
            }
            Some(Err(errno)) => Ok(Err(errno)),
            other => Err(io::Error::other(format!("a fork gave {other:?}"))),
        }
    }

    /// Tells it to start a thread, as [`Call::SpawnThread`] does; the thread,
    /// which makes no call by itself.
    ///
    /// # Errors
    ///
    /// As for [`fork`](Self::fork).
    pub fn thread(&self) -> io::Result<Result<Self, Errno>> {
        let (ours, theirs) = Channel::pair()?;
        self.channel.send(&Order::Thread, Some(theirs.as_fd()))?;
        match self.reply(PATIENCE)? {
            Some(Ok(Ret::Unit)) => {
                drop(theirs);
                Self::new(ours, Arc::clone(&self.proc)).map(Ok)
            }
            Some(Err(errno)) => Ok(Err(errno)),
            other => Err(io::Error::other(format!("a new thread gave {other:?}"))),
        }
    }

    /// Tells it to run its program anew, as [`Call::Exec`] does. It is the main
    /// thread from here on, with the pid as its id.
    ///
    /// # Errors
    ///
    /// When that is not possible.
    pub fn exec(&mut self) -> io::Result<()> {
        self.channel.send(&Order::Exec, None)?;
        self.introduce()
    }

    /// Whether it is seen to wait in the call that it was told to make, within
    /// this time. It is not when it replies.
    pub fn is_seen_waiting(&self, within: Duration) -> io::Result<bool> {
        let looks = within.as_millis().max(1);
        for _ in 0..looks {
            if self.waits() {
                // It may have come to its end in between.
                return Ok(!self.channel.has_news(Duration::ZERO)?);
            }
            if self.channel.has_news(MOMENT)? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    fn waits(&self) -> bool {
        let call = self.look("syscall").unwrap_or_default();
        let number = call.split(' ').next().and_then(|number| number.parse().ok());
        number.is_some_and(|number: i64| WAITING.contains(&number))
    }

    /// Whether it has just made what it was told and waits for an order: so a
    /// leader sees that it can look at its puppets at all.
    pub fn is_seen_idle(&self) -> bool {
        loop {
            let Ok(call) = self.look("syscall") else { return false };
            let number = call.split(' ').next().and_then(|number| number.parse().ok());
            if number == Some(libc::SYS_recvmsg) {
                return true;
            }
            if !call.starts_with("running") && number.is_none() {
                return false;
            }
            std::thread::yield_now();
        }
    }

    /// Its state letter in `/proc`; none when it is gone.
    pub fn state(&self) -> Option<char> {
        let stat = self.look("stat").ok()?;
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next())
    }

    /// Comes back when its state is as expected.
    ///
    /// # Errors
    ///
    /// When that does not happen.
    pub fn until(&self, expected: impl Fn(Option<char>) -> bool) -> io::Result<()> {
        let looks = PATIENCE.as_millis() / MOMENT.as_millis();
        for look in 0..looks {
            if expected(self.state()) {
                return Ok(());
            }
            // It is mostly a matter of microseconds.
            if look < 100 { std::thread::yield_now() } else { super::pause(MOMENT) }
        }
        Err(io::Error::other(format!("process {} stays {:?}", self.outer, self.state())))
    }

    fn look(&self, file: &str) -> Result<String, Errno> {
        super::proc_file(self.proc.as_fd(), &format!("{}/{file}", self.outer))
    }
}

/// The system calls in which a puppet waits for something else than an order,
/// which is `recvmsg`.
const WAITING: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_connect,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_flock,
    libc::SYS_fcntl,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_futex,
    libc::SYS_clock_nanosleep,
    // A sleep goes on so after a stop.
    libc::SYS_restart_syscall,
];
