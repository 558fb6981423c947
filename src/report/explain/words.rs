use std::time::Duration;

use locklab_models::{Answers, Looks, Notes, Poster, Program};
use locklab_sim::kernel::{IoCall, Survivor};
use locklab_sim::{Action, Mishap};

/// What a program does with these parameters: a sentence without its subject.
pub(super) fn deeds(program: &Program) -> String {
    match program {
        Program::Worker(worker) => {
            let often = match worker.rounds {
                1 => String::new(),
                rounds => format!(", {rounds} times with pauses of {}", worker.rest),
            };
            format!("takes the lock {}, works {}, and releases it{often}", worker.path, worker.work)
        }
        Program::Poster(poster) => {
            let accounts: Vec<&str> = poster.accounts.iter().map(|it| it.as_str()).collect();
            let accounts = match accounts[..] {
                [account] => format!("account {account}"),
                _ => format!("the accounts {} in turn", accounts.join(", ")),
            };
            let whole_run = if poster.whole_run {
                ", and for the whole run takes the lock as well"
            } else {
                ""
            };
            format!(
                "makes {} to {accounts}, {} each, taking the account's lock for each post{whole_run}{}",
                counted(poster.posts, "post"),
                poster.post,
                spacing(poster),
            )
        }
        Program::Keeper(keeper) => format!(
            "takes the lock {}, schedules {} with pauses of {}, and releases it",
            keeper.path,
            times(keeper.ticks),
            keeper.tick,
        ),
        Program::Dispatcher(it) => format!(
            "takes the lock {}, asks {} whether {} free, has {} judged by guards that take {} each (at most {}), has {} started (at most {}), and releases the lock",
            it.path,
            it.socket,
            match it.capacity {
                1 => "its one slot is".to_owned(),
                slots => format!("one of its {slots} slots is"),
            },
            counted(it.payloads, "payload"),
            it.guard_takes,
            it.guard_limit,
            it.job,
            it.limit,
        ),
        Program::Daemon(it) => {
            let answers = match it.answers {
                Answers::Started => "",
                Answers::Early => "; it answers before it has started one",
                Answers::CutShort => "; it answers by halves",
            };
            let lag = match it.lag.get() {
                Duration::ZERO => String::new(),
                _ => format!("; a worker shows in its list {} late", it.lag),
            };
            format!(
                "listens at {}, and takes {} to start a worker, which works {}{answers}{lag}",
                it.socket, it.takes, it.work
            )
        }
        Program::Guard(it) => {
            let verdict = if it.passes { "passes" } else { "refuses" };
            format!("{verdict} {} after {}", it.payload, it.takes)
        }
        Program::Cleaner(it) => {
            let whom = if it.asks_files { "files and directories" } else { "directories" };
            let often = match it.rounds {
                1 => String::new(),
                rounds => format!(", {} with pauses of {}", times(rounds), it.every),
            };
            format!(
                "removes from {} what has not changed for {}, but for {whom} that somebody has an flock on{often}",
                it.path, it.age
            )
        }
        Program::Busy(it) => {
            format!("computes in {} with pauses of {}", counted(it.bursts, "burst"), it.pause)
        }
        Program::Stray(it) => {
            format!("leaves the file {}, if there is a directory for it", it.path)
        }
    }
}

/// How a poster keeps posts apart, if it does.
fn spacing(poster: &Poster) -> String {
    let Some(spacing) = poster.spacing else { return String::new() };
    let looks = match poster.looks {
        Looks::Inside => "inside",
        Looks::BeforeLock => "before it takes the lock",
        Looks::AtStart => "once, when it starts",
    };
    let notes = match poster.notes {
        Notes::Inside => "inside",
        Notes::AfterRelease => "when it has let go of the lock",
    };
    format!(
        "; it leaves out what is closer than {spacing} to the last post, for which it looks {looks}, and notes its own {notes}"
    )
}

/// What a fault does to a process: a sentence's end.
pub(super) fn action(action: Action) -> String {
    match action {
        Action::Stop(time) => format!("it is stopped for {}", period(time)),
        Action::Starve(time) => {
            format!("it is kept from the processor for {}, though it could run", period(time))
        }
        Action::Kill => "it is killed".to_owned(),
        Action::KillAndReuse(Duration::ZERO) => {
            "it is killed, and a stranger gets its pid at once".to_owned()
        }
        Action::KillAndReuse(time) => {
            format!("it is killed, and {} later a stranger gets its pid", period(time))
        }
        Action::KillAndRestart(time) => {
            let later = if time.is_zero() {
                "at once".to_owned()
            } else {
                format!("{} later", period(time))
            };
            format!("it is killed, and {later} it is launched anew, with the pid it had")
        }
        Action::FailIo(call) => {
            let call = match call {
                IoCall::Read => "read",
                IoCall::Write => "write",
                IoCall::Fsync => "fsync",
            };
            format!("its next {call} fails with EIO")
        }
        Action::Machine(mishap) => befalls(mishap),
    }
}

/// What happens to the machine: a sentence's end.
fn befalls(mishap: Mishap) -> String {
    match mishap {
        Mishap::Sleep(time) => format!("the machine is suspended for {}", period(time)),
        Mishap::Pause(time) => {
            format!("the machine, which is virtual, is paused for {}", period(time))
        }
        Mishap::Reboot => "the machine is rebooted".to_owned(),
        Mishap::PowerLoss(survivor) => {
            let left = match survivor {
                Survivor::Everything => "which happens to have written everything",
                Survivor::Names => "which leaves all names, and no content but what was synced",
                Survivor::Synced => "which leaves no more than it must",
            };
            format!("the machine loses its power, {left}, and boots")
        }
        Mishap::ClockForward(time) => format!("the clock is set {} forward", period(time)),
        Mishap::ClockBack(time) => format!("the clock is set {} back", period(time)),
        Mishap::FullDisk(time) => format!("the disk is full for {}", period(time)),
    }
}

pub(super) fn period(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

/// `1 stop`, `2 stops`.
pub(super) fn counted(count: u32, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

pub(super) fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

/// `first`, as people count.
pub(super) fn ordinal(nth: u32) -> String {
    match nth {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        _ => format!("{nth}th"),
    }
}
