use super::*;
const P: PropertyName = PropertyName::MutualExclusion;
const LATER: &[Do] = &[Sleep(5), Mark(ENTERED), Sleep(1), Mark(LEAVING)];

#[test]
fn falls_when_two_are_inside() {
    says(fell(P, &[INSIDE, LATER], vec![]), "2 are inside /run/lock at once: ann, bob");
    let three =
        fell(P, &[&[Mark(ENTERED), Sleep(9)], &[Sleep(5), Mark(ENTERED), Sleep(9)]], vec![]);
    assert!(three.is_some());
}

#[test]
fn a_stop_does_not_end_being_inside_and_death_does() {
    assert!(fell(P, &[INSIDE, LATER], at(0, Action::Stop(60 * SECOND))).is_some());
    assert_eq!(fell(P, &[INSIDE, LATER], at(0, Action::Kill)), None);
}

#[test]
fn neither_one_after_the_other_nor_two_locks_nor_once_more_by_the_same() {
    assert_eq!(fell(P, &[INSIDE, &[Sleep(11), Mark(ENTERED), Sleep(1)]], vec![]), None);
    let other: &[Do] = &[Sleep(5), MarkOf(ENTERED, "/run/other"), Sleep(1)];
    assert_eq!(fell(P, &[INSIDE, other], vec![]), None);
    assert_eq!(fell(P, &[&[Mark(ENTERED), Mark(ENTERED), Sleep(1)]], vec![]), None);
}

#[test]
fn leaving_the_inner_section_is_not_leaving() {
    let nested: &[Do] =
        &[Mark(ENTERED), Mark(ENTERED), Sleep(1), Mark(LEAVING), Sleep(9), Mark(LEAVING)];
    assert!(fell(P, &[nested, LATER], vec![]).is_some());
    assert_eq!(fell(P, &[nested, &[Sleep(11), Mark(ENTERED), Sleep(1)]], vec![]), None);
}

#[test]
fn two_threads_of_a_process_are_two() {
    const SECOND_THREAD: &[Do] = &[Sleep(1), Mark(ENTERED), Sleep(1), Mark(LEAVING)];
    let both: &[Do] = &[Thread(SECOND_THREAD), Mark(ENTERED), Sleep(5), Mark(LEAVING)];
    says(fell(P, &[both], vec![]), "2 are inside /run/lock at once: ann, ann#2");
    let in_turn: &[Do] = &[Thread(SECOND_THREAD), Sleep(3), Mark(ENTERED), Mark(LEAVING)];
    assert_eq!(fell(P, &[in_turn], vec![]), None);
}

#[test]
fn a_threads_end_is_its_death() {
    const ENDS: &[Do] = &[Mark(ENTERED), Sleep(1), EndThread];
    let process: &[Do] = &[Thread(ENDS), Sleep(3), Mark(ENTERED), Sleep(1)];
    assert_eq!(fell(P, &[process], vec![]), None);
}
