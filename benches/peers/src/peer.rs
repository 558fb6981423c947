//! The protocol, once for each peer.

pub mod futures;
pub mod locklab;
pub mod shuttle;
pub mod spin;
pub mod stateright;
