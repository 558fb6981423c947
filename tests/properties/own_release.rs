use super::*;
const P: PropertyName = PropertyName::OwnRelease;

#[test]
fn falls_when_a_release_removes_anothers_claim_dead_or_alive() {
    let blind: &[Do] =
        &[Mark(WAITING), Mark(ENTERED), Sleep(5), Mark(LEAVING), Remove, Mark(RELEASED)];
    let owner: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Here, Sleep(10)];
    says(fell(P, &[blind, owner], vec![]), "the release of ann removes bob's claim /run/lock");
    assert!(fell(P, &[blind, owner], at(1, Action::Kill)).is_some());
}

#[test]
fn falls_when_an_inner_release_lets_go() {
    let inner: &[Do] =
        &[Mark(WAITING), Claim, Mark(ENTERED), Mark(WAITING), Mark(ENTERED), Mark(LEAVING), Remove];
    says(fell(P, &[inner], vec![]), "ann removes its claim /run/lock while it is still inside");
}

#[test]
fn falls_when_an_inner_release_removes_anothers_claim() {
    const NESTED: &[Do] = &[
        Mark(WAITING),
        Mark(ENTERED),
        Mark(ENTERED),
        Sleep(5),
        Mark(LEAVING),
        Remove,
        Mark(RELEASED),
    ];
    let owner: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Sleep(10)];
    assert!(fell(P, &[NESTED, owner], vec![]).unwrap().contains("removes bob's claim"));
}

#[test]
fn not_for_the_own_claim_and_not_for_a_takeover() {
    assert_eq!(fell(P, &[INSIDE], vec![]), None);
    let taker: &[Do] =
        &[Mark(WAITING), Sleep(5), Remove, Claim, Mark(ENTERED), Mark(LEAVING), Remove];
    assert_eq!(fell(P, &[&[Mark(WAITING), Claim, Mark(ENTERED), Sleep(60)], taker], vec![]), None);
}

#[test]
fn falls_when_another_thread_is_still_inside() {
    const INNER: &[Do] = &[Sleep(1), Mark(ENTERED), Sleep(5), Mark(LEAVING)];
    let outer: &[Do] =
        &[Thread(INNER), Mark(WAITING), Claim, Mark(ENTERED), Sleep(3), Mark(LEAVING), Remove];
    says(fell(P, &[outer], vec![]), "ann removes its claim /run/lock while it is still inside");
}

/// Whoever made a file that the kernel's locks are on, it is the claim of who has it locked.
#[test]
fn of_a_locked_file_it_is_the_locks_owner_whose_claim_it_is() {
    const TIDY: &[Do] =
        &[Sleep(1), Mark(WAITING), Lock, Mark(ENTERED), Sleep(5), Mark(LEAVING), Remove];
    const MAKER: &[Do] = &[Mark(WAITING), Lock, Unlock, Sleep(10)];
    assert_eq!(fell(P, &[MAKER, TIDY], vec![]), None);
    // Who made the file has died inside, and is inside no more.
    const GONE: &[Do] = &[Mark(WAITING), Lock, Mark(ENTERED)];
    assert_eq!(fell(P, &[GONE, TIDY], vec![]), None);
    const HASTY: &[Do] =
        &[Mark(WAITING), Lock, Mark(ENTERED), Sleep(5), Mark(LEAVING), Unlock, Sleep(5), Remove];
    const NEXT: &[Do] = &[Sleep(1), Mark(WAITING), Lock, Mark(ENTERED), Sleep(10)];
    says(fell(P, &[HASTY, NEXT], vec![]), "the release of ann removes bob's claim /run/lock");
}
