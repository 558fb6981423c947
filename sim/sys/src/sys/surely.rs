//! What cannot fail, and what is no call.

use std::sync::Arc;
use std::time::Duration;

use smol_str::SmolStr;

use super::Sys;
use crate::slot::{Event, Happening};
use crate::{Call, Clock, Errno, Image, Pid, Ret, Uid};

impl Sys {
    /// Asks what cannot fail.
    async fn ask_surely(&self, call: Call) -> Ret {
        match self.ask(call).await {
            Ok(ret) => ret,
            Err(errno) => panic!("a call that cannot fail gave {errno}"),
        }
    }

    /// `getpid`.
    pub async fn getpid(&self) -> Pid {
        match self.ask_surely(Call::Getpid).await {
            Ret::Pid(pid) => pid,
            other => panic!("getpid was answered with {other:?}"),
        }
    }

    /// `getuid`.
    pub async fn getuid(&self) -> Uid {
        match self.ask_surely(Call::Getuid).await {
            Ret::Uid(uid) => uid,
            other => panic!("getuid was answered with {other:?}"),
        }
    }

    /// `readlink /proc/self/ns/pid`: the inode number of the namespace that this
    /// process's pids belong to. A container that has been started again may have
    /// the number it had before.
    pub async fn pid_namespace(&self) -> u64 {
        match self.ask_surely(Call::PidNamespace).await {
            Ret::Namespace(number) => number,
            other => panic!("pid_namespace was answered with {other:?}"),
        }
    }

    /// `gethostname`.
    pub async fn hostname(&self) -> SmolStr {
        match self.ask_surely(Call::Hostname).await {
            Ret::Hostname(name) => name,
            other => panic!("hostname was answered with {other:?}"),
        }
    }

    /// `gettid`: that of the first thread is the pid.
    pub async fn gettid(&self) -> Pid {
        match self.ask_surely(Call::Gettid).await {
            Ret::Pid(tid) => tid,
            other => panic!("gettid was answered with {other:?}"),
        }
    }

    /// `getppid`: the parent's pid, or that of who took its place: init, or a subreaper;
    /// 0 in a container, of who was started from outside.
    pub async fn getppid(&self) -> Pid {
        match self.ask_surely(Call::Getppid).await {
            Ret::Pid(pid) => pid,
            other => panic!("getppid was answered with {other:?}"),
        }
    }

    /// `/proc/sys/kernel/random/boot_id`: another one after each boot of the machine,
    /// and the same in all its containers.
    pub async fn boot_id(&self) -> u128 {
        match self.ask_surely(Call::BootId).await {
            Ret::BootId(id) => id,
            other => panic!("boot_id was answered with {other:?}"),
        }
    }

    /// `clock_gettime`: the time since that clock's zero.
    pub async fn clock_gettime(&self, clock: Clock) -> Duration {
        match self.ask_surely(Call::ClockGettime { clock }).await {
            Ret::Time(time) => time,
            other => panic!("clock_gettime was answered with {other:?}"),
        }
    }

    /// As [`nanosleep`](Self::nanosleep); a signal that is handled ends it early.
    pub async fn sleep(&self, duration: Duration) {
        match self.nanosleep(duration).await {
            Ok(()) | Err(Errno::EINTR) => {}
            Err(errno) => panic!("a sleep that cannot fail gave {errno}"),
        }
    }

    /// `getrandom`: at most 255 bytes.
    pub async fn getrandom(&self, len: u8) -> Arc<[u8]> {
        match self.ask_surely(Call::Getrandom { len }).await {
            Ret::Bytes(bytes) => bytes,
            other => panic!("getrandom was answered with {other:?}"),
        }
    }

    /// Ends the process. Returning from its program does the same.
    pub async fn exit(&self, code: u8) -> ! {
        self.ask_surely(Call::Exit { code }).await;
        unreachable!("a process does not run after exit")
    }

    /// Ends this thread; the process goes on while it has others.
    pub async fn thread_exit(&self, code: u8) -> ! {
        self.ask_surely(Call::ThreadExit { code }).await;
        unreachable!("a thread does not run after its exit")
    }

    /// `execve`: the process runs `image` from its beginning. Pid, start time, parent,
    /// children and descriptors stay, with their locks; memory cells, other threads and
    /// the descriptors marked close-on-exec are gone.
    pub async fn exec(&self, image: Image) -> ! {
        self.ask_surely(Call::Exec { image }).await;
        unreachable!("a program does not run after exec")
    }

    /// Names this task's next call, so that a fault can be aimed at it: the
    /// fault takes effect before the call. No step.
    pub fn point(&self, name: &'static str) {
        self.0.tell(Event::Happening(Happening::Point(name)));
    }

    /// Says what has just happened, atomically with the return of the
    /// preceding call. No step.
    pub fn mark(&self, name: &'static str, subject: &SmolStr, value: i64) {
        self.0.tell(Event::Happening(Happening::Mark { name, subject: subject.clone(), value }));
    }
}
