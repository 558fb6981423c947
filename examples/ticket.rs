//! First come, first served: a lock that no table of parts can say. Whoever wants in draws a
//! number under a guard, a symbolic link in a directory that says its pid, and waits until every
//! lower number is gone or its owner is dead. Nobody removes another's, so no takeover can fail.
//! A number says a pid and no more: where a dead one's pid is reused, everybody is kept out.

use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};

use locklab::own::{Own, OwnLock, Pauses};
use locklab::{cell::judge_own, scenario::builtin};
use locklab_models::word::point;
use locklab_sys::{Errno, FlockOp, OpenFlags, Pid, Signal, SmolStr, Sys};

pub(crate) struct Ticket;
type Wait = (u64, Pauses);

impl OwnLock for Ticket {
    type Claim = String;

    async fn acquire(&self, sys: &Sys, path: &SmolStr, pauses: Pauses) -> Option<String> {
        let directory = format!("{path}.d");
        let _ = sys.mkdir(directory.clone()).await; // Whoever was first has made it.
        let pid = sys.getpid().await;
        sys.point(point::ACQUIRE);
        let flags = OpenFlags::RDWR | OpenFlags::CREAT;
        let guard = sys.open(format!("{path}.guard"), flags).await.expect("there is room");
        sys.flock(guard, FlockOp::Exclusive).await.expect("it waits");
        let mine = numbers(sys, &directory).await.last().map_or(1, |last| last + 1);
        let ticket = format!("{directory}/{mine}");
        sys.symlink(pid.to_string(), ticket.clone()).await.expect("nobody else draws");
        sys.close(guard).await.expect("it is open");
        if sys.retry(&directory, (mine, pauses), wait).await {
            return Some(ticket);
        }
        self.release(sys, path, ticket).await;
        None
    }

    async fn release(&self, sys: &Sys, _: &SmolStr, ticket: String) {
        sys.unlink(ticket).await.expect("nobody else removes it");
    }
}

async fn numbers(sys: &Sys, directory: &str) -> BTreeSet<u64> {
    let flags = OpenFlags::RDONLY | OpenFlags::DIRECTORY;
    let fd = sys.open(directory, flags).await.expect("the directory stays");
    let found = sys.readdir(fd).await.expect("it is a directory");
    sys.close(fd).await.expect("it is open");
    found.iter().filter_map(|it| it.name.parse().ok()).collect()
}

/// Looks whether everybody with a lower number has left or died.
async fn wait(sys: &Sys, directory: &String, (mine, pauses): Wait) -> ControlFlow<bool, Wait> {
    for lower in numbers(sys, directory).await.into_iter().filter(|it| *it < mine) {
        let Ok(owner) = sys.readlink(format!("{directory}/{lower}")).await else { continue };
        let owner = Pid(owner.parse().expect("it says a pid"));
        if sys.kill(owner, Signal::Probe).await != Err(Errno::ESRCH) {
            return pauses.pause(sys).await.map_or(Break(false), |left| Continue((mine, left)));
        }
    }
    Break(true)
}

fn main() {
    let ticket = Own::new("ticket", Ticket);
    for name in ["stopped-holder", "dead-holder", "pid-reused", "two-contenders"] {
        let scenario = builtin().iter().find(|it| it.name == name).expect("it is shipped");
        let cell = judge_own(scenario, &ticket, 1_000, scenario.search);
        for it in cell.expect("they are workers").properties {
            println!("{name}: {}: {}", it.name, it.verdict);
        }
    }
}
