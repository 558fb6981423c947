//! In which order some have returned who waited.

use locklab_sim::kernel::{Kernel, TaskId};
use locklab_sys::Reply;

/// An order in which the kernel gives just these replies.
pub fn possible(kernel: &Kernel, returned: &[(usize, Reply)]) -> Option<Vec<(usize, Reply)>> {
    if returned.is_empty() {
        return Some(Vec::new());
    }
    (0..returned.len()).find_map(|index| {
        let mut others = returned.to_vec();
        let (who, real) = others.remove(index);
        let task = TaskId(who as u32);
        let mut after = kernel.clone();
        if !after.ready(task) || after.finish(task) != real {
            return None;
        }
        let mut order = possible(&after, &others)?;
        order.insert(0, (who, real));
        Some(order)
    })
}
