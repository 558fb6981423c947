use locklab_sys::Fingerprint;

use crate::event::Event;
use crate::run::End;
use crate::world::World;

/// Watches a world and says when something fell that should hold.
///
/// It judges by what the kernel saw and what programs marked, never by what a
/// program believes.
pub trait Monitor {
    /// Sees one event, after the step or move that brought it about. In words,
    /// what fell.
    fn observe(&mut self, world: &World, event: &Event) -> Option<String>;

    /// Sees how the run ended.
    fn end(&mut self, world: &World, end: End) -> Option<String>;

    /// What it remembers, as part of a state.
    fn fingerprint(&self) -> Fingerprint;
}
