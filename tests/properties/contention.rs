use super::*;

fn contended(programs: &[&'static [Do]], story: Vec<Fault>) -> bool {
    fell_of(Box::new(Contention::default()), programs, story).is_some()
}

#[test]
fn is_seen_beside_the_living_the_dead_and_oneself() {
    assert!(contended(&[INSIDE, &[Sleep(5), Mark(WAITING)]], vec![]));
    assert!(contended(&[INSIDE, &[Sleep(60), Mark(WAITING)]], at(0, Action::Kill)));
    assert!(contended(&[&[Mark(WAITING), Mark(ENTERED), Mark(WAITING)]], vec![]));
}

#[test]
fn is_not_seen_beside_one_who_died_before_it_claimed() {
    const WANTS: &[Do] = &[Mark(WAITING), Here, Claim];
    assert!(!contended(&[WANTS, &[Sleep(9), Mark(WAITING)]], at(0, Action::Kill)));
    const CLAIMED: &[Do] = &[Mark(WAITING), Claim, Here, Sleep(1)];
    assert!(contended(&[CLAIMED, &[Sleep(9), Mark(WAITING)]], at(0, Action::Kill)));
}

#[test]
fn is_not_seen_alone_nor_after_an_orderly_release_nor_at_another_lock() {
    assert!(!contended(&[INSIDE], vec![]));
    assert!(!contended(&[INSIDE, &[Sleep(60), Mark(WAITING)]], vec![]));
    assert!(!contended(&[INSIDE, &[Sleep(5), MarkOf(WAITING, "/run/other")]], vec![]));
}
