//! A policy's system calls in their order, read off two runs.

use std::sync::Arc;

use locklab_models::{Lock, Policy};

use super::Page;
use crate::count::counted;
use crate::rehearsal::{Ending, Succession, TAKER, after_a_death, alone};
use crate::report::lanes::{self, ToldCall};
use crate::report::text::seconds;

/// Before each call.
const INDENT: &str = "  ";

pub(super) fn tell(page: &mut Page, policy: &Arc<Policy>) {
    let alone = alone(policy);
    let calls = |steps| lanes::calls(&alone.trace, TAKER, steps);
    page.heading("Its calls, when nobody else wants the lock");
    page.text("As a worker made them in the simulated Linux; `lock` is the lock's path.");
    let before = calls(&alone.before);
    if !before.is_empty() {
        listed(page, "before it wants the lock:", &before);
    }
    listed(page, "to take it:", &calls(&alone.acquisition));
    listed(page, "to release it:", &calls(&alone.release));
    page.heading("Its calls, when the owner has died inside");
    succession(page, policy, &after_a_death(policy));
}

fn succession(page: &mut Page, policy: &Policy, succession: &Succession) {
    let Succession { trace, polls, end, delay } = succession;
    let after = format!("{} after the death", seconds(*delay));
    let polled = match polls {
        0 => "at the first attempt".to_owned(),
        _ => format!("after {} that found it held", counted(*polls as u64, "attempt")),
    };
    let calls = |steps| lanes::calls(trace, TAKER, steps);
    match end {
        Ending::TakenOver(preparing, attempt) => {
            page.text(&format!("It is taken over {polled}, {after}:"));
            let all: Vec<ToldCall> = calls(preparing).into_iter().chain(calls(attempt)).collect();
            let count = all.iter().filter(|call| !call.is_memory).count();
            listed(page, &format!("by {}:", counted(count as u64, "call")), &all);
        }
        Ending::Free(all) if matches!(policy.lock, Lock::Kernel(_)) => {
            page.text(&format!(
                "There is nothing to take over, for the kernel has let go: it is taken {polled}, {after}:"
            ));
            listed(page, "to take it:", &calls(all));
        }
        Ending::Free(all) => {
            page.text(&format!("No claim of the dead is removed: it is taken {polled}, {after}:"));
            listed(page, "to take it:", &calls(all));
        }
        Ending::Refused => page.text(&format!(
            "It is never taken over: whoever waits has made {} and gives up {after}.",
            counted(*polls as u64, "attempt")
        )),
    }
}

/// The calls under a heading of their own, numbered. What only touches memory has no number.
fn listed(page: &mut Page, title: &str, calls: &[ToldCall]) {
    page.verbatim(&format!("{INDENT}{title}"));
    let mut number = 0;
    for call in calls {
        let words = &call.words;
        if call.is_memory {
            page.verbatim(&format!("{INDENT}  - memory: {words}"));
        } else {
            number += 1;
            page.verbatim(&format!("{INDENT}{number:3}. {words}"));
        }
    }
}
