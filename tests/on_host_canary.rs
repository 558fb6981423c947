//! A simulation that does something else than Linux is found out: each kind of
//! difference, put into a plan on purpose.
//!
//! Without the usual harness: a machine is booted by a process with one thread.

mod common;

use std::time::Duration;

use common::on_host::is_allowed;
use common::{policy, scenario};
use locklab::cast::Cast;
use locklab::on_host::{Deed, End, Plan, force};
use locklab::show;
use locklab_sim::CallOutcome;
use locklab_sys::{Call, Errno, Ret, Stat};

fn main() {
    if !is_allowed("plans that Linux does not agree to") {
        return;
    }
    // Files, records and deaths.
    let plan = plan_of("late-takeover", "pid-blind");
    assert!(matches!(force(&plan).unwrap().end, End::Agreed(_)), "as it is, Linux agrees");
    differs("an errno", &plan, |plan| {
        on_call(plan, |call, outcome| match (call, &outcome) {
            (Call::Open { .. }, CallOutcome::Returned(Err(Errno::EEXIST))) => {
                *outcome = CallOutcome::Returned(Err(Errno::ENOENT));
                true
            }
            _ => false,
        });
    });
    differs("a descriptor", &plan, |plan| {
        on_call(plan, |_, outcome| match outcome {
            CallOutcome::Returned(Ok(Ret::Fd(fd))) => {
                fd.0 += 1;
                true
            }
            _ => false,
        });
    });
    // Looks at files and at the clock.
    let of_ages = plan_of("stopped-holder", "age");
    differs("an inode that is another one", &of_ages, |plan| {
        let mut looks = 0;
        on_call(plan, |_, outcome| match outcome {
            CallOutcome::Returned(Ok(Ret::Stat(stat))) => {
                looks += 1;
                if looks == 2 {
                    *stat = Stat { ino: 99, ..*stat };
                }
                looks == 2
            }
            _ => false,
        });
    });
    differs("the bytes in a file", &plan, |plan| {
        on_call(plan, |_, outcome| match outcome {
            CallOutcome::Returned(Ok(Ret::Bytes(bytes))) if !bytes.is_empty() => {
                *bytes = b"pid=1 start=1".as_slice().into();
                true
            }
            _ => false,
        });
    });
    differs("a call", &plan, |plan| {
        on_call(plan, |call, _| match call {
            Call::Unlink { path } => {
                *path = "/run/other".into();
                true
            }
            _ => false,
        });
    });
    differs("a wait", &plan, |plan| {
        on_call(plan, |call, outcome| match call {
            Call::Open { .. } => {
                *outcome = CallOutcome::Blocked;
                true
            }
            _ => false,
        });
    });
    differs("what a program says", &plan, |plan| {
        plan.acts.iter_mut().find(|act| !act.said.is_empty()).unwrap().said.clear();
    });
    differs("an age", &of_ages, |plan| {
        // The clock after a look at a file: as if more time had passed in between.
        on_call(plan, |_, outcome| match outcome {
            CallOutcome::Returned(Ok(Ret::Time(time))) => {
                *time += Duration::from_secs(2);
                true
            }
            _ => false,
        });
    });
    println!("every difference was found");
}

/// A story under a rule.
fn plan_of(scenario_name: &str, policy_name: &str) -> Plan {
    let (scenario, policy) = (scenario(scenario_name), policy(policy_name));
    let story = show::story(&scenario, &policy);
    Plan::of(&Cast::new(&scenario, &policy), &story.line).unwrap()
}

/// Changes the first call that can be changed so.
fn on_call(plan: &mut Plan, mut change: impl FnMut(&mut Call, &mut CallOutcome) -> bool) {
    let changed = plan.acts.iter_mut().any(|act| match &mut act.deed {
        Deed::Call(called) => change(&mut called.call, &mut called.outcome),
        _ => false,
    });
    assert!(changed, "there is no such call");
}

fn differs(what: &str, plan: &Plan, change: impl FnOnce(&mut Plan)) {
    let mut plan = plan.clone();
    change(&mut plan);
    let forced = force(&plan).unwrap();
    assert!(matches!(forced.end, End::Differs { .. }), "{what}: {:?}", forced.end);
    assert!(!forced.lines.last().unwrap().agrees, "{what}");
}
