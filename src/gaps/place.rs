use std::fmt;

use locklab_sim::World;
use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::{Call, OpenFlags, SmolStr};
use serde::Serialize;
use smol_str::format_smolstr;

/// A place in the program of a contender, between two calls. Who is there makes no
/// difference, nor in which attempt, nor what calls have given back since the point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The last point that it said, if any.
    pub point: Option<&'static str>,
    /// The call that it makes next or waits in, and what file it names: `unlink lock`.
    pub call: SmolStr,
}

impl Place {
    /// Where a process is, unless its main thread has ended.
    pub(super) fn of(world: &World, proc: ProcId) -> Option<Self> {
        let kernel = world.kernel();
        let mut tasks = (0..kernel.task_count()).map(|index| TaskId(index as u32));
        let main = tasks.find(|it| kernel.process_of(*it) == proc && kernel.is_main(*it))?;
        let call = words(world.pending(main)?);
        Some(Self { point: world.last_point(main), call })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point, call } = self;
        match point {
            Some(point) => write!(f, "{call} ({point})"),
            None => write!(f, "{call}"),
        }
    }
}

/// A call by its name and the file that it names, whoever makes it.
fn words(call: &Call) -> SmolStr {
    match call {
        Call::Open { path, flags, .. } => {
            let verb = if flags.contains(OpenFlags::EXCL) { "create" } else { "open" };
            format_smolstr!("{verb} {}", file(path))
        }
        Call::Link { old, new } => format_smolstr!("link {} to {}", file(old), file(new)),
        Call::Rename { old, new } => format_smolstr!("rename {} to {}", file(old), file(new)),
        Call::Stat { path } => format_smolstr!("stat {}", file(path)),
        Call::Lstat { path } => format_smolstr!("lstat {}", file(path)),
        Call::Unlink { path } => format_smolstr!("unlink {}", file(path)),
        Call::Mkdir { path, .. } => format_smolstr!("mkdir {}", file(path)),
        Call::Rmdir { path } => format_smolstr!("rmdir {}", file(path)),
        Call::ProcStat { .. } => SmolStr::new_static("stat of pid"),
        Call::Nanosleep { .. } => SmolStr::new_static("sleep"),
        _ => {
            let words = call.to_string();
            SmolStr::new(words.split(' ').next().unwrap_or(&words))
        }
    }
}

/// The name of a file, whoever's it is: some have the pid of their owner at the end.
fn file(path: &str) -> SmolStr {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name.rsplit_once('.') {
        Some((of, pid)) if !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()) => {
            format_smolstr!("{of}.PID")
        }
        _ => SmolStr::new(name),
    }
}
