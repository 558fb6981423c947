//! Double occupancy, the delay after a death, waits and refusals.

use locklab_models::word::mark;
use locklab_sim::TracedEvent;

use crate::trace::{Story, seconds};

#[test]
fn two_are_inside_from_the_second_entry_to_the_first_departure() {
    let mut story = Story::new();
    story.gets_in(0, "one").gets_in(10, "two").leaves(25, "one").leaves(40, "two");
    let metrics = story.metrics();
    assert_eq!(metrics.longest_double_occupancy_ns(), Some(seconds(15)));
    assert_eq!(metrics.double_occupancy_ns.count(), 1);
}

#[test]
fn a_stop_does_not_end_it_and_a_death_does() {
    let mut story = Story::new();
    story.gets_in(0, "one").gets_in(10, "two");
    story.happens(12, vec![TracedEvent::Stopped { process: "one".into() }]);
    story.dies(20, "one").leaves(40, "two");
    assert_eq!(story.metrics().longest_double_occupancy_ns(), Some(seconds(10)));
}

#[test]
fn two_threads_of_a_process_are_two() {
    let mut story = Story::new();
    story.gets_in(0, "one").gets_in(10, "one#2");
    story.happens(13, vec![TracedEvent::ThreadEnded { thread: "one#2".into() }]);
    story.leaves(20, "one");
    assert_eq!(story.metrics().longest_double_occupancy_ns(), Some(seconds(3)));
}

#[test]
fn a_thread_that_is_inside_twice_is_one() {
    let mut story = Story::new();
    story.gets_in(0, "one").gets_in(5, "one").says(8, "two", mark::WAITING);
    story.leaves(10, "one").leaves(20, "one").says(30, "two", mark::ENTERED).leaves(40, "two");
    let metrics = story.metrics();
    assert_eq!(metrics.contended_runs, 1);
    assert_eq!(metrics.double_occupancy_ns.count(), 0);
}

#[test]
fn the_inner_departure_of_two_leaves_nobody_alone() {
    let mut story = Story::new();
    story.gets_in(0, "one").gets_in(0, "one").leaves(10, "one").gets_in(20, "two");
    story.leaves(26, "one").leaves(30, "two");
    assert_eq!(story.metrics().longest_double_occupancy_ns(), Some(seconds(6)));
}

#[test]
fn two_locks_are_two() {
    let mut story = Story::new();
    story.gets_in(0, "one");
    for (at, what) in [(1, mark::WAITING), (2, mark::ENTERED), (20, mark::LEAVING)] {
        story.says_of(at, "two", what, "/run/other");
    }
    story.leaves(30, "one");
    let metrics = story.metrics();
    assert_eq!(metrics.double_occupancy_ns.count(), 0);
    assert_eq!(metrics.contended_runs, 0, "they wanted different ones");
}

#[test]
fn an_instant_in_which_two_are_inside_is_seen_though_no_time_passes() {
    let mut story = Story::new();
    story.gets_in(5, "one").gets_in(5, "two").leaves(5, "one").leaves(9, "two");
    let metrics = story.metrics();
    assert_eq!(metrics.longest_double_occupancy_ns(), Some(0));
    assert_eq!(metrics.double_occupancy_ns.count(), 1, "that is not never");
}

#[test]
fn where_nobody_contended_nothing_is_known() {
    let mut story = Story::new();
    story.gets_in(0, "one").leaves(5, "one").gets_in(6, "two").leaves(7, "two");
    assert_eq!(story.metrics().longest_double_occupancy_ns(), None);
    story.gets_in(8, "one").says(9, "two", mark::WAITING).leaves(10, "one");
    assert_eq!(story.metrics().longest_double_occupancy_ns(), Some(0));
}

#[test]
fn a_dead_holder_is_succeeded_when_the_next_enters() {
    let mut story = Story::new();
    story.gets_in(0, "one").says(1, "two", mark::WAITING).dies(5, "one");
    story.says(9, "two", mark::ENTERED).leaves(11, "two").gets_in(30, "three");
    let metrics = story.metrics();
    assert_eq!(metrics.succession_ns.median(), Some(seconds(4)));
    assert_eq!((metrics.succession_ns.count(), metrics.unsucceeded), (1, 0));
}

#[test]
fn who_dies_on_its_way_out_is_a_holder_and_who_has_left_is_none() {
    let mut story = Story::new();
    story.gets_in(0, "one").says(3, "one", mark::LEAVING).dies(5, "one").gets_in(7, "two");
    assert_eq!(story.metrics().succession_ns.median(), Some(seconds(2)));
    let mut story = Story::new();
    story.gets_in(0, "one").leaves(3, "one").dies(5, "one").gets_in(7, "two");
    assert_eq!(story.metrics().succession_ns.count(), 0);
}

#[test]
fn a_lock_is_not_vacant_while_another_is_inside() {
    let mut story = Story::new();
    story.gets_in(0, "one").gets_in(2, "two").dies(5, "one").gets_in(9, "three");
    let metrics = story.metrics();
    assert_eq!((metrics.succession_ns.count(), metrics.unsucceeded), (0, 0));
}

#[test]
fn a_holder_that_nobody_succeeds_has_no_delay() {
    let mut story = Story::new();
    story.gets_in(0, "one").dies(5, "one").says(6, "two", mark::WAITING);
    story.says(66, "two", mark::REFUSED);
    let metrics = story.metrics();
    assert_eq!((metrics.succession_ns.median(), metrics.unsucceeded), (None, 1));
    assert_eq!(metrics.refused(), Some(1));
    assert_eq!(metrics.wait_ns.most(), Some(seconds(60)), "a refusal ends a wait");
}

#[test]
fn the_longest_wait_is_the_longest_that_ended() {
    let mut story = Story::new();
    story.says(0, "one", mark::WAITING).says(2, "one", mark::ENTERED);
    story.says(1, "two", mark::WAITING).leaves(8, "one").says(8, "two", mark::ENTERED);
    story.says(9, "three", mark::WAITING).dies(99, "three").says(100, "four", mark::WAITING);
    let metrics = story.metrics();
    assert_eq!(metrics.wait_ns.most(), Some(seconds(7)));
    assert_eq!((metrics.wait_ns.count(), metrics.unended_waits), (2, 1));
    assert_eq!(metrics.refused(), Some(0));
}

#[test]
fn where_nobody_wanted_in_nobody_was_refused() {
    assert_eq!(Story::new().metrics().refused(), None);
}

#[test]
fn whose_rule_is_not_in_question_is_seen_inside_and_its_waits_are_not_counted() {
    let mut story = Story::new();
    story.gets_in(0, "fixed").says(1, "one", mark::WAITING).says(4, "one", mark::ENTERED);
    story.says(5, "fixed", mark::LEAVING).says(6, "fixed", mark::RELEASED);
    story.says(10, "fixed", mark::WAITING).says(90, "fixed", mark::REFUSED);
    let metrics = story.metrics_of("one");
    assert_eq!(metrics.longest_double_occupancy_ns(), Some(seconds(1)));
    assert_eq!(metrics.wait_ns.most(), Some(seconds(3)));
    assert_eq!(metrics.refused(), Some(0));
}
