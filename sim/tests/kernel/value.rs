//! A kernel is a value, and what must always hold in one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use locklab_sim::kernel::{
    Durability, Effect, InodeNumbers, IoCall, Kernel, MachineConfig, Outcome, ProcId, Process,
    Rest, State, Survivor, TaskId,
};
use locklab_sys::{
    Call, Disposition, FileKind, Fingerprint, FlockOp, LockCommand, LockKind, OpenFlags, Pid,
    RecordLock, Signal, SmolStr, Uid,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::calls::any_call;
use crate::lab::{Lab, MACHINE, unlink};

/// A call, or a move of the world.
#[derive(Clone, Debug)]
enum Op {
    Call(usize, Call),
    Pass(u64),
    SetClock(u64),
    Stop(usize),
    Cont(usize),
    Kill(usize),
    Abort(usize),
    Reuse(usize),
    Launch(u32, Option<&'static str>),
    /// By which kind of loss, or in good order.
    Reboot(usize),
    Rest(Rest, u64),
    Fill,
    Drain,
    FailNext(usize, IoCall),
}

fn op() -> impl Strategy<Value = Op> {
    let index = || 0_usize..1000;
    prop_oneof![
        60 => (index(), any_call()).prop_map(|(task, call)| Op::Call(task, call)),
        2 => (0_u64..3).prop_map(Op::Pass),
        1 => (0_u64..3).prop_map(Op::SetClock),
        1 => index().prop_map(Op::Stop),
        6 => index().prop_map(Op::Cont),
        1 => index().prop_map(Op::Kill),
        1 => index().prop_map(Op::Abort),
        1 => index().prop_map(Op::Reuse),
        3 => (0_u32..3, select(vec![None, Some("web"), Some("jobs")]))
            .prop_map(|(user, container)| Op::Launch(user, container)),
        1 => index().prop_map(Op::Reboot),
        1 => (select(vec![Rest::Asleep, Rest::Paused]), 0_u64..3)
            .prop_map(|(rest, time)| Op::Rest(rest, time)),
        1 => Just(Op::Fill),
        1 => Just(Op::Drain),
        1 => (index(), select(IoCall::ALL.to_vec())).prop_map(|(i, call)| Op::FailNext(i, call)),
    ]
}

/// Does what can be done now; what came of it.
fn apply(kernel: &mut Kernel, op: &Op) -> Option<Outcome> {
    let proc = |index: usize| ProcId((index % kernel.processes().count()) as u32);
    match *op {
        Op::Call(index, ref call) => {
            let task = TaskId((index % kernel.task_count()) as u32);
            let process = kernel.process(kernel.process_of(task));
            if !process.is_alive() || process.is_stopped() || kernel.has_ended(task) {
                return None;
            }
            if !kernel.is_blocked(task) {
                return Some(kernel.call(task, call));
            }
            return kernel.ready(task).then(|| Outcome::Done(kernel.finish(task)));
        }
        Op::Pass(seconds) => kernel.advance_to(kernel.now() + Duration::from_secs(seconds)),
        Op::SetClock(seconds) => kernel.set_clock(MACHINE, Duration::from_secs(seconds)),
        Op::Stop(index) => kernel.stop(proc(index)),
        Op::Cont(index) => kernel.cont(proc(index)),
        Op::Kill(index) => kernel.kill(proc(index)),
        Op::Abort(index) => kernel.abort(proc(index)),
        Op::Reuse(index) => {
            let dead = proc(index);
            if kernel.pid_is_free(dead) {
                kernel.reuse_pid(dead, "stranger".into());
            }
        }
        Op::Launch(user, container) => {
            let uid = if user == 0 { Uid::ROOT } else { Uid(999 + user) };
            let container = container.map(SmolStr::new_static);
            kernel.launch_as(MACHINE, "later".into(), uid, container.as_ref());
        }
        Op::Reboot(how) => {
            let survivor = Survivor::ALL.get(how % 4).copied();
            kernel.reboot(MACHINE, &config(InodeNumbers::LowestFree), survivor);
        }
        Op::Rest(rest, seconds) => {
            let time = Duration::from_secs(seconds);
            kernel.suspend(MACHINE, rest, time);
            kernel.advance_to(kernel.now() + time);
            kernel.wake(MACHINE);
        }
        Op::Fill => kernel.fill_disk(MACHINE),
        Op::Drain => kernel.drain_disk(MACHINE),
        Op::FailNext(index, call) => kernel.fail_next(proc(index), call),
    }
    None
}

/// One whose `/run` is emptied by a boot.
fn config(inode_numbers: InodeNumbers) -> MachineConfig {
    let durability = Some(Durability::Journal);
    MachineConfig { inode_numbers, durability, ..Default::default() }
}

fn booted(inode_numbers: InodeNumbers) -> Kernel {
    let config = MachineConfig { funlinkat: true, ..config(inode_numbers) };
    let mut kernel = Kernel::new(&[config], 1);
    for name in ["a", "b", "c"] {
        kernel.launch(MACHINE, name.into());
    }
    kernel
}

fn after(ops: &[Op]) -> Kernel {
    let mut kernel = booted(InodeNumbers::LowestFree);
    for op in ops {
        apply(&mut kernel, op);
    }
    kernel
}

/// Every path below `/`, with the inode number it stands for.
fn tree(lab: &mut Lab, probe: TaskId) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut unread = vec![String::new()];
    while let Some(dir) = unread.pop() {
        for name in lab.names(probe, &format!("{dir}/")).unwrap() {
            let path = format!("{dir}/{name}");
            let stat = lab.lstat(probe, &path).unwrap();
            found.insert(path.clone(), stat.ino);
            if stat.kind == FileKind::Directory {
                unread.push(path);
            }
        }
    }
    found
}

/// Plays what was told of names; `paths` is what it leads to.
fn replay(effects: &[Effect], paths: &mut BTreeMap<String, u64>) {
    // What lay below the names that are gone, until they are put elsewhere.
    let mut homeless: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    for effect in effects {
        match effect {
            Effect::NameRemoved { path, ino, .. } => {
                assert_eq!(paths.remove(path.as_str()), Some(*ino), "{path} is removed");
                homeless.insert(*ino, take_below(paths, path));
            }
            Effect::NameAdded { path, ino, .. } => {
                assert_eq!(paths.insert(path.to_string(), *ino), None, "{path} is added");
                for (rest, ino) in homeless.remove(ino).unwrap_or_default() {
                    paths.insert(format!("{path}{rest}"), ino);
                }
            }
            Effect::NameLost { path, ino, .. } => {
                assert_eq!(paths.remove(path.as_str()), Some(*ino), "{path} is lost");
            }
            Effect::NameFound { path, ino, .. } => {
                assert_eq!(paths.insert(path.to_string(), *ino), None, "{path} is found");
            }
            _ => {}
        }
    }
    assert!(homeless.into_values().all(|below| below.is_empty()), "all below is somewhere");
}

/// Takes away what is below `dir`: the rests of the paths.
fn take_below(paths: &mut BTreeMap<String, u64>, dir: &str) -> Vec<(String, u64)> {
    let within = format!("{dir}/");
    let below: Vec<String> =
        paths.keys().filter(|path| path.starts_with(&within)).cloned().collect();
    let rests = below.into_iter().map(|path| {
        let ino = paths.remove(&path).expect("the path was just seen");
        (path[dir.len()..].to_owned(), ino)
    });
    rests.collect()
}

fn check_pids(kernel: &Kernel) {
    let in_use = kernel.processes().filter(|(_, it)| !matches!(it.state, State::Dead(_)));
    let in_use: Vec<&Process> = in_use.map(|(_, process)| process).collect();
    let outside: BTreeSet<_> = in_use.iter().map(|process| process.outer_pid()).collect();
    assert_eq!(outside.len(), in_use.len(), "no two have one pid");
    let inside: BTreeSet<_> = in_use.iter().map(|it| (it.container(), it.pid)).collect();
    assert_eq!(inside.len(), in_use.len(), "nor in one container");
    for init in in_use.iter().filter_map(|process| process.container()) {
        assert!(kernel.process(init).is_alive(), "nobody outlives the init of a container");
        assert_eq!(kernel.process(init).pid, Pid(1));
    }
}

/// Each file has as many names as it counts, and when everybody is dead no
/// number is in use without a name.
fn check_inodes(kernel: &Kernel, paths: &BTreeMap<String, u64>) {
    let mut lab = Lab { kernel: kernel.clone() };
    for proc in kernel.processes().map(|(proc, _)| proc) {
        lab.kernel.kill(proc);
    }
    lab.kernel.drain_disk(MACHINE);
    let probe = lab.launch_as("probe", Uid::ROOT);
    let found = tree(&mut lab, probe);
    assert_eq!(&found, paths, "names are as told");
    for (path, ino) in &found {
        let stat = lab.lstat(probe, path).unwrap();
        let names = found.values().filter(|other| *other == ino).count() as u32;
        match stat.kind {
            FileKind::File | FileKind::Symlink | FileKind::Socket => {
                assert_eq!(stat.nlink, names, "{path}")
            }
            FileKind::Directory => assert_eq!(names, 1, "{path}"),
            FileKind::Process => panic!("{path} is a process"),
        }
    }
    assert_eq!(lab.kernel.open_sockets(), 0, "sockets end with who has them");
    assert_eq!(lab.kernel.record_locks(), 0, "record locks, too");
    let made = lab.kernel.names(MACHINE);
    let listed = paths.keys().filter(|path| !matches!(path.as_str(), "/run" | "/tmp"));
    assert!(made.iter().eq(listed), "{made:?} are the names that processes made");
    let root = lab.stat(probe, "/").unwrap().ino;
    let used: BTreeSet<u64> = found.into_values().collect();
    let free = (root + 1..).find(|ino| !used.contains(ino));
    assert_eq!(Some(lab.put(probe, "/probe", "")), free, "no number is lost");
}

proptest! {
    #[test]
    fn what_must_hold_holds(ops in vec(op(), 0..120)) {
        let mut kernel = booted(InodeNumbers::LowestFree);
        let mut lab = Lab { kernel: kernel.clone() };
        let probe = lab.launch_as("probe", Uid::ROOT);
        let mut paths = tree(&mut lab, probe);
        for op in &ops {
            kernel.clear_effects();
            apply(&mut kernel, op);
            replay(kernel.effects(), &mut paths);
            check_pids(&kernel);
        }
        check_inodes(&kernel, &paths);
    }

    #[test]
    fn a_clone_goes_the_same_way(
        before in vec(op(), 0..60),
        elsewhere in vec(op(), 0..60),
        further in vec(op(), 0..60),
    ) {
        let mut original = after(&before);
        let mut clone = original.clone();
        let mut refilled = after(&elsewhere);
        refilled.clone_from(&original);
        for op in &further {
            let outcome = apply(&mut original, op);
            prop_assert_eq!(&apply(&mut clone, op), &outcome);
            prop_assert_eq!(&apply(&mut refilled, op), &outcome);
        }
        prop_assert!(clone == original && refilled == original);
        prop_assert_eq!(clone.effects(), original.effects());
        prop_assert_eq!(refilled.effects(), original.effects());
        prop_assert_eq!(Fingerprint::of(&clone), Fingerprint::of(&original));
        prop_assert_eq!(Fingerprint::of(&refilled), Fingerprint::of(&original));
    }

    #[test]
    fn kernels_hash_alike_just_when_they_are_equal(
        before in vec(op(), 0..40),
        one in op(),
        other in op(),
    ) {
        let mut one_way = after(&before);
        let mut other_way = one_way.clone();
        apply(&mut one_way, &one);
        apply(&mut other_way, &other);
        let hash_alike = Fingerprint::of(&one_way) == Fingerprint::of(&other_way);
        prop_assert_eq!(one_way == other_way, hash_alike);
    }

    #[test]
    fn fresh_numbers_never_come_back(ops in vec(op(), 0..120)) {
        let mut kernel = booted(InodeNumbers::Fresh);
        let mut live: BTreeMap<u64, ProcId> = BTreeMap::new();
        for op in &ops {
            kernel.clear_effects();
            apply(&mut kernel, op);
            for effect in kernel.effects() {
                if let Effect::NameAdded { ino, maker, .. } = *effect {
                    let known = live.insert(ino, maker);
                    prop_assert!(known.is_none_or(|known| known == maker), "inode {} anew", ino);
                }
            }
        }
    }
}

#[test]
fn what_undoes_itself_leaves_no_trace() {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    let fd = lab.open(task, "/tmp", OpenFlags::RDONLY).unwrap();
    let before = lab.clone();
    let second = lab.open(task, "/tmp", OpenFlags::RDONLY).unwrap();
    lab.flock(task, second, FlockOp::Exclusive).unwrap();
    lab.put(task, "/tmp/f", "abc");
    lab.unit(task, &unlink("/tmp/f")).unwrap();
    lab.close(task, second).unwrap();
    lab.unit(task, &Call::CellWrite { cell: "x".into(), value: 1 }).unwrap();
    lab.unit(task, &Call::CellWrite { cell: "x".into(), value: 0 }).unwrap();
    assert!(lab.kernel == before.kernel);
    lab.close(task, fd).unwrap();
    assert!(lab.kernel != before.kernel);
}

#[test]
fn the_dead_leave_no_memory() {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    let mut busy = lab.clone();
    busy.unit(task, &Call::CellWrite { cell: "x".into(), value: 1 }).unwrap();
    let fd = busy.open(task, "/tmp", OpenFlags::RDONLY).unwrap();
    busy.flock(task, fd, FlockOp::Exclusive).unwrap();
    let lock = RecordLock { kind: LockKind::Read, start: 0, len: 0 };
    busy.unit(task, &Call::Fcntl { fd, command: LockCommand::Set, lock }).unwrap();
    let disposition = Disposition::Handle { restart: true };
    busy.unit(task, &Call::Sigaction { signal: Signal::Alrm, disposition }).unwrap();
    busy.call(task, &Call::Setitimer { after: Duration::from_secs(1) }).unwrap();
    busy.begin(task, &Call::Nanosleep { duration: Duration::from_secs(1) });
    for lab in [&mut lab, &mut busy] {
        lab.kernel.kill(ProcId(0));
    }
    assert!(busy.kernel == lab.kernel);
}

#[test]
fn a_zero_that_is_written_is_as_none() {
    let mut lab = Lab::new();
    let task = lab.launch("a");
    let before = lab.clone();
    lab.unit(task, &Call::CellWrite { cell: "x".into(), value: 0 }).unwrap();
    assert!(lab.kernel == before.kernel);
}
