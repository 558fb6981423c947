//! Worlds as values: cloned, gone back to, and driven by schedules.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::MachineConfig;
use locklab_sim::{
    Action, Adversary, Choice, End, Event, Fault, Fell, Launch, Limits, Monitor, Notes, Random,
    Recorder, Replay, Schedule, Setup, Turns, World, run,
};
use locklab_sys::{Clock, ExitStatus, Fingerprint, Image, OpenFlags, SmolStr, Sys};
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);
const LIMITS: Limits = Limits { horizon: Duration::from_secs(3600), steps: 10_000 };

fn setup(images: Vec<(&'static str, Image)>) -> Setup {
    let launch = |(name, image): (&'static str, Image)| Launch::new(name, image);
    Setup {
        machines: vec![MachineConfig::default()],
        processes: images.into_iter().map(launch).collect(),
        story: Vec::new(),
        adversary: Adversary::default(),
        durations: vec![30 * SECOND],
        every_timer: false,
    }
}

/// Polls for a name three times over, writes into it, and cleans up: loops
/// within a loop, and locals that outlive them.
fn rival() -> Image {
    Image::new("rival", "", async |sys: Sys| {
        let pid = sys.getpid().await;
        let rounds = sys.retry(&pid, 0_u8, async |sys: &Sys, pid: &_, round: u8| {
            let polls = sys.retry(&(), 0_u32, async |sys: &Sys, (), polls: u32| {
                match sys
                    .open("/run/name", OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL)
                    .await
                {
                    Ok(fd) => {
                        sys.point("mine");
                        sys.write(fd, polls.to_string().into_bytes()).await.unwrap();
                        sys.close(fd).await.unwrap();
                        ControlFlow::Break(polls)
                    }
                    Err(_) => {
                        sys.sleep(SECOND).await;
                        ControlFlow::Continue((polls + 1).min(3))
                    }
                }
            });
            let polls = polls.await;
            sys.mark("got", &SmolStr::new_static("/run/name"), i64::from(polls));
            assert_eq!(*pid, sys.getpid().await);
            sys.getrandom(2).await;
            sys.unlink("/run/name").await.ok();
            if round == 2 { ControlFlow::Break(round) } else { ControlFlow::Continue(round + 1) }
        });
        rounds.await
    })
}

fn adversary() -> Adversary {
    Adversary { stops: 2, kills: 1, passes: 2, reuses: 1, ..Default::default() }
}

fn rivals(adversary: Adversary) -> Arc<Setup> {
    let mut setup = setup(vec![("one", rival()), ("two", rival()), ("three", rival())]);
    setup.adversary = adversary;
    Arc::new(setup)
}

fn walk(world: &mut World, seed: u64) -> Vec<Choice> {
    run(world, &mut Random::new(seed), &mut (), LIMITS, None).path
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_clone_in_mid_run_ends_where_the_original_ends(seed: u64, at in 0_usize..200) {
        let mut original = World::new(rivals(adversary()), seed);
        let path = walk(&mut original.clone(), seed);
        let at = at.min(path.len());
        for choice in &path[..at] {
            original.apply(*choice);
        }
        let mut twin = original.clone();
        let mut again = World::new(rivals(Adversary::default()), seed + 1);
        again.clone_from(&original);
        prop_assert_eq!(original.fingerprint(), twin.fingerprint());
        for choice in &path[at..] {
            original.apply(*choice);
            twin.apply(*choice);
            again.apply(*choice);
            prop_assert_eq!(original.fingerprint(), twin.fingerprint());
            prop_assert_eq!(original.fingerprint(), again.fingerprint());
            prop_assert_eq!(original.events(), twin.events());
            // A clone made anew at every step has no cursor to lean on.
            twin = twin.clone();
        }
    }

    #[test]
    fn a_schedule_survives_print_and_parse_and_leads_to_the_same_state(seed: u64) {
        let begin = World::new(rivals(adversary()), seed);
        let mut walked = begin.clone();
        let path = walk(&mut walked, seed);
        let schedule = Schedule::of(&mut begin.clone(), &path);
        let parsed: Schedule = schedule.to_string().parse().unwrap();
        prop_assert_eq!(&parsed, &schedule);
        prop_assert!(schedule.to_string().chars().all(|c| c.is_ascii_alphanumeric() || "-_.,:@=/".contains(c)));
        let mut replayed = begin.clone();
        let mut replay = Replay::new(&parsed);
        let finished = run(&mut replayed, &mut replay, &mut (), LIMITS, None);
        prop_assert!(replay.is_complete());
        prop_assert_eq!(finished.path, path);
        prop_assert_eq!(replayed.fingerprint(), walked.fingerprint());
    }

    #[test]
    fn no_text_makes_the_schedule_reader_panic(text in ".{0,60}") {
        let _ = text.parse::<Schedule>();
    }
}

#[test]
fn worlds_that_differ_have_different_fingerprints() {
    let begin = World::new(rivals(adversary()), 0);
    let mut seen = vec![begin.fingerprint()];
    let mut world = begin.clone();
    for _ in 0..3 {
        world.apply(world.choices()[0]);
        seen.push(world.fingerprint());
    }
    let choices = world.choices();
    for choice in &choices {
        let mut next = world.clone();
        next.apply(*choice);
        seen.push(next.fingerprint());
    }
    assert!(choices.len() > 8, "steps, stops, kills and an instant: {choices:?}");
    let mut unique = seen.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), seen.len());
}

#[test]
fn a_loop_forgets_what_led_to_its_locals() {
    // Polls until a file is there; how often it has polled is no local.
    let waiter = Image::new("waiter", "", async |sys: Sys| {
        let found =
            sys.retry(&(), (), async |sys: &Sys, (), ()| match sys.stat("/run/there").await {
                Ok(_) => ControlFlow::Break(()),
                Err(_) => {
                    sys.clock_gettime(Clock::Monotonic).await;
                    ControlFlow::Continue(())
                }
            });
        found.await;
        0
    });
    let mut world = World::new(Arc::new(setup(vec![("waiter", waiter)])), 0);
    let step = |world: &mut World| {
        world.apply(world.choices()[0]);
        world.fingerprint()
    };
    step(&mut world);
    let first_round = [step(&mut world), step(&mut world)];
    let second_round = [step(&mut world), step(&mut world)];
    assert_eq!(first_round, second_round);
    assert_ne!(first_round[0], first_round[1]);
}

#[test]
#[should_panic(expected = "is not a function of its replies")]
fn a_program_with_a_memory_of_its_own_is_found_out() {
    thread_local!(static STARTS: Cell<u64> = const { Cell::new(0) });
    let sly = Image::new("sly", "", async |sys: Sys| {
        let starts = STARTS.replace(STARTS.get() + 1);
        sys.sleep(Duration::from_secs(starts + 1)).await;
        0
    });
    let mut world = World::new(Arc::new(setup(vec![("sly", sly)])), 0);
    world.apply(world.choices()[0]);
    run(&mut world.clone(), &mut Turns::default(), &mut (), LIMITS, None);
}

fn trace_of(setup: Setup) -> (locklab_sim::Trace, World) {
    let notes = Notes::default();
    let mut recorder = Recorder::new(Vec::new(), notes.clone());
    let mut world = World::new(Arc::new(setup), 0);
    notes.during(|| run(&mut world, &mut Turns::default(), &mut (), LIMITS, Some(&mut recorder)));
    (recorder.into_trace(), world)
}

#[test]
fn a_panic_is_the_abort_of_its_process_and_of_no_other() {
    let frail = Image::new("frail", "", async |sys: Sys| {
        sys.sleep(SECOND).await;
        panic!("out of luck");
    });
    let (trace, world) = trace_of(setup(vec![("frail", frail), ("sound", rival())]));
    let json = serde_json::to_string(&trace).unwrap();
    assert!(json.contains(r#"{"aborted":{"process":"frail","message":"out of luck"}}"#), "{json}");
    assert_eq!(trace.end, Some(End::Finished));
    let ended = |index| world.kernel().process(world.launched(index).unwrap()).state;
    use locklab_sim::kernel::State;
    assert_eq!(ended(0), State::Dead(ExitStatus::Aborted));
    assert_eq!(ended(1), State::Dead(ExitStatus::Code(2)));
}

#[test]
fn notes_stand_beside_the_step_after_which_they_were_made() {
    let talker = Image::new("talker", "", async |sys: Sys| {
        let pid = sys.getpid().await;
        tracing::debug!("I am {pid}");
        sys.sleep(SECOND).await;
        0
    });
    let (trace, _) = trace_of(setup(vec![("talker", talker)]));
    let noted: Vec<_> = trace.steps.iter().filter(|step| !step.notes.is_empty()).collect();
    assert_eq!(noted.len(), 1);
    assert_eq!(noted[0].notes, ["I am 1000"]);
    assert!(matches!(noted[0].call, Some(locklab_sys::Call::Getpid)));
}

fn fault(process: usize, nth: u32, action: Action) -> Fault {
    Fault { process, at: "mine".into(), nth, after: Duration::ZERO, action }
}

fn told(story: Vec<Fault>) -> (Vec<String>, World) {
    let mut setup = setup(vec![("one", rival()), ("two", rival())]);
    setup.story = story;
    let (trace, world) = trace_of(setup);
    let moves = trace.steps.iter().filter(|step| step.process.is_none());
    let moves = moves.map(|step| format!("{}@{}", step.choice, step.time_ns / 1_000_000_000));
    (moves.filter(|name| !name.starts_with("jump")).collect(), world)
}

#[test]
fn the_faults_of_a_story_come_at_their_points_and_times() {
    let (moves, world) = told(vec![fault(0, 2, Action::Stop(45 * SECOND))]);
    assert_eq!(
        moves,
        ["launch:one@0", "launch:two@0", "fault:one@mine.2:stop.45s@0", "cont:one@45"]
    );
    assert_eq!(world.fired(), [true]);
    let (moves, world) = told(vec![fault(1, 1, Action::KillAndReuse(SECOND))]);
    assert_eq!(moves[2..], ["fault:two@mine:kill-and-reuse.1s@0", "reuse:two@1"]);
    let reborn = world.kernel().processes().find(|(_, process)| process.name == "stranger1");
    let dead = world.kernel().process(world.launched(1).unwrap());
    assert_eq!(reborn.unwrap().1.pid, dead.pid);
    assert_eq!(world.fired(), [true]);
}

#[test]
fn a_fault_at_a_point_that_never_comes_never_fires() {
    let (_, world) = told(vec![fault(0, 4, Action::Kill)]);
    assert_eq!(world.fired(), [false]);
}

#[test]
fn a_fault_that_finds_nothing_to_do_has_not_fired() {
    let twice = [Action::KillAndReuse(SECOND), Action::KillAndReuse(SECOND)];
    let (_, world) = told(vec![fault(1, 1, twice[0]), fault(1, 3, twice[1])]);
    assert_eq!(world.fired(), [true, false]);
    let (_, world) = told(vec![fault(1, 1, twice[0]), fault(1, 1, twice[1])]);
    assert_eq!(world.fired(), [true, false]);
    let (_, world) = told(vec![fault(1, 1, Action::Kill), fault(1, 1, Action::Stop(SECOND))]);
    assert_eq!(world.fired(), [true, false]);
}

#[test]
fn the_adversary_wakes_when_told_and_spends_no_more_than_it_has() {
    let mut budget = adversary();
    budget.after = Some(locklab_sim::Awakening { process: 0, mark: "got".into() });
    let setup = rivals(budget);
    for seed in 0..200 {
        let begin = World::new(Arc::clone(&setup), seed);
        let path = walk(&mut begin.clone(), seed);
        let mut world = begin;
        let mut spent = [0; 4];
        let mut awake = false;
        for choice in path {
            let kind = match choice {
                Choice::Stop(_) => Some(0),
                Choice::Kill(_) => Some(1),
                Choice::Until(_) => Some(2),
                Choice::Reuse(_) => Some(3),
                _ => None,
            };
            if choice == Choice::Quiet {
                assert!(awake, "seed {seed}: it fell silent before it woke");
            }
            if let Some(kind) = kind {
                assert!(awake, "seed {seed}: a move before the adversary woke");
                spent[kind] += 1;
            }
            world.apply(choice);
            let one = world.launched(0);
            awake |= world.events().iter().any(|event| {
                matches!(event, Event::Said { proc, said: locklab_sys::Happening::Mark { .. }, .. } if Some(*proc) == one)
            });
        }
        assert!(spent.iter().zip([2, 1, 2, 1]).all(|(spent, budget)| *spent <= budget));
        let stopped = world.kernel().processes().any(|(_, process)| process.is_stopped());
        assert!(!stopped, "seed {seed}: a run ends with nobody stopped");
    }
}

/// Falls at the first mark, and once more if asked.
#[derive(Clone)]
struct FirstMark;

impl Monitor for FirstMark {
    fn count(&self) -> usize {
        1
    }

    fn observe(&mut self, _: &World, event: &Event, fell: &mut Fell) {
        if matches!(event, Event::Said { said: locklab_sys::Happening::Mark { .. }, .. }) {
            fell.push((0, "a mark".to_owned()));
        }
    }

    fn end(&mut self, _: &World, _: End, fell: &mut Fell) {
        fell.push((0, "the end".to_owned()));
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&())
    }
}

#[test]
fn what_fell_is_told_once_and_with_its_place() {
    let mut world = World::new(rivals(Adversary::default()), 0);
    let finished = run(&mut world, &mut Turns::default(), &mut FirstMark, LIMITS, None);
    assert_eq!(finished.falls.len(), 1);
    // Three launches, then getpid, open, write and close.
    assert_eq!((finished.falls[0].choices, finished.falls[0].message.as_str()), (7, "a mark"));
}

#[test]
fn a_run_is_cut_off_at_its_bounds() {
    let mut world = World::new(rivals(Adversary::default()), 0);
    let limits = Limits { steps: 5, ..LIMITS };
    let finished = run(&mut world, &mut Turns::default(), &mut (), limits, None);
    assert_eq!((finished.end, finished.path.len()), (End::StepBound, 5));
    let sleeper = Image::new("sleeper", "", async |sys: Sys| {
        sys.sleep(2 * LIMITS.horizon).await;
        0
    });
    let mut world = World::new(Arc::new(setup(vec![("sleeper", sleeper), ("other", rival())])), 0);
    assert_eq!(run(&mut world, &mut Turns::default(), &mut (), LIMITS, None).end, End::Horizon);
}

#[test]
fn time_goes_on_beside_a_stopped_process_whose_timer_is_due() {
    let nap = |seconds: u32| {
        Image::new("nap", seconds.to_string(), move |sys: Sys| async move {
            sys.point("mine");
            sys.sleep(seconds * SECOND).await;
            sys.getpid().await;
            sys.sleep(seconds * SECOND).await;
            0
        })
    };
    let mut setup = setup(vec![("short", nap(1)), ("long", nap(10))]);
    setup.adversary.stops = 1;
    let mut world = World::new(Arc::new(setup), 0);
    for _ in 0..4 {
        world.apply(world.choices()[0]);
    }
    let stop = world.choices().into_iter().find(|choice| matches!(choice, Choice::Stop(_)));
    world.apply(stop.unwrap());
    let mut times = Vec::new();
    while world.choices()[0] == Choice::Jump {
        world.apply(Choice::Jump);
        times.push(world.kernel().now());
    }
    assert_eq!(times, [SECOND, 10 * SECOND]);
}
