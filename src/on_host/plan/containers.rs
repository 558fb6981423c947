use locklab_sys::{Call, Pid, SmolStr};

use super::{Deed, Plan};

impl Plan {
    /// Whether somebody asks for a namespace's number once a container has had a second init:
    /// in the simulation it has the first one's number.
    pub(super) fn asks_for_a_namespace_again(&self) -> bool {
        let mut inits: Vec<&SmolStr> = Vec::new();
        let mut again = false;
        for act in &self.acts {
            match &act.deed {
                Deed::Launch(newborn, _, Some(container)) if newborn.pid == Pid(1) => {
                    again |= inits.contains(&container);
                    inits.push(container);
                }
                Deed::Call(called) if again && called.call == Call::PidNamespace => return true,
                _ => {}
            }
        }
        false
    }
}
