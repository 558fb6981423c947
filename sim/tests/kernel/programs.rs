//! Programs that talk through sockets at random.

use std::collections::BTreeMap;
use std::time::Duration;

use locklab_sim::kernel::{Kernel, Outcome, ProcId, TaskId};
use locklab_sys::{Call, Direction, Fd, Ret, Shutdown};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::lab::{MACHINE, unlink};
use crate::wire::{bind, connect, listen, recv, shutdown, timeout};

/// What a process does next. Its descriptors go by their place among those that
/// it has, so that most calls find a socket.
#[derive(Clone, Debug)]
enum Act {
    Serve,
    Connect,
    Accept(usize),
    Send(usize, usize),
    Recv(usize, u32),
    Shutdown(usize, Shutdown),
    Timeout(usize, Direction),
    Close(usize),
    Unlink,
    Poll,
    Stop,
    Kill,
    Pass,
}

fn act() -> impl Strategy<Value = Act> {
    let fd = || 0_usize..8;
    let how = select(vec![Shutdown::Read, Shutdown::Write, Shutdown::Both]);
    let of = select(vec![Direction::Receive, Direction::Send]);
    prop_oneof![
        16 => Just(Act::Serve),
        40 => Just(Act::Connect),
        60 => fd().prop_map(Act::Accept),
        80 => (fd(), select(vec![0, 1, 9, 300_000])).prop_map(|(fd, len)| Act::Send(fd, len)),
        80 => (fd(), select(vec![0, 1, 5, u32::MAX])).prop_map(|(fd, len)| Act::Recv(fd, len)),
        4 => (fd(), how).prop_map(|(fd, how)| Act::Shutdown(fd, how)),
        20 => (fd(), of).prop_map(|(fd, of)| Act::Timeout(fd, of)),
        10 => fd().prop_map(Act::Close),
        4 => Just(Act::Unlink),
        4 => Just(Act::Poll),
        8 => Just(Act::Stop),
        1 => Just(Act::Kill),
        30 => Just(Act::Pass),
    ]
}

/// Stands for the descriptor that the process was given last.
const NEWEST: Fd = Fd(u32::MAX);

/// A new socket gets time-outs, so that nobody waits for ever.
fn hurried() -> [Call; 2] {
    [timeout(NEWEST, Direction::Receive, 1), timeout(NEWEST, Direction::Send, 1)]
}

/// An end of a connection: a process, its descriptor, and how often it was
/// given one of that number.
type End = (usize, Fd, u32);

/// Processes, and what has gone through their connections.
#[derive(Default)]
struct Talk {
    fds: Vec<Vec<Fd>>,
    pending: Vec<Option<Call>>,
    uses: BTreeMap<(usize, Fd), u32>,
    /// By their ends. Each message repeats a byte of its own.
    sent: BTreeMap<End, Vec<u8>>,
    received: BTreeMap<End, Vec<u8>>,
    next: u8,
}

impl Talk {
    fn end(&self, process: usize, fd: Fd) -> End {
        (process, fd, self.uses.get(&(process, fd)).copied().unwrap_or(0))
    }

    /// The calls of an act; none when it makes no sense.
    fn calls(&mut self, process: usize, act: &Act) -> Vec<Call> {
        let fds = &self.fds[process];
        let at = |index: usize| fds.get(index % fds.len().max(1)).copied();
        let call = match *act {
            Act::Serve => {
                let named = [bind(NEWEST, "/tmp/s"), listen(NEWEST, 1)];
                return [Call::Socket].into_iter().chain(hurried()).chain(named).collect();
            }
            Act::Connect => {
                let connect = connect(NEWEST, "/tmp/s");
                return [Call::Socket].into_iter().chain(hurried()).chain([connect]).collect();
            }
            Act::Accept(index) => at(index).map(|fd| Call::Accept { fd }),
            Act::Send(index, len) => at(index).map(|fd| {
                self.next = self.next.wrapping_add(1);
                Call::Send { fd, data: vec![self.next; len].into() }
            }),
            Act::Recv(index, len) => at(index).map(|fd| recv(fd, len)),
            Act::Shutdown(index, how) => at(index).map(|fd| shutdown(fd, how)),
            Act::Timeout(index, of) => at(index).map(|fd| timeout(fd, of, 1)),
            Act::Close(index) => at(index).map(|fd| Call::Close { fd }),
            Act::Unlink => Some(unlink("/tmp/s")),
            Act::Poll => {
                let timeout = Some(Duration::from_secs(1));
                Some(Call::Poll { fds: fds.as_slice().into(), timeout })
            }
            Act::Stop | Act::Kill | Act::Pass => None,
        };
        call.into_iter().collect()
    }

    /// Takes note of what a call gave.
    fn note(&mut self, process: usize, call: &Call, reply: &Result<Ret, locklab_sys::Errno>) {
        match (call, reply) {
            (_, Ok(Ret::Fd(fd))) => {
                self.fds[process].push(*fd);
                *self.uses.entry((process, *fd)).or_default() += 1;
            }
            (Call::Close { fd }, Ok(_)) => self.fds[process].retain(|other| other != fd),
            (Call::Send { fd, data }, Ok(Ret::Len(len))) => {
                assert_eq!(data.len() as u32, *len, "a message is sent whole");
                let end = self.end(process, *fd);
                self.sent.entry(end).or_default().extend_from_slice(data);
            }
            (Call::Recv { fd, len }, Ok(Ret::Bytes(bytes))) => {
                assert!(bytes.len() <= *len as usize);
                let end = self.end(process, *fd);
                self.received.entry(end).or_default().extend_from_slice(bytes);
            }
            _ => {}
        }
    }

    /// What was received at an end is the beginning of what was sent at one
    /// other, and no two ends received from the same.
    fn check(&self) {
        let mut senders: Vec<&Vec<u8>> = self.sent.values().collect();
        let mut heard: Vec<&Vec<u8>> = self.received.values().filter(|it| !it.is_empty()).collect();
        heard.sort_by_key(|bytes| std::cmp::Reverse(bytes.len()));
        for bytes in heard {
            let sender = senders.iter().position(|sent| sent.starts_with(bytes));
            senders.remove(sender.expect("what is received was sent so"));
        }
    }
}

/// Makes a call. A socket that cannot be named or connected is closed; whether
/// the process can go on.
fn perform(kernel: &mut Kernel, talk: &mut Talk, process: usize, call: &Call) -> bool {
    let Outcome::Done(reply) = kernel.call(TaskId(process as u32), call) else {
        talk.pending[process] = Some(call.clone());
        return false;
    };
    talk.note(process, call, &reply);
    if let (Call::Bind { fd, .. } | Call::Connect { fd, .. }, Err(_)) = (call, &reply) {
        perform(kernel, talk, process, &Call::Close { fd: *fd });
        return false;
    }
    true
}

fn step(kernel: &mut Kernel, talk: &mut Talk, process: usize, act: &Act) {
    let (proc, task) = (ProcId(process as u32), TaskId(process as u32));
    match act {
        Act::Stop => return kernel.stop(proc),
        Act::Kill => return kernel.kill(proc),
        Act::Pass => return kernel.advance_to(kernel.now() + Duration::from_secs(1)),
        _ => {}
    }
    if kernel.process(proc).is_stopped() {
        return kernel.cont(proc);
    }
    if !kernel.process(proc).is_alive() {
        return;
    }
    if kernel.is_blocked(task) {
        if kernel.ready(task) {
            let reply = kernel.finish(task);
            let call = talk.pending[process].take().expect("a call was pending");
            talk.note(process, &call, &reply);
        }
        return;
    }
    for call in talk.calls(process, act) {
        let newest = talk.fds[process].last().copied();
        if !perform(kernel, talk, process, &with_fd(call, newest)) {
            break;
        }
    }
}

/// The new socket's descriptor in the calls that follow `socket`.
fn with_fd(call: Call, newest: Option<Fd>) -> Call {
    let Some(newest) = newest else { return call };
    let chosen = |fd: Fd| if fd == NEWEST { newest } else { fd };
    match call {
        Call::Bind { fd, path } => Call::Bind { fd: chosen(fd), path },
        Call::Listen { fd, backlog } => Call::Listen { fd: chosen(fd), backlog },
        Call::Connect { fd, path } => Call::Connect { fd: chosen(fd), path },
        Call::SetTimeout { fd, of, timeout } => Call::SetTimeout { fd: chosen(fd), of, timeout },
        other => other,
    }
}

proptest! {
    #[test]
    fn socket_programs_keep_what_must_hold(acts in vec((0_usize..3, act()), 0..400)) {
        let mut kernel = Kernel::new(&[Default::default()], 1);
        for name in ["a", "b", "c"] {
            kernel.launch(MACHINE, name.into());
        }
        let mut talk = Talk { fds: vec![Vec::new(); 3], pending: vec![None; 3], ..Talk::default() };
        let mut refilled = kernel.clone();
        for (process, act) in &acts {
            step(&mut kernel, &mut talk, *process, act);
        }
        refilled.clone_from(&kernel);
        prop_assert!(refilled == kernel);
        talk.check();
        for process in 0..3 {
            kernel.kill(ProcId(process));
        }
        prop_assert_eq!(kernel.open_sockets(), 0);
    }
}
