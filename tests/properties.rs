//! Each property falls when it should and not otherwise: on worlds made for
//! the purpose, whose programs say marks and touch names as they are told.

use std::sync::Arc;
use std::time::Duration;

use locklab::property::{Bounds, Contention, monitor};
use locklab::scenario::PropertyName;
use locklab_models::word::mark::{ENTERED, LEAVING, REFUSED, RELEASED, WAITING};
use locklab_sim::kernel::MachineConfig;
use locklab_sim::{Action, Adversary, Fault, Launch, Limits, Monitor, Setup, Turns, World, run};
use locklab_sys::{FlockOp, Image, OpenFlags, SmolStr, Sys};

const SECOND: Duration = Duration::from_secs(1);
const LOCK: &str = "/run/lock";

/// One thing that a program does.
#[derive(Clone, Copy, Debug)]
enum Do {
    /// Sleeps for so many seconds.
    Sleep(u32),
    /// Says a mark of the lock.
    Mark(&'static str),
    /// Says a mark of another lock.
    MarkOf(&'static str, &'static str),
    /// Makes the claim.
    Claim,
    /// Removes whatever stands at the lock's path.
    Remove,
    /// Waits for the kernel's lock on a file, for ever if need be.
    Flock,
    /// A point for faults.
    Here,
}
use Do::*;

fn program(deeds: &'static [Do]) -> Image {
    Image::new("program", format!("{deeds:?}"), move |sys: Sys| async move {
        for deed in deeds {
            perform(&sys, *deed).await;
        }
        0
    })
}

async fn perform(sys: &Sys, deed: Do) {
    match deed {
        Sleep(seconds) => sys.sleep(seconds * SECOND).await,
        Mark(name) => sys.mark(name, &SmolStr::new_static(LOCK), 1),
        MarkOf(name, lock) => sys.mark(name, &SmolStr::new_static(lock), 1),
        Claim => {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
            let fd = sys.open(LOCK, flags).await.expect("the path is free");
            sys.close(fd).await.expect("it is open");
        }
        Remove => sys.unlink(LOCK).await.expect("a claim is there"),
        Flock => {
            let fd = sys.open("/run/file", OpenFlags::RDWR | OpenFlags::CREAT).await.unwrap();
            sys.flock(fd, FlockOp::Exclusive).await.unwrap();
        }
        Here => sys.point("here"),
    }
}

/// What is said to fall, first of all, of a monitor.
fn fell_of(
    mut watched: Box<dyn Monitor>,
    programs: &[&'static [Do]],
    story: Vec<Fault>,
) -> Option<String> {
    let processes = programs.iter().zip(["ann", "bob", "cat"]).map(|(deeds, name)| Launch {
        name: name.into(),
        machine: 0,
        start: Duration::ZERO,
        image: program(deeds),
    });
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: processes.collect(),
        story,
        adversary: Adversary::default(),
        durations: Vec::new(),
    };
    let mut world = World::new(Arc::new(setup), 0);
    let limits = Limits { horizon: 3600 * SECOND, steps: 1000 };
    let monitors = std::slice::from_mut(&mut watched);
    let finished = run(&mut world, &mut Turns::default(), monitors, limits, None);
    finished.falls.into_iter().next().map(|fall| fall.message)
}

fn fell(property: PropertyName, programs: &[&'static [Do]], story: Vec<Fault>) -> Option<String> {
    let bounds = Bounds { prompt: 2 * SECOND, grace: 30 * SECOND };
    fell_of(monitor(property, bounds), programs, story)
}

fn at(process: usize, action: Action) -> Vec<Fault> {
    vec![Fault { process, at: "here".into(), nth: 1, action }]
}

#[track_caller]
fn says(fell: Option<String>, words: &str) {
    assert_eq!(fell.as_deref(), Some(words));
}

const INSIDE: &[Do] =
    &[Mark(WAITING), Claim, Mark(ENTERED), Here, Sleep(10), Mark(LEAVING), Remove, Mark(RELEASED)];

mod mutual_exclusion {
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
}

mod live_holder {
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
}

mod own_release {
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
        let inner: &[Do] = &[
            Mark(WAITING),
            Claim,
            Mark(ENTERED),
            Mark(WAITING),
            Mark(ENTERED),
            Mark(LEAVING),
            Remove,
        ];
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
        assert_eq!(
            fell(P, &[&[Mark(WAITING), Claim, Mark(ENTERED), Sleep(60)], taker], vec![]),
            None
        );
    }
}

mod prompt_takeover {
    use super::*;
    const P: PropertyName = PropertyName::PromptTakeover;

    #[test]
    fn falls_when_a_dead_holder_is_succeeded_late_or_not_at_all() {
        let late: &[Do] = &[Mark(WAITING), Sleep(3), Remove, Claim, Mark(ENTERED)];
        assert!(
            fell(P, &[INSIDE, late], at(0, Action::Kill)).unwrap().contains("is entered 3s after")
        );
        let never: &[Do] = &[Mark(WAITING), Sleep(60), Mark(REFUSED)];
        assert!(
            fell(P, &[INSIDE, never], at(0, Action::Kill)).unwrap().contains("is given up 60s")
        );
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
        let comes_later: &[Do] =
            &[Sleep(60), Mark(WAITING), Sleep(1), Remove, Claim, Mark(ENTERED)];
        assert_eq!(fell(P, &[INSIDE, comes_later], at(0, Action::Kill)), None);
        let patient: &[Do] = &[Mark(WAITING), Sleep(60), Mark(ENTERED)];
        assert_eq!(fell(P, &[INSIDE, patient], vec![]), None);
    }

    #[test]
    fn who_is_stopped_could_not_come() {
        let stopped: &[Do] = &[Mark(WAITING), Here, Sleep(1), Remove, Claim, Mark(ENTERED)];
        let mut story = at(0, Action::Kill);
        story.extend(at(1, Action::Stop(60 * SECOND)));
        assert_eq!(fell(P, &[INSIDE, stopped], story), None);
    }
}

mod progress {
    use super::*;
    const P: PropertyName = PropertyName::Progress;
    const GIVES_UP: &[Do] = &[Mark(WAITING), Sleep(60), Mark(REFUSED)];

    #[test]
    fn falls_for_a_claim_that_nobody_may_remove() {
        says(
            fell(P, &[INSIDE, GIVES_UP], at(0, Action::Kill)),
            "bob is kept from /run/lock 60s though nobody is inside: nobody removes the claim of ann, which is dead",
        );
    }

    #[test]
    fn falls_for_who_waits_for_itself() {
        let own: &[Do] =
            &[Mark(WAITING), Claim, Mark(ENTERED), Mark(WAITING), Sleep(60), Mark(REFUSED)];
        says(fell(P, &[own], vec![]), "ann waits for /run/lock, which it holds itself");
    }

    #[test]
    fn falls_for_those_who_wait_for_each_other() {
        const ANN: &[Do] = &[
            MarkOf(WAITING, "/run/a"),
            MarkOf(ENTERED, "/run/a"),
            Sleep(1),
            MarkOf(WAITING, "/run/b"),
            Sleep(60),
            MarkOf(REFUSED, "/run/b"),
        ];
        const BOB: &[Do] = &[
            MarkOf(WAITING, "/run/b"),
            MarkOf(ENTERED, "/run/b"),
            Sleep(1),
            MarkOf(WAITING, "/run/a"),
            Sleep(60),
            MarkOf(REFUSED, "/run/a"),
        ];
        says(fell(P, &[ANN, BOB], vec![]), "ann, bob wait for each other");
    }

    #[test]
    fn falls_for_who_hangs_in_the_kernel() {
        const HANGS: &[Do] = &[Flock, Mark(WAITING), Flock];
        let message = fell(P, &[HANGS], vec![]).unwrap();
        assert!(message.contains("ann is kept from /run/lock for ever"), "{message}");
    }

    #[test]
    fn not_for_who_is_impatient_or_outwaited_or_gets_in() {
        let long: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Sleep(100), Mark(LEAVING)];
        assert_eq!(fell(P, &[long, GIVES_UP], vec![]), None);
        let brief: &[Do] = &[Mark(WAITING), Sleep(20), Mark(REFUSED)];
        assert_eq!(fell(P, &[INSIDE, brief], at(0, Action::Kill)), None);
        let gets_in: &[Do] = &[Mark(WAITING), Sleep(60), Remove, Claim, Mark(ENTERED)];
        assert_eq!(fell(P, &[INSIDE, gets_in], at(0, Action::Kill)), None);
    }

    #[test]
    fn whoever_else_ends_in_good_order_does_not_excuse_it() {
        assert!(fell(P, &[INSIDE, GIVES_UP, &[Sleep(50)]], at(0, Action::Kill)).is_some());
    }

    #[test]
    fn not_while_somebody_is_stopped_or_on_the_way_out() {
        const LEAVES: &[Do] =
            &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING), Here, Remove, Mark(RELEASED)];
        assert_eq!(fell(P, &[LEAVES, GIVES_UP], at(0, Action::Stop(90 * SECOND))), None);
        const SLOW: &[Do] = &[
            Mark(WAITING),
            Claim,
            Mark(ENTERED),
            Mark(LEAVING),
            Sleep(90),
            Remove,
            Mark(RELEASED),
        ];
        assert_eq!(fell(P, &[SLOW, GIVES_UP], vec![]), None);
        const TAKES: &[Do] = &[Mark(WAITING), Claim, Sleep(90), Mark(ENTERED)];
        assert_eq!(fell(P, &[TAKES, GIVES_UP], vec![]), None);
    }

    #[test]
    fn a_fault_restarts_the_clock() {
        const LEFT: &[Do] = &[Mark(WAITING), Claim, Mark(ENTERED), Mark(LEAVING)];
        const STOPPED: &[Do] = &[Here, Sleep(1)];
        assert!(fell(P, &[LEFT, GIVES_UP, STOPPED], vec![]).is_some());
        let story = at(2, Action::Stop(40 * SECOND));
        assert_eq!(fell(P, &[LEFT, GIVES_UP, STOPPED], story), None);
    }
}

mod contention {
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
}
