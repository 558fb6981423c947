//! Small programs that lock, look for files and sleep, as a world runs them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::MachineConfig;
use locklab_sim::{Adversary, Launch, Setup};
use locklab_sys::{Errno, Fd, FlockOp, Image, OpenFlags, SmolStr, Sys};
use proptest::prelude::*;

use crate::machine::{Code, Descriptor, Instruction, Op, opens};

/// What a program does, in a few calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Waits until it has the lock.
    Lock(Descriptor),
    /// Tries until it has the lock, with such pauses in seconds, or none.
    Poll(Descriptor, u8),
    Unlock(Descriptor),
    /// Tries for one lock, and for the other while it has the first, and lets go if it fails.
    Both(Descriptor, Descriptor, u8),
    Make(u8),
    Drop(u8),
    /// Looks until there is such a file, or none.
    Await(u8, bool, u8),
    Sleep(u8),
}

/// Some deeds; and then again, if so.
pub type Job = (Vec<Deed>, bool);

pub fn compiled((deeds, again): &Job) -> Code {
    let mut code = Code::new();
    for deed in deeds {
        compile(&mut code, *deed);
    }
    if *again {
        let end = code.len() as u8;
        for instruction in code.iter_mut().filter(|it| it.next == end) {
            instruction.next = 0;
        }
    }
    code
}

fn compile(code: &mut Code, deed: Deed) {
    let start = code.len() as u8;
    let plain = |call, next| Instruction { call, next, fail: next, wants: false, gets: false };
    // With a pause, it comes right after what may fail.
    let again = |pause: u8| if pause > 0 { start + 1 } else { start };
    let tried = |call, pause| {
        let next = start + 1 + u8::from(pause > 0);
        Instruction { call, next, fail: again(pause), wants: true, gets: true }
    };
    match deed {
        Deed::Lock(it) => {
            let lock = plain(Op::Lock(it), start + 1);
            code.push(Instruction { wants: true, gets: true, ..lock });
        }
        Deed::Poll(it, pause) => {
            code.push(tried(Op::Try(it), pause));
            code.extend((pause > 0).then(|| plain(Op::Sleep(pause), start)));
        }
        Deed::Await(file, hoped, pause) => {
            code.push(tried(Op::Look(file, hoped), pause));
            code.extend((pause > 0).then(|| plain(Op::Sleep(pause), start)));
        }
        Deed::Both(one, other, pause) => {
            let (wait, end) = (start + 3, start + 3 + u8::from(pause > 0));
            let back = if pause > 0 { wait } else { start };
            let one_fails =
                Instruction { fail: back, wants: true, ..plain(Op::Try(one), start + 1) };
            let other_fails = Instruction { fail: start + 2, ..plain(Op::Try(other), end) };
            code.push(one_fails);
            code.push(Instruction { wants: true, gets: true, ..other_fails });
            code.push(plain(Op::Unlock(one), back));
            code.extend((pause > 0).then(|| plain(Op::Sleep(pause), start)));
        }
        Deed::Unlock(it) => code.push(plain(Op::Unlock(it), start + 1)),
        Deed::Make(file) => code.push(plain(Op::Make(file), start + 1)),
        Deed::Drop(file) => code.push(plain(Op::Drop(file), start + 1)),
        Deed::Sleep(time) => code.push(plain(Op::Sleep(time), start + 1)),
    }
}

const IT: SmolStr = SmolStr::new_static("it");

/// What does not change while a program runs.
struct Context {
    code: Code,
    fds: Vec<(Descriptor, Fd)>,
}

async fn obey(sys: Sys, code: Code) -> u8 {
    let mut fds = Vec::new();
    for descriptor in opens(&code) {
        let flags = OpenFlags::RDWR | OpenFlags::CREAT;
        let path = SmolStr::from(format!("/run/lock{}", descriptor.0));
        fds.push((descriptor, sys.open(path, flags).await.unwrap()));
    }
    sys.retry(&Context { code, fds }, 0, instruction).await;
    0
}

async fn instruction(sys: &Sys, context: &Context, at: u8) -> ControlFlow<(), u8> {
    let Some(instruction) = context.code.get(usize::from(at)) else {
        return ControlFlow::Break(());
    };
    if instruction.wants {
        sys.mark("waiting", &IT, 1);
    }
    let done = perform(sys, context, instruction.call).await;
    if done && instruction.gets {
        sys.mark("entered", &IT, 1);
    }
    ControlFlow::Continue(if done { instruction.next } else { instruction.fail })
}

async fn perform(sys: &Sys, context: &Context, op: Op) -> bool {
    let fd = |descriptor| context.fds.iter().find(|(it, _)| *it == descriptor).unwrap().1;
    let file = |file: u8| SmolStr::from(format!("/run/file{file}"));
    let succeeds = |result: Result<(), Errno>, fails| match result {
        Ok(()) => true,
        Err(errno) if errno == fails => false,
        Err(errno) => panic!("{errno}"),
    };
    match op {
        Op::Lock(it) => succeeds(sys.flock(fd(it), FlockOp::Exclusive).await, Errno::EIO),
        Op::Try(it) => succeeds(sys.flock(fd(it), FlockOp::TryExclusive).await, Errno::EAGAIN),
        Op::Unlock(it) => succeeds(sys.flock(fd(it), FlockOp::Unlock).await, Errno::EIO),
        Op::Make(it) => {
            succeeds(sys.symlink("it", file(it)).await, Errno::EEXIST);
            true
        }
        Op::Drop(it) => {
            succeeds(sys.unlink(file(it)).await, Errno::ENOENT);
            true
        }
        Op::Look(it, hoped) => {
            succeeds(sys.readlink(file(it)).await.map(drop), Errno::ENOENT) == hoped
        }
        Op::Sleep(time) => {
            sys.sleep(Duration::from_secs(time.into())).await;
            true
        }
    }
}

pub fn setup(jobs: &[Job], kills: u8) -> Arc<Setup> {
    let processes = jobs.iter().enumerate().map(|(index, job)| {
        let code = compiled(job);
        let arguments = format!("{code:?}");
        let image = Image::new("job", arguments, move |sys| obey(sys, code.clone()));
        Launch::new(format!("p{index}"), image)
    });
    Arc::new(Setup {
        machines: vec![MachineConfig::default()],
        processes: processes.collect(),
        story: Vec::new(),
        adversary: Adversary { kills: kills.into(), ..Adversary::default() },
        durations: Vec::new(),
        every_timer: true,
    })
}

pub fn job() -> impl Strategy<Value = Job> {
    let descriptor = || prop_oneof![8 => (0..2_u8, Just(0)), 1 => (0..2_u8, Just(1))];
    let deed = prop_oneof![
        4 => descriptor().prop_map(Deed::Lock),
        4 => (descriptor(), 0..3_u8).prop_map(|(it, pause)| Deed::Poll(it, pause)),
        4 => descriptor().prop_map(Deed::Unlock),
        2 => (0..2_u8, 0..2_u8).prop_map(|(one, pause)| Deed::Both((one, 0), (1 - one, 0), pause)),
        2 => (0..2_u8).prop_map(Deed::Make),
        2 => (0..2_u8).prop_map(Deed::Drop),
        3 => (0..2_u8, any::<bool>(), 0..3_u8).prop_map(|(it, hoped, pause)| {
            Deed::Await(it, hoped, pause)
        }),
        2 => (1..3_u8).prop_map(Deed::Sleep),
    ];
    (prop::collection::vec(deed, 1..5), prop::bool::weighted(0.4))
}
