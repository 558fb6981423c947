use super::*;
const P: PropertyName = PropertyName::PromptTakeover;

#[test]
fn falls_when_a_dead_holder_is_succeeded_late_or_not_at_all() {
    let late: &[Do] = &[Mark(WAITING), Sleep(3), Remove, Claim, Mark(ENTERED)];
    assert!(fell(P, &[INSIDE, late], at(0, Action::Kill)).unwrap().contains("is entered 3s after"));
    let never: &[Do] = &[Mark(WAITING), Sleep(60), Mark(REFUSED)];
    assert!(fell(P, &[INSIDE, never], at(0, Action::Kill)).unwrap().contains("is given up 60s"));
}

#[test]
fn falls_when_the_holder_dies_on_its_way_out() {
    const LEAVES: &[Do] =
        &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING), Here, Remove, Mark(RELEASED)];
    let late: &[Do] = &[Mark(WAITING), Sleep(3), Remove, Claim, Mark(ENTERED)];
    assert!(fell(P, &[LEAVES, late], at(0, Action::Kill)).is_some());
}

#[test]
fn whoever_else_ends_meanwhile_does_not_excuse_it() {
    let late: &[Do] = &[Mark(WAITING), Sleep(3), Remove, Claim, Mark(ENTERED)];
    assert!(fell(P, &[INSIDE, late, &[Sleep(2)]], at(0, Action::Kill)).is_some());
}

#[test]
fn not_when_it_is_prompt_or_nobody_waited_or_the_holder_lives() {
    let prompt: &[Do] = &[Mark(WAITING), Sleep(2), Remove, Claim, Mark(ENTERED)];
    assert_eq!(fell(P, &[INSIDE, prompt], at(0, Action::Kill)), None);
    let comes_later: &[Do] = &[Sleep(60), Mark(WAITING), Sleep(1), Remove, Claim, Mark(ENTERED)];
    assert_eq!(fell(P, &[INSIDE, comes_later], at(0, Action::Kill)), None);
    let patient: &[Do] = &[Mark(WAITING), Sleep(60), Mark(ENTERED)];
    assert_eq!(fell(P, &[INSIDE, patient], vec![]), None);
}

#[test]
fn two_who_are_stopped_could_not_come_either() {
    const STOPPED: &[Do] = &[Mark(WAITING), Here, Sleep(1), Mark(ENTERED), Sleep(9)];
    let mut story = at(0, Action::Kill);
    story.extend(at(1, Action::Stop(60 * SECOND)));
    story.extend(at(2, Action::Stop(60 * SECOND)));
    assert_eq!(fell(P, &[INSIDE, STOPPED, STOPPED], story), None);
}

#[test]
fn not_while_a_successor_is_inside() {
    const ROBBED: &[Do] = &[Mark(WAITING), Mark(ENTERED), Sleep(9), Mark(LEAVING), Here, Sleep(1)];
    const SUCCESSOR: &[Do] =
        &[Mark(WAITING), Mark(ENTERED), Sleep(20), Mark(LEAVING), Mark(RELEASED)];
    const NEXT: &[Do] = &[Mark(WAITING), Sleep(25), Mark(ENTERED)];
    assert_eq!(fell(P, &[ROBBED, SUCCESSOR, NEXT], at(0, Action::Kill)), None);
}

#[test]
fn who_is_stopped_could_not_come() {
    let stopped: &[Do] = &[Mark(WAITING), Here, Sleep(1), Remove, Claim, Mark(ENTERED)];
    let mut story = at(0, Action::Kill);
    story.extend(at(1, Action::Stop(60 * SECOND)));
    assert_eq!(fell(P, &[INSIDE, stopped], story), None);
}
