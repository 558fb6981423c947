use crate::setup::Fault;

/// How far the story has come.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Story {
    progress: Vec<Progress>,
    fired: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Progress {
    /// The process has come to the fault's point so often.
    Arrived(u32),
    /// The process has come to the point for the time that counts; the fault
    /// comes later.
    Coming,
    /// The process stands at the point for the time that counts.
    Due,
    Over,
}

impl Story {
    pub(super) fn new(faults: &[Fault]) -> Self {
        Self {
            progress: vec![Progress::Arrived(0); faults.len()],
            fired: vec![false; faults.len()],
        }
    }

    /// A process of the set-up comes to a point; which faults come some time
    /// after.
    pub(super) fn arrive(&mut self, faults: &[Fault], process: usize, point: &str) -> Vec<usize> {
        let mut coming = Vec::new();
        for (index, (fault, progress)) in faults.iter().zip(&mut self.progress).enumerate() {
            let Progress::Arrived(times) = progress else { continue };
            if fault.process != process || !fault.at.contains(point) {
                continue;
            }
            *times += 1;
            if *times < fault.nth {
                continue;
            }
            if fault.after.is_zero() {
                *progress = Progress::Due;
            } else {
                *progress = Progress::Coming;
                coming.push(index);
            }
        }
        coming
    }

    /// The first fault that must take effect now.
    pub(super) fn due(&self) -> Option<usize> {
        self.progress.iter().position(|progress| *progress == Progress::Due)
    }

    /// The fault is over; it has taken effect or found nothing to do.
    pub(super) fn settle(&mut self, fault: usize, took_effect: bool) {
        self.progress[fault] = Progress::Over;
        self.fired[fault] = took_effect;
    }

    /// Whether a fault is over, whatever came of it.
    pub(super) fn is_over(&self, fault: usize) -> bool {
        self.progress[fault] == Progress::Over
    }

    pub(super) fn fired(&self) -> &[bool] {
        &self.fired
    }
}
