//! A machine of its own for real processes: namespaces, and a directory as root.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::process::{Resource, Rlimit, WaitOptions};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::age::Ages;
use super::channel::Channel;
use super::container::Containers;
use super::disk::{self, Disk, Folder};
use super::exec::Home;
use super::outside::Deed;
use super::puppet::{self, Forked, Puppet};
use super::{Host, own, raw};
use crate::{Errno, Pid, Reply, Ret, Uid};

/// Real processes in pid and mount namespaces of their own (and in a user
/// namespace, when not started by root), with a root directory that has `/tmp`
/// and `/run` alone.
///
/// Their init follows a leader as they do. When the leader goes, however it
/// does, init clears the disk and ends, and Linux ends all others with it.
pub struct Machine {
    /// `None` once it is told to go.
    channel: Option<Channel>,
    has_users: bool,
    init: rustix::process::Pid,
    proc: Arc<OwnedFd>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Order {
    /// Kills all others and empties the disk; the next process gets this pid.
    Reset { next: Pid },
    /// Starts a process, which follows the channel that comes with the order.
    Launch { uid: Uid, container: Option<SmolStr> },
    /// Lets the next process or thread have this pid, if it is free.
    NextPid { next: Pid },
    /// Empties the disk, for so many directories `/0`, `/1`, …
    Rooms { count: usize },
    /// Does something to processes or files.
    Outside(Deed),
}

/// As a simulated machine is called by default.
const HOSTNAME: &[u8] = b"box";

/// Longer than anything here takes on a machine that is not stuck.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

impl Machine {
    /// A machine that has just booted.
    ///
    /// # Errors
    ///
    /// When this one does not allow it, in words: which step of the set-up
    /// failed, and how.
    ///
    /// # Panics
    ///
    /// When this process has several threads.
    pub fn boot(disk: &Disk) -> Result<Self, String> {
        let failed = |error: io::Error| format!("a process for it: {error}");
        let (ours, theirs) = Channel::pair().map_err(failed)?;
        let mut namespaces = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWUTS;
        let user = User::unless_root();
        let has_users = user.is_none();
        if user.is_some() {
            namespaces |= libc::CLONE_NEWUSER;
        }
        let is_alone = raw::has_one_thread().map_err(failed)?;
        assert!(is_alone, "a process with several threads cannot be copied");
        let Some(init) = raw::fork_into(namespaces).map_err(failed)? else {
            let lived = panic::catch_unwind(AssertUnwindSafe(|| Init::live(&theirs, disk, user)));
            raw::exit(if lived.is_ok() { 0 } else { 101 });
        };
        drop(theirs);
        // From here on it ends when the channel does.
        let booted = ours.receive::<Result<(), String>>();
        let proc = match booted.map_err(|error| error.to_string())? {
            Some((Ok(()), Some(proc))) => Arc::new(proc),
            Some((Err(why), _)) => return Err(why),
            _ => return Err("its init has ended".to_owned()),
        };
        Ok(Self { channel: Some(ours), has_users, init, proc })
    }

    /// Ends all processes and empties the disk; the next process has this pid.
    ///
    /// # Errors
    ///
    /// When init fails to do so.
    pub fn reset(&self, next: Pid) -> io::Result<()> {
        self.tell(&Order::Reset { next }, None)?.map(|_| ()).map_err(io::Error::from)
    }

    /// Lets the next process have this pid, if it is free.
    ///
    /// # Errors
    ///
    /// When init fails to do so.
    pub fn next_pid(&self, next: Pid) -> io::Result<()> {
        self.tell(&Order::NextPid { next }, None)?.map(|_| ()).map_err(io::Error::from)
    }

    /// Empties the disk, but for so many empty directories, which are returned.
    ///
    /// # Errors
    ///
    /// When init fails to do so.
    pub fn rooms(&self, count: usize) -> io::Result<Vec<SmolStr>> {
        self.tell(&Order::Rooms { count }, None)??;
        Ok((0..count).map(disk::room).collect())
    }

    /// Whether processes can be other users' than root's.
    pub fn has_users(&self) -> bool {
        self.has_users
    }

    /// Init starts a process of a user, which has nothing open and a session of its
    /// own; in a container, which starts with it unless it runs.
    ///
    /// # Errors
    ///
    /// When there is no process to be had.
    pub fn launch(&self, uid: Uid, container: Option<&SmolStr>) -> io::Result<Puppet> {
        let (ours, theirs) = Channel::pair()?;
        let order = Order::Launch { uid, container: container.cloned() };
        match self.tell(&order, Some(&theirs))? {
            Ok(Ret::Pid(_)) => {
                drop(theirs);
                Puppet::new(ours, Arc::clone(&self.proc))
            }
            other => Err(io::Error::other(format!("a launch gave {other:?}"))),
        }
    }

    pub(super) fn tell(&self, order: &Order, passed: Option<&Channel>) -> io::Result<Reply> {
        let channel = self.channel.as_ref().expect("a machine that runs has a channel");
        channel.send(order, passed.map(AsFd::as_fd))?;
        if channel.has_news(PATIENCE)?
            && let Some((reply, _)) = channel.receive()?
        {
            return Ok(reply);
        }
        Err(io::Error::other("the machine's init has ended"))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.channel = None;
        // Nobody else waits for it.
        let _ = rustix::process::waitpid(Some(self.init), WaitOptions::empty());
    }
}

/// The first process of a machine.
struct Init {
    host: Arc<Host>,
    channel: Channel,
    containers: Containers,
    ages: Ages,
    has_users: bool,
    /// What is to be removed in the end.
    folder: Option<Folder>,
}

impl Init {
    /// Until the leader is gone.
    fn live(theirs: &Channel, disk: &Disk, user: Option<User>) {
        let has_users = user.is_none();
        raw::close_all_but(&[theirs.number()]);
        let Ok(channel) = theirs.moved() else { return };
        let (host, folder) = match Self::set_up(disk, user) {
            Ok(done) => done,
            Err(why) => {
                // A leader that is gone does not mind.
                let _ = channel.send(&Err::<(), _>(why), None);
                return;
            }
        };
        if channel.send(&Ok::<(), String>(()), Some(host.proc.as_fd())).is_ok() {
            let Ok(containers) = Containers::new(host.proc.as_fd()) else { return };
            let host = Arc::new(host);
            let ages = Ages::new();
            let mut init = Self { host, channel, containers, ages, has_users, folder };
            // What cannot be done ends the machine, as a leader that goes does.
            let _ = init.obey();
            init.clear_up();
        }
    }

    fn set_up(disk: &Disk, user: Option<User>) -> Result<(Host, Option<Folder>), String> {
        let has_users = user.is_none();
        if let Some(user) = user {
            user.become_root().map_err(step("a user namespace"))?;
        }
        rustix::process::setsid().map_err(|error| step("a session")(error.into()))?;
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change("/", private)
            .map_err(|error| step("mounts of its own")(error.into()))?;
        rustix::mount::mount("proc", "/proc", "proc", MountFlags::empty(), None)
            .map_err(|error| step("a /proc of its own")(error.into()))?;
        let mut host = Host::new().map_err(step("its /proc"))?;
        rustix::system::sethostname(HOSTNAME).map_err(|error| step("a name")(error.into()))?;
        rustix::process::umask(Mode::from_raw_mode(0o022));
        raw::reap_children(true);
        limit_descriptors().map_err(step("a limit of descriptors"))?;
        let (root, folder) = disk::root_on(disk).map_err(step("a directory for its disk"))?;
        match Self::move_in(&mut host, &root, has_users) {
            Ok(()) => Ok((host, folder)),
            Err(why) => {
                folder.map(Folder::remove);
                Err(why)
            }
        }
    }

    fn move_in(host: &mut Host, root: &Path, has_users: bool) -> Result<(), String> {
        host.home = Some(Home::look_around(root).map_err(step("its program"))?);
        rustix::process::chroot(root).map_err(|error| step("a root directory")(error.into()))?;
        rustix::process::chdir("/").map_err(|error| step("its root directory")(error.into()))?;
        disk::furnish(has_users).map_err(step("/tmp and /run"))
    }

    fn obey(&mut self) -> io::Result<()> {
        while let Some((order, passed)) = self.channel.receive()? {
            let done = match order {
                Order::Reset { next } => self.reset(next).map(|()| Ret::Unit),
                Order::NextPid { next } => self.next_pid(next).map(|()| Ret::Unit),
                Order::Rooms { count } => disk::make_rooms(count).map(|()| Ret::Unit),
                Order::Outside(deed) => deed.perform(&self.host, &mut self.ages),
                Order::Launch { uid, container } => {
                    let passed = passed.expect("a process has a channel of its own");
                    let new = Channel::over(own(passed)?);
                    let reply = self.launch(uid, container.as_ref(), new)?;
                    self.channel.send(&reply, None)?;
                    continue;
                }
            };
            let reply: Reply = done.map_err(|error| super::known_error(&error));
            self.channel.send(&reply, None)?;
        }
        Ok(())
    }

    fn launch(
        &mut self,
        uid: Uid,
        container: Option<&SmolStr>,
        channel: Channel,
    ) -> io::Result<Reply> {
        let mut ours = self.host.numbers();
        ours.push(channel.number());
        let forked = match container {
            None => puppet::fork(Some(&[]), &ours),
            Some(name) => self.containers.fork(name, self.host.proc.as_fd(), &ours)?,
        };
        if let Forked::Parent(reply) = forked {
            return Ok(reply);
        }
        rustix::process::setsid()?;
        // Where there is root alone, Linux refuses even to become root.
        let become_user = || if self.has_users { raw::setuid(uid) } else { Ok(()) };
        match container {
            None => {
                become_user()?;
                self.host.threads.begin();
                puppet::follow(Arc::clone(&self.host), channel)
            }
            Some(name) => {
                let host = self.host.contained(name)?;
                become_user()?;
                host.threads.begin();
                puppet::follow(Arc::new(host), channel)
            }
        }
    }

    fn reset(&mut self, next: Pid) -> io::Result<()> {
        raw::kill_all_others();
        self.containers.clear();
        disk::empty("/")?;
        disk::furnish(self.has_users)?;
        self.ages = Ages::new();
        self.next_pid(next)
    }

    fn next_pid(&self, next: Pid) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let file = "sys/kernel/ns_last_pid";
        let last = rustix::fs::openat(&self.host.proc, file, flags, Mode::empty())?;
        rustix::io::write(&last, (next.0 - 1).to_string().as_bytes())?;
        Ok(())
    }

    /// Leaves nothing behind.
    fn clear_up(self) {
        raw::kill_all_others();
        self.folder.map(Folder::remove);
    }
}

/// What fails, and how.
fn step(what: &'static str) -> impl Fn(io::Error) -> String {
    move |error| format!("{what}: {error}")
}

/// Who starts a machine without being root: it is root inside.
struct User {
    uid: rustix::process::Uid,
    gid: rustix::process::Gid,
}

impl User {
    fn unless_root() -> Option<Self> {
        let uid = rustix::process::geteuid();
        (!uid.is_root()).then(|| Self { uid, gid: rustix::process::getegid() })
    }

    /// In a user namespace that is new.
    fn become_root(&self) -> io::Result<()> {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("0 {} 1", self.uid.as_raw()))?;
        fs::write("/proc/self/gid_map", format!("0 {} 1", self.gid.as_raw()))
    }
}

fn limit_descriptors() -> io::Result<()> {
    let limit = Rlimit {
        current: Some(u64::from(super::LIMIT)),
        ..rustix::process::getrlimit(Resource::Nofile)
    };
    Ok(rustix::process::setrlimit(Resource::Nofile, limit)?)
}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno as i32)
    }
}
