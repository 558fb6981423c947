//! Whatever becomes of a dispatch, nothing is left behind: no slot, no child,
//! no socket, no claim.

mod common;

use std::collections::BTreeMap;

use common::policy;
use common::trace::{ended, failed, says};
use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab::scenario::{self, Scenario};
use locklab_models::Program;
use locklab_models::word::mark;
use locklab_sim::kernel::{MachineId, State};
use locklab_sim::{
    Action, End, Fault, Notes, Random, Recorder, Strategy, Trace, Turns, World, run,
};
use locklab_sys::{Call, Errno, ExitStatus, SmolStr};

/// Rules under which a dead dispatcher is succeeded whatever it did last.
const RULES: [&str; 7] =
    ["age", "pid", "pid-blind", "identity", "identity-keeper", "identity-guarded", "flock"];

/// Long after all that may go wrong: it must find a free slot.
const PROBE: &str = r#"
[process.probe]
program = "dispatcher"
start = "20m"
lock = "$policy"
job = "probe"
"#;

const FIRST: &str = r#"
[process.first]
program = "dispatcher"
start = "1s"
lock = "$policy"
job = "nightly"
"#;

const DAEMON: &str = r#"
[process.daemon]
program = "daemon"
idle = "30m"
"#;

fn told(cast: &str) -> Scenario {
    let text = format!(
        r#"
schema = 1
name = "path"
title = "A path"
lesson = "Nothing is left behind."
vary = "lock"
properties = ["progress"]
patience = "3m"
{cast}{PROBE}
[[expect]]
property = "progress"
verdict = "open"
because = "It is not what this is about."
"#
    );
    scenario::parse("path.toml", &text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// A run to its end.
fn ran<S: Strategy>(scenario: &Scenario, rule: &str, arm: Arm, strategy: &mut S) -> (World, Trace) {
    let cast = Cast::new(scenario, policy(rule));
    let mut world = cast.world(arm, 0);
    let notes = Notes::default();
    let mut recorder = Recorder::new(Vec::new(), notes.clone());
    let finished =
        notes.during(|| run(&mut world, strategy, &mut (), cast.limits(), Some(&mut recorder)));
    assert_eq!(finished.end, End::Finished, "under {rule}");
    (world, recorder.into_trace())
}

fn story(scenario: &Scenario, rule: &str) -> (World, Trace) {
    ran(scenario, rule, Arm::Story, &mut Turns::default())
}

/// How often a process said a mark.
fn said(trace: &Trace, who: &str, mark: &str) -> usize {
    says(trace, who, mark).len()
}

/// The names that are no leftovers: what a rule never deletes, and the private
/// file in which a dead process was about to sign a claim.
fn is_kept(name: &str, trace: &Trace) -> bool {
    let lock = "/run/admission.lock";
    let private = |it: &locklab_sim::TracedProcess| name == format!("{lock}.{}", it.pid);
    let never_deleted = ["/run/admission.lock.guard", "/run/daemon.sock.lock"].contains(&name);
    never_deleted || trace.processes.iter().any(private)
}

#[track_caller]
fn nothing_is_left(world: &World, trace: &Trace, rule: &str, path: &str) {
    for (_, process) in world.kernel().processes() {
        let gone = matches!(process.state, State::Dead(_));
        assert!(gone, "{path} under {rule}: {} is {:?}", process.name, process.state);
    }
    assert_eq!(world.kernel().open_sockets(), 0, "{path} under {rule}");
    let mut names = world.kernel().names(MachineId(0));
    names.retain(|name| !is_kept(name, trace));
    if rule == "flock" {
        names.retain(|name| name != "/run/admission.lock");
    }
    assert_eq!(names, Vec::<SmolStr>::new(), "{path} under {rule}");
    assert_eq!(said(trace, "probe", mark::DISPATCHED), 1, "{path} under {rule}: no free slot");
}

/// The first dispatcher gives its dispatch up, and nothing is left of it.
#[track_caller]
fn given_up(cast: &str, path: &str, shows: impl Fn(&Trace) -> bool) {
    let scenario = told(cast);
    for rule in RULES {
        let (world, trace) = story(&scenario, rule);
        assert!(shows(&trace), "{path} under {rule}: the path was not taken");
        assert_eq!(said(&trace, "first", mark::UNDONE), 1, "{path} under {rule}");
        assert_eq!(said(&trace, "first", mark::RELEASED), 1, "{path} under {rule}");
        nothing_is_left(&world, &trace, rule, path);
    }
}

#[test]
fn a_guard_is_killed_by_its_time_out() {
    let slow = FIRST.to_owned() + "guard-takes = \"12s\"\n";
    given_up(&(DAEMON.to_owned() + &slow), "a slow guard", |trace| {
        ended(trace, "first/guard.1", ExitStatus::Killed)
    });
}

#[test]
fn a_guard_refuses_a_payload() {
    let refuses = FIRST.to_owned() + "guard-passes = false\n";
    given_up(&(DAEMON.to_owned() + &refuses), "a refusal", |trace| {
        ended(trace, "first/guard.1", ExitStatus::Code(1))
    });
}

/// A second daemon at one socket does no harm to the first: it ends.
#[test]
fn two_daemons_want_one_socket() {
    let rival = DAEMON.replace("process.daemon", "process.rival");
    let scenario = told(&format!("{DAEMON}{rival}{FIRST}"));
    for rule in RULES {
        for seed in 0..40 {
            let (world, trace) = ran(&scenario, rule, Arm::Sampled, &mut Random::new(seed));
            let listen = ["daemon", "rival"].map(|who| said(&trace, who, mark::LISTENING));
            assert_eq!(listen.iter().sum::<usize>(), 1, "seed {seed} under {rule}");
            nothing_is_left(&world, &trace, rule, "two daemons");
        }
    }
}

#[test]
fn there_is_no_daemon_yet() {
    let late = DAEMON.to_owned() + "start = \"10m\"\n";
    given_up(&(FIRST.to_owned() + &late), "no daemon", |trace| {
        failed(trace, "first", Errno::ENOENT)
    });
}

/// A daemon that was killed leaves its socket, as on Linux; its successor
/// removes it.
#[test]
fn nobody_listens_any_more() {
    let dead = DAEMON.to_owned()
        + "[[fault]]\nprocess = \"daemon\"\nat = \"before-answer\"\nafter = \"0.1s\"\ndo = \"kill\"\n";
    // It answers the early one's list, and dies.
    let early = "[process.early]\nprogram = \"dispatcher\"\nlock = \"$policy\"\njob = \"early\"\npath = \"/run/another.lock\"\n";
    let successor = "[process.successor]\nprogram = \"daemon\"\nstart = \"10m\"\nidle = \"30m\"\n";
    let cast = format!("{early}{successor}{FIRST}{dead}");
    let scenario = told(&cast);
    for rule in RULES {
        let (world, trace) = story(&scenario, rule);
        assert!(failed(&trace, "first", Errno::ECONNREFUSED), "under {rule}");
        assert_eq!(said(&trace, "first", mark::UNDONE), 1, "under {rule}");
        assert_eq!(said(&trace, "successor", mark::LISTENING), 1, "under {rule}");
        let names = world.kernel().names(MachineId(0));
        assert!(!names.contains(&"/run/daemon.sock".into()), "under {rule}: {names:?}");
        assert_eq!(world.kernel().open_sockets(), 0, "under {rule}");
        assert_eq!(said(&trace, "probe", mark::DISPATCHED), 1, "under {rule}");
    }
}

#[test]
fn the_daemon_is_silent_for_fifteen_seconds() {
    let silent = DAEMON.to_owned() + "takes = \"40s\"\n";
    let mut scenario = told(&(silent + FIRST));
    // The probe is content with an answer that comes late.
    let probe = scenario.processes.iter().position(|it| it.name == "probe").unwrap();
    scenario.processes[probe].changed = patient();
    for rule in RULES {
        let (world, trace) = story(&scenario, rule);
        assert!(failed(&trace, "first", Errno::EAGAIN), "under {rule}");
        assert_eq!(said(&trace, "first", mark::UNDONE), 1, "under {rule}");
        nothing_is_left(&world, &trace, rule, "a silent daemon");
    }
}

/// A dispatcher with the probe's job that waits long for an answer.
fn patient() -> Program {
    let patient = FIRST.replace("nightly", "probe") + "limit = \"2m\"\n";
    told(&patient).processes.remove(0).changed
}

#[test]
fn the_answer_is_cut_short() {
    let cut = DAEMON.to_owned() + "answers = \"cut-short\"\n";
    let scenario = told(&(cut + FIRST));
    for rule in RULES {
        let (world, trace) = story(&scenario, rule);
        assert_eq!(said(&trace, "first", mark::UNDONE), 1, "under {rule}");
        // This daemon never says more than half to anybody.
        assert_eq!(said(&trace, "probe", mark::UNDONE), 1, "under {rule}");
        assert_eq!(said(&trace, "probe", mark::COUNTED), 1, "under {rule}: no free slot");
        assert_eq!(world.kernel().open_sockets(), 0, "under {rule}");
        let running = world.kernel().processes().find(|(_, it)| it.is_alive());
        assert!(running.is_none(), "under {rule}: {running:?}");
    }
}

/// Each arrival of the first dispatcher at a point, in order.
fn arrivals(trace: &Trace) -> Vec<(SmolStr, u32)> {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    let mut arrivals = Vec::new();
    for step in trace.steps.iter().filter(|step| step.process.as_deref() == Some("first")) {
        for point in &step.points {
            let nth = times.entry(point).or_default();
            *nth += 1;
            arrivals.push(((*point).into(), *nth));
        }
    }
    arrivals
}

#[test]
fn the_dispatcher_is_killed_at_each_of_its_points() {
    let mut killed = 0;
    for rule in RULES {
        let scenario = told(&format!("{DAEMON}{FIRST}"));
        let (_, whole) = story(&scenario, rule);
        for (at, nth) in arrivals(&whole) {
            let path = format!("killed at {at}, {nth}");
            let mut scenario = scenario.clone();
            let first = scenario.processes.iter().position(|it| it.name == "first").unwrap();
            let after = std::time::Duration::ZERO;
            let at = at.as_str().into();
            scenario.faults.push(Fault { process: first, at, nth, after, action: Action::Kill });
            let (world, trace) = story(&scenario, rule);
            assert!(ended(&trace, "first", ExitStatus::Killed), "{path} under {rule}");
            nothing_is_left(&world, &trace, rule, &path);
            killed += 1;
        }
    }
    assert!(killed > 100, "killed only {killed} times");
}

/// A guard that hangs does not outlive the dispatcher that started it.
#[test]
fn a_guard_ends_with_its_dispatcher() {
    let hangs = FIRST.to_owned() + "guard-takes = \"10h\"\n";
    let mut scenario = told(&(DAEMON.to_owned() + &hangs));
    let first = scenario.processes.iter().position(|it| it.name == "first").unwrap();
    let after = std::time::Duration::from_secs(3);
    let at = "guarding".into();
    scenario.faults.push(Fault { process: first, at, nth: 1, after, action: Action::Kill });
    for rule in RULES {
        let (world, trace) = story(&scenario, rule);
        assert!(ended(&trace, "first/guard.1", ExitStatus::Killed), "under {rule}");
        nothing_is_left(&world, &trace, rule, "a guard that hangs");
    }
}

/// The same where chance kills, at any step of anybody but the probe.
#[test]
fn nothing_is_left_wherever_somebody_is_killed() {
    let text = format!(
        "{DAEMON}{FIRST}[adversary]\nkills = 1\nafter = {{ process = \"first\", mark = \"waiting\" }}\n"
    );
    let scenario = told(&text);
    let mut kills = 0;
    for (index, rule) in RULES.iter().enumerate() {
        for seed in 0..150 {
            let seed = index as u64 * 1_000 + seed;
            let (world, trace) = ran(&scenario, rule, Arm::Sampled, &mut Random::new(seed));
            let mut killed =
                trace.steps.iter().filter_map(|step| step.choice.strip_prefix("kill:"));
            let Some(who) = killed.next() else { continue };
            kills += 1;
            // Who starts a daemon anew, or dispatches again, is not in this story.
            if ["daemon", "probe"].contains(&root(who)) {
                let alive = world.kernel().processes().find(|(_, it)| it.is_alive());
                assert!(alive.is_none(), "seed {seed} under {rule}: {alive:?}");
                assert_eq!(world.kernel().open_sockets(), 0, "seed {seed} under {rule}");
            } else {
                nothing_is_left(&world, &trace, rule, &format!("seed {seed}, {who} killed"));
            }
        }
    }
    assert!(kills > 200, "killed only {kills} times");
}

/// The process that init launched.
fn root(process: &str) -> &str {
    process.split('/').next().unwrap()
}

#[test]
fn the_paths_make_the_calls_that_they_are_named_after() {
    let (_, trace) = story(&told(&format!("{DAEMON}{FIRST}")), "identity");
    let calls = |wanted: fn(&Call) -> bool| {
        trace.steps.iter().filter_map(|step| step.call.as_ref()).filter(|call| wanted(call)).count()
    };
    assert_eq!(calls(|call| matches!(call, Call::Spawn { .. })), 2 * (4 + 1));
    assert!(calls(|call| matches!(call, Call::Poll { timeout: Some(_), .. })) >= 8);
    assert!(calls(|call| matches!(call, Call::Connect { .. })) == 4);
}
