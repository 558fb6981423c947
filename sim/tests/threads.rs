//! Programs of several threads, and programs that fork and exec, in a world.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{MachineConfig, ProcId, State};
use locklab_sim::{
    Action, Adversary, Choice, End, Event, Fault, Launch, Limits, Notes, Random, Recorder, Replay,
    Schedule, Setup, Trace, TracedEvent, Turns, World, run,
};
use locklab_sys::{Errno, ExitStatus, FlockOp, Happening, Image, OpenFlags, SmolStr, Sys};
use proptest::prelude::*;

const LIMITS: Limits = Limits { horizon: Duration::from_secs(3600), steps: 10_000 };
const MUTEX: &str = "mutex";

fn setup(image: Image) -> Setup {
    Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![Launch::new("a", image)],
        story: Vec::new(),
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    }
}

fn once_at(point: &'static str, action: Action) -> Vec<Fault> {
    vec![Fault { process: 0, at: point.into(), nth: 1, after: Duration::ZERO, action }]
}

fn say(sys: &Sys, mark: &'static str) {
    sys.mark(mark, &SmolStr::new_static(MUTEX), 0);
}

/// A mutex as programs make them of a futex: 0 is free, 1 held, 2 held while
/// somebody may wait.
async fn lock(sys: &Sys) {
    if sys.cell_swap(MUTEX, 0, 1).await == Ok(0) {
        return;
    }
    let waits = sys.retry(&(), (), async |sys: &Sys, (), ()| {
        let held = sys.cell_swap(MUTEX, 1, 2).await.unwrap();
        if held != 0 {
            let waited = sys.futex_wait(MUTEX, 2, None).await;
            assert!(matches!(waited, Ok(()) | Err(Errno::EAGAIN)), "{waited:?}");
        }
        match sys.cell_swap(MUTEX, 0, 2).await {
            Ok(0) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    waits.await;
}

async fn unlock(sys: &Sys) {
    let held = sys.cell_read(MUTEX).await.unwrap();
    let free = sys.cell_swap(MUTEX, held, 0).await.unwrap();
    if free != held {
        sys.cell_write(MUTEX, 0).await.unwrap();
    }
    if free == 2 {
        assert!(sys.futex_wake(MUTEX, 1).await.unwrap() <= 1);
    }
}

fn worker() -> Image {
    Image::new("worker", "", async |sys: Sys| {
        lock(&sys).await;
        say(&sys, "in");
        sys.getpid().await;
        say(&sys, "out");
        unlock(&sys).await;
        0
    })
}

/// Three threads that take turns; the main one waits for the others.
fn trio() -> Image {
    Image::new("trio", "", async |sys: Sys| {
        let one = sys.spawn_thread(worker()).await.unwrap();
        let other = sys.spawn_thread(worker()).await.unwrap();
        lock(&sys).await;
        say(&sys, "in");
        sys.getpid().await;
        say(&sys, "out");
        unlock(&sys).await;
        sys.join(one).await.unwrap();
        sys.join(other).await.unwrap();
        7
    })
}

fn adversary() -> Adversary {
    Adversary { stops: 3, ..Adversary::default() }
}

fn traced(setup: Setup) -> (Trace, World) {
    let notes = Notes::default();
    let mut recorder = Recorder::new(Vec::new(), notes.clone());
    let mut world = World::new(Arc::new(setup), 0);
    notes.during(|| run(&mut world, &mut Turns::default(), &mut (), LIMITS, Some(&mut recorder)));
    (recorder.into_trace(), world)
}

fn events(trace: &Trace) -> impl Iterator<Item = &TracedEvent> {
    trace.steps.iter().flat_map(|step| &step.events)
}

fn ended(world: &World) -> State {
    world.kernel().process(ProcId(0)).state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_mutex_of_a_cell_lets_one_thread_in_at_a_time(seed: u64) {
        let mut setup = setup(trio());
        setup.adversary = adversary();
        let begin = World::new(Arc::new(setup), seed);
        let mut world = begin.clone();
        let finished = run(&mut world, &mut Random::new(seed), &mut (), LIMITS, None);
        prop_assert_eq!(finished.end, End::Finished, "nobody waits for ever");
        prop_assert_eq!(ended(&world), State::Dead(ExitStatus::Code(7)));

        let mut again = begin.clone();
        let (mut inside, mut entered) = (0, 0);
        for choice in &finished.path {
            again.apply(*choice);
            for event in again.events() {
                match event {
                    Event::Said { said: Happening::Mark { name: "in", .. }, .. } => {
                        (inside, entered) = (inside + 1, entered + 1);
                        prop_assert_eq!(inside, 1);
                    }
                    Event::Said { said: Happening::Mark { name: "out", .. }, .. } => inside -= 1,
                    _ => {}
                }
            }
            // A clone has no cursor to lean on.
            let twin = again.clone();
            prop_assert_eq!(twin.fingerprint(), again.fingerprint());
            again = twin;
        }
        prop_assert_eq!(entered, 3);
        prop_assert_eq!(again.fingerprint(), world.fingerprint());

        let schedule = Schedule::of(&mut begin.clone(), &finished.path);
        let parsed: Schedule = schedule.to_string().parse().unwrap();
        let mut replayed = begin.clone();
        let mut replay = Replay::new(&parsed);
        let replay_path = run(&mut replayed, &mut replay, &mut (), LIMITS, None).path;
        prop_assert_eq!(replay_path, finished.path, "{}", schedule);
    }
}

#[test]
fn moves_are_offered_for_a_process_once() {
    let mut setup = setup(trio());
    setup.adversary = Adversary { kills: 1, ..adversary() };
    let mut world = World::new(Arc::new(setup), 0);
    for _ in 0..3 {
        world.apply(world.choices()[0]);
    }
    let choices = world.choices();
    let names: Vec<SmolStr> = choices.iter().map(|choice| world.name(*choice)).collect();
    assert_eq!(names, ["a", "a#2", "a#3", "stop:a", "kill:a", "quiet"]);
}

#[test]
fn a_trace_names_threads_by_their_number() {
    let (trace, world) = traced(setup(trio()));
    assert_eq!(ended(&world), State::Dead(ExitStatus::Code(7)));
    assert_eq!(trace.processes.len(), 1);
    let started = events(&trace).filter_map(|event| match event {
        TracedEvent::ThreadStarted { thread } => Some(thread.as_str()),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), ["a#2", "a#3"]);
    let marks = events(&trace).filter_map(|event| match event {
        TracedEvent::Mark { process, name: "in", .. } => Some(process.as_str()),
        _ => None,
    });
    assert_eq!(marks.collect::<Vec<_>>(), ["a", "a#2", "a#3"]);
    let last = trace.steps.iter().rfind(|step| step.process.as_deref() == Some("a#3")).unwrap();
    assert_eq!(last.choice, "a#3");
    assert!(last.events.contains(&TracedEvent::ThreadEnded { thread: "a#3".into() }));
}

#[test]
fn a_panic_in_a_thread_is_the_abort_of_its_process() {
    let image = Image::new("a", "", async |sys: Sys| {
        let frail = Image::new("frail", "", async |sys: Sys| {
            sys.getpid().await;
            panic!("out of luck");
        });
        sys.spawn_thread(frail).await.unwrap();
        sys.sleep(Duration::from_secs(9)).await;
        0
    });
    let (trace, world) = traced(setup(image));
    assert_eq!(ended(&world), State::Dead(ExitStatus::Aborted));
    assert_eq!(trace.end, Some(End::Finished));
    assert!(
        events(&trace)
            .any(|event| matches!(event, TracedEvent::Aborted { process, .. } if process == "a"))
    );
}

#[test]
fn a_process_goes_on_without_its_main_thread() {
    let image = Image::new("a", "", async |sys: Sys| {
        let other = Image::new("other", "", async |sys: Sys| {
            sys.sleep(Duration::from_secs(1)).await;
            say(&sys, "alone");
            5
        });
        sys.spawn_thread(other).await.unwrap();
        sys.thread_exit(3).await
    });
    let (trace, world) = traced(setup(image));
    assert!(events(&trace).any(|event| matches!(event, TracedEvent::Mark { name: "alone", .. })));
    assert_eq!(ended(&world), State::Dead(ExitStatus::Code(5)));
}

#[test]
fn exec_runs_another_program_in_the_same_process() {
    let image = Image::new("a", "", async |sys: Sys| {
        let pid = sys.getpid().await;
        sys.cell_write("depth", 1).await.unwrap();
        let idle = Image::new("idle", "", async |sys: Sys| {
            sys.sleep(Duration::from_secs(99)).await;
            0
        });
        sys.spawn_thread(idle).await.unwrap();
        let next = Image::new("next", pid.to_string(), move |sys: Sys| async move {
            assert_eq!(sys.getpid().await, pid);
            assert_eq!(sys.cell_read("depth").await, Ok(0));
            say(&sys, "next");
            4
        });
        sys.exec(next).await
    });
    let (trace, world) = traced(setup(image));
    assert_eq!(ended(&world), State::Dead(ExitStatus::Code(4)));
    assert_eq!(world.kernel().now(), Duration::ZERO, "nobody sleeps");
    let json = serde_json::to_string(&trace).unwrap();
    assert!(json.contains(r#""call":{"exec":{"image":"next"}},"outcome":{"returned":"unit"}"#));
    assert!(events(&trace).any(|event| matches!(event, TracedEvent::Mark { name: "next", .. })));
}

/// The classic: a lock that nobody released, though everybody who knew of it did.
#[test]
fn a_lock_leaks_through_fork_and_exec() {
    let holder = |flags: OpenFlags| {
        Image::new("holder", format!("{flags}"), move |sys: Sys| async move {
            let open = OpenFlags::RDWR | OpenFlags::CREAT;
            let fd = sys.open("/run/lock", open | flags).await.unwrap();
            sys.flock(fd, FlockOp::Exclusive).await.unwrap();
            let child = Image::new("child", "", async |sys: Sys| {
                let daemon = Image::new("daemon", "", async |sys: Sys| {
                    sys.sleep(Duration::from_secs(60)).await;
                    0
                });
                sys.exec(daemon).await
            });
            sys.fork(child).await.unwrap();
            sys.sleep(Duration::from_secs(1)).await;
            sys.close(fd).await.unwrap();
            let again = sys.open("/run/lock", open).await.unwrap();
            match sys.flock(again, FlockOp::TryExclusive).await {
                Ok(()) => 0,
                Err(Errno::EAGAIN) => 1,
                Err(other) => panic!("{other}"),
            }
        })
    };
    for (flags, code) in [(OpenFlags::CREAT, 1), (OpenFlags::CLOEXEC, 0)] {
        let (_, world) = traced(setup(holder(flags)));
        assert_eq!(ended(&world), State::Dead(ExitStatus::Code(code)), "{flags}");
    }
}

#[test]
fn a_fault_aimed_at_a_point_of_a_thread_fires() {
    let image = Image::new("a", "", async |sys: Sys| {
        let thread = Image::new("thread", "", async |sys: Sys| {
            sys.getpid().await;
            sys.point("here");
            sys.getpid().await;
            say(&sys, "survived");
            0
        });
        let tid = sys.spawn_thread(thread).await.unwrap();
        sys.join(tid).await.unwrap();
        0
    });
    let mut setup = setup(image);
    setup.story = once_at("here", Action::Kill);
    let (trace, world) = traced(setup);
    assert_eq!(world.fired(), [true]);
    assert_eq!(ended(&world), State::Dead(ExitStatus::Killed));
    assert!(!events(&trace).any(|event| matches!(event, TracedEvent::Mark { .. })));
}

#[test]
fn a_call_is_made_once_more_when_a_stop_finds_its_descriptor_reused() {
    let image = Image::new("a", "", async |sys: Sys| {
        let open = OpenFlags::RDWR | OpenFlags::CREAT;
        let mine = sys.open("/run/lock", open).await.unwrap();
        let other = sys.open("/run/lock", open).await.unwrap();
        sys.flock(mine, FlockOp::Exclusive).await.unwrap();
        let waiter = Image::new("waiter", other.to_string(), move |sys: Sys| async move {
            assert_eq!(sys.flock(other, FlockOp::Exclusive).await, Ok(()));
            0
        });
        let tid = sys.spawn_thread(waiter).await.unwrap();
        sys.sleep(Duration::from_secs(1)).await;
        sys.close(other).await.unwrap();
        assert_eq!(sys.open("/run/other", open).await, Ok(other));
        sys.point("reused");
        sys.join(tid).await.unwrap();
        8
    });
    let mut setup = setup(image);
    setup.story = once_at("reused", Action::Stop(Duration::from_secs(1)));
    let mut world = World::new(Arc::new(setup), 0);
    let finished = run(&mut world, &mut Turns::default(), &mut (), LIMITS, None);
    assert_eq!(ended(&world), State::Dead(ExitStatus::Code(8)));
    assert!(finished.path.iter().any(|choice| matches!(choice, Choice::Continue(_))));
}
