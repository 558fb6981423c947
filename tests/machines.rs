//! What a scenario file says of a machine is so in its worlds.

use std::time::Duration;

use locklab::arm::Arm;
use locklab::cast::Cast;
use locklab::scenario::{self, Scenario};
use locklab_sim::kernel::{InodeNumbers, MachineConfig, MachineId};

mod common;

use common::policy;

/// The smallest scenario, with these lines about its machine.
fn read(machine: &str) -> Scenario {
    let text = format!(
        r#"
        schema = 1
        name = "machines"
        title = "A machine"
        lesson = "Machines differ."
        vary = "lock"
        properties = ["mutual-exclusion"]
        patience = "1m"
        reached = [{{ process = "only", mark = "entered" }}]

        [machine.odd]
        {machine}

        [process.only]
        program = "worker"
        lock = "$policy"
        "#
    );
    match scenario::parse("machines.toml", &text) {
        Ok(scenario) => scenario,
        Err(problems) => panic!("{}", problems.render(false)),
    }
}

#[test]
fn a_machine_is_as_its_scenario_says() {
    let scenario = read(
        r#"
        inode-numbers = "fresh"
        time-granularity = "2s"
        protected-symlinks = false
        funlinkat = true
        "#,
    );
    let expected = MachineConfig {
        name: "odd".into(),
        inode_numbers: InodeNumbers::Fresh,
        time_granularity: Duration::from_secs(2),
        protected_symlinks: false,
        funlinkat: true,
        ..MachineConfig::default()
    };
    assert_eq!(scenario.machines, [expected]);
    let world = Cast::new(&scenario, policy("age")).world(Arm::Story, 0);
    assert_eq!(world.kernel().time_granularity(MachineId(0)), Duration::from_secs(2));
}

#[test]
fn of_what_it_does_not_say_it_is_as_any() {
    let scenario = read("");
    assert_eq!(
        scenario.machines,
        [MachineConfig { name: "odd".into(), ..MachineConfig::default() }]
    );
    assert_ne!(scenario.fingerprint(), read("funlinkat = true").fingerprint());
    assert_ne!(scenario.fingerprint(), read("time-granularity = \"10ms\"").fingerprint());
}
