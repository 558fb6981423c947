//! Whether a new file has the number of one that is gone.

use std::collections::BTreeSet;
use std::time::Duration;

use locklab_sim::kernel::{Kernel, MachineId, Outcome};
use locklab_sys::host::Machine;
use locklab_sys::{Call, Mode, OpenFlags, Pid, Reply, Ret, Uid};

use crate::place::Place;

const PATIENCE: Duration = Duration::from_secs(10);

const FIRST_PID: u32 = 900;

/// So many files come and go.
const FILES: usize = 21;

/// So many of them at least have the number of one before, where numbers are used
/// again. It would be all but the first, but others may make files on the same
/// disk meanwhile.
const REUSED: usize = 15;

/// One file after the other: they have the same number on both machines, or each
/// has its own on both.
pub fn check(place: Place, machine: &Machine) {
    machine.reset(Pid(FIRST_PID)).expect("a machine can begin anew");
    let puppet = machine.launch(Uid::ROOT, None).expect("a machine has a process");
    let there = reused(|call| {
        puppet.order(call).expect("it lives");
        puppet.reply(PATIENCE).expect("it lives").expect("it replies")
    });
    let mut kernel = Kernel::new(&[place.config()], 1);
    let (_, task) = kernel.launch_as(MachineId(0), "process".into(), Uid::ROOT, None);
    let here = reused(|call| match kernel.call(task, call) {
        Outcome::Done(reply) => reply,
        other => panic!("{call} gives {other:?}"),
    });
    let agree = match here {
        0 => there == 0,
        _ => here == FILES - 1 && there >= REUSED,
    };
    assert!(agree, "on {place}: of {FILES} files {here} reuse a number here, {there} there");
}

/// How many files have the number of one before.
fn reused(mut make: impl FnMut(&Call) -> Reply) -> usize {
    let inodes: BTreeSet<u64> = (0..FILES).map(|_| fleeting(&mut make)).collect();
    FILES - inodes.len()
}

/// The number of a file that is gone again.
fn fleeting(mut make: impl FnMut(&Call) -> Reply) -> u64 {
    let path = "/tmp/fleeting";
    let flags = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::EXCL;
    let fd = match make(&Call::Open { path: path.into(), flags, mode: Mode::FILE }) {
        Ok(Ret::Fd(fd)) => fd,
        other => panic!("a file is made: {other:?}"),
    };
    let ino = match make(&Call::Fstat { fd }) {
        Ok(Ret::Stat(stat)) => stat.ino,
        other => panic!("a file has a number: {other:?}"),
    };
    for call in [Call::Unlink { path: path.into() }, Call::Close { fd }] {
        assert_eq!(make(&call), Ok(Ret::Unit), "{call}");
    }
    ino
}
