use std::time::Duration;

use crate::choice::Choice;
use crate::limits::Limits;
use crate::monitor::{End, Fall, Fell, Monitor};
use crate::strategy::Strategy;
use crate::trace::Recorder;
use crate::world::{Offer, World};

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// The choices made, in order.
    pub path: Vec<Choice>,
    /// What fell, each thing at most once, in order.
    pub falls: Vec<Fall>,
    /// Virtual time at the end.
    pub time: Duration,
}

/// Runs `world` to its end: `strategy` chooses, `monitor` watches, `recorder`
/// writes down.
pub fn run<S: Strategy + ?Sized>(
    world: &mut World,
    strategy: &mut S,
    monitor: &mut dyn Monitor,
    limits: Limits,
    mut recorder: Option<&mut Recorder>,
) -> Finished {
    if recorder.is_some() {
        world.record_calls();
    }
    let mut watch = Watch { monitor, falls: Vec::new(), fell: Vec::new() };
    let mut path = Vec::new();
    let mut offer = Offer::default();
    let end = loop {
        world.offer(&mut offer);
        if offer.is_empty() {
            break if world.is_over() { End::Finished } else { End::Hung };
        }
        if world.kernel().now() > limits.horizon {
            break End::Horizon;
        }
        if path.len() >= limits.steps as usize {
            break End::StepBound;
        }
        let Some(choice) = strategy.choose(world, &offer) else { break End::Abandoned };
        let before = recorder.as_ref().map(|_| world.name(choice));
        world.apply(choice);
        path.push(choice);
        let fell = watch.observe(world, path.len());
        if let (Some(recorder), Some(name)) = (recorder.as_deref_mut(), before) {
            recorder.step(world, choice, name, &watch.falls[fell..]);
        }
    };
    let fell = watch.end(world, end, path.len());
    if let Some(recorder) = recorder {
        recorder.end(end, &watch.falls[fell..]);
    }
    Finished { end, path, falls: watch.falls, time: world.kernel().now() }
}

struct Watch<'a> {
    monitor: &'a mut dyn Monitor,
    falls: Vec<Fall>,
    fell: Fell,
}

impl Watch<'_> {
    /// Shows the last choice's events to the monitor; where the new falls begin.
    fn observe(&mut self, world: &World, choices: usize) -> usize {
        for event in world.news() {
            self.monitor.observe(world, event, &mut self.fell);
        }
        self.take(choices)
    }

    fn end(&mut self, world: &World, end: End, choices: usize) -> usize {
        self.monitor.end(world, end, &mut self.fell);
        self.take(choices)
    }

    /// Keeps what fell for the first time.
    fn take(&mut self, choices: usize) -> usize {
        let before = self.falls.len();
        for (which, message) in self.fell.drain(..) {
            if self.falls.iter().all(|fall| fall.which != which) {
                self.falls.push(Fall { which, choices, message });
            }
        }
        before
    }
}
