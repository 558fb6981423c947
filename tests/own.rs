//! A lock of one's own in place of a policy: the example, and what is wrong with locks that are
//! made wrong on purpose.

#[allow(dead_code, reason = "its `main` is run by `cargo run --example ticket`")]
#[path = "../examples/ticket.rs"]
mod ticket;

mod common;

use std::fs;

use common::scenario;
use locklab::cast::Cast;
use locklab::cell::{Cell, Room, Verdict, judge_own};
use locklab::own::{Own, OwnLock, Pauses};
use locklab::scenario::PropertyName;
use locklab::scenario::PropertyName::{MutualExclusion, Progress, PromptTakeover};
use locklab::show;
use locklab_models::word::point;
use locklab_sys::{OpenFlags, SmolStr, Sys};
use ticket::Ticket;

const ROOM: Room = Room { states: 200_000, memory: Room::MEMORY };

fn verdict(cell: &Cell, property: PropertyName) -> &Verdict {
    let found = cell.properties.iter().find(|it| it.name == property);
    &found.unwrap_or_else(|| panic!("{} does not ask about {property}", cell.scenario)).verdict
}

fn judged(own: &Own, name: &str, room: Option<Room>) -> Cell {
    judge_own(&scenario(name), own, 100, room).unwrap()
}

#[test]
fn the_example_is_short() {
    let text = fs::read_to_string("examples/ticket.rs").unwrap();
    assert!(text.lines().count() < 80, "{} lines", text.lines().count());
}

#[test]
fn the_example_lets_one_in_at_a_time_in_every_run_of_two() {
    let cell = judged(&Own::new("ticket", Ticket), "two-contenders", Some(ROOM));
    let verdict = verdict(&cell, MutualExclusion);
    assert!(matches!(verdict, Verdict::Holds { states } if *states > 100), "{verdict}");
}

#[test]
fn the_example_takes_over_from_the_dead_and_waits_for_the_stopped() {
    let ticket = Own::new("ticket", Ticket);
    let cell = judged(&ticket, "dead-holder", None);
    assert!(matches!(verdict(&cell, PromptTakeover), Verdict::NotFound { .. }));
    let cell = judged(&ticket, "stopped-holder", None);
    assert!(matches!(verdict(&cell, MutualExclusion), Verdict::NotFound { .. }));
    assert!(cell.properties.iter().all(|it| it.as_expected && it.expected.is_none()));
}

/// A pid is all that a number says.
#[test]
fn the_example_falls_where_a_pid_is_reused() {
    let cell = judged(&Own::new("ticket", Ticket), "pid-reused", None);
    let verdict = verdict(&cell, Progress);
    assert!(matches!(verdict, Verdict::Violated { word, .. } if word == "STUCK"), "{verdict}");
}

#[test]
fn the_story_is_drawn_with_the_own_calls() {
    let scenario = scenario("stopped-holder");
    let cast = Cast::with_own(&scenario, &Own::new("ticket", Ticket)).unwrap();
    let shown = show::story_of(&scenario, cast);
    let lanes = locklab::report::lanes::draw(&shown.trace);
    assert!(lanes.contains("symlink") && lanes.contains("stopped for 45 s"), "{lanes}");
    assert_eq!(shown.line.policy, "ticket");
}

/// Looks whether the file is there, and makes it if not.
struct LookFirst;

impl OwnLock for LookFirst {
    type Claim = ();

    async fn acquire(&self, sys: &Sys, path: &SmolStr, pauses: Pauses) -> Option<()> {
        sys.retry(path, pauses, look).await.then_some(())
    }

    async fn release(&self, sys: &Sys, path: &SmolStr, (): ()) {
        let _ = sys.unlink(path.clone()).await;
    }
}

async fn look(sys: &Sys, path: &SmolStr, pauses: Pauses) -> std::ops::ControlFlow<bool, Pauses> {
    use std::ops::ControlFlow::{Break, Continue};
    sys.point(point::ACQUIRE);
    if sys.stat(path.clone()).await.is_ok() {
        return pauses.pause(sys).await.map_or(Break(false), Continue);
    }
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT;
    let fd = sys.open(path.clone(), flags).await.expect("there is room");
    sys.close(fd).await.expect("it is open");
    Break(true)
}

/// What a search proves it could have refuted.
#[test]
fn a_lock_that_looks_first_lets_two_in() {
    let cell = judged(&Own::new("look-first", LookFirst), "two-contenders", Some(ROOM));
    let fallen = verdict(&cell, MutualExclusion);
    assert!(matches!(fallen, Verdict::Violated { word, .. } if word == "2 IN"), "{fallen}");
    let found = cell.counterexample().expect("it has a schedule");
    assert!(found.minimal && found.schedule.to_string().contains("/look-first/"));
}

#[test]
fn a_contender_that_does_more_is_refused_by_name() {
    let ticket = Own::new("ticket", Ticket);
    for name in ["two-keepers", "nested-contenders", "record-lock-closed"] {
        let refused = judge_own(&scenario(name), &ticket, 1, None).unwrap_err();
        assert!(refused.contains(name) && refused.contains("plain worker"), "{refused}");
    }
}
