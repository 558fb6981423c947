/// How far whoever looks has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A search.
    Search(locklab_sim::Stage),
    /// So many random runs were made.
    Runs(u64),
}

impl From<locklab_sim::Stage> for Stage {
    fn from(stage: locklab_sim::Stage) -> Self {
        Self::Search(stage)
    }
}
