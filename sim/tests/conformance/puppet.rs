//! A real process that makes the calls it is told, one at a time.

use std::io::{self, BufRead, Write};

use locklab_sys::Pid;
use locklab_sys::host::Host;
use serde::{Deserialize, Serialize};

use crate::op::Op;

/// Tells a process that it is a puppet.
pub const ARGUMENT: &str = "--puppet";

/// What a puppet is to do next.
#[derive(Serialize, Deserialize)]
pub struct Order {
    pub op: Op,
    /// The pids of all puppets.
    pub pids: Vec<u32>,
}

/// Follows orders, with `root` as its root directory, until there are no more.
pub fn run(root: &str) {
    let mut host = Host::new().expect("there is a /proc");
    rustix::process::chroot(root).expect("only root moves its root");
    rustix::process::chdir("/").expect("the root is there");
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let order: Order = serde_json::from_str(&line).expect("an order");
        let call = order.op.call(|who| Pid(order.pids[who as usize]));
        let reply = host.perform(&call);
        let reply = serde_json::to_string(&reply).expect("a reply");
        let mut out = io::stdout().lock();
        if writeln!(out, "{reply}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}
