//! The first essay's paragraph about the dispatcher and its thirty seconds,
//! followed sentence by sentence in the story of `slow-guard`.

mod common;

use std::time::Duration;

use common::trace::{calls, says};
use common::{policy, scenario};
use locklab::show;
use locklab_models::word::mark;
use locklab_sim::{Trace, TracedEvent, TracedOutcome, TracedStep};
use locklab_sys::{Call, Errno, Ret};

fn told(scenario_name: &str, rule: &str) -> Trace {
    let shown = show::story(&scenario(scenario_name), policy(rule));
    assert_eq!(shown.reasons, Vec::<String>::new(), "{scenario_name} under {rule}");
    shown.trace
}

fn seconds(step: &TracedStep) -> f64 {
    Duration::from_nanos(step.time_ns).as_secs_f64()
}

/// When a process first said a mark.
fn when(trace: &Trace, who: &str, mark: &str) -> f64 {
    seconds(says(trace, who, mark).first().unwrap_or_else(|| panic!("{who} never said {mark}")))
}

/// Who removed whose claim, and when.
fn removals(trace: &Trace) -> Vec<(f64, &str, &str)> {
    let mut removals = Vec::new();
    for step in &trace.steps {
        for event in &step.events {
            if let TracedEvent::NameRemoved { path, maker, by, .. } = event
                && path == "/run/admission.lock"
            {
                removals.push((seconds(step), by.as_str(), maker.as_str()));
            }
        }
    }
    removals
}

#[test]
fn four_payloads_go_through_the_guard_each_with_its_own_ten_seconds() {
    let trace = told("slow-guard", "age");
    let spawned = calls(&trace, "first", |call| matches!(call, Call::Spawn { .. }));
    assert_eq!(spawned.len(), 4);
    let ten = Some(Duration::from_secs(10));
    let bounded = |call: &Call| matches!(call, Call::Poll { timeout, .. } if *timeout == ten);
    let waits = calls(&trace, "first", bounded);
    let waits = waits.iter().filter(|step| step.outcome == Some(TracedOutcome::Waits));
    assert_eq!(waits.count(), 4);
}

#[test]
fn then_it_finds_the_socket_and_sends_a_dispatch_with_a_limit_of_fifteen_seconds() {
    let trace = told("slow-guard", "age");
    let found = calls(
        &trace,
        "first",
        |call| matches!(call, Call::Stat { path } if path == "/run/daemon.sock"),
    );
    let last_guard = calls(&trace, "first", |call| matches!(call, Call::Wait { .. }));
    assert_eq!(found.len(), 1);
    assert!(found[0].number > last_guard[3].number);
    let sends =
        |call: &Call| matches!(call, Call::Send { data, .. } if data.starts_with(b"dispatch"));
    assert_eq!(calls(&trace, "first", sends).len(), 1);
    let fifteen = Some(Duration::from_secs(15));
    let bounds =
        |call: &Call| matches!(call, Call::SetTimeout { timeout, .. } if *timeout == fifteen);
    assert!(calls(&trace, "first", bounds).len() >= 4, "to send and to receive, twice");
}

#[test]
fn the_legitimate_holder_is_still_inside_when_the_thirty_seconds_run_out() {
    let trace = told("slow-guard", "age");
    let (entered, leaves) =
        (when(&trace, "first", mark::ENTERED), when(&trace, "first", mark::LEAVING));
    let other = when(&trace, "second", mark::ENTERED);
    assert!(leaves - entered > 30.0, "inside for {} s", leaves - entered);
    assert!(other - entered > 30.0 && other - entered < 31.0 && other < leaves);
}

#[test]
fn its_cleanup_removes_the_claim_that_belongs_to_the_other_caller() {
    let trace = told("slow-guard", "age");
    let removals = removals(&trace);
    assert_eq!(removals[0], (31.5, "second", "first"));
    assert_eq!(removals[1], (38.0, "first", "second"));
}

#[test]
fn nobody_is_robbed_by_a_rule_that_proves_ownership() {
    for rule in ["identity", "identity-keeper", "identity-guarded"] {
        for (_, by, maker) in removals(&told("slow-guard", rule)) {
            assert_eq!(by, maker, "under {rule}");
        }
    }
}

/// "A slow guard, a suspended process, a busy box": and a clock that is set.
#[test]
fn each_of_the_causes_robs_a_living_holder() {
    for cause in ["slow-guard", "slow-daemon", "suspended-dispatcher", "busy-box", "clock-set"] {
        let trace = told(cause, "age");
        assert_eq!(removals(&trace)[0].1, "second", "{cause}");
        assert_eq!(removals(&trace)[0].2, "first", "{cause}");
        let trace = told(cause, "identity");
        let others = removals(&trace);
        assert!(others.iter().all(|(_, by, maker)| by == maker), "{cause}");
    }
}

#[test]
fn the_audits_probe_sets_the_clock_and_no_time_passes() {
    let trace = told("clock-set", "age");
    let entered = when(&trace, "first", mark::ENTERED);
    assert!(when(&trace, "second", mark::ENTERED) - entered < 3.0);
    let removals = removals(&trace);
    assert_eq!((removals[1].1, removals[1].2), ("first", "second"), "the slow caller's clean-up");
}

#[test]
fn a_suspended_receive_fails_with_eintr_and_is_made_again() {
    let trace = told("suspended-dispatcher", "identity");
    let received = calls(&trace, "first", |call| matches!(call, Call::Recv { .. }));
    let interrupted = Some(TracedOutcome::Failed(Errno::EINTR));
    let at = received.iter().position(|step| step.outcome == interrupted).expect("EINTR");
    let answer = &received[at + 1];
    assert!(
        matches!(&answer.outcome, Some(TracedOutcome::Returned(Ret::Bytes(bytes))) if bytes.starts_with(b"started"))
    );
    assert!((seconds(received[at]) - 50.5).abs() < 0.001, "{}", seconds(received[at]));
}

#[test]
fn a_busy_box_stops_nobody() {
    let trace = told("busy-box", "age");
    let events = || trace.steps.iter().flat_map(|step| &step.events);
    assert!(!events().any(|event| matches!(event, TracedEvent::Stopped { .. })));
    let starved = events().filter(|event| matches!(event, TracedEvent::Starved { .. }));
    assert_eq!(starved.count(), 1);
    // The others run meanwhile.
    let others = trace.steps.iter().filter(|step| {
        step.process.as_deref().is_some_and(|who| who.starts_with("neighbour"))
            && (2.0..40.0).contains(&seconds(step))
    });
    assert!(others.count() > 50);
}
