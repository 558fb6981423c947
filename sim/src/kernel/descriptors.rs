use locklab_sys::{Errno, Fd};

use super::fs::DescriptionId;

/// 0 to 2 are standard input, output and error: nothing here is done with them.
const FIRST: u32 = 3;

/// `RLIMIT_NOFILE`, as shells have it.
const LIMIT: u32 = 1024;

/// The descriptors of a process, sorted by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Descriptors(Vec<(Fd, DescriptionId)>);

impl Descriptors {
    pub(super) fn get(&self, fd: Fd) -> Result<DescriptionId, Errno> {
        self.position(fd).map(|at| self.0[at].1).map_err(|_| Errno::EBADF)
    }

    /// The number that the next `open` gets.
    pub(super) fn lowest_free(&self) -> Result<Fd, Errno> {
        let taken = (FIRST..).zip(&self.0).take_while(|&(number, (fd, _))| fd.0 == number).count();
        match FIRST + taken as u32 {
            LIMIT => Err(Errno::EMFILE),
            free => Ok(Fd(free)),
        }
    }

    /// Makes a free number stand for a description.
    pub(super) fn insert(&mut self, fd: Fd, description: DescriptionId) {
        let at = self.position(fd).expect_err("the number is free");
        self.0.insert(at, (fd, description));
    }

    pub(super) fn remove(&mut self, fd: Fd) -> Result<DescriptionId, Errno> {
        let at = self.position(fd).map_err(|_| Errno::EBADF)?;
        Ok(self.0.remove(at).1)
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = DescriptionId> {
        self.0.drain(..).map(|(_, description)| description)
    }

    /// Those that a child inherits, under the same numbers.
    pub(super) fn inherited(&self, keep: &[Fd]) -> Result<Self, Errno> {
        let mut child = Self::default();
        for &fd in keep {
            let description = self.get(fd)?;
            if child.get(fd).is_err() {
                child.insert(fd, description);
            }
        }
        Ok(child)
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = Fd> {
        self.0.iter().map(|&(fd, _)| fd)
    }

    pub(super) fn descriptions(&self) -> impl Iterator<Item = DescriptionId> {
        self.0.iter().map(|&(_, description)| description)
    }

    fn position(&self, fd: Fd) -> Result<usize, usize> {
        self.0.binary_search_by_key(&fd, |&(fd, _)| fd)
    }
}
