//! Calls on files against a reference that is naive on purpose: no inodes and
//! no tables, only a map from paths to contents.

mod naive;

use locklab_sim::kernel::{Outcome, TaskId};
use locklab_sys::{FileKind, Ret, Uid};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::calls::file_call;
use crate::lab::Lab;
use naive::Naive;

/// What a program can tell of a reply, but for numbers and times of inodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Nothing,
    Fd(u32),
    Bytes(Vec<u8>),
    Len(u32),
    Stat { is_dir: bool, nlink: usize, size: usize },
    Names(Vec<String>),
}

fn seen(ret: Ret) -> Seen {
    match ret {
        Ret::Unit | Ret::Pid(_) => Seen::Nothing,
        Ret::Fd(fd) => Seen::Fd(fd.0),
        Ret::Bytes(bytes) => Seen::Bytes(bytes.to_vec()),
        Ret::Len(len) => Seen::Len(len),
        Ret::Stat(stat) => Seen::Stat {
            is_dir: stat.kind == FileKind::Directory,
            nlink: stat.nlink as usize,
            size: stat.size as usize,
        },
        Ret::Names(names) => {
            Seen::Names(names.iter().map(|entry| entry.name.to_string()).collect())
        }
        other => panic!("{other:?} is no reply of a call on files"),
    }
}

proptest! {
    #[test]
    fn calls_on_files_do_as_the_reference(calls in vec((0_usize..4, file_call()), 0..150)) {
        let mut lab = Lab::new();
        // Root: the reference knows of no permissions.
        let mut tasks: Vec<TaskId> =
            ["a", "b"].map(|name| lab.launch_as(name, Uid::ROOT)).to_vec();
        let mut reference = Naive::new(tasks.len());
        for (process, call) in calls {
            let process = process % tasks.len();
            let expected = reference.call(process, &call);
            let reply = match lab.kernel.call(tasks[process], &call) {
                Outcome::Done(reply) => reply,
                Outcome::Spawned { reply, task, .. } => {
                    tasks.push(task);
                    reply
                }
                other => panic!("{call} gave {other:?}"),
            };
            prop_assert_eq!(reply.map(seen), expected, "{}", call);
        }
    }
}
