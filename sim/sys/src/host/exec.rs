//! A puppet that becomes another: the same program, run from its beginning.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;

use super::channel::Channel;
use super::{Host, own, puppet, raw};

/// What a new image finds: the program, and the root directories outside of the
/// machine and inside.
pub(super) struct Home {
    program: OwnedFd,
    outside: OwnedFd,
    inside: OwnedFd,
}

/// The first argument of a puppet's image; the numbers of its descriptors follow.
const PUPPET: &str = "a puppet of locklab";

fn path(path: &Path) -> io::Result<OwnedFd> {
    own(rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}

impl Home {
    /// Of a machine whose root directory is to be `inside`.
    pub(super) fn look_around(inside: &Path) -> io::Result<Self> {
        let paths = [Path::new("/proc/self/exe"), Path::new("/"), inside];
        let [program, outside, inside] = paths.map(path);
        Ok(Self { program: program?, outside: outside?, inside: inside? })
    }

    pub(super) fn numbers(&self) -> [i32; 3] {
        [&self.program, &self.outside, &self.inside].map(AsRawFd::as_raw_fd)
    }
}

/// Runs the program anew, as a puppet that follows the channel. Comes back when
/// that is not possible.
pub(super) fn exec(host: &Host, channel: &Channel) -> io::Error {
    match prepare(host, channel) {
        Ok((home, arguments)) => raw::exec(home.program.as_raw_fd(), &arguments),
        Err(error) => error,
    }
}

/// The loader of the program lies outside: the new image comes back by itself.
fn prepare<'h>(host: &'h Host, channel: &Channel) -> io::Result<(&'h Home, Vec<CString>)> {
    let home = host.home.as_ref().ok_or(io::ErrorKind::Unsupported)?;
    let kept = [channel.number(), host.proc.as_raw_fd()].into_iter().chain(home.numbers());
    let mut arguments = vec![CString::new(PUPPET)?];
    for number in kept {
        rustix::io::fcntl_setfd(raw::descriptor(number), FdFlags::empty())?;
        arguments.push(CString::new(number.to_string())?);
    }
    rustix::process::fchdir(&home.outside)?;
    rustix::process::chroot(".")?;
    Ok((home, arguments))
}

/// To be called first of all by a program that boots a
/// [`Machine`](super::Machine): a process there that calls exec begins here, and
/// does not come back. For all others this does nothing.
pub fn follow_if_told() {
    let mut arguments = std::env::args();
    if arguments.next().as_deref() != Some(PUPPET) {
        return;
    }
    let numbers: Vec<i32> = arguments.map_while(|it| it.parse().ok()).collect();
    let [channel, proc, program, outside, inside] = numbers[..] else { raw::exit(101) };
    let [channel, proc, program, outside, inside] =
        [channel, proc, program, outside, inside].map(raw::inherited);
    let home = Home { program, outside, inside };
    let (Ok(()), Ok(gate)) = (settle(&home), raw::gate()) else { raw::exit(101) };
    let host = Host { home: Some(home), ..Host::over(proc, gate) };
    host.threads.begin();
    puppet::follow(Arc::new(host), Channel::over(channel));
}

fn settle(home: &Home) -> io::Result<()> {
    rustix::process::fchdir(&home.inside)?;
    rustix::process::chroot(".")?;
    Ok(rustix::process::chdir("/")?)
}
