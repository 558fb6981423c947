//! Pid namespaces of real processes, below their machine's own.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use rustix::process::PidfdFlags;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use smol_str::SmolStr;

use super::puppet::Forked;
use super::{Host, own, raw, timespec};

/// The containers that were started.
pub(super) struct Containers {
    /// The pid namespace of who starts them.
    own: OwnedFd,
    /// Those that were started last, by name.
    started: BTreeMap<SmolStr, Started>,
}

struct Started {
    namespace: OwnedFd,
    /// Its pid 1, by a pidfd.
    init: OwnedFd,
}

impl Started {
    fn new(proc: BorrowedFd<'_>, init: crate::Pid) -> io::Result<Self> {
        let namespace = namespace(proc, &init.to_string())?;
        let pid = super::processes::raw(init).expect("init has a pid");
        let init = own(rustix::process::pidfd_open(pid, PidfdFlags::empty())?)?;
        Ok(Self { namespace, init })
    }

    /// Whether its pid 1 has ended, and it with that.
    fn has_ended(&self) -> io::Result<bool> {
        let mut init = [PollFd::new(&self.init, PollFlags::IN)];
        Ok(rustix::event::poll(&mut init, Some(&timespec(Duration::ZERO)))? > 0)
    }
}

impl Containers {
    pub(super) fn new(proc: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { own: namespace(proc, "self")?, started: BTreeMap::new() })
    }

    /// A process of this one in a container: its pid 1, unless the container runs.
    /// It has nothing open but `ours`.
    pub(super) fn fork(
        &mut self,
        name: &SmolStr,
        proc: BorrowedFd<'_>,
        ours: &[RawFd],
    ) -> io::Result<Forked> {
        // Where one has ended, not even a fork that fails may be tried: it takes a pid.
        if let Some(started) = self.started.get(name)
            && !started.has_ended()?
        {
            return self.fork_below(&started.namespace, ours);
        }
        let forked = forked(raw::fork_into(libc::CLONE_NEWPID | libc::CLONE_NEWUTS)?, ours);
        if let Forked::Parent(Ok(crate::Ret::Pid(init))) = forked {
            self.started.insert(name.clone(), Started::new(proc, init)?);
        }
        Ok(forked)
    }

    fn fork_below(&self, below: &OwnedFd, ours: &[RawFd]) -> io::Result<Forked> {
        let enter = |it: &OwnedFd| {
            move_into_link_name_space(it.as_fd(), Some(LinkNameSpaceType::ProcessID))
        };
        enter(below)?;
        let child = raw::fork_into(libc::CLONE_NEWUTS);
        if !matches!(child, Ok(None)) {
            enter(&self.own)?;
        }
        Ok(forked(child?, ours))
    }

    /// Nobody is left in any.
    pub(super) fn clear(&mut self) {
        self.started.clear();
    }
}

fn forked(child: Option<rustix::process::Pid>, ours: &[RawFd]) -> Forked {
    match child {
        None => Forked::as_child(&[], ours),
        Some(child) => Forked::as_parent(child),
    }
}

fn namespace(proc: BorrowedFd<'_>, pid: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    own(rustix::fs::openat(proc, format!("{pid}/ns/pid"), flags, Mode::empty())?)
}

impl Host {
    /// For this process, which has just begun in a container: it reads of processes in
    /// a `/proc` of the container's own, mounted nowhere.
    pub(super) fn contained(&self, name: &str) -> io::Result<Self> {
        rustix::system::sethostname(name.as_bytes())?;
        let context = rustix::mount::fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
        rustix::mount::fsconfig_create(context.as_fd())?;
        let flags = FsMountFlags::FSMOUNT_CLOEXEC;
        let proc = rustix::mount::fsmount(context.as_fd(), flags, MountAttrFlags::empty())?;
        let outside = Some(own(self.proc.try_clone()?)?);
        Ok(Self { outside, ..Self::over(own(proc)?, self.gate) })
    }
}
