//! What happens to whole machines, as stories tell it and adversaries do it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{
    Durability, InodeNumbers, IoCall, MachineConfig, MachineId, Room, State, Survivor,
};
use locklab_sim::{
    Action, Adversary, Budgets, Choice, Fault, Launch, Limits, Mishap, Notes, Random, Recorder,
    Replay, Schedule, Setup, Trace, Turns, Unconfirmed, World, run,
};
use locklab_sys::{Clock, Errno, ExitStatus, Image, OpenFlags, Pid, SmolStr, Sys};
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);
const LIMITS: Limits = Limits { horizon: Duration::from_secs(3600), steps: 10_000 };
const NEW: OpenFlags = OpenFlags::CREAT;

fn machine() -> MachineConfig {
    MachineConfig {
        uptime: 20 * SECOND,
        durability: Some(Durability::Journal),
        ..Default::default()
    }
}

/// Makes a file and signs it, works for two seconds, and looks at the clocks:
/// exits with the seconds that its work took by the monotonic one.
fn signer() -> Image {
    Image::new("signer", "", async |sys: Sys| {
        let begin = sys.clock_gettime(Clock::Monotonic).await;
        let fd = sys.open("/tmp/lock", OpenFlags::RDWR | NEW).await.unwrap();
        sys.point("made");
        let signed = sys.write(fd, *b"pid=1000").await;
        if signed == Err(Errno::ENOSPC) || signed == Err(Errno::EIO) {
            return 100;
        }
        sys.close(fd).await.unwrap();
        sys.mark("signed", &SmolStr::new_static("/tmp/lock"), 1);
        sys.point("signed");
        sys.sleep(2 * SECOND).await;
        (sys.clock_gettime(Clock::Monotonic).await - begin).as_secs() as u8
    })
}

fn setup(every_boot: bool) -> Setup {
    let launch = |(name, start): (&'static str, Duration)| Launch {
        start,
        every_boot,
        ..Launch::new(name, signer())
    };
    Setup {
        machines: vec![machine()],
        processes: [("one", Duration::ZERO), ("two", SECOND)].map(launch).into(),
        story: Vec::new(),
        adversary: Adversary::default(),
        durations: vec![30 * SECOND],
        every_timer: false,
    }
}

fn told(at: &'static str, action: Action, every_boot: bool) -> (World, Trace) {
    let after = Duration::ZERO;
    let story = vec![Fault { process: 0, at: at.into(), nth: 1, after, action }];
    let mut world = World::new(Arc::new(Setup { story, ..setup(every_boot) }), 0);
    let mut recorder = Recorder::new(Vec::new(), Notes::default());
    run(&mut world, &mut Turns::default(), &mut (), LIMITS, Some(&mut recorder));
    (world, recorder.into_trace())
}

fn machine_told(at: &'static str, mishap: Mishap, every_boot: bool) -> (World, Trace) {
    told(at, Action::Machine(mishap), every_boot)
}

/// Every process there was: its name, pid, start, and end.
fn lives(world: &World) -> Vec<(String, Pid, u64, State)> {
    let all = world.kernel().processes();
    all.map(|(_, it)| (it.name.to_string(), it.pid, it.start_ticks, it.state)).collect()
}

fn moves(trace: &Trace) -> Vec<String> {
    let moves = trace.steps.iter().filter(|step| step.process.is_none());
    let moves = moves.map(|step| format!("{}@{}", step.choice, step.time_ns / 1_000_000_000));
    moves.filter(|name| !name.starts_with("jump") && !name.starts_with("launch")).collect()
}

fn code(code: u8) -> State {
    State::Dead(ExitStatus::Code(code))
}

const KILLED: State = State::Dead(ExitStatus::Killed);

#[test]
fn what_starts_with_the_machine_starts_again_as_it_did() {
    let (world, trace) = machine_told("signed", Mishap::Reboot, true);
    let life = |name: &str, pid, ticks, end| (name.to_owned(), Pid(pid), ticks, end);
    // The second had not been launched when the machine was rebooted.
    let expected = [
        life("one", 1000, 2000, KILLED),
        life("one.2", 1000, 2000, code(2)),
        life("two", 1001, 2100, code(2)),
    ];
    assert_eq!(lives(&world), expected);
    assert_eq!(world.fired(), [true]);
    assert_eq!(moves(&trace), ["fault:one@signed:reboot@0"]);
    assert_eq!(world.kernel().now(), 23 * SECOND);
}

#[test]
fn what_somebody_starts_once_is_not_started_again_and_not_before_the_machine_is_up() {
    let (world, _) = machine_told("signed", Mishap::Reboot, false);
    let life = |name: &str, pid, ticks, end| (name.to_owned(), Pid(pid), ticks, end);
    let expected = [life("one", 1000, 2000, KILLED), life("two", 1000, 2000, code(2))];
    assert_eq!(lives(&world), expected);
}

/// What of the file is left, if it is there.
fn left(world: &World) -> Option<u64> {
    let mut kernel = world.kernel().clone();
    let (_, task) = kernel.launch(MachineId(0), "probe".into());
    match kernel.call(task, &locklab_sys::Call::Stat { path: "/tmp/lock".into() }) {
        locklab_sim::kernel::Outcome::Done(Ok(locklab_sys::Ret::Stat(stat))) => {
            Some(u64::from(stat.size))
        }
        _ => None,
    }
}

/// Up to right after the fault.
fn until_fault(mishap: Mishap) -> World {
    let after = Duration::ZERO;
    let action = Action::Machine(mishap);
    let story = vec![Fault { process: 0, at: "signed".into(), nth: 1, after, action }];
    let mut world = World::new(Arc::new(Setup { story, ..setup(false) }), 0);
    while !world.is_over_with(0) {
        let choice = world.choices()[0];
        world.apply(choice);
    }
    world
}

#[test]
fn a_loss_of_power_leaves_what_the_story_says() {
    for (survivor, size) in
        [(Survivor::Everything, Some(8)), (Survivor::Names, Some(0)), (Survivor::Synced, None)]
    {
        assert_eq!(left(&until_fault(Mishap::PowerLoss(survivor))), size, "{survivor:?}");
    }
    assert_eq!(left(&until_fault(Mishap::Reboot)), Some(8));
}

#[test]
fn nobody_runs_on_a_machine_that_rests_and_its_timers_stand_still() {
    for (mishap, name, realtime) in [
        (Mishap::Sleep(60 * SECOND), "sleep.60s", 63),
        (Mishap::Pause(60 * SECOND), "pause.60s", 3),
    ] {
        let (world, trace) = machine_told("signed", mishap, false);
        // The second starts when the machine runs again, and both work two seconds.
        let ticks = if realtime == 63 { 8000 } else { 2000 };
        let lives: Vec<(u64, State)> = lives(&world).into_iter().map(|it| (it.2, it.3)).collect();
        assert_eq!(lives, [(2000, code(2)), (ticks, code(2))]);
        assert_eq!(moves(&trace), [format!("fault:one@signed:{name}@0"), "wake:box@60".to_owned()]);
        let steps = trace.steps.iter().filter(|step| step.process.is_some());
        let during = steps.filter(|step| (1..60_000_000_000).contains(&step.time_ns));
        assert_eq!(during.count(), 0);
        assert_eq!(world.kernel().now(), 62 * SECOND);
        let begin = machine().realtime;
        let now = world.kernel().clock(MachineId(0), Clock::Realtime);
        assert_eq!(now, begin + (realtime - 1) * SECOND);
    }
}

#[test]
fn a_boot_ends_a_sleep() {
    let after = SECOND;
    let fault = |mishap, after| Fault {
        process: 0,
        at: "signed".into(),
        nth: 1,
        after,
        action: Action::Machine(mishap),
    };
    let story =
        vec![fault(Mishap::Sleep(60 * SECOND), Duration::ZERO), fault(Mishap::Reboot, after)];
    let mut world = World::new(Arc::new(Setup { story, ..setup(false) }), 0);
    run(&mut world, &mut Turns::default(), &mut (), LIMITS, None);
    assert_eq!(world.fired(), [true, true]);
    let ends: Vec<State> = lives(&world).into_iter().map(|life| life.3).collect();
    assert_eq!(ends.last(), Some(&code(2)));
    assert!(world.kernel().rest(MachineId(0)).is_none());
    assert!(world.kernel().now() < 60 * SECOND);
}

#[test]
fn a_full_disk_leaves_the_file_without_its_signature() {
    let (world, trace) = machine_told("made", Mishap::FullDisk(10 * SECOND), false);
    assert_eq!(lives(&world)[0].3, code(100));
    assert_eq!(left(&world), Some(0));
    assert_eq!(moves(&trace), ["fault:one@made:full-disk.10s@0", "drain:box@10"]);
}

#[test]
fn a_failing_call_has_taken_effect_when_it_failed() {
    let (world, trace) = told("made", Action::FailIo(IoCall::Write), false);
    assert_eq!(lives(&world)[0].3, code(100));
    assert_eq!(world.fired(), [true]);
    assert_eq!(moves(&trace), ["fault:one@made:fail-write@0"]);
    // Nobody syncs.
    let (world, _) = told("made", Action::FailIo(IoCall::Fsync), false);
    assert!(world.is_over_with(0));
    assert_eq!(world.fired(), [false]);
}

#[test]
fn what_no_real_kernel_has_confirmed_is_known() {
    let unconfirmed = |action, adversary: Adversary| {
        let after = Duration::ZERO;
        let story = [Fault { process: 0, at: "made".into(), nth: 1, after, action }];
        Unconfirmed::of(&[MachineConfig::default()], &story, &adversary)
    };
    let silent = Adversary::default;
    assert_eq!(unconfirmed(Action::Kill, silent()), []);
    let told = [
        (Mishap::Sleep(SECOND), Unconfirmed::Sleep),
        (Mishap::Pause(SECOND), Unconfirmed::Pause),
        (Mishap::Reboot, Unconfirmed::Reboot),
        (Mishap::PowerLoss(Survivor::Names), Unconfirmed::PowerLoss),
        (Mishap::ClockBack(SECOND), Unconfirmed::ClockSet),
        (Mishap::FullDisk(SECOND), Unconfirmed::FullDisk),
    ];
    for (mishap, it) in told {
        assert_eq!(unconfirmed(Action::Machine(mishap), silent()), [it]);
    }
    assert_eq!(unconfirmed(Action::FailIo(IoCall::Read), silent()), [Unconfirmed::IoError]);
    let stops = Adversary { stops: 1, passes: 1, ..silent() };
    assert_eq!(unconfirmed(Action::Kill, stops), []);
    let rests_on = |machine| Unconfirmed::of(&[MachineConfig::default(), machine], &[], &silent());
    let room = Some(Room { blocks: 1, inodes: 9 });
    for (machine, it) in [
        (MachineConfig { room, ..Default::default() }, Unconfirmed::SmallDisk),
        (
            MachineConfig { time_granularity: SECOND, ..Default::default() },
            Unconfirmed::CoarseTimes,
        ),
        (MachineConfig { funlinkat: true, ..Default::default() }, Unconfirmed::Funlinkat),
    ] {
        assert_eq!(rests_on(machine), [it]);
    }
    let inode_numbers = InodeNumbers::Fresh;
    assert_eq!(rests_on(MachineConfig { room, inode_numbers, ..Default::default() }), []);
    let clocks = Budgets { clock_steps: 1, reboots: 1, ..Default::default() };
    let adversary = Adversary { mishaps: clocks, ..silent() };
    let both = [Unconfirmed::Reboot, Unconfirmed::ClockSet];
    assert_eq!(unconfirmed(Action::Machine(Mishap::Reboot), adversary), both);
}

fn everything() -> Adversary {
    let mishaps = Budgets {
        sleeps: 1,
        pauses: 1,
        reboots: 1,
        power_losses: 1,
        clock_steps: 1,
        full_disks: 1,
    };
    Adversary { stops: 1, kills: 1, passes: 1, reuses: 1, io_errors: 1, mishaps, after: None }
}

fn beset() -> Arc<Setup> {
    Arc::new(Setup { adversary: everything(), ..setup(true) })
}

fn walk(world: &mut World, seed: u64) -> Vec<Choice> {
    run(world, &mut Random::new(seed), &mut (), LIMITS, None).path
}

#[test]
fn an_adversary_does_all_that_it_may_and_no_more() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..400 {
        let path = walk(&mut World::new(beset(), seed), seed);
        let mut spent: BTreeMap<&str, u32> = BTreeMap::new();
        for budget in path.iter().filter_map(|choice| choice.budget()) {
            *spent.entry(budget).or_default() += 1;
            *seen.entry(budget).or_default() += 1;
        }
        assert!(spent.values().all(|times| *times == 1), "seed {seed}: {spent:?}");
    }
    let all: Vec<&str> = everything().budgets().map(|(name, _)| name).into();
    assert!(all.iter().all(|name| seen.contains_key(name)), "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_beset_world_is_a_value_and_its_schedule_replays(seed: u64) {
        let begin = World::new(beset(), seed);
        let mut walked = begin.clone();
        let path = walk(&mut walked, seed);
        let mut twin = begin.clone();
        let mut refilled = walked.clone();
        refilled.clone_from(&begin);
        for choice in &path {
            twin.apply(*choice);
            refilled.apply(*choice);
            prop_assert_eq!(twin.fingerprint(), refilled.fingerprint());
            twin = twin.clone();
        }
        prop_assert_eq!(twin.fingerprint(), walked.fingerprint());
        let schedule = Schedule::of(&mut begin.clone(), &path);
        let parsed: Schedule = schedule.to_string().parse().unwrap();
        let mut replayed = begin.clone();
        let mut replay = Replay::new(&parsed);
        let finished = run(&mut replayed, &mut replay, &mut (), LIMITS, None);
        prop_assert!(replay.is_complete());
        prop_assert_eq!(finished.path, path);
        prop_assert_eq!(replayed.fingerprint(), walked.fingerprint());
    }
}
