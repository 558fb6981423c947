//! The real arm: puppets, each a process of its own.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use crate::op::Op;
use crate::puppet::{ARGUMENT, Order};

/// The system calls, besides read and write, in which a puppet waits for
/// something else than an order: poll, connect, accept, sendto, recvfrom,
/// flock, ppoll, accept4.
const WAITING: [&str; 8] = ["7", "42", "43", "44", "45", "73", "271", "288"];

/// `TMPFS_MAGIC`: its inode numbers are always fresh, as the model can have them.
const TMPFS: i64 = 0x0102_1994;

/// Where the puppets have their root directories.
const SCRATCH: &str = "/dev/shm";

/// Why puppets cannot be led on this machine, if so.
pub fn obstacle() -> Option<&'static str> {
    let is_tmpfs = rustix::fs::statfs(SCRATCH).is_ok_and(|it| it.f_type == TMPFS);
    if !rustix::process::geteuid().is_root() {
        Some("only root moves its root directory")
    } else if !is_tmpfs {
        Some("there is no tmpfs at /dev/shm")
    } else if !is_recent() {
        Some("before Linux 6.9 a pidfd has no inode of its own")
    } else if !can_lead_a_puppet() {
        Some("a process may not move its root directory here, or not be looked at")
    } else {
        None
    }
}

fn is_recent() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split('.').map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(9))
}

fn can_lead_a_puppet() -> bool {
    let scratch = Scratch::new();
    scratch.clear();
    let mut puppet = Puppet::start(&scratch.0);
    puppet.tell(&Op::Getpid, &[]).is_ok()
        && puppet.reply_within(10_000).is_some()
        && puppet.is_seen_waiting_for_an_order()
}

/// A real process.
pub struct Puppet {
    child: Child,
    orders: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// So often, a millisecond apart, is looked what has become of an order.
const LOOKS: u32 = 60_000;

/// What became of an order.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Replied(Value),
    Waits,
    Ended,
}

impl Puppet {
    pub fn start(root: &Path) -> Self {
        let this = std::env::current_exe().expect("this program has a file");
        let mut command = Command::new(this);
        command.arg(ARGUMENT).arg(root).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a puppet starts");
        let orders = child.stdin.take().expect("a pipe");
        let replies = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, orders, replies }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn order(&mut self, op: &Op, pids: &[u32]) {
        self.tell(op, pids).expect("a puppet takes orders");
    }

    fn tell(&mut self, op: &Op, pids: &[u32]) -> io::Result<()> {
        let order = Order { op: op.clone(), pids: pids.to_vec() };
        let line = serde_json::to_string(&order).expect("an order");
        writeln!(self.orders, "{line}")
    }

    /// The reply, if it is there within so many milliseconds.
    pub fn reply_within(&mut self, millis: i64) -> Option<Value> {
        if self.replies.buffer().is_empty() {
            let mut fds = [PollFd::new(self.replies.get_ref(), PollFlags::IN)];
            let limit = Timespec { tv_sec: millis / 1000, tv_nsec: millis % 1000 * 1_000_000 };
            poll(&mut fds, Some(&limit)).expect("a pipe can be polled");
            if !fds[0].revents().contains(PollFlags::IN) {
                return None;
            }
        }
        let mut line = String::new();
        self.replies.read_line(&mut line).expect("a reply is text");
        (!line.is_empty()).then(|| serde_json::from_str(&line).expect("a reply"))
    }

    /// What becomes of the order: a look at the process tells whether it waits.
    pub fn outcome(&mut self) -> Outcome {
        for _ in 0..LOOKS {
            if let Some(reply) = self.reply_within(1) {
                return Outcome::Replied(reply);
            }
            if self.has_ended() {
                return Outcome::Ended;
            }
            if self.waits() {
                // It may have replied in between.
                return self.reply_within(0).map_or(Outcome::Waits, Outcome::Replied);
            }
        }
        panic!("puppet {} neither replies nor waits: {}", self.pid(), self.proc("syscall"))
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child can be waited for").is_some()
    }

    fn proc(&self, file: &str) -> String {
        let path = PathBuf::from(format!("/proc/{}/{file}", self.pid()));
        fs::read_to_string(path).unwrap_or_default()
    }

    fn waits(&self) -> bool {
        let call = self.proc("syscall");
        let mut words = call.split(' ');
        match (words.next(), words.next()) {
            // Not for an order, nor with a reply.
            (Some("0"), Some(fd)) => fd != "0x0",
            (Some("1"), Some(fd)) => fd != "0x1",
            (Some(number), _) => WAITING.contains(&number),
            (None, _) => false,
        }
    }

    /// Whether `/proc` tells in which call it waits.
    fn is_seen_waiting_for_an_order(&self) -> bool {
        loop {
            let call = self.proc("syscall");
            if call.is_empty() || call.starts_with("0 0x0 ") {
                return !call.is_empty();
            }
            std::thread::yield_now();
        }
    }

    /// Comes back when a signal has stopped it.
    pub fn until_stopped(&self) {
        let is_stopped =
            || self.proc("stat").rsplit_once(") ").is_some_and(|(_, it)| it.starts_with('T'));
        while !is_stopped() {
            std::thread::yield_now();
        }
    }

    /// Comes back when it has ended, and leaves no zombie.
    pub fn until_ended(&mut self) {
        self.child.wait().expect("a child can be waited for");
    }
}

impl Drop for Puppet {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory with what a machine boots with, removed in the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Self {
        Self(Path::new(SCRATCH).join(format!("locklab-conformance-{}", std::process::id())))
    }

    /// Empty again.
    pub fn clear(&self) {
        let _ = fs::remove_dir_all(&self.0);
        for name in ["run", "tmp"] {
            fs::create_dir_all(self.0.join(name)).expect("a scratch directory");
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
