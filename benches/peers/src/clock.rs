//! Time of the processor: what others do on the same machine is not in it.

use nix::time::{ClockId, clock_gettime};

/// What this process has had of it so far, in seconds.
pub fn processor_seconds() -> f64 {
    let clock = ClockId::CLOCK_PROCESS_CPUTIME_ID;
    let time = clock_gettime(clock).expect("every process has this clock");
    std::time::Duration::from(time).as_secs_f64()
}
