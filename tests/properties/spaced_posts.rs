use super::*;
const P: PropertyName = PropertyName::SpacedPosts;

const A: &str = "/run/account-a";
const B: &str = "/run/account-b";

#[test]
fn falls_when_two_posts_to_an_account_are_too_close() {
    let first: &[Do] = &[Posted(A, 60), Sleep(1)];
    let second: &[Do] = &[Sleep(59), Posted(A, 60), Sleep(1)];
    says(
        fell(P, &[first, second], vec![]),
        "a post of bob to /run/account-a goes out 59s after one of ann, and 60s must lie between",
    );
    let alone: &[Do] = &[Posted(A, 60), Sleep(1), Posted(A, 60), Sleep(1)];
    says(
        fell(P, &[alone], vec![]),
        "a post of ann to /run/account-a goes out 1s after one of ann, and 60s must lie between",
    );
}

#[test]
fn posts_that_are_far_apart_or_to_others_are_right() {
    let first: &[Do] = &[Posted(A, 60), Sleep(1)];
    let late: &[Do] = &[Sleep(60), Posted(A, 60), Sleep(1)];
    assert_eq!(fell(P, &[first, late], vec![]), None);
    let elsewhere: &[Do] = &[Sleep(1), Posted(B, 60), Sleep(1)];
    assert_eq!(fell(P, &[first, elsewhere], vec![]), None);
}

/// It is the later post that must keep its distance, and from the last one before it.
#[test]
fn the_later_one_says_how_far() {
    let strict: &[Do] = &[Posted(A, 60), Sleep(1)];
    let lax: &[Do] = &[Sleep(10), Posted(A, 5), Sleep(1)];
    assert_eq!(fell(P, &[strict, lax], vec![]), None);
    let third: &[Do] = &[Sleep(65), Posted(A, 60), Sleep(1)];
    says(
        fell(P, &[strict, lax, third], vec![]),
        "a post of cat to /run/account-a goes out 55s after one of bob, and 60s must lie between",
    );
}
