//! Calls for an uncontended acquisition and for a takeover.

use locklab_models::word::mark;
use locklab_sim::TracedEvent;
use locklab_sys::{Call, Errno};

use crate::trace::LOCK;
use crate::trace::{Story, claim_of, removes, says, unlink};

fn pause() -> Call {
    Call::Nanosleep { duration: std::time::Duration::from_secs(1) }
}

fn stat() -> Call {
    Call::Stat { path: LOCK.into() }
}

/// Somebody wants the lock and gets it by two calls.
fn two_calls(story: &mut Story, who: &str) {
    story.says(1, who, mark::WAITING).calls(1, who, Call::Getpid).at_acquire();
    story.calls(1, who, stat()).and(claim_of(who)).and(says(who, mark::ENTERED, LOCK));
}

#[test]
fn the_calls_from_the_wish_to_the_entry_are_counted() {
    let mut story = Story::new();
    story.calls(0, "one", Call::Getpid);
    two_calls(&mut story, "one");
    story.calls(2, "one", stat()).leaves(3, "one");
    let metrics = story.metrics();
    assert_eq!(
        (metrics.uncontended_calls.least(), metrics.uncontended_calls.most()),
        (Some(2), Some(2))
    );
    assert_eq!(metrics.takeover_calls.count(), 0);
}

#[test]
fn memory_is_no_call_and_a_call_that_waits_is_one() {
    let mut story = Story::new();
    story.says(1, "one", mark::WAITING);
    let cell = || "count".into();
    story.calls(1, "one", Call::CellRead { cell: cell() });
    story.blocks(1, "one", pause()).calls(2, "one", pause());
    story.calls(2, "one", Call::CellWrite { cell: cell(), value: 1 });
    story.calls(2, "two", Call::Getpid);
    story.says(2, "one", mark::ENTERED);
    assert_eq!(story.metrics().uncontended_calls.median(), Some(1));
}

#[test]
fn a_file_that_is_not_there_stands_in_nobodys_way() {
    let failing = |errno| {
        let mut story = Story::new();
        story.says(1, "one", mark::WAITING).fails(1, "one", unlink(), errno);
        story.says(1, "one", mark::ENTERED);
        story.metrics().uncontended_calls.median()
    };
    assert_eq!(failing(Errno::ENOENT), Some(1));
    assert_eq!(failing(Errno::EEXIST), None);
    assert_eq!(failing(Errno::EAGAIN), None);
}

#[test]
fn somebody_who_is_inside_or_comes_in_between_stands_in_the_way() {
    let mut story = Story::new();
    story.gets_in(0, "two");
    two_calls(&mut story, "one");
    assert_eq!(story.metrics().uncontended_calls.count(), 1, "that of the first alone");

    let mut story = Story::new();
    story.says(0, "one", mark::WAITING).says(1, "two", mark::WAITING);
    story.calls(2, "one", stat()).says(2, "one", mark::ENTERED);
    assert_eq!(story.metrics().uncontended_calls.count(), 0);

    let mut story = Story::new();
    story.gets_in(0, "two").says(1, "two", mark::LEAVING);
    two_calls(&mut story, "one");
    assert_eq!(story.metrics().uncontended_calls.count(), 1, "nobody has done with it");
}

#[test]
fn a_claim_that_was_left_behind_stands_in_the_way() {
    let left = |also_removed: bool| {
        let mut story = Story::new();
        story.happens(0, vec![claim_of("zero")]);
        if also_removed {
            story.happens(0, vec![removes("zero", "zero")]);
        }
        two_calls(&mut story, "one");
        story.metrics().uncontended_calls.median()
    };
    assert_eq!(left(false), None);
    assert_eq!(left(true), Some(2));
}

#[test]
fn an_inner_acquisition_is_not_uncontended() {
    let mut story = Story::new();
    two_calls(&mut story, "one");
    story.says(2, "one", mark::WAITING).says(2, "one", mark::ENTERED);
    assert_eq!(story.metrics().uncontended_calls.count(), 1);
}

/// One prepares with a call, polls with two and a pause as often as is said, and removes the
/// claim of the dead zero in another attempt of three; one more call follows.
fn takeover(polls: u32) -> Story {
    let mut story = Story::new();
    story.happens(0, vec![claim_of("zero")]);
    story.says(1, "one", mark::WAITING).calls(1, "one", Call::Getpid);
    for _ in 0..polls {
        story.fails(1, "one", stat(), Errno::EEXIST).at_acquire();
        story.calls(1, "one", stat()).blocks(1, "one", pause()).calls(2, "one", pause());
    }
    story.fails(2, "one", stat(), Errno::EEXIST).at_acquire();
    story.calls(2, "one", stat()).calls(2, "one", unlink()).and(removes("one", "zero"));
    story
}

#[test]
fn a_takeover_is_what_prepares_it_and_the_attempt_that_removes() {
    for polls in [0, 1, 7] {
        let mut story = takeover(polls);
        story.calls(2, "one", stat()).at_acquire().and(says("one", mark::ENTERED, LOCK));
        let metrics = story.metrics();
        assert_eq!(metrics.takeover_calls.median(), Some(5), "{polls} polls before");
        assert_eq!(metrics.uncontended_calls.count(), 0);
    }
}

#[test]
fn who_is_overtaken_has_taken_nothing_over() {
    let mut story = takeover(1);
    story.gets_in(2, "two").leaves(3, "two");
    story.calls(4, "one", stat()).at_acquire().and(says("one", mark::ENTERED, LOCK));
    assert_eq!(story.metrics().takeover_calls.count(), 0);
}

#[test]
fn to_remove_ones_own_or_after_the_entry_is_no_takeover() {
    let mut story = Story::new();
    story.says(1, "one", mark::WAITING).calls(1, "one", stat()).and(claim_of("one"));
    story.calls(1, "one", unlink()).and(removes("one", "one")).says(1, "one", mark::ENTERED);
    assert_eq!(story.metrics().takeover_calls.count(), 0);

    let mut story = Story::new();
    two_calls(&mut story, "one");
    story.says(2, "one", mark::LEAVING).calls(2, "one", unlink()).and(removes("one", "two"));
    assert_eq!(story.metrics().takeover_calls.count(), 0);
}

#[test]
fn an_entry_in_the_claim_is_of_the_claim_and_a_file_beside_it_is_not() {
    for (path, takeovers) in [("/run/lock/pid=7", 1), ("/run/lock.7", 0), ("/run/lock", 1)] {
        let mut story = Story::new();
        story.says(1, "one", mark::WAITING).fails(1, "one", stat(), Errno::EEXIST);
        let gone = TracedEvent::NameRemoved {
            path: path.into(),
            ino: 9,
            maker: "zero".into(),
            by: "one".into(),
        };
        story.calls(1, "one", unlink()).and(gone).says(1, "one", mark::ENTERED);
        assert_eq!(story.metrics().takeover_calls.count(), takeovers, "{path}");
    }
}

/// Where claims are numbers in a directory, the next one takes over, and what is let go of or
/// lower is rubbish.
#[test]
fn the_next_number_takes_over_from_one_that_is_not_let_go_of() {
    for (left, calls) in [("/run/lock/1", (0, 1)), ("/run/lock/1.free", (1, 0))] {
        let added = |path: &str, maker: &str| {
            let (maker, by) = (maker.into(), maker.into());
            TracedEvent::NameAdded { path: path.into(), ino: 7, maker, by, exclusive: true }
        };
        let gone = |path: &str| {
            let (maker, by) = ("zero".into(), "one".into());
            TracedEvent::NameRemoved { path: path.into(), ino: 7, maker, by }
        };
        let mut story = Story::new();
        story.happens(0, vec![claim_of("zero"), added(left, "zero")]);
        story.says(1, "one", mark::WAITING).calls(1, "one", stat()).at_acquire();
        story.calls(1, "one", stat()).and(added("/run/lock/2", "one"));
        story.calls(1, "one", unlink()).and(gone(left)).says(1, "one", mark::ENTERED);
        let metrics = story.metrics();
        let counts = (metrics.uncontended_calls.count(), metrics.takeover_calls.count());
        assert_eq!(counts, calls, "{left}");
    }
}
