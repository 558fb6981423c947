//! What follows from a step on its own.

use super::*;

impl Trial<'_> {
    /// What follows from a step on its own: signals arrive, and whoever need
    /// not wait any longer returns.
    pub(super) fn settle(&mut self) -> Result<(), TestCaseError> {
        for who in 0..self.puppets.len() {
            // A parent that waits takes a zombie at once.
            self.must_be(who, |state| matches!(state, Some('Z') | None))?;
            if self.kernel.has_ended(Self::task(who)) {
                self.owed[who] = None;
                self.waiting[who] = None;
            } else if !self.process(who).is_stopped()
                && let Some((call, reply)) = self.owed[who].take()
            {
                self.must_reply(who, &call, &reply)?;
            }
            self.begin_again(who)?;
        }
        loop {
            let returned = self.returned()?;
            if self.is_lost {
                return Ok(());
            }
            if returned.is_empty() {
                break;
            }
            let waited = |who: usize| matches!(self.waiting[who], Some(Call::Fcntl { .. }));
            self.locks_came_together |= returned.iter().filter(|(who, _)| waited(*who)).count() > 1;
            for (who, real) in self.in_order(returned) {
                prop_assert!(
                    self.kernel.ready(Self::task(who)),
                    "{who} waits here, {real:?} there"
                );
                let reply = self.kernel.finish(Self::task(who));
                let call = self.waiting[who].take().expect("who returns has waited");
                self.counts.borrow_mut().count(&call, &reply);
                self.must_agree(who, &call, &reply, &real)?;
            }
        }
        for who in 0..self.puppets.len() {
            let is_zombie = matches!(self.process(who).state, State::Zombie(_));
            self.must_be(who, |state| state == is_zombie.then_some('Z'))?;
            if let Some(call) = &self.waiting[who] {
                // A signal may have made it begin again.
                let is_stopped = self.process(who).is_stopped();
                let waits =
                    is_stopped || self.puppets[who].is_seen_waiting(PATIENCE).map_err(failed)?;
                let news = self.puppets[who].reply(Duration::ZERO).map_err(failed)?;
                prop_assert!(waits && news.is_none(), "{call:?} of {who} waits here, not {news:?}");
            }
        }
        let files: Vec<u64> = self.kernel.inodes(BOX).collect();
        let sockets: Vec<u64> = self.kernel.socket_numbers(BOX).collect();
        self.inodes.keep(&files, &sockets);
        Ok(())
    }

    /// After a stop, or a handler, calls that wait begin again: before anybody else moves.
    fn begin_again(&mut self, who: usize) -> Result<(), TestCaseError> {
        let is_stopped = self.process(who).is_stopped();
        let was_stopped = std::mem::replace(&mut self.halted[who], is_stopped);
        let task = Self::task(who);
        let is_to_be_made = self.waiting[who].is_some() && !self.kernel.is_blocked(task);
        if is_stopped || !(was_stopped || is_to_be_made) {
            return Ok(());
        }
        let Some(call) = self.waiting[who].take() else { return Ok(()) };
        if !self.kernel.is_blocked(task) {
            // What its descriptor stands for has changed, or its place in a queue
            // is lost: it is made once more.
            match self.kernel.call(task, &call) {
                Outcome::Done(reply) => return self.must_reply(who, &call, &reply),
                Outcome::Blocked => {}
                other => unreachable!("no call that waits gives {other:?}"),
            }
        }
        // It may have a time-out by now.
        self.let_time_pass();
        if !self.kernel.ready(task) {
            self.puppets[who].until(|state| state == Some('S')).map_err(failed)?;
            self.puppets[who].is_seen_waiting(PATIENCE).map_err(failed)?;
        }
        self.waiting[who] = Some(call);
        Ok(())
    }

    /// A process that is not alive or stopped becomes so there, too.
    fn must_be(
        &self,
        who: usize,
        ended: impl Fn(Option<char>) -> bool,
    ) -> Result<(), TestCaseError> {
        let (task, process, puppet) = (Self::task(who), self.process(who), &self.puppets[who]);
        let is_main = self.kernel.is_main(task);
        if !is_main && puppet.pid() == process.pid {
            // It was the main thread until another called exec.
            Ok(())
        } else if self.kernel.has_ended(task) {
            match (is_main, process.is_alive()) {
                (true, false) => puppet.until(ended),
                (true, true) => puppet.until(|state| state == Some('Z')),
                (false, _) => puppet.until(|state| state.is_none()),
            }
            .map_err(failed)
        } else if process.is_stopped() {
            self.puppets[who].until(|state| state == Some('T')).map_err(failed)
        } else {
            Ok(())
        }
    }

    /// Who returns of those who waited and need not any longer: of some who
    /// want the same, Linux picks. None of the others is on its way.
    fn returned(&mut self) -> Result<Vec<(usize, Reply)>, TestCaseError> {
        let ready: Vec<usize> = (0..self.puppets.len())
            .filter(|who| self.kernel.ready(Self::task(*who)) && !self.process(*who).is_stopped())
            .collect();
        let mut returned = Vec::new();
        let looks = PATIENCE.as_millis() / MOMENT.as_millis();
        for look in 0..looks {
            for who in &ready {
                let within = if look == 0 { Duration::ZERO } else { MOMENT };
                returned
                    .extend(self.puppets[*who].reply(within).map_err(failed)?.map(|it| (*who, it)));
                if !returned.is_empty() {
                    break;
                }
            }
            if ready.is_empty() || !returned.is_empty() {
                break;
            }
        }
        let is_stuck = returned.is_empty() && !ready.is_empty();
        if is_stuck && self.is_another_told_of_the_deadlock(&ready)? {
            self.is_lost = true;
            return Ok(returned);
        }
        prop_assert!(!is_stuck, "{ready:?} return here, not there: {:?}", self.waiting);
        for who in ready {
            let is_first = returned.iter().any(|(first, _)| *first == who);
            if !is_first && !self.puppets[who].is_seen_waiting(PATIENCE).map_err(failed)? {
                let reply = self.puppets[who].reply(PATIENCE).map_err(failed)?;
                returned.extend(reply.map(|it| (who, it)));
            }
        }
        Ok(returned)
    }

    /// Whether whoever is to return here would be told of a deadlock, and there somebody
    /// else of the ring was: those who are woken at once look again in any order, and
    /// who looks last is told.
    fn is_another_told_of_the_deadlock(&self, ready: &[usize]) -> Result<bool, TestCaseError> {
        let is_victim =
            |who: &usize| self.kernel.clone().finish(Self::task(*who)) == Err(Errno::EDEADLK);
        if !ready.iter().all(is_victim) {
            return Ok(false);
        }
        for who in (0..self.puppets.len()).filter(|who| self.waiting[*who].is_some()) {
            if self.puppets[who].reply(Duration::ZERO).map_err(failed)? == Some(Err(Errno::EDEADLK))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Those who have returned, in an order in which they could: it need not be
    /// that in which they were heard of.
    fn in_order(&self, returned: Vec<(usize, Reply)>) -> Vec<(usize, Reply)> {
        order::possible(&self.kernel, &returned).unwrap_or(returned)
    }
}
