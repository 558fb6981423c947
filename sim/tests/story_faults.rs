//! Faults that come some time after a point, and processes without a processor.

use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{IoCall, MachineConfig, State};
use locklab_sim::{
    Action, Adversary, Fault, Launch, Limits, Notes, Points, Recorder, Setup, Trace, Turns, World,
    run,
};
use locklab_sys::{Clock, Errno, ExitStatus, Image, OpenFlags, Sys};

const SECOND: Duration = Duration::from_secs(1);

/// Comes to the point, sleeps two seconds, and looks at the clock twice: exits
/// with the seconds that have passed since its start.
fn sleeper() -> Image {
    Image::new("sleeper", "", |sys: Sys| async move {
        let begin = sys.clock_gettime(Clock::Monotonic).await;
        sys.point("here");
        sys.sleep(2 * SECOND).await;
        let end = sys.clock_gettime(Clock::Monotonic).await;
        (end - begin).as_secs() as u8
    })
}

fn told(after: Duration, action: Action) -> (Vec<String>, World, Trace) {
    let launch = |name: &'static str| Launch::new(name, sleeper());
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![launch("one"), launch("two")],
        story: vec![Fault { process: 0, at: "here".into(), nth: 1, after, action }],
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let mut recorder = Recorder::new(Vec::new(), Notes::default());
    let limits = Limits { horizon: 1000 * SECOND, steps: 1000 };
    run(&mut world, &mut Turns::default(), &mut (), limits, Some(&mut recorder));
    let trace = recorder.into_trace();
    let moves = trace.steps.iter().filter(|step| step.process.is_none());
    let moves = moves.map(|step| format!("{}@{}", step.choice, step.time_ns / 1_000_000_000));
    let moves = moves.filter(|name| !name.starts_with("jump") && !name.starts_with("launch"));
    (moves.collect(), world, trace)
}

fn codes(world: &World) -> [State; 2] {
    [0, 1].map(|index| world.kernel().process(world.launched(index).unwrap()).state)
}

fn code(code: u8) -> State {
    State::Dead(ExitStatus::Code(code))
}

#[test]
fn a_fault_comes_so_long_after_its_point() {
    let (moves, world, _) = told(SECOND, Action::Stop(9 * SECOND));
    assert_eq!(moves, ["fault:one@here+1s:stop.9s@1", "cont:one@10"]);
    assert_eq!(world.fired(), [true]);
    assert_eq!(codes(&world), [code(10), code(2)]);
}

#[test]
fn a_fault_that_comes_after_the_end_has_not_fired() {
    let (moves, world, _) = told(5 * SECOND, Action::Kill);
    assert_eq!(moves, ["fault:one@here+5s:kill@5"]);
    assert_eq!(world.fired(), [false]);
    assert_eq!(codes(&world), [code(2), code(2)]);
}

#[test]
fn a_starved_process_runs_no_step_though_it_could_and_is_not_stopped() {
    let (moves, world, trace) = told(Duration::ZERO, Action::Starve(40 * SECOND));
    assert_eq!(moves, ["fault:one@here:starve.40s@0", "feed:one@40"]);
    assert_eq!(world.fired(), [true]);
    // It has not even begun its sleep.
    assert_eq!(codes(&world), [code(42), code(2)]);
    let starved = trace.steps.iter().position(|it| it.choice.starts_with("fault")).unwrap();
    let fed = trace.steps.iter().position(|it| it.choice == "feed:one").unwrap();
    let steps = &trace.steps[starved..fed];
    assert!(steps.iter().any(|step| step.process.as_deref() == Some("two")));
    assert!(steps.iter().all(|step| step.process.as_deref() != Some("one")));
}

#[test]
fn the_timer_of_a_starved_process_goes_on() {
    let (_, world, _) = told(SECOND, Action::Starve(9 * SECOND));
    assert_eq!(codes(&world), [code(10), code(2)]);
}

#[test]
fn worlds_that_differ_in_who_starves_have_different_fingerprints() {
    let after = |action| {
        let (_, mut world, trace) = told(Duration::ZERO, action);
        let begin = World::new(Arc::new(world.setup().clone()), 0);
        world.clone_from(&begin);
        let upto = trace.steps.iter().position(|it| it.choice.starts_with("fault")).unwrap();
        for step in &trace.steps[..=upto] {
            let choices = world.choices();
            let choice = choices.iter().find(|it| world.name(**it) == step.choice).unwrap();
            world.apply(*choice);
        }
        (world.fingerprint(), world.is_starved(world.launched(0).unwrap()))
    };
    let (starved, is_starved) = after(Action::Starve(SECOND));
    let (stopped, is_not) = after(Action::Stop(SECOND));
    assert!(is_starved && !is_not);
    assert_ne!(starved, stopped);
}

#[test]
fn each_of_two_calls_that_are_to_fail_does() {
    let writer = Image::new("writer", "", |sys: Sys| async move {
        let fd = sys.open("/tmp/file", OpenFlags::WRONLY | OpenFlags::CREAT).await.unwrap();
        let mut failed = 0;
        for _ in 0..3 {
            sys.point("here");
            failed += u8::from(sys.write(fd, b"a".as_slice()).await == Err(Errno::EIO));
        }
        failed
    });
    let (after, action) = (Duration::ZERO, Action::FailIo(IoCall::Write));
    let fault = |nth| Fault { process: 0, at: "here".into(), nth, after, action };
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![Launch::new("one", writer)],
        story: vec![fault(1), fault(3)],
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let limits = Limits { horizon: SECOND, steps: 1000 };
    run(&mut world, &mut Turns::default(), &mut (), limits, None);
    assert_eq!(world.fired(), [true, true]);
    let ended = world.kernel().process(world.launched(0).unwrap()).state;
    assert_eq!(ended, code(2));
}

/// Comes to "early" if it has an odd pid, and to "late" in any case.
fn two_ways() -> Image {
    Image::new("two-ways", "", |sys: Sys| async move {
        if sys.getpid().await.0 % 2 == 1 {
            sys.point("early");
        }
        sys.clock_gettime(Clock::Monotonic).await;
        sys.point("late");
        sys.clock_gettime(Clock::Monotonic).await;
        0
    })
}

#[test]
fn a_fault_at_several_points_comes_at_the_first_of_them() {
    let at = Points::new(vec!["early".into(), "late".into()]).unwrap();
    let fault = |process| Fault {
        process,
        at: at.clone(),
        nth: 1,
        after: Duration::ZERO,
        action: Action::Kill,
    };
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![Launch::new("even", two_ways()), Launch::new("odd", two_ways())],
        story: vec![fault(0), fault(1)],
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let mut recorder = Recorder::new(Vec::new(), Notes::default());
    let limits = Limits { horizon: SECOND, steps: 1000 };
    run(&mut world, &mut Turns::default(), &mut (), limits, Some(&mut recorder));
    assert_eq!(world.fired(), [true, true]);
    let calls = |who: &str, trace: &Trace| {
        trace.steps.iter().filter(|step| step.process.as_deref() == Some(who)).count()
    };
    let trace = recorder.into_trace();
    assert_eq!((calls("even", &trace), calls("odd", &trace)), (2, 1));
    let moves: Vec<&str> = trace.steps.iter().map(|step| step.choice.as_str()).collect();
    assert!(moves.contains(&"fault:even@early+late:kill"), "{moves:?}");
}

#[test]
fn of_no_point_there_is_no_fault() {
    assert_eq!(Points::new(Vec::new()), None);
}

#[test]
fn who_is_restarted_has_its_pid_and_begins_anew() {
    let (moves, world, _) = told(SECOND, Action::KillAndRestart(9 * SECOND));
    assert_eq!(moves, ["fault:one@here+1s:kill-and-restart.9s@1"]);
    assert_eq!(world.fired(), [true]);
    assert_eq!(codes(&world), [code(2), code(2)]);
    let kernel = world.kernel();
    let lives: Vec<_> = kernel.processes().filter(|(_, it)| it.name.starts_with("one")).collect();
    let [(_, first), (_, second)] = lives[..] else { panic!("{} lives", lives.len()) };
    assert_eq!((first.name.as_str(), second.name.as_str()), ("one", "one.2"));
    assert_eq!(first.state, State::Dead(ExitStatus::Killed));
    assert_eq!(first.pid, second.pid);
    assert_eq!(second.start_ticks - first.start_ticks, 1000);
}

#[test]
fn in_the_same_tick_a_restarted_process_looks_like_the_one_before() {
    let (_, world, _) = told(Duration::ZERO, Action::KillAndRestart(Duration::ZERO));
    let kernel = world.kernel();
    let identity = |name: &str| {
        let (_, process) = kernel.processes().find(|(_, it)| it.name == name).unwrap();
        (process.pid, process.start_ticks)
    };
    assert_eq!(identity("one"), identity("one.2"));
}

/// What ends with a container comes back with it: its first process is its pid 1 each time.
#[test]
fn a_container_is_started_anew_with_its_first_process() {
    let launch = Launch { container: Some("app".into()), ..Launch::new("one", sleeper()) };
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![launch],
        story: vec![Fault {
            process: 0,
            at: "here".into(),
            nth: 1,
            after: SECOND,
            action: Action::KillAndRestart(SECOND),
        }],
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let limits = Limits { horizon: 100 * SECOND, steps: 1000 };
    run(&mut world, &mut Turns::default(), &mut (), limits, None);
    assert_eq!(world.fired(), [true]);
    let pids: Vec<_> = world.kernel().processes().map(|(_, it)| it.pid.0).collect();
    assert_eq!(pids, [1, 1]);
}

#[test]
fn who_dies_after_its_restart_is_launched_once_more() {
    let fault = |nth| Fault {
        process: 0,
        at: "here".into(),
        nth,
        after: Duration::ZERO,
        action: Action::KillAndRestart(SECOND),
    };
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![Launch::new("one", sleeper())],
        story: vec![fault(1), fault(2)],
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let limits = Limits { horizon: 100 * SECOND, steps: 1000 };
    run(&mut world, &mut Turns::default(), &mut (), limits, None);
    assert_eq!(world.fired(), [true, true]);
    let names: Vec<_> = world.kernel().processes().map(|(_, it)| it.name.as_str()).collect();
    assert_eq!(names, ["one", "one.2", "one.3"]);
}
