use super::*;
const P: PropertyName = PropertyName::LiveHolder;
const ROBBER: &[Do] = &[Sleep(5), Remove];

#[test]
fn falls_when_a_living_ones_claim_is_removed() {
    let words = "bob removes the claim /run/lock of ann, which lives and is inside";
    const HELD: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Here, Sleep(10)];
    says(fell(P, &[HELD, ROBBER], vec![]), words);
    says(fell(P, &[HELD, ROBBER], at(0, Action::Stop(60 * SECOND))), words);
    let taking: &[Do] = &[Mark(WAITING), Claim, Sleep(10), Mark(ENTERED)];
    assert!(fell(P, &[taking, ROBBER], vec![]).unwrap().ends_with("is taking it"));
}

#[test]
fn not_when_the_maker_is_dead_or_has_left_or_removes_its_own() {
    assert_eq!(fell(P, &[INSIDE, ROBBER], at(0, Action::Kill)), None);
    let left: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING), Sleep(10)];
    assert_eq!(fell(P, &[left, ROBBER], vec![]), None);
    assert_eq!(fell(P, &[&[Mark(WAITING), Claim, Mark(ENTERED), Remove]], vec![]), None);
}

#[test]
fn whichever_thread_is_inside_the_claim_is_its_processs() {
    const INNER: &[Do] = &[Sleep(1), Mark(ENTERED), Sleep(9), Mark(LEAVING)];
    let holder: &[Do] = &[Thread(INNER), Claim, Sleep(9)];
    says(
        fell(P, &[holder, &[Sleep(5), Remove]], vec![]),
        "bob removes the claim /run/lock of ann, which lives and is inside",
    );
}
