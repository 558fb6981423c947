use std::hash::{Hash, Hasher};

use serde::Serialize;

use super::{KernelLock, LetGo, OnExec, Recheck};

/// The parts of a lock that the kernel keeps, on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Kept {
    /// Which of its locks it is.
    pub kernel: KernelLock,
    /// How it is let go.
    pub let_go: LetGo,
    /// What is asked when it was given.
    pub recheck: Recheck,
    /// What becomes of it in a child that runs another program.
    pub on_exec: OnExec,
}

/// A lock that could be told when there were fewer parts, or choices, has the hash that it had
/// then.
impl Hash for Kept {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { kernel, let_go, recheck, on_exec } = *self;
        if kernel != KernelLock::Flock {
            kernel.hash(state);
        }
        if let_go != LetGo::Close {
            ("let-go", let_go).hash(state);
        }
        if recheck != Recheck::None {
            ("recheck", recheck).hash(state);
        }
        if on_exec != OnExec::Kept {
            ("on-exec", on_exec).hash(state);
        }
    }
}
