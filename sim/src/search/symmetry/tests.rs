//! What is left out is like something that is not.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use locklab_sys::{Automaton, Call, Errno, Fingerprint, Image, OpenFlags, Ret, Role, Sys};

use super::*;
use crate::event::Event;
use crate::kernel::MachineConfig;
use crate::limits::Limits;
use crate::monitor::{Fell, Monitor};
use crate::search::expand::Expander;
use crate::search::tally::Tally;
use crate::search::{Bounds, Memory, Reductions, Search};
use crate::setup::{Adversary, Launch, Setup};
use crate::world::World;
use crate::{End, Swap};

const CLAIM: &str = "/run/claim";

/// Takes a lock by a file that names its owner, and a private file that is named after
/// him; whoever finds the owner dead removes what there is.
async fn contend(sys: Sys) -> u8 {
    let pid = sys.getpid().await;
    let own = SmolStr::from(format!("{CLAIM}.{pid}"));
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
    let Ok(fd) = sys.open(own.clone(), flags).await else { return 1 };
    sys.write(fd, format!("pid={pid}").into_bytes()).await.unwrap();
    sys.close(fd).await.unwrap();
    for _ in 0..2 {
        match sys.link(own.clone(), CLAIM).await {
            Ok(()) => {
                sys.mark("entered", &SmolStr::new_static(CLAIM), 1);
                sys.sleep(Duration::from_secs(1)).await;
                sys.unlink(CLAIM).await.ok();
                break;
            }
            Err(_) => {
                let Ok(fd) = sys.open(CLAIM, OpenFlags::RDONLY).await else { continue };
                let text = sys.read(fd, 64).await.unwrap();
                let owner = pid_in(&text).expect("claims are signed");
                if sys.proc_stat(owner).await == Err(Errno::ESRCH) {
                    sys.unlink(CLAIM).await.ok();
                }
                sys.close(fd).await.unwrap();
            }
        }
    }
    sys.unlink(own).await.ok();
    0
}

fn pid_in(text: &[u8]) -> Option<Pid> {
    std::str::from_utf8(text).ok()?.strip_prefix("pid=")?.parse().ok().map(Pid)
}

fn text(bytes: &[u8], other: &dyn Fn(Pid) -> Pid) -> Option<Vec<u8>> {
    match bytes {
        [] => Some(Vec::new()),
        _ => Some(format!("pid={}", other(pid_in(bytes)?)).into_bytes()),
    }
}

fn name(name: &str, other: &dyn Fn(Pid) -> Pid) -> Option<SmolStr> {
    let (path, pid) = name.rsplit_once('.')?;
    Some(format!("{path}.{}", other(Pid(pid.parse().ok()?))).into())
}

/// Who has come in, in this order.
#[derive(Clone, Default)]
struct Entries(Vec<crate::kernel::ProcId>);

impl Monitor for Entries {
    fn count(&self) -> usize {
        1
    }

    fn observe(&mut self, _: &World, event: &Event, fell: &mut Fell) {
        if let Event::Said { proc, .. } = event {
            self.0.push(*proc);
            if self.0.len() > 1 {
                fell.push((0, "a second has come in".to_owned()));
            }
        }
    }

    fn end(&mut self, _: &World, _: End, _: &mut Fell) {}

    fn change_places(&mut self, swap: &Swap<'_>) -> bool {
        self.0.iter_mut().for_each(|proc| *proc = (swap.proc)(*proc));
        true
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_state(&self.0)
    }
}

fn search(contenders: usize, alike: bool) -> Search {
    search_of(|| Image::new("contend", "", contend), contenders, alike)
}

fn search_of(image: impl Fn() -> Image, contenders: usize, alike: bool) -> Search {
    let names = ["one", "two", "three"].iter().take(contenders);
    let setup = Setup {
        machines: vec![MachineConfig::default()],
        processes: names.map(|name| Launch::new(*name, image())).collect(),
        story: Vec::new(),
        adversary: Adversary { kills: 1, reuses: 1, passes: 1, ..Adversary::default() },
        durations: Vec::new(),
        every_timer: true,
    };
    let limits = Limits { horizon: Duration::from_secs(1_000), steps: 1_000 };
    let memory = Memory { programs: Duration::ZERO, monitors: Duration::ZERO };
    let all = (0..contenders).collect();
    Search {
        setup: Arc::new(setup),
        seed: 1,
        prefix: Vec::new(),
        monitor: Box::new(Entries::default()),
        look_at_ends: None,
        sought: 0,
        reductions: Reductions { memory: Some(memory), ..Reductions::NONE },
        alike: alike.then_some(Alike { launches: all, text, name }),
        bounds: Bounds::new(1_000_000, 1 << 30, limits),
    }
}

/// The fingerprints of all states there are, each put in order.
fn states(search: &Search, symmetry: &Symmetry<'_>, put_in_order: bool) -> BTreeSet<Fingerprint> {
    let automaton = Arc::new(Automaton::default());
    let symmetry_of_search = put_in_order.then_some(symmetry);
    let expander = Expander::new(search, &automaton, symmetry_of_search, false, None);
    let mut tally = Tally::new(1, 0);
    let mut all = BTreeSet::new();
    let mut oracle = expander.oracle(false);
    let mut level = tally.enter(vec![expander.begin()], &expander);
    symmetry.begin(oracle.scenes.at(&level[0].anatomy).world.state());
    while !level.is_empty() {
        for stand in &level {
            let order = oracle.order(symmetry, &stand.anatomy);
            all.insert(order.map_or(stand.anatomy.fingerprint(), |(_, fingerprint)| fingerprint));
        }
        let expansion = expander.expand(&level, &tally.seen);
        level = tally.enter(vec![expansion], &expander);
    }
    all
}

#[test]
fn every_state_is_like_one_that_is_looked_at_and_none_else_is() {
    let (plain, ordered) = (search(2, false), search(2, true));
    let symmetry = Symmetry::new(ordered.alike.as_ref().unwrap(), &ordered.setup).unwrap();
    let all = states(&plain, &symmetry, false);
    assert!(all.len() > 1_000, "{} states are too few to show anything", all.len());
    let looked_at = states(&ordered, &symmetry, true);
    let (missed, more) = (all.difference(&looked_at).count(), looked_at.difference(&all).count());
    assert_eq!((missed, more), (0, 0), "of {} and {}", all.len(), looked_at.len());
}

#[test]
fn what_falls_falls_as_soon_and_in_a_run_that_can_be_made() {
    let mut known = Vec::new();
    for alike in [false, true] {
        let explored = search(3, alike).run(&mut |_| ControlFlow::Continue(()));
        assert!(explored.is_complete());
        let found = explored.falls[0].clone().expect("two get in, one after another");
        known.push((explored.states, found.choices, found.message));
    }
    let [(all, choices, message), (ordered, ordered_choices, ordered_message)] = &known[..] else {
        unreachable!("two searches were made")
    };
    assert_eq!((choices, message), (ordered_choices, ordered_message));
    assert!(ordered * 4 < *all && ordered * 6 >= *all, "{ordered} of {all}");
}

/// Whoever has an uneven pid sleeps longer, and waits for nothing before.
async fn uneven(sys: Sys) -> u8 {
    let pid = sys.getpid().await;
    sys.stat(CLAIM).await.ok();
    if pid.0 % 2 == 1 {
        sys.sleep(Duration::from_secs(3)).await;
    }
    sys.mark("entered", &SmolStr::new_static(CLAIM), 1);
    0
}

#[test]
fn who_turns_out_not_to_be_alike_is_taken_for_nobody_else() {
    let run = |alike| {
        let image = || Image::new("uneven", "", uneven);
        search_of(image, 3, alike).run(&mut |_| ControlFlow::Continue(()))
    };
    let plain = run(false);
    assert!(plain.is_complete() && plain.falls[0].is_some());
    assert_eq!(run(true), plain);
}

#[test]
fn programs_that_make_more_of_pids_are_left_alone() {
    let renaming = Renaming {
        number: 1,
        count: 2,
        pid: &|pid| pid,
        text: &|bytes| Some(bytes.into()),
        name: &|_| None,
    };
    // Who counts by its pid does not act alike in another's place.
    let program = async |sys: Sys| {
        let pid = sys.getpid().await;
        sys.sleep(Duration::from_secs(pid.0.into())).await;
        0
    };
    let asked = || {
        let automaton = Automaton::default();
        let image = Image::new("vain", "", program);
        let (mut task, _) = automaton.start(image, Role::Main, &mut Vec::new());
        task.resume(&mut None, Ok(Ret::Pid(Pid(1000))), &mut Vec::new());
        (automaton, task)
    };
    let (_automaton, task) = asked();
    assert!(matches!(task.pending(), Some(Call::Nanosleep { .. })));
    assert!(task.renamed(&renaming).is_some(), "nobody changes places");
    let swapped = Renaming { pid: &|pid| Pid(2001 - pid.0), ..renaming };
    let (_automaton, task) = asked();
    assert!(task.renamed(&swapped).is_none(), "it would sleep longer");
}
