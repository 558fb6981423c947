//! A story sets a clock: realtime moves, the others do not, and file times
//! are those of the clock as it was.

use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{MachineConfig, MachineId};
use locklab_sim::{Action, Adversary, Fault, Launch, Limits, Mishap, Setup, Turns, World, run};
use locklab_sys::{Clock, Image, OpenFlags, Sys};

const HOUR: Duration = Duration::from_secs(3600);

/// Makes a file, comes to the point, and reads every clock: exits with 0 when
/// realtime alone has moved, by an hour.
fn reader(forward: bool) -> Image {
    Image::new("reader", forward.to_string(), move |sys: Sys| async move {
        let fd = sys.open("/run/file", OpenFlags::WRONLY | OpenFlags::CREAT).await.unwrap();
        let made = sys.fstat(fd).await.unwrap().mtime;
        let boot = sys.clock_gettime(Clock::Boottime).await;
        sys.point("here");
        let now = sys.clock_gettime(Clock::Realtime).await;
        let moved = if forward { now.checked_sub(made) } else { made.checked_sub(now) };
        let same_boot = sys.clock_gettime(Clock::Boottime).await == boot;
        let same_monotonic = sys.clock_gettime(Clock::Monotonic).await == boot;
        u8::from(!(moved == Some(HOUR) && same_boot && same_monotonic))
    })
}

fn told(forward: bool, action: Action) -> World {
    let launch = Launch::new("reader", reader(forward));
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: vec![launch],
        story: vec![Fault { process: 0, at: "here".into(), nth: 1, after: Duration::ZERO, action }],
        adversary: Adversary::default(),
        durations: Vec::new(),
        every_timer: false,
    };
    let mut world = World::new(Arc::new(setup), 0);
    let limits = Limits { horizon: HOUR, steps: 100 };
    run(&mut world, &mut Turns::default(), &mut (), limits, None);
    world
}

#[test]
fn a_clock_is_set_forward_or_back_and_no_other_moves() {
    use locklab_sim::kernel::State;
    use locklab_sys::ExitStatus;
    for (forward, action) in [
        (true, Action::Machine(Mishap::ClockForward(HOUR))),
        (false, Action::Machine(Mishap::ClockBack(HOUR))),
    ] {
        let world = told(forward, action);
        assert_eq!(world.fired(), [true]);
        let state = world.kernel().process(world.launched(0).unwrap()).state;
        assert_eq!(state, State::Dead(ExitStatus::Code(0)), "{action:?}");
    }
}

#[test]
fn a_clock_is_not_set_back_beyond_its_zero() {
    let world = told(false, Action::Machine(Mishap::ClockBack(1_000_000 * HOUR)));
    assert_eq!(world.kernel().clock(MachineId(0), Clock::Realtime), Duration::ZERO);
}
