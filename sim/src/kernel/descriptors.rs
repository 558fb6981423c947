use locklab_sys::{Errno, Fd, Reply, Ret};

use super::fs::DescriptionId;

/// 0 to 2 are standard input, output and error: nothing here is done with them.
const FIRST: u32 = 3;

/// `RLIMIT_NOFILE`, as shells have it.
const LIMIT: u32 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Descriptor {
    fd: Fd,
    description: DescriptionId,
    close_on_exec: bool,
}

/// The descriptors of a process, which its threads share, sorted by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Descriptors {
    open: Vec<Descriptor>,
    /// Numbers that threads have set aside: an `accept` takes its own before it
    /// waits. They stand for nothing yet.
    reserved: Vec<Fd>,
}

impl Descriptors {
    pub(super) fn get(&self, fd: Fd) -> Result<DescriptionId, Errno> {
        self.position(fd).map(|at| self.open[at].description)
    }

    /// The number that the next `open` gets.
    pub(super) fn lowest_free(&self) -> Result<Fd, Errno> {
        let taken = (FIRST..).zip(&self.open).take_while(|&(number, it)| it.fd.0 == number).count();
        let mut free = FIRST + taken as u32;
        if !self.reserved.is_empty() {
            let is_taken = |fd| self.reserved.contains(&fd) || self.get(fd).is_ok();
            free += (free..).take_while(|&number| is_taken(Fd(number))).count() as u32;
        }
        if free < LIMIT { Ok(Fd(free)) } else { Err(Errno::EMFILE) }
    }

    pub(super) fn reserve(&mut self, fd: Fd) {
        self.reserved.push(fd);
    }

    pub(super) fn give_back(&mut self, reserved: Fd) {
        self.reserved.retain(|&fd| fd != reserved);
    }

    /// Makes a free number stand for a description.
    pub(super) fn insert(&mut self, fd: Fd, description: DescriptionId, close_on_exec: bool) {
        let at = self.search(fd).expect_err("the number is free");
        self.open.insert(at, Descriptor { fd, description, close_on_exec });
    }

    pub(super) fn remove(&mut self, fd: Fd) -> Result<DescriptionId, Errno> {
        let at = self.position(fd)?;
        Ok(self.open.remove(at).description)
    }

    /// Takes the lowest one away.
    pub(super) fn pop(&mut self) -> Option<DescriptionId> {
        (!self.open.is_empty()).then(|| self.open.remove(0).description)
    }

    /// Closes those that are marked close-on-exec.
    pub(super) fn drain_close_on_exec(&mut self) -> impl Iterator<Item = DescriptionId> {
        self.open.extract_if(.., |it| it.close_on_exec).map(|it| it.description)
    }

    pub(super) fn set_close_on_exec(&mut self, fd: Fd, on: bool) -> Reply {
        let at = self.position(fd)?;
        self.open[at].close_on_exec = on;
        Ok(Ret::Unit)
    }

    pub(super) fn close_on_exec(&self, fd: Fd) -> Reply {
        self.position(fd).map(|at| Ret::CloseOnExec(self.open[at].close_on_exec))
    }

    /// Those that a child inherits, under the same numbers: of `keep`, or all.
    pub(super) fn inherited(&self, keep: Option<&[Fd]>) -> Result<Self, Errno> {
        let mut open = self.open.clone();
        if let Some(keep) = keep {
            keep.iter().try_for_each(|&fd| self.get(fd).map(drop))?;
            open.retain(|it| keep.contains(&it.fd));
        }
        Ok(Self { open, reserved: Vec::new() })
    }

    /// Each stands for another description.
    pub(super) fn replace(&mut self, renamed: impl Fn(DescriptionId) -> DescriptionId) {
        for descriptor in &mut self.open {
            descriptor.description = renamed(descriptor.description);
        }
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = Fd> {
        self.open.iter().map(|it| it.fd)
    }

    pub(super) fn descriptions(&self) -> impl Iterator<Item = DescriptionId> {
        self.open.iter().map(|it| it.description)
    }

    fn position(&self, fd: Fd) -> Result<usize, Errno> {
        self.search(fd).map_err(|_| Errno::EBADF)
    }

    fn search(&self, fd: Fd) -> Result<usize, usize> {
        self.open.binary_search_by_key(&fd, |it| it.fd)
    }
}
