//! What the adversary finds by itself.

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use common::{cells, policy, scenario};
use locklab::cell::{Border, Least, Question, Room, Verdict};
use locklab::find::{Discovery, Finding, Looker, find};
use locklab::fleet::Fleet;
use locklab::scenario::{PropertyName, Scenario, parse};
use locklab::show;
use locklab::variant::variant;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

fn found(scenario_name: &str, policy_name: &str, looker: Looker) -> Discovery {
    found_in(&scenario(scenario_name), policy_name, looker)
}

fn found_in(scenario: &Arc<Scenario>, policy_name: &str, looker: Looker) -> Discovery {
    let followed = match policy_name.split_once('~') {
        Some((base, change)) => Arc::new(variant(&policy(base), change).unwrap()),
        None => policy(policy_name),
    };
    let fleet = Fleet::from(followed);
    let question = Question { scenario: Arc::clone(scenario), fleet, seed: 0, runs: 300 };
    let discovery = find(&question, looker, &mut |_| ControlFlow::Continue(()));
    for finding in &discovery.findings {
        let Some(counterexample) = &finding.counterexample else { continue };
        let shown = show::replay(&counterexample.schedule, &question.scenario, &question.fleet);
        let shown = shown.unwrap_or_else(|stale| panic!("{stale}"));
        let fell = shown.results.iter().find(|(property, _)| *property == finding.property);
        assert!(fell.is_some_and(|(_, message)| message.is_some()), "{finding:?}");
    }
    discovery
}

fn exhaustive(states: u64) -> Looker {
    Looker::Exhaustive { states, memory: Room::MEMORY }
}

/// The properties that fall, and after how many steps and moves.
fn falls(discovery: &Discovery) -> Vec<(PropertyName, u64)> {
    let found = discovery.findings.iter();
    found.filter_map(|it| Some((it.property, it.counterexample.as_ref()?.steps))).collect()
}

#[test]
fn age_robs_a_living_holder_and_deletes_its_successors_claim() {
    let discovery = found("three-contenders", "age", exhaustive(100_000));
    assert_eq!(
        falls(&discovery),
        [
            (PropertyName::MutualExclusion, 13),
            (PropertyName::LiveHolder, 11),
            (PropertyName::OwnRelease, 16)
        ]
    );
    // All that it takes is time; runs that are shorter preempt somebody besides.
    let shorter = [12, 9, 14].map(Some);
    for (finding, shorter) in discovery.findings.iter().zip(shorter) {
        let faults = vec![("passes", 1)];
        let [enough, too_little] = [30_010, 29_990].map(Duration::from_millis);
        let border = Some(Border { enough, too_little });
        let least = Least { faults, preemptions: 0, proved: true, shorter, border };
        assert_eq!(finding.least, Some(least));
        assert!(!finding.counterexample.as_ref().unwrap().minimal);
    }
}

/// Who is preempted between the making of a directory and its record is robbed.
#[test]
fn debris_that_is_removed_at_once_takes_no_fault() {
    let rule = "mkdir-pid~unsigned=debris-at-once";
    let discovery = found("two-contenders", rule, exhaustive(100_000));
    for finding in &discovery.findings {
        let least = finding.least.as_ref().expect("all fall");
        assert_eq!((&least.faults[..], least.preemptions, least.proved), (&[][..], 1, true));
        let is_shortest = finding.counterexample.as_ref().unwrap().minimal;
        assert_eq!(is_shortest, least.shorter.is_none(), "{least:?}");
    }
}

/// Where states are few, what is known need not be the least.
#[test]
fn a_search_for_less_that_is_cut_off_says_so() {
    let discovery = found("three-contenders", "age", exhaustive(500));
    let mut fallen = discovery.findings.iter().filter_map(|it| it.least.as_ref());
    let least = fallen.next().expect("something falls in as few states");
    assert!(!least.proved && least.preemptions > 0, "{least:?}");
}

#[test]
fn a_takeover_by_name_comes_late_without_a_story() {
    let discovery = found("late-takeover", "pid-blind", exhaustive(100_000));
    let fallen = falls(&discovery);
    assert!(fallen.iter().any(|(it, _)| *it == PropertyName::MutualExclusion), "{fallen:?}");
}

#[test]
fn a_kernel_lock_is_proved_to_be_handed_on() {
    let discovery = found("dead-holder", "flock", exhaustive(1_000));
    let states = discovery.evidence.states.expect("a search counts states");
    assert!(states.all && discovery.reasons.is_empty(), "{discovery:?}");
    let endless = discovery.endless.expect("progress is asked about").states;
    assert!(endless.all && endless.seen > states.seen, "{endless:?}");
    for finding in &discovery.findings {
        let is_progress = finding.property == PropertyName::Progress;
        let states = if is_progress { endless.seen } else { states.seen };
        assert_eq!(finding.verdict, Verdict::Holds { states });
    }
}

fn progress(discovery: &Discovery) -> &Finding {
    let mut findings = discovery.findings.iter();
    findings.find(|it| it.property == PropertyName::Progress).expect("it is asked about")
}

#[test]
fn a_reused_pid_looks_alive_for_ever_if_it_comes_back_in_the_same_tick() {
    let at_once = found("reused-at-once", "identity-guarded", exhaustive(100_000));
    let Verdict::Violated { message, .. } = &progress(&at_once).verdict else {
        panic!("{at_once:?}")
    };
    assert!(message.contains("nobody removes the claim of one, which is dead"), "{message}");
    assert!(progress(&at_once).counterexample.is_some());
    let later = found("reused-later", "identity-guarded", exhaustive(100_000));
    assert!(matches!(progress(&later).verdict, Verdict::Holds { .. }), "{later:?}");
}

#[test]
fn no_process_has_the_number_of_a_pidfd_again() {
    let discovery = found("reused-at-once", "identity-pidfd", exhaustive(100_000));
    let holds = |finding: &Finding| matches!(finding.verdict, Verdict::Holds { .. });
    assert!(discovery.findings.iter().all(holds), "{discovery:?}");
}

/// Whom the rule keeps out longer than anybody's patience need not give up to be heard.
#[test]
fn who_is_too_impatient_to_be_judged_waits_for_ever_all_the_same() {
    let shipped = scenario("reused-at-once");
    let text = shipped.text.replace("patience = \"80s\"", "patience = \"5s\"");
    assert_ne!(text, shipped.text);
    let hasty = parse("scenarios/reused-at-once.toml", &text).unwrap_or_else(|it| panic!("{it}"));
    let discovery = found_in(&Arc::new(hasty), "pid", exhaustive(100_000));
    let finding = progress(&discovery);
    let Verdict::Violated { message, .. } = &finding.verdict else { panic!("{discovery:?}") };
    assert!(message.contains("for ever though nobody is inside"), "{message}");
    assert!(finding.counterexample.is_none(), "{finding:?}");
}

#[test]
fn who_waits_for_itself_is_told_without_a_story() {
    let told = [
        ("reentrant-release", "poster waits for /run/account-a"),
        ("nested-contenders", "one waits for /run/lock"),
    ];
    for (scenario, who) in told {
        let discovery = found(scenario, "mkdir-pid", exhaustive(100_000));
        let finding = progress(&discovery);
        let Verdict::Violated { message, .. } = &finding.verdict else { panic!("{discovery:?}") };
        assert_eq!(*message, format!("self-deadlock: {who}, which it holds itself"));
        let line = finding.counterexample.as_ref().expect("it can be seen").schedule.to_string();
        // It takes no move of the adversary.
        assert!(line.contains(",quiet") && !line.contains("until:"), "{line}");
        let counted = found(scenario, "mkdir-pid-count", exhaustive(100_000));
        assert!(matches!(progress(&counted).verdict, Verdict::Holds { .. }), "{counted:?}");
    }
}

/// Whoever has the pid of the dead takes itself for alive.
#[test]
fn who_meets_its_own_pid_is_told() {
    let discovery = found("reboot-same-pid", "mkdir-pid", exhaustive(100_000));
    let Verdict::Violated { message, .. } = &progress(&discovery).verdict else {
        panic!("{discovery:?}")
    };
    assert!(message.ends_with("which is dead and had the pid of service.2"), "{message}");
}

#[test]
fn a_search_that_is_cut_off_has_proved_nothing() {
    let discovery = found("dead-holder", "flock", exhaustive(20));
    assert_eq!(
        discovery.reasons,
        ["there are more than 20 states", "progress: there are more than 20 states"]
    );
    assert!(discovery.findings.iter().all(|it| it.verdict == Verdict::Inconclusive));
    let little = Looker::Exhaustive { states: 1_000_000, memory: 4 << 20 };
    let discovery = found("three-contenders", "identity-guarded", little);
    assert_eq!(discovery.reasons, ["all states would take more memory than 4 MiB"]);
    assert!(discovery.findings.iter().all(|it| it.verdict == Verdict::Inconclusive));
}

#[test]
fn random_runs_prove_nothing() {
    let discovery = found("dead-holder", "flock", Looker::Random { runs: 300 });
    for finding in &discovery.findings {
        assert!(matches!(finding.verdict, Verdict::NotFound { .. }), "{finding:?}");
    }
}

#[test]
fn priorities_find_what_few_orderings_bring_about() {
    let few = changed(&[("kills = 2", "kills = 1"), ("passes = \"free\"", "passes = 2")]);
    let discovery = found_in(&few, "identity", Looker::Pct { runs: 300, depth: 3 });
    let fallen = falls(&discovery);
    assert!(fallen.iter().any(|(it, _)| *it == PropertyName::MutualExclusion), "{fallen:?}");
}

/// What a proof says holds, no random run breaks.
#[test]
fn no_random_run_contradicts_a_proof() {
    let cells = cells();
    let proofs: usize = cells
        .par_iter()
        .map(|(scenario, policy)| {
            let fleet = Fleet::from(policy);
            let question = Question { scenario: scenario.clone(), fleet, seed: 0, runs: 150 };
            let ask = |looker| find(&question, looker, &mut |_| ControlFlow::Continue(()));
            let proof = ask(exhaustive(2_500));
            let holds = |finding: &Finding| matches!(finding.verdict, Verdict::Holds { .. });
            if !proof.findings.iter().any(holds) {
                return 0;
            }
            for looker in [Looker::Random { runs: 150 }, Looker::Pct { runs: 150, depth: 3 }] {
                for (proved, tried) in proof.findings.iter().zip(ask(looker).findings) {
                    let falls = matches!(tried.verdict, Verdict::Violated { .. });
                    assert!(!(holds(proved) && falls), "{} {tried:?}", scenario.name);
                }
            }
            1
        })
        .sum();
    assert!(proofs > 20, "{proofs} cells with a proof");
}

/// Three who want a lock, with these lines of the scenario changed.
fn changed(changes: &[(&str, &str)]) -> Arc<Scenario> {
    let shipped = scenario("three-contenders");
    let text = changes.iter().fold(shipped.text.clone(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    Arc::new(parse("scenarios/three-contenders.toml", &text).unwrap_or_else(|it| panic!("{it}")))
}

#[test]
fn what_is_found_beyond_a_horizon_replays() {
    let short = changed(&[("patience = \"2s\"", "patience = \"2s\"\nhorizon = \"20s\"")]);
    let discovery = found_in(&short, "age", exhaustive(100_000));
    assert_eq!(falls(&discovery).len(), 3);
}

#[test]
fn late_launches_are_late_on_a_machine_that_sleeps() {
    let asleep = changed(&[
        ("work = \"1s\"", "work = \"1s\"\nstart = \"1200ms\""),
        ("kills = 2\npasses = \"free\"\nreuses = 1", "sleeps = 1"),
    ]);
    let discovery = found_in(&asleep, "flock", exhaustive(50_000));
    assert!(discovery.evidence.states.is_some_and(|states| states.seen > 100));
}

#[test]
fn time_may_pass_over_several_timers_at_once() {
    let apart = changed(&[
        ("[process.two]", "[process.two]\nstart = \"1200ms\""),
        ("[process.three]", "[process.three]\nstart = \"8100ms\""),
        ("work = \"1s\"", "work = \"10s\""),
        ("kills = 2", "kills = 1"),
        ("passes = \"free\"", "passes = 1"),
        ("reuses = 1", "reuses = 0"),
    ]);
    let far = found_in(&apart, "mkdir-pid", exhaustive(100_000));
    assert!(falls(&far).iter().any(|(it, _)| *it == PropertyName::LiveHolder), "{far:?}");
}

/// One who alone can wake the adversary is not like the others.
#[test]
fn who_wakes_the_adversary_is_taken_for_nobody_else() {
    let ends: Vec<_> = ["one", "two", "three"]
        .iter()
        .map(|process| {
            let after =
                format!("[adversary]\nafter = {{ process = {process:?}, mark = \"entered\" }}");
            let woken = changed(&[("[adversary]", &after), ("kills = 2", "kills = 1")]);
            let discovery = found_in(&woken, "age", exhaustive(100_000));
            let fallen = falls(&discovery).into_iter().map(|(property, _)| property);
            fallen.collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(ends[0].len(), 3);
    assert!(ends.iter().all(|it| *it == ends[0]), "{ends:?}");
}

/// A stranger may come before some of those that are alike, or not: they have other
/// numbers then.
#[test]
fn who_is_launched_late_is_taken_for_nobody_else() {
    let late = changed(&[
        ("[process.two]", "[process.two]\nstart = \"3s\""),
        ("[process.three]", "[process.three]\nstart = \"3s\""),
        ("passes = \"free\"", "passes = 1"),
        ("kills = 2", "kills = 1"),
    ]);
    for policy in ["age", "mkdir-pid", "identity"] {
        let discovery = found_in(&late, policy, exhaustive(30_000));
        assert!(!falls(&discovery).is_empty(), "{policy}");
    }
}
