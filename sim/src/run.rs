use std::time::Duration;

use crate::choice::Choice;
use crate::monitor::{End, Fall, Monitor};
use crate::strategy::Strategy;
use crate::trace::Recorder;
use crate::world::{Offer, World};

/// Where a run is cut off at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Virtual time since the world began.
    pub horizon: Duration,
    /// Steps and moves.
    pub steps: u32,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// The choices made, in order.
    pub path: Vec<Choice>,
    /// What fell, at most once for each monitor, in order.
    pub falls: Vec<Fall>,
    /// Virtual time at the end.
    pub time: Duration,
}

/// Runs `world` to its end: `strategy` chooses, `monitors` watch, `recorder`
/// writes down.
pub fn run<S: Strategy + ?Sized>(
    world: &mut World,
    strategy: &mut S,
    monitors: &mut [Box<dyn Monitor>],
    limits: Limits,
    mut recorder: Option<&mut Recorder>,
) -> Finished {
    if recorder.is_some() {
        world.record_calls();
    }
    let mut watch = Watch { monitors, falls: Vec::new() };
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
    monitors: &'a mut [Box<dyn Monitor>],
    falls: Vec<Fall>,
}

impl Watch<'_> {
    /// Shows the last choice's events to the monitors; where the new falls begin.
    fn observe(&mut self, world: &World, choices: usize) -> usize {
        let before = self.falls.len();
        for event in world.events() {
            for (index, monitor) in self.monitors.iter_mut().enumerate() {
                if let Some(message) = monitor.observe(world, event) {
                    fall(&mut self.falls, index, choices, message);
                }
            }
        }
        before
    }

    fn end(&mut self, world: &World, end: End, choices: usize) -> usize {
        let before = self.falls.len();
        for (index, monitor) in self.monitors.iter_mut().enumerate() {
            if let Some(message) = monitor.end(world, end) {
                fall(&mut self.falls, index, choices, message);
            }
        }
        before
    }
}

fn fall(falls: &mut Vec<Fall>, monitor: usize, choices: usize, message: String) {
    if falls.iter().all(|fall| fall.monitor != monitor) {
        falls.push(Fall { monitor, choices, message });
    }
}
