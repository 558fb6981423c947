//! Lanes are drawn from a trace alone: here from traces made by hand.

use std::time::Duration;

use locklab::report::lanes::draw;
use locklab_models::word::mark;
use locklab_sim::{End, Trace, TracedEvent, TracedFall, TracedOutcome, TracedProcess, TracedStep};
use locklab_sys::{
    Call, Direction, Errno, ExitStatus, Fd, Image, LockCommand, LockKind, Mode, OpenFlags, Pid,
    RecordLock, Ret, SmolStr,
};
use textwrap::core::display_width;

const LOCK: &str = "/run/lock";

/// A trace in the making.
struct Script(Trace);

impl Script {
    fn new(processes: &[&str]) -> Self {
        let processes = processes.iter().zip(1000..).map(|(name, pid)| TracedProcess {
            name: (*name).into(),
            machine: "box".into(),
            pid,
            start_ticks: 0,
        });
        Self(Trace {
            schema_version: 1,
            processes: processes.collect(),
            steps: Vec::new(),
            end: Some(End::Finished),
            falls_at_end: Vec::new(),
        })
    }

    fn push(&mut self, time_s: u64, choice: &str) -> &mut TracedStep {
        self.0.steps.push(TracedStep {
            number: self.0.steps.len() as u32 + 1,
            time_ns: time_s * 1_000_000_000,
            choice: choice.into(),
            process: None,
            points: Vec::new(),
            call: None,
            outcome: None,
            events: Vec::new(),
            notes: Vec::new(),
            falls: Vec::new(),
        });
        self.0.steps.last_mut().expect("just pushed")
    }

    fn call(
        &mut self,
        time_s: u64,
        who: &str,
        call: Call,
        outcome: TracedOutcome,
    ) -> &mut TracedStep {
        let step = self.push(time_s, who);
        step.process = Some(who.into());
        step.call = Some(call);
        step.outcome = Some(outcome);
        step
    }

    fn moved(&mut self, time_s: u64, choice: &str, event: TracedEvent) {
        self.push(time_s, choice).events.push(event);
    }

    fn sleeps(&mut self, time_s: u64, who: &str, seconds: u64) {
        let call = Call::Nanosleep { duration: Duration::from_secs(seconds) };
        self.call(time_s, who, call, TracedOutcome::Waits);
    }

    /// A round of polling for a claim that is held.
    fn polls(&mut self, time_s: u64, who: &str) {
        self.call(time_s, who, create(), TracedOutcome::Failed(Errno::EEXIST));
        self.sleeps(time_s, who, 1);
    }

    fn enters(&mut self, time_s: u64, who: &str, ino: u64) -> &mut TracedStep {
        let step = self.call(time_s, who, create(), TracedOutcome::Returned(Ret::Fd(Fd(3))));
        step.events = vec![added(who, ino), said(who, mark::ENTERED)];
        step
    }

    fn draw(&self) -> String {
        plain(&draw(&self.0))
    }
}

/// The text without its colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn create() -> Call {
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
    Call::Open { path: LOCK.into(), flags, mode: Mode::FILE }
}

fn unlink() -> Call {
    Call::Unlink { path: LOCK.into() }
}

fn added(who: &str, ino: u64) -> TracedEvent {
    TracedEvent::NameAdded {
        path: LOCK.into(),
        ino,
        maker: who.into(),
        by: who.into(),
        exclusive: true,
    }
}

fn removed(maker: &str, by: &str) -> TracedEvent {
    TracedEvent::NameRemoved { path: LOCK.into(), ino: 5, maker: maker.into(), by: by.into() }
}

fn said(who: &str, name: &'static str) -> TracedEvent {
    TracedEvent::Mark { process: who.into(), name, subject: LOCK.into(), value: 1 }
}

fn starts(who: &str, pid: u32) -> TracedEvent {
    TracedEvent::Started { process: who.into(), pid }
}

fn ok() -> TracedOutcome {
    TracedOutcome::Returned(Ret::Unit)
}

#[test]
fn a_stopped_holder_is_robbed() {
    let mut script = Script::new(&["holder", "waiter"]);
    script.moved(0, "launch:holder", starts("holder", 1000));
    script.enters(0, "holder", 5);
    let stopped = TracedEvent::Stopped { process: "holder".into() };
    script.moved(0, "fault:holder@entered:stop.45s", stopped);
    script.moved(1, "launch:waiter", starts("waiter", 1001));
    for second in 1..=30 {
        script.polls(second, "waiter");
    }
    let step = script.call(31, "waiter", unlink(), ok());
    step.notes = vec!["the claim is 31s old: stale".to_owned()];
    step.events = vec![removed("holder", "waiter")];
    script.enters(31, "waiter", 6).falls = vec![TracedFall {
        property: "mutual-exclusion".into(),
        message: "2 are inside at once".to_owned(),
    }];
    script.moved(45, "cont:holder", TracedEvent::Continued { process: "holder".into() });
    script.sleeps(45, "holder", 5);
    script.call(50, "holder", unlink(), ok()).events =
        vec![removed("waiter", "holder"), said("holder", mark::LEAVING)];
    let killed = TracedEvent::Ended { process: "waiter".into(), status: ExitStatus::Killed };
    script.moved(50, "kill:waiter", killed);
    insta::assert_snapshot!(script.draw());
}

#[test]
fn polling_folds_only_while_nothing_else_happens() {
    let mut script = Script::new(&["holder", "waiter"]);
    script.enters(0, "holder", 5);
    for second in 1..=10 {
        script.polls(second, "waiter");
    }
    script.moved(10, "stop:waiter", TracedEvent::Stopped { process: "waiter".into() });
    script.moved(20, "cont:waiter", TracedEvent::Continued { process: "waiter".into() });
    for second in 20..=40 {
        script.polls(second, "waiter");
    }
    let drawn = script.draw();
    assert!(drawn.contains("… 9 more polls"), "{drawn}");
    assert!(drawn.contains("… 20 more polls"), "the round after the stop is shown\n{drawn}");
    assert_eq!(drawn.matches("sleep 1 s").count(), 2, "{drawn}");
}

#[test]
fn two_who_poll_at_once_fold_together() {
    let mut script = Script::new(&["one", "two"]);
    for second in 1..=9 {
        script.polls(second, "one");
        script.polls(second, "two");
    }
    let drawn = script.draw();
    let folded: Vec<&str> = drawn.lines().filter(|line| line.contains("more polls")).collect();
    assert_eq!(folded.len(), 1, "{drawn}");
    assert_eq!(folded[0].matches("… 8 more polls").count(), 2, "{drawn}");
    assert!(folded[0].starts_with("to 9 s"), "{drawn}");
}

#[test]
fn who_does_not_fit_is_named() {
    let names: Vec<String> = (1..=9).map(|number| format!("process{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut script = Script::new(&names);
    for name in &names {
        script.moved(0, "launch", starts(name, 1000));
    }
    script.enters(1, "process9", 5);
    let drawn = script.draw();
    assert!(drawn.lines().all(|line| display_width(line) <= 100), "{drawn}");
    assert!(drawn.contains("process9"), "the busiest is drawn\n{drawn}");
    assert!(drawn.contains("No room for the lanes of process4, "), "{drawn}");
    assert!(drawn.contains("● process9's"), "{drawn}");
}

#[test]
fn what_a_file_holds_cannot_break_the_picture() {
    let mut script = Script::new(&["holder", "waiter"]);
    script.enters(0, "holder", 5);
    for data in ["\u{1b}[31mred\n\n", "鎖が壊れた鎖が壊れた鎖が壊れた", "\u{7f}\0\t"]
    {
        let data: std::sync::Arc<[u8]> = data.as_bytes().into();
        let read = TracedOutcome::Returned(Ret::Bytes(data.clone()));
        script.call(1, "holder", Call::Write { fd: Fd(3), data }, ok());
        script.call(1, "waiter", Call::Read { fd: Fd(9), len: 99 }, read);
    }
    let drawn = draw(&script.0);
    assert!(!drawn.contains("\u{1b}[31mred"));
    let drawn = plain(&drawn);
    assert!(drawn.lines().all(|line| display_width(line) <= 80), "{drawn}");
}

#[test]
fn an_abort_a_gift_of_a_pid_and_passing_time_are_seen() {
    let mut script = Script::new(&["holder", "stranger1"]);
    let step = script.enters(0, "holder", 5);
    step.events.push(TracedEvent::Aborted {
        process: "holder".into(),
        message: SmolStr::new("no such directory"),
    });
    let aborted = TracedEvent::Ended { process: "holder".into(), status: ExitStatus::Aborted };
    step.events.push(aborted);
    script.moved(1, "reuse:holder", starts("stranger1", 1000));
    script.push(2, "until:2s");
    let drawn = script.draw();
    assert!(drawn.contains("× ABORTS: no such"), "{drawn}");
    assert!(drawn.contains("is given pid 1000"), "{drawn}");
    assert!(drawn.contains("2 s   ~ time passes, while somebody could have run ~"), "{drawn}");
}

/// A child has no lane of its own: what it does stands in its parent's.
#[test]
fn a_child_speaks_in_its_parents_lane() {
    let mut script = Script::new(&["boss", "boss/guard.1", "other"]);
    script.moved(0, "launch:boss", starts("boss", 1000));
    script.moved(0, "launch:other", starts("other", 1002));
    let spawn = Call::Spawn { image: Image::new("guard", "", |_| async { 0 }), keep: [].into() };
    let step = script.call(0, "boss", spawn, TracedOutcome::Returned(Ret::Pid(Pid(1001))));
    step.events = vec![starts("boss/guard.1", 1001)];
    script.enters(0, "other", 5);
    script.sleeps(0, "boss/guard.1", 9);
    script.moved(3, "stop:boss/guard.1", TracedEvent::Stopped { process: "boss/guard.1".into() });
    let killed = TracedEvent::Ended { process: "boss/guard.1".into(), status: ExitStatus::Killed };
    script.moved(4, "kill:boss/guard.1", killed);
    insta::assert_snapshot!(script.draw());
}

#[test]
fn a_starved_holder_and_a_wait_with_a_limit_are_seen() {
    let mut script = Script::new(&["holder", "waiter"]);
    script.moved(0, "launch:holder", starts("holder", 1000));
    script.enters(0, "holder", 5);
    let process = SmolStr::from("holder");
    let starved = TracedEvent::Starved { process: process.clone() };
    script.moved(0, "fault:holder@entered:starve.40s", starved);
    script.moved(1, "launch:waiter", starts("waiter", 1001));
    let limit = Call::SetTimeout {
        fd: Fd(4),
        of: Direction::Receive,
        timeout: Some(Duration::from_secs(15)),
    };
    script.call(1, "waiter", limit, TracedOutcome::Returned(Ret::Unit));
    let recv = Call::Recv { fd: Fd(4), len: 256 };
    script.call(1, "waiter", recv.clone(), TracedOutcome::Waits);
    script.call(16, "waiter", recv, TracedOutcome::Failed(Errno::EAGAIN));
    script.moved(40, "feed:holder", TracedEvent::Fed { process });
    insta::assert_snapshot!(script.draw());
}

/// A thread has no lane either: it is told from its process by its number.
#[test]
fn a_thread_speaks_in_its_processs_lane() {
    let mut script = Script::new(&["pool", "other"]);
    script.moved(0, "launch:pool", starts("pool", 1000));
    script.moved(0, "launch:other", starts("other", 1002));
    let thread = Call::SpawnThread { image: Image::new("worker", "", |_| async { 0 }) };
    let step = script.call(0, "pool", thread, TracedOutcome::Returned(Ret::Pid(Pid(1001))));
    step.events = vec![TracedEvent::ThreadStarted { thread: "pool#2".into() }];
    script.enters(0, "pool#2", 5).events = vec![added("pool", 5), said("pool#2", mark::ENTERED)];
    script.call(0, "pool", create(), TracedOutcome::Failed(Errno::EEXIST)).events =
        vec![said("pool", mark::ENTERED)];
    let step = script.call(1, "pool#2", Call::ThreadExit { code: 0 }, TracedOutcome::Ended);
    step.events = vec![TracedEvent::ThreadEnded { thread: "pool#2".into() }];
    insta::assert_snapshot!(script.draw());
}

#[test]
fn record_locks_and_an_alarm_are_seen() {
    let mut script = Script::new(&["holder", "waiter"]);
    let open = Call::Open { path: "/run/lock".into(), flags: OpenFlags::RDWR, mode: Mode::FILE };
    let whole = RecordLock { kind: LockKind::Write, start: 0, len: 0 };
    let part = RecordLock { kind: LockKind::Read, start: 8, len: 2 };
    let fcntl = |fd, command, lock| Call::Fcntl { fd: Fd(fd), command, lock };
    let fd = |fd| TracedOutcome::Returned(Ret::Fd(Fd(fd)));
    script.call(0, "holder", open, fd(3));
    script.call(0, "holder", Call::Dup { fd: Fd(3) }, fd(4));
    let waits = fcntl(4, LockCommand::SetWait, whole);
    script.call(1, "holder", waits, TracedOutcome::Waits);
    let tries = fcntl(4, LockCommand::OfdSet, part);
    script.call(2, "holder", tries, TracedOutcome::Failed(Errno::EAGAIN));
    let after = Duration::from_secs(5);
    script.call(3, "waiter", Call::Setitimer { after }, TracedOutcome::Returned(Ret::Unit));
    let ended = TracedEvent::Ended { process: "waiter".into(), status: ExitStatus::Alarmed };
    script.moved(8, "jump", ended);
    let drawn = script.draw();
    assert!(drawn.contains("setlkw lock WR … waits"), "{drawn}");
    assert!(drawn.contains("ofd_setlk lock RD 8+2"), "{drawn}");
    assert!(drawn.contains("setitimer 5 s"), "{drawn}");
    assert!(drawn.contains("× ENDED by SIGALRM"), "{drawn}");
}
