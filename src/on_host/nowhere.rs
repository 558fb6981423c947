//! Where there is no Linux.

use super::{Forced, Plan};

/// Forces a plan upon real processes.
///
/// # Errors
///
/// What this machine lacks for that: a Linux.
pub fn force(_: &Plan) -> Result<Forced, String> {
    Err("this is no Linux".to_owned())
}
