use rustix::event::{PollFd, PollFlags};
use rustix::process::{PidfdFlags, WaitOptions};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use super::threads::gettid;
use super::{Host, descriptor, known, leave, proc_file, timespec, unit};
use crate::{Errno, ExitStatus, Fd, Pid, ProcStat, ProcState, ProcStatus, Reply, Ret, Signal, Uid};

pub(super) fn getpid() -> Pid {
    Pid(rustix::process::getpid().as_raw_pid().cast_unsigned())
}

pub(super) fn getppid() -> Pid {
    // A parent outside of this pid namespace has no number in it.
    Pid(rustix::process::getppid().map_or(0, |pid| pid.as_raw_pid().cast_unsigned()))
}

pub(super) fn getuid() -> Uid {
    Uid(rustix::process::getuid().as_raw())
}

/// A pid as Linux takes it; 0 and what is no pid mean something else to it.
pub(super) fn raw(pid: Pid) -> Result<rustix::process::Pid, Errno> {
    let number = i32::try_from(pid.0).map_err(|_| Errno::ESRCH)?;
    rustix::process::Pid::from_raw(number).ok_or(Errno::EINVAL)
}

fn signal_number(signal: Signal) -> Option<rustix::process::Signal> {
    match signal {
        Signal::Probe => None,
        Signal::Stop => Some(rustix::process::Signal::STOP),
        Signal::Cont => Some(rustix::process::Signal::CONT),
        Signal::Kill => Some(rustix::process::Signal::KILL),
        Signal::Alrm => Some(rustix::process::Signal::ALARM),
    }
}

pub(super) fn kill(pid: Pid, signal: Signal) -> Reply {
    let pid = raw(pid)?;
    unit(match signal_number(signal) {
        Some(signal) => rustix::process::kill_process(pid, signal),
        None => rustix::process::test_kill_process(pid),
    })
}

pub(super) fn parent_death_signal(signal: Signal) -> Reply {
    unit(rustix::process::set_parent_process_death_signal(signal_number(signal)))
}

pub(super) fn wait(pid: Pid) -> Reply {
    let (_, status) = waitpid(Some(pid), WaitOptions::empty())?.expect(ENDED);
    Ok(Ret::Exited(status))
}

pub(super) fn wait_any() -> Reply {
    let ended = waitpid(None, WaitOptions::empty())?.expect(ENDED);
    Ok(Ret::Child(Some(ended)))
}

pub(super) fn try_wait(child: Option<Pid>) -> Reply {
    waitpid(child, WaitOptions::NOHANG).map(Ret::Child)
}

const ENDED: &str = "a wait without conditions ends with a child's end";

fn waitpid(child: Option<Pid>, options: WaitOptions) -> Result<Option<(Pid, ExitStatus)>, Errno> {
    let waited = match child {
        Some(pid) => rustix::process::waitpid(Some(raw(pid)?), options),
        // `waitpid` of none is for those of the caller's process group alone, and
        // a container's init adopts others.
        None => rustix::process::wait(options),
    };
    Ok(waited.map_err(known)?.map(|(pid, status)| {
        let status = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => ExitStatus::Code(code as u8),
            (None, Some(signal)) if signal == rustix::process::Signal::KILL.as_raw() => {
                ExitStatus::Killed
            }
            (None, Some(signal)) if signal == rustix::process::Signal::ALARM.as_raw() => {
                ExitStatus::Alarmed
            }
            (None, _) => ExitStatus::Aborted,
        };
        (Pid(pid.as_raw_pid().cast_unsigned()), status)
    }))
}

pub(super) fn child_subreaper(on: bool) -> Reply {
    unit(rustix::process::set_child_subreaper(on.then(rustix::process::getpid)))
}

impl Host {
    pub(super) fn proc_stat(&self, pid: Pid) -> Reply {
        let line = proc_file(self.proc.as_fd(), &format!("{pid}/stat"))?;
        let stat = parse_stat(&line);
        Ok(Ret::ProcStat(stat.unwrap_or_else(|| panic!("/proc/{pid}/stat says {line:?}"))))
    }

    pub(super) fn proc_status(&self, pid: Pid) -> Reply {
        let text = proc_file(self.proc.as_fd(), &format!("{pid}/status"))?;
        let status = parse_status(&text);
        Ok(Ret::ProcStatus(status.unwrap_or_else(|| panic!("/proc/{pid}/status says {text:?}"))))
    }

    pub(super) fn boot_id(&self) -> Reply {
        let text = proc_file(self.proc.as_fd(), "sys/kernel/random/boot_id")?;
        let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
        let id = u128::from_str_radix(&digits, 16);
        Ok(Ret::BootId(id.unwrap_or_else(|_| panic!("the boot id is {text:?}"))))
    }
}

impl Host {
    pub(super) fn pid_namespace(&self) -> Reply {
        let link = rustix::fs::readlinkat(&self.proc, "self/ns/pid", Vec::new()).map_err(known)?;
        let text = link.to_string_lossy();
        let number = text.strip_prefix("pid:[").and_then(|it| it.strip_suffix(']')?.parse().ok());
        Ok(Ret::Namespace(number.unwrap_or_else(|| panic!("the namespace is {text:?}"))))
    }

    /// The pid by which the machine knows this process.
    pub(super) fn outer_pid(&self) -> Reply {
        let Some(outside) = &self.outside else { return Ok(Ret::Pid(gettid())) };
        let link = rustix::fs::readlinkat(outside, "thread-self", Vec::new()).map_err(known)?;
        let text = link.to_string_lossy();
        let id = text.rsplit('/').next().and_then(|id| id.parse().ok());
        let pid = id.unwrap_or_else(|| panic!("/proc/thread-self is {text:?}"));
        Ok(Ret::Pid(Pid(pid)))
    }

    pub(super) fn hostname(&self) -> Reply {
        let name = proc_file(self.proc.as_fd(), "sys/kernel/hostname")?;
        Ok(Ret::Hostname(name.trim_end().into()))
    }
}

pub(super) fn pidfd_open(pid: Pid) -> Reply {
    let pidfd = rustix::process::pidfd_open(raw(pid)?, PidfdFlags::empty()).map_err(known)?;
    leave(pidfd)
}

pub(super) fn pidfd_send_signal(pidfd: Fd, signal: Signal) -> Reply {
    unit(super::raw::pidfd_send_signal(descriptor(pidfd)?, signal_number(signal)))
}

pub(super) fn poll(fds: &[Fd], timeout: Option<Duration>) -> Reply {
    let mut asked: Vec<(Fd, BorrowedFd<'_>)> = Vec::new();
    for fd in fds {
        let open = descriptor(*fd)?;
        if asked.iter().all(|(other, _)| other != fd) {
            asked.push((*fd, open));
        }
    }
    let mut polled: Vec<PollFd<'_>> =
        asked.iter().map(|(_, fd)| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let timeout = timeout.map(timespec);
    rustix::event::poll(&mut polled, timeout.as_ref()).map_err(known)?;
    // Not open now, or not any more: Linux says so in its own way.
    if polled.iter().any(|polled| polled.revents().contains(PollFlags::NVAL)) {
        return Err(Errno::EBADF);
    }
    let ready = asked.iter().zip(&polled).filter(|(_, polled)| !polled.revents().is_empty());
    Ok(Ret::Ready(ready.map(|((fd, _), _)| *fd).collect()))
}

/// A line of `/proc/PID/stat`: the name in it may have blanks and brackets.
fn parse_stat(line: &str) -> Option<ProcStat> {
    let (_, after_name) = line.rsplit_once(") ")?;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let state = state(fields.first()?);
    let ppid = Pid(fields.get(1)?.parse().ok()?);
    // The 22nd field of the line, of which two stand before these.
    let start_ticks = fields.get(19)?.parse().ok()?;
    Some(ProcStat { state, ppid, start_ticks })
}

/// The lines of `/proc/PID/status`, of which a name is one, whatever is in it.
fn parse_status(text: &str) -> Option<ProcStatus> {
    let words = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.map(str::split_whitespace)
    };
    let number = |key| words(key)?.next()?.parse().ok();
    Some(ProcStatus {
        state: state(words("State")?.next()?),
        tgid: Pid(number("Tgid")?),
        ppid: Pid(number("PPid")?),
        uid: Uid(number("Uid")?),
        namespace_pids: words("NSpid")?
            .map(|pid| pid.parse().ok().map(Pid))
            .collect::<Option<_>>()?,
    })
}

fn state(letter: &str) -> ProcState {
    match letter {
        "T" | "t" => ProcState::Stopped,
        "Z" | "X" => ProcState::Zombie,
        _ => ProcState::Running,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_end_of_a_name() {
        let line = "42 (a) Z (b) T 7 42 42 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 123456 0 0\n";
        let stat = parse_stat(line).unwrap();
        assert_eq!(stat.state, ProcState::Stopped);
        assert_eq!((stat.ppid, stat.start_ticks), (Pid(7), 123_456));
    }

    const STATUS: &str = "Name:\tTgid: 5\nState:\tZ (zombie)\nTgid:\t41\nNgid:\t0\nPid:\t42\n\
        PPid:\t7\nTracerPid:\t0\nUid:\t1000\t0\t0\t0\nGroups:\t \nNStgid:\t41\t2\nNSpid:\t42\t3\n";

    #[test]
    fn a_status_is_found_by_its_keys() {
        let status = ProcStatus {
            state: ProcState::Zombie,
            tgid: Pid(41),
            ppid: Pid(7),
            uid: Uid(1000),
            namespace_pids: [Pid(42), Pid(3)].into(),
        };
        assert_eq!(parse_status(STATUS), Some(status));
    }

    #[test]
    fn a_status_without_a_line_is_none() {
        for key in ["State:", "\nTgid:", "PPid:", "Uid:", "NSpid:"] {
            assert_eq!(parse_status(&STATUS.replace(key, "Other:")), None, "{key}");
        }
    }
}
