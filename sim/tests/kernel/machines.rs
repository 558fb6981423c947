//! Machines that boot anew, sleep, and are paused.

use std::collections::BTreeSet;
use std::time::Duration;

use locklab_sim::kernel::{
    Durability, InodeNumbers, Kernel, MachineConfig, MachineId, Outcome, Rest, Room, State,
    Survivor, TaskId,
};
use locklab_sys::{
    Call, Clock, Direction, ExitStatus, Fingerprint, FlockOp, OpenFlags, ProcState, Ret, Uid,
};

use crate::lab::{Lab, MACHINE, mkdir, open};

const SECOND: Duration = Duration::from_secs(1);

fn config() -> MachineConfig {
    MachineConfig { uptime: 20 * SECOND, ..Default::default() }
}

#[test]
fn machines_that_differ_in_anything_but_their_names_are_told_apart() {
    let standard = MachineConfig::default;
    let others = [
        MachineConfig { inode_numbers: InodeNumbers::Fresh, ..standard() },
        MachineConfig { time_granularity: SECOND, ..standard() },
        MachineConfig { time_granularity: 2 * SECOND, ..standard() },
        MachineConfig { funlinkat: true, ..standard() },
        MachineConfig { pid_max: 400, ..standard() },
        MachineConfig { first_pid: 400, ..standard() },
        MachineConfig { realtime: SECOND, ..standard() },
        MachineConfig { uptime: SECOND, ..standard() },
        MachineConfig { protected_hardlinks: false, ..standard() },
        MachineConfig { protected_symlinks: false, ..standard() },
        MachineConfig { protected_regular: 2, ..standard() },
        MachineConfig { run_is_tmpfs: false, ..standard() },
        MachineConfig { tmp_is_tmpfs: true, ..standard() },
        MachineConfig { durability: Some(Durability::None), ..standard() },
        MachineConfig { durability: Some(Durability::Journal), ..standard() },
        MachineConfig { room: Some(Room { blocks: 1, inodes: 9 }), ..standard() },
        MachineConfig { room: Some(Room { blocks: 2, inodes: 9 }), ..standard() },
    ];
    let hashes: BTreeSet<Fingerprint> =
        others.iter().chain([&standard()]).map(Fingerprint::of).collect();
    assert_eq!(hashes.len(), others.len() + 1);
}

fn boot_id(lab: &mut Lab, task: TaskId) -> u128 {
    match lab.call(task, &Call::BootId) {
        Ok(Ret::BootId(id)) => id,
        other => panic!("boot_id gave {other:?}"),
    }
}

fn pass(lab: &mut Lab, time: Duration) {
    let to = lab.kernel.now() + time;
    lab.kernel.advance_to(to);
}

fn clocks(lab: &Lab) -> [Duration; 3] {
    [Clock::Realtime, Clock::Monotonic, Clock::Boottime].map(|it| lab.kernel.clock(MACHINE, it))
}

#[test]
fn after_a_boot_a_process_may_have_the_pid_and_the_start_of_one_before() {
    let mut lab = Lab::with(config());
    let before = lab.launch_as("before", Uid::ROOT);
    let pid = lab.pid(before);
    let stat = lab.proc_stat(before, pid).unwrap();
    let boot = boot_id(&mut lab, before);
    pass(&mut lab, 3 * SECOND);
    lab.kernel.reboot(MACHINE, &config(), None);
    pass(&mut lab, 20 * SECOND);
    let after = lab.launch_as("after", Uid::ROOT);
    assert_eq!(lab.pid(after), pid);
    assert_eq!(lab.proc_stat(after, pid), Ok(stat));
    assert_eq!(stat.state, ProcState::Running);
    let second = boot_id(&mut lab, after);
    assert_ne!(second, boot);
    lab.kernel.reboot(MACHINE, &config(), None);
    let third = lab.launch_as("third", Uid::ROOT);
    let third = boot_id(&mut lab, third);
    assert!(third != second && third != boot);
}

#[test]
fn each_seed_has_boot_ids_of_its_own() {
    let ids: BTreeSet<u128> = (1..4)
        .flat_map(|seed| {
            let mut lab = Lab { kernel: Kernel::new(&[config()], seed) };
            let first = lab.launch("first");
            let first = boot_id(&mut lab, first);
            lab.kernel.reboot(MACHINE, &config(), None);
            let second = lab.launch("second");
            [first, boot_id(&mut lab, second)]
        })
        .collect();
    assert_eq!(ids.len(), 6);
}

#[test]
fn nobody_and_nothing_open_outlives_a_boot() {
    let mut lab = Lab::with(config());
    let a = lab.launch_as("a", Uid::ROOT);
    let (_, child) = lab.spawn(a, &[]).unwrap();
    lab.exit(child, 0);
    let (_, grandchild) = lab.spawn(a, &[]).unwrap();
    let fd = lab.open(a, "/tmp/lock", OpenFlags::RDWR | OpenFlags::CREAT).unwrap();
    lab.flock(a, fd, FlockOp::Exclusive).unwrap();
    let socket = lab.fd(a, &Call::Socket).unwrap();
    lab.unit(a, &Call::Bind { fd: socket, path: "/tmp/socket".into() }).unwrap();
    lab.unit(a, &Call::Listen { fd: socket, backlog: 1 }).unwrap();
    let b = lab.launch_as("b", Uid::ROOT);
    let other = lab.fd(b, &Call::Socket).unwrap();
    lab.unit(b, &Call::Connect { fd: other, path: "/tmp/socket".into() }).unwrap();
    lab.kernel.stop(lab.kernel.process_of(b));
    lab.kernel.reboot(MACHINE, &config(), None);
    for task in [a, child, grandchild, b] {
        let state = lab.kernel.process(lab.kernel.process_of(task)).state;
        let status = if task == child { ExitStatus::Code(0) } else { ExitStatus::Killed };
        assert_eq!(state, State::Dead(status));
    }
    assert_eq!(lab.kernel.open_sockets(), 0);
    let c = lab.launch_as("c", Uid::ROOT);
    let fd = lab.open(c, "/tmp/lock", OpenFlags::RDWR).unwrap();
    assert_eq!(lab.flock(c, fd, FlockOp::TryExclusive), Ok(()));
    let socket = lab.fd(c, &Call::Socket).unwrap();
    let connect = Call::Connect { fd: socket, path: "/tmp/socket".into() };
    assert_eq!(lab.unit(c, &connect), Err(locklab_sys::Errno::ECONNREFUSED));
}

#[test]
fn files_outlive_an_orderly_boot_but_for_those_on_tmpfs() {
    for (run_is_tmpfs, tmp_is_tmpfs) in [(false, false), (true, false), (false, true), (true, true)]
    {
        let config = MachineConfig { run_is_tmpfs, tmp_is_tmpfs, ..config() };
        let mut lab = Lab::with(config.clone());
        let a = lab.launch_as("a", Uid::ROOT);
        for dir in ["/run", "/tmp"] {
            lab.unit(a, &mkdir(&format!("{dir}/sub"))).unwrap();
            lab.put(a, &format!("{dir}/sub/file"), "content");
        }
        let ino = lab.put(a, "/file", "content");
        let stat = lab.stat(a, "/file");
        lab.kernel.reboot(MACHINE, &config, None);
        let b = lab.launch_as("b", Uid::ROOT);
        assert_eq!(lab.get(b, "/run/sub/file").is_err(), run_is_tmpfs);
        assert_eq!(lab.get(b, "/tmp/sub/file").is_err(), tmp_is_tmpfs);
        assert_eq!(lab.names(b, "/run").unwrap().is_empty(), run_is_tmpfs);
        assert_eq!(lab.get(b, "/file").as_deref(), Ok("content"));
        assert_eq!(lab.stat(b, "/file"), stat);
        assert_eq!(stat.unwrap().ino, ino);
    }
}

#[test]
fn a_boot_begins_all_clocks_but_realtime() {
    let mut lab = Lab::with(config());
    let realtime = lab.kernel.clock(MACHINE, Clock::Realtime);
    pass(&mut lab, 5 * SECOND);
    lab.kernel.reboot(MACHINE, &config(), None);
    pass(&mut lab, SECOND);
    assert_eq!(clocks(&lab), [realtime + 6 * SECOND, SECOND, SECOND]);
}

#[test]
fn one_machine_boots_and_the_other_does_not_notice() {
    let two = [config(), MachineConfig { name: "other".into(), ..config() }];
    let mut lab = Lab { kernel: locklab_sim::kernel::Kernel::new(&two, 1) };
    let (other, _) = lab.kernel.launch(MachineId(1), "a".into());
    let before = lab.kernel.clock(MachineId(1), Clock::Boottime);
    lab.kernel.reboot(MACHINE, &config(), None);
    assert!(lab.kernel.process(other).is_alive());
    assert_eq!(lab.kernel.clock(MachineId(1), Clock::Boottime), before);
}

#[test]
fn a_sleeping_machines_monotonic_clock_stands_still_and_a_paused_ones_all() {
    for (rest, [realtime, monotonic, boottime]) in
        [(Rest::Asleep, [60, 0, 60]), (Rest::Paused, [0, 0, 0])]
    {
        let mut lab = Lab::with(config());
        let before = clocks(&lab);
        lab.kernel.suspend(MACHINE, rest, 60 * SECOND);
        assert_eq!(lab.kernel.rest(MACHINE), Some(rest));
        pass(&mut lab, 60 * SECOND);
        lab.kernel.wake(MACHINE);
        assert_eq!(lab.kernel.rest(MACHINE), None);
        let went = [realtime, monotonic, boottime];
        let expected: Vec<Duration> =
            before.iter().zip(went).map(|(clock, seconds)| *clock + seconds * SECOND).collect();
        assert_eq!(clocks(&lab), *expected);
        pass(&mut lab, SECOND);
        let expected: Vec<Duration> = expected.iter().map(|clock| *clock + SECOND).collect();
        assert_eq!(clocks(&lab), *expected);
    }
}

#[test]
fn start_times_count_the_sleep() {
    let mut lab = Lab::with(config());
    lab.kernel.suspend(MACHINE, Rest::Asleep, 60 * SECOND);
    pass(&mut lab, 60 * SECOND);
    lab.kernel.wake(MACHINE);
    let a = lab.launch_as("a", Uid::ROOT);
    let pid = lab.pid(a);
    assert_eq!(lab.proc_stat(a, pid).unwrap().start_ticks, 8000);
}

#[test]
fn whoever_waits_by_the_monotonic_clock_waits_through_the_rest() {
    for rest in [Rest::Asleep, Rest::Paused] {
        let mut lab = Lab::with(config());
        let [sleeper, poller, receiver, due] =
            ["a", "b", "c", "d"].map(|name| lab.launch_as(name, Uid::ROOT));
        let socket = lab.fd(receiver, &Call::Socket).unwrap();
        lab.unit(receiver, &Call::Bind { fd: socket, path: "/s".into() }).unwrap();
        lab.unit(receiver, &Call::Listen { fd: socket, backlog: 1 }).unwrap();
        let timeout = Some(10 * SECOND);
        lab.unit(receiver, &Call::SetTimeout { fd: socket, of: Direction::Receive, timeout })
            .unwrap();
        lab.begin(due, &Call::Nanosleep { duration: SECOND });
        pass(&mut lab, SECOND);
        lab.begin(sleeper, &Call::Nanosleep { duration: 10 * SECOND });
        lab.begin(poller, &Call::Poll { fds: [].into(), timeout });
        lab.begin(receiver, &Call::Accept { fd: socket });
        let deadline = lab.kernel.now() + 10 * SECOND;
        assert_eq!(lab.kernel.next_timer(), Some(deadline));
        lab.kernel.suspend(MACHINE, rest, 60 * SECOND);
        assert_eq!(lab.kernel.next_timer(), Some(deadline + 60 * SECOND));
        pass(&mut lab, 60 * SECOND);
        lab.kernel.wake(MACHINE);
        assert!(lab.kernel.ready(due));
        assert!([sleeper, poller, receiver].iter().all(|task| !lab.kernel.ready(*task)));
        pass(&mut lab, 10 * SECOND);
        assert!([sleeper, poller, receiver].iter().all(|task| lab.kernel.ready(*task)));
    }
}

#[test]
fn whoever_waits_for_ever_waits_on() {
    let mut lab = Lab::with(config());
    let (a, b) = (lab.launch_as("a", Uid::ROOT), lab.launch_as("b", Uid::ROOT));
    let flags = OpenFlags::RDWR | OpenFlags::CREAT;
    let [held, wanted] = [a, b].map(|task| lab.fd(task, &open("/lock", flags)).unwrap());
    lab.flock(a, held, FlockOp::Exclusive).unwrap();
    lab.begin(b, &Call::Flock { fd: wanted, op: FlockOp::Exclusive });
    lab.kernel.suspend(MACHINE, Rest::Asleep, SECOND);
    assert_eq!(lab.kernel.next_timer(), None);
    pass(&mut lab, SECOND);
    lab.kernel.wake(MACHINE);
    assert!(!lab.kernel.ready(b));
    lab.close(a, held).unwrap();
    assert_eq!(lab.kernel.finish(b), Ok(Ret::Unit));
}

#[test]
fn who_falls_asleep_writes_first_and_who_is_paused_does_not() {
    for (rest, content) in [(Rest::Asleep, Some("content")), (Rest::Paused, None)] {
        let config = MachineConfig { durability: Some(Durability::Journal), ..config() };
        let mut lab = Lab::with(config.clone());
        let a = lab.launch_as("a", Uid::ROOT);
        lab.put(a, "/file", "content");
        lab.kernel.suspend(MACHINE, rest, 60 * SECOND);
        pass(&mut lab, 60 * SECOND);
        lab.kernel.wake(MACHINE);
        lab.kernel.reboot(MACHINE, &config, Some(Survivor::Synced));
        let b = lab.launch_as("b", Uid::ROOT);
        assert_eq!(lab.get(b, "/file").ok().as_deref(), content);
    }
}

#[test]
#[should_panic(expected = "who is awake")]
fn nobody_falls_asleep_twice() {
    let mut lab = Lab::with(config());
    lab.kernel.suspend(MACHINE, Rest::Asleep, SECOND);
    lab.kernel.suspend(MACHINE, Rest::Asleep, SECOND);
}

#[test]
fn a_boot_is_a_move_of_values() {
    let mut lab = Lab::with(config());
    let before = lab.kernel.clone();
    lab.kernel.reboot(MACHINE, &config(), None);
    let after = lab.kernel.clone();
    assert_ne!(before, after);
    let mut back = after.clone();
    back.clone_from(&before);
    assert_eq!(back, before);
    back.reboot(MACHINE, &config(), None);
    assert_eq!(back, after);
    let task = lab.launch_as("a", Uid::ROOT);
    let reading = lab.kernel.call(task, &Call::ClockGettime { clock: Clock::Monotonic });
    assert_eq!(reading, Outcome::Done(Ok(Ret::Time(Duration::ZERO))));
}

#[test]
fn boots_are_counted() {
    let mut lab = Lab::with(config());
    for boots in 0..3 {
        assert_eq!(lab.kernel.boots(MACHINE), boots);
        lab.kernel.reboot(MACHINE, &config(), None);
    }
}

#[test]
fn no_boot_id_has_a_part_of_another() {
    let machines = vec![config(); 3];
    let mut kernel = Kernel::new(&machines, 7);
    let mut words = BTreeSet::new();
    for _ in 0..3 {
        for machine in (0..3).map(MachineId) {
            let (_, task) = kernel.launch(machine, "it".into());
            let Outcome::Done(Ok(Ret::BootId(id))) = kernel.call(task, &Call::BootId) else {
                panic!("a boot id is told")
            };
            words.extend((0..4).map(|at| (id >> (32 * at)) as u32));
            kernel.reboot(machine, &config(), None);
        }
    }
    assert_eq!(words.len(), 3 * 3 * 4);
}
