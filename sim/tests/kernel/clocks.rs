//! Clocks, boot ids and random bytes.

use std::time::Duration;

use locklab_sim::kernel::{Kernel, MachineConfig, MachineId, Outcome};
use locklab_sys::{Call, Clock, Ret};

use crate::lab::{Lab, MACHINE};

fn two_machines(seed: u64) -> Kernel {
    let box_of = |name: &str| MachineConfig { name: name.into(), ..Default::default() };
    Kernel::new(&[box_of("one"), box_of("two")], seed)
}

#[test]
fn time_moves_every_clock_of_every_machine() {
    let mut kernel = two_machines(1);
    let clocks = [Clock::Realtime, Clock::Monotonic, Clock::Boottime];
    let readings = |kernel: &Kernel| {
        [MACHINE, MachineId(1)].map(|machine| clocks.map(|clock| kernel.clock(machine, clock)))
    };
    let passed = Duration::from_millis(1500);
    let expected = readings(&kernel).map(|machine| machine.map(|reading| reading + passed));
    kernel.advance_to(passed);
    assert_eq!(kernel.now(), passed);
    assert_eq!(readings(&kernel), expected);
}

#[test]
#[should_panic(expected = "never goes back")]
fn time_never_goes_back() {
    let mut kernel = two_machines(1);
    kernel.advance_to(Duration::from_secs(2));
    kernel.advance_to(Duration::from_secs(1));
}

#[test]
fn setting_a_clock_moves_only_realtime_of_that_machine() {
    let mut kernel = two_machines(1);
    let before = kernel.clock(MachineId(1), Clock::Realtime);
    let uptime = kernel.clock(MACHINE, Clock::Boottime);
    kernel.set_clock(MACHINE, Duration::from_secs(5));
    kernel.advance_to(Duration::from_secs(1));
    assert_eq!(kernel.clock(MACHINE, Clock::Realtime), Duration::from_secs(6));
    assert_eq!(kernel.clock(MACHINE, Clock::Boottime), uptime + Duration::from_secs(1));
    assert_eq!(kernel.clock(MachineId(1), Clock::Realtime), before + Duration::from_secs(1));
}

#[test]
fn a_program_reads_its_machines_clock() {
    let mut kernel = two_machines(1);
    let (_, task) = kernel.launch(MachineId(1), "a".into());
    kernel.set_clock(MachineId(1), Duration::from_secs(5));
    let outcome = kernel.call(task, &Call::ClockGettime { clock: Clock::Realtime });
    assert_eq!(outcome, Outcome::Done(Ok(Ret::Time(Duration::from_secs(5)))));
}

#[test]
fn a_machine_has_a_boot_id_of_its_own() {
    let boot_id = |seed, machine| {
        let mut kernel = two_machines(seed);
        let (_, task) = kernel.launch(machine, "a".into());
        match kernel.call(task, &Call::BootId) {
            Outcome::Done(Ok(Ret::BootId(id))) => id,
            other => panic!("boot_id gave {other:?}"),
        }
    };
    assert_eq!(boot_id(1, MACHINE), boot_id(1, MACHINE));
    assert_ne!(boot_id(1, MACHINE), boot_id(1, MachineId(1)));
    assert_ne!(boot_id(1, MACHINE), boot_id(2, MACHINE));
}

/// Random bytes drawn in pieces of these lengths.
fn drawn(seed: u64, lens: &[u8]) -> Vec<u8> {
    let mut lab = Lab { kernel: two_machines(seed) };
    let task = lab.launch("a");
    let mut all = Vec::new();
    for &len in lens {
        match lab.call(task, &Call::Getrandom { len }) {
            Ok(Ret::Bytes(bytes)) => all.extend_from_slice(&bytes),
            other => panic!("getrandom gave {other:?}"),
        }
    }
    all
}

#[test]
fn random_bytes_are_one_stream_however_they_are_drawn() {
    let all = drawn(1, &[255]);
    assert_eq!(all.len(), 255);
    assert_eq!(drawn(1, &[1, 2, 3, 0, 200, 49]), all);
    assert_ne!(drawn(2, &[255]), all);
}
