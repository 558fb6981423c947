//! What tasks do: a step is one call of a real process.

use std::sync::Arc;
use std::time::Duration;

use locklab_sim::CallOutcome;
use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::host::Puppet;
use locklab_sys::{Call, Clock, Fd, Image, Reply, Ret, Role, Task};

use super::agreement::Drift;
use super::moves::start_ticks;
use super::{Done, Mind, PATIENCE, Parting, Real};
use crate::on_host::plan::Called;

impl Real<'_> {
    pub(super) fn call(&mut self, called: &Called) -> Done {
        let what = match &called.outcome {
            CallOutcome::Woke(_) => format!("{} returns", self.agreement.call_words(&called.call)),
            _ => self.agreement.call_words(&called.call),
        };
        let linux = self.step(called);
        Done { who: Some(called.proc), what, linux }
    }

    /// What Linux said to a call.
    fn step(&mut self, called: &Called) -> Result<String, Parting> {
        let call = self.same_call(called)?;
        // Only what passes by choice makes files older.
        self.machine.age(Duration::ZERO).map_err(Parting::not_forced)?;
        match (&call, &called.outcome) {
            (Call::Nanosleep { .. }, outcome) => self.sleep(called.task, outcome),
            (Call::Poll { timeout: Some(_), .. }, _) => self.poll(called, &call),
            (Call::Spawn { image, keep }, _) => self.fork(called, image, Some(keep)),
            (Call::Fork { image }, _) => self.fork(called, image, None),
            (_, CallOutcome::Woke(reply)) => self.must_reply(called, reply),
            (_, CallOutcome::Returned(reply)) => {
                self.order(called.proc, &call)?;
                self.must_reply(called, reply)
            }
            (_, CallOutcome::Blocked) => {
                self.order(called.proc, &call)?;
                self.must_wait(called.proc)
            }
            (_, CallOutcome::Ended) => {
                self.order(called.proc, &call)?;
                Ok("ended".to_owned())
            }
        }
    }

    /// The call that the real task makes next, which must be the simulated one's.
    fn same_call(&mut self, called: &Called) -> Result<Call, Parting> {
        let task = &self.minds[called.task.0 as usize].task;
        let call = task.pending().ok_or_else(|| {
            Parting::Differs(format!("{} makes no call any more", self.name(called.proc)))
        })?;
        let call = call.clone();
        if self.agreement.is_same_call(&called.call, &call) {
            return Ok(call);
        }
        Err(Parting::Differs(format!(
            "the program calls `{call}`, in the simulation `{}`",
            called.call
        )))
    }

    /// Nobody sleeps.
    fn sleep(&mut self, task: TaskId, outcome: &CallOutcome) -> Result<String, Parting> {
        match outcome {
            CallOutcome::Returned(reply) | CallOutcome::Woke(reply) => {
                self.resume(task, reply.clone());
            }
            CallOutcome::Blocked => self.deeds.sleeps += 1,
            CallOutcome::Ended => {}
        }
        Ok("not slept".to_owned())
    }

    /// A wait with a time-out is no wait here: it is asked when it begins, and when
    /// it ends, what is ready.
    fn poll(&mut self, called: &Called, call: &Call) -> Result<String, Parting> {
        let Call::Poll { fds, .. } = call else { unreachable!("it is a poll") };
        self.order(called.proc, &Call::Poll { fds: fds.clone(), timeout: Some(Duration::ZERO) })?;
        match &called.outcome {
            CallOutcome::Returned(reply) | CallOutcome::Woke(reply) => {
                self.must_reply(called, reply)
            }
            CallOutcome::Blocked => {
                let none = Ok(Ret::Ready([].into()));
                let there = self.reply(called.proc)?;
                if there == none {
                    Ok("nothing is ready".to_owned())
                } else {
                    Err(differ(&none, &there))
                }
            }
            CallOutcome::Ended => unreachable!("a poll ends nobody"),
        }
    }

    fn fork(
        &mut self,
        called: &Called,
        image: &Image,
        keep: Option<&Arc<[Fd]>>,
    ) -> Result<String, Parting> {
        let CallOutcome::Returned(reply) = &called.outcome else { unreachable!("a fork returns") };
        if let Some((_, born)) = &called.child {
            self.machine.next_pid(born.outer_pid).map_err(Parting::not_forced)?;
        }
        let forked = self.puppet(called.proc)?.fork(keep).map_err(Parting::lost)?;
        let there = forked.as_ref().map(|child| Ret::Pid(child.pid())).map_err(|errno| *errno);
        if let (Ok(child), Some((_, born))) = (forked, &called.child) {
            if child.outer_pid() != born.outer_pid {
                let why = format!("pid {} is not free yet", born.outer_pid);
                return Err(Parting::NotForced(why));
            }
            let ticks = [born.start_ticks, start_ticks(&child)?];
            self.welcome(*born, child, ticks);
            self.enter(born.proc, image);
        }
        self.must_be(called, reply, there)
    }

    /// A task begins.
    pub(super) fn enter(&mut self, proc: ProcId, image: &Image) {
        let mut said = Vec::new();
        let (task, cursor, _) = Task::start(image.clone(), Role::Main, &mut said);
        let id = TaskId(self.minds.len() as u32);
        self.minds.push(Mind { proc, task, cursor: Some(cursor) });
        self.said.extend(said.into_iter().map(|said| (id, said)));
    }

    fn resume(&mut self, task: TaskId, reply: Reply) {
        let mut said = Vec::new();
        let mind = &mut self.minds[task.0 as usize];
        mind.task.resume(&mut mind.cursor, reply, &mut said);
        self.said.extend(said.into_iter().map(|said| (task, said)));
    }

    fn order(&self, proc: ProcId, call: &Call) -> Result<(), Parting> {
        self.puppet(proc)?.order(call).map_err(Parting::lost)
    }

    fn reply(&self, proc: ProcId) -> Result<Reply, Parting> {
        let reply = self.puppet(proc)?.reply(PATIENCE).map_err(Parting::lost)?;
        reply.ok_or_else(|| Parting::Differs("Linux does not reply".to_owned()))
    }

    fn must_reply(&mut self, called: &Called, here: &Reply) -> Result<String, Parting> {
        let there = self.reply(called.proc)?;
        self.must_be(called, here, there)
    }

    /// The reply must be the simulated one; the program hears the real one.
    fn must_be(&mut self, called: &Called, here: &Reply, there: Reply) -> Result<String, Parting> {
        let Called { task, call, at, .. } = called;
        if !self.agreement.is_same_reply(call, here, &there) {
            return Err(differ(here, &there));
        }
        let (there, ahead) = match there {
            Ok(Ret::Time(time)) if *call == (Call::ClockGettime { clock: Clock::Realtime }) => {
                let ahead = self.agreement.since_look(*task, *at);
                (Ok(Ret::Time(time + ahead)), ahead)
            }
            there => (there, Duration::ZERO),
        };
        match self.agreement.drift(*task, *at, here, &there) {
            Drift::Small => {}
            Drift::Busy(drift) => {
                let why = format!("an age is {drift:?} off: this machine is too busy");
                return Err(Parting::NotForced(why));
            }
            Drift::Other([here, there]) => {
                return Err(Parting::Differs(format!("an age is {there:?}, not {here:?}")));
            }
        }
        let mut words = self.agreement.reply_words(call, here, &there);
        if !ahead.is_zero() {
            words = format!("{words}, told {} later", humantime::format_duration(ahead));
        }
        self.resume(*task, there);
        Ok(words)
    }

    fn must_wait(&self, proc: ProcId) -> Result<String, Parting> {
        let puppet = self.puppet(proc)?;
        if puppet.is_seen_waiting(PATIENCE).map_err(Parting::lost)? {
            return Ok("waits, and is seen to".to_owned());
        }
        let there = said(puppet)?;
        Err(Parting::Differs(format!("Linux says {there}, in the simulation it waits")))
    }

    /// Whose call cannot return does not.
    pub(super) fn still_waits(&self, task: TaskId) -> Result<(), Parting> {
        let Mind { proc, task: mind, .. } = &self.minds[task.0 as usize];
        // Waits for a time are not made here.
        if matches!(
            mind.pending(),
            Some(Call::Nanosleep { .. } | Call::Poll { timeout: Some(_), .. })
        ) {
            return Ok(());
        }
        match self.puppet(*proc)?.reply(Duration::ZERO).map_err(Parting::lost)? {
            None => Ok(()),
            Some(there) => {
                let who = self.name(*proc);
                Err(Parting::Differs(format!("{who} waits no longer: {there:?}")))
            }
        }
    }
}

fn said(puppet: &Puppet) -> Result<String, Parting> {
    let reply = puppet.reply(Duration::ZERO).map_err(Parting::lost)?;
    Ok(reply.map_or_else(|| "nothing".to_owned(), |reply| words(&reply)))
}

fn differ(here: &Reply, there: &Reply) -> Parting {
    Parting::Differs(format!("Linux says {}, the simulation {}", words(there), words(here)))
}

fn words(reply: &Reply) -> String {
    match reply {
        Ok(ret) => ret.to_string(),
        Err(errno) => errno.to_string(),
    }
}
