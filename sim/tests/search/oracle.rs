//! Search against the plain enumeration of every run: the same ends.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use locklab_sim::kernel::{InodeNumbers, MachineConfig, MachineId};
use locklab_sim::{
    Adversary, Bounds, Budgets, Choice, End, Launch, Limits, Memory, Reductions, Search, Setup,
    World,
};
use locklab_sys::{
    Clock, Direction, Errno, Fd, Fingerprint, FlockOp, Image, OpenFlags, Pid, Signal, SmolStr, Sys,
};
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);

/// What is too old for somebody.
const OLD: Duration = Duration::from_secs(5);

pub const BOUNDS: Bounds =
    Bounds::new(1_000_000, 1 << 30, Limits { horizon: Duration::from_secs(3600), steps: 1000 });

/// So many ends the enumeration comes to, at most: it forgets nothing.
pub const RUNS_MAX: u32 = 5_000;

/// Something that a program does: a call or a few.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Deed {
    Create,
    Read,
    Remove,
    Number,
    Age,
    Lock,
    Share,
    Nest,
    Unlock,
    Sleep,
    Probe(u8),
    Start(u8),
    Learn,
    Draw,
    Count,
    Child,
    Thread,
    Serve,
    Call,
}

const FILE: SmolStr = SmolStr::new_static("/run/file");
const GUARD: SmolStr = SmolStr::new_static("/run/guard");
const SOCKET: SmolStr = SmolStr::new_static("/run/socket");
const CELL: SmolStr = SmolStr::new_static("cell");

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => Just(Deed::Create),
        4 => Just(Deed::Read),
        5 => Just(Deed::Remove),
        2 => Just(Deed::Number),
        3 => Just(Deed::Age),
        4 => Just(Deed::Lock),
        2 => Just(Deed::Share),
        2 => Just(Deed::Nest),
        1 => Just(Deed::Unlock),
        3 => Just(Deed::Sleep),
        2 => (0..3_u8).prop_map(Deed::Probe),
        2 => (0..3_u8).prop_map(Deed::Start),
        1 => Just(Deed::Learn),
        1 => Just(Deed::Draw),
        1 => Just(Deed::Count),
        1 => Just(Deed::Child),
        1 => Just(Deed::Thread),
        1 => Just(Deed::Serve),
        1 => Just(Deed::Call),
    ]
}

/// Does its deeds, and leaves a name that tells what it has seen.
async fn act(sys: Sys, name: SmolStr, deeds: Vec<Deed>) -> u8 {
    let mut seen = Fingerprint::of(&name);
    let mut guard = None;
    for deed in deeds {
        seen = seen.then(&perform(&sys, deed, &mut guard).await);
    }
    sys.symlink("what it has seen", format!("/tmp/{name}.{seen}")).await.unwrap();
    0
}

type Seen = Result<Fingerprint, Errno>;

async fn perform(sys: &Sys, deed: Deed, guard: &mut Option<Fd>) -> Seen {
    match deed {
        Deed::Create => {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL;
            let fd = sys.open(FILE, flags).await?;
            let written = sys.write(fd, *b"mine").await;
            sys.close(fd).await?;
            written.map(of)
        }
        Deed::Read => {
            let fd = sys.open(FILE, OpenFlags::RDONLY).await?;
            let bytes = sys.read(fd, 8).await;
            sys.close(fd).await?;
            bytes.map(of)
        }
        Deed::Remove => sys.unlink(FILE).await.map(of),
        Deed::Number => sys.stat(FILE).await.map(|stat| of(stat.ino)),
        Deed::Age => {
            let stat = sys.stat(FILE).await?;
            let now = sys.clock_gettime(Clock::Realtime).await;
            Ok(of(now.saturating_sub(stat.mtime) > OLD))
        }
        Deed::Lock | Deed::Share => {
            let flags = OpenFlags::RDWR | OpenFlags::CREAT;
            let fd = match *guard {
                Some(fd) => fd,
                None => sys.open(GUARD, flags).await?,
            };
            *guard = Some(fd);
            let op = if deed == Deed::Lock { FlockOp::Exclusive } else { FlockOp::Shared };
            sys.flock(fd, op).await.map(of)
        }
        Deed::Nest => {
            // Who has the lock by another descriptor waits for itself.
            let fd = sys.open(GUARD, OpenFlags::RDWR | OpenFlags::CREAT).await?;
            let locked = sys.flock(fd, FlockOp::Exclusive).await;
            sys.close(fd).await?;
            locked.map(of)
        }
        Deed::Unlock => match guard.take() {
            Some(fd) => sys.close(fd).await.map(of),
            None => Ok(of(())),
        },
        Deed::Sleep => {
            sys.sleep(2 * SECOND).await;
            Ok(of(()))
        }
        Deed::Probe(whom) => sys.kill(pid(whom), Signal::Probe).await.map(of),
        Deed::Start(whose) => sys.proc_stat(pid(whose)).await.map(|stat| of(stat.start_ticks > 0)),
        Deed::Learn => Ok(of((sys.getpid().await, sys.boot_id().await))),
        Deed::Draw => Ok(of(sys.getrandom(2).await)),
        Deed::Count => {
            let count = sys.cell_read(CELL).await?;
            sys.cell_write(CELL, count + 1).await?;
            Ok(of(count))
        }
        Deed::Child => {
            let image =
                Image::new("child", "", async |sys: Sys| u8::from(sys.unlink(FILE).await.is_ok()));
            let child = sys.spawn(image, &[]).await?;
            sys.wait(child).await.map(of)
        }
        Deed::Thread => {
            let image = Image::new("thread", "", async |sys: Sys| {
                let count = sys.cell_read(CELL).await.unwrap();
                sys.cell_write(CELL, count + 1).await.unwrap();
                0
            });
            let thread = sys.spawn_thread(image).await?;
            let count = sys.cell_read(CELL).await?;
            sys.cell_write(CELL, count + 1).await?;
            sys.join(thread).await?;
            sys.cell_read(CELL).await.map(|after| of((count, after)))
        }
        Deed::Serve => {
            let fd = sys.socket().await?;
            sys.bind(fd, SOCKET).await?;
            sys.listen(fd, 1).await?;
            sys.set_timeout(fd, Direction::Receive, Some(SECOND)).await?;
            let accepted = sys.accept(fd).await;
            sys.close(fd).await?;
            accepted.map(of)
        }
        Deed::Call => {
            let fd = sys.socket().await?;
            let connected = sys.connect(fd, SOCKET).await;
            sys.close(fd).await?;
            connected.map(of)
        }
    }
}

fn of<T: std::hash::Hash>(seen: T) -> Fingerprint {
    Fingerprint::of(&seen)
}

fn pid(whose: u8) -> Pid {
    Pid(MachineConfig::default().first_pid + u32::from(whose))
}

#[derive(Clone, Debug)]
pub struct Case {
    deeds: Vec<Vec<Deed>>,
    adversary: Adversary,
    numbers: InodeNumbers,
    /// When the last one is launched.
    late: Duration,
}

pub fn case() -> impl Strategy<Value = Case> {
    let deeds = prop::collection::vec(prop::collection::vec(deed(), 1..4), 2..4);
    let none = Budgets::default();
    let adversary = prop_oneof![
        3 => Just(Adversary::default()),
        2 => Just(Adversary { kills: 1, ..Adversary::default() }),
        2 => Just(Adversary { passes: 1, ..Adversary::default() }),
        1 => Just(Adversary { passes: Adversary::FREE, ..Adversary::default() }),
        1 => Just(Adversary { stops: 1, ..Adversary::default() }),
        1 => Just(Adversary { stops: 1, passes: 1, ..Adversary::default() }),
        2 => Just(Adversary { kills: 1, reuses: 1, ..Adversary::default() }),
        1 => Just(Adversary { kills: 1, passes: 1, reuses: 1, ..Adversary::default() }),
        1 => Just(Adversary { mishaps: Budgets { clock_steps: 1, ..none }, ..Adversary::default() }),
        1 => Just(Adversary { mishaps: Budgets { sleeps: 1, ..none }, ..Adversary::default() }),
        1 => Just(Adversary { mishaps: Budgets { pauses: 1, ..none }, ..Adversary::default() }),
        1 => Just(Adversary { mishaps: Budgets { reboots: 1, ..none }, ..Adversary::default() }),
        1 => Just(Adversary { io_errors: 1, ..Adversary::default() }),
    ];
    let numbers = prop_oneof![Just(InodeNumbers::LowestFree), Just(InodeNumbers::Fresh)];
    let late = prop_oneof![3 => Just(Duration::ZERO), 1 => Just(3 * SECOND)];
    (deeds, adversary, numbers, late).prop_map(|(deeds, adversary, numbers, late)| Case {
        deeds,
        adversary,
        numbers,
        late,
    })
}

impl Case {
    pub fn setup(&self) -> Arc<Setup> {
        let processes = self.deeds.iter().enumerate().map(|(index, deeds)| {
            let name = SmolStr::from(format!("p{index}"));
            let (own, deeds) = (name.clone(), deeds.clone());
            let arguments = format!("{name} {deeds:?}");
            let start = move |sys| act(sys, own.clone(), deeds.clone());
            let is_last = index + 1 == self.deeds.len();
            let begin = if is_last { self.late } else { Duration::ZERO };
            Launch { start: begin, ..Launch::new(name, Image::new("actor", arguments, start)) }
        });
        Arc::new(Setup {
            machines: vec![MachineConfig {
                inode_numbers: self.numbers,
                ..MachineConfig::default()
            }],
            processes: processes.collect(),
            story: Vec::new(),
            adversary: self.adversary.clone(),
            durations: vec![OLD],
            every_timer: true,
        })
    }

    fn searched(&self, reductions: Reductions) -> (BTreeSet<Fingerprint>, u64) {
        let search = Search {
            setup: self.setup(),
            seed: 1,
            prefix: Vec::new(),
            monitor: Box::new(()),
            look_at_ends: Some(look),
            sought: 0,
            reductions,
            alike: None,
            bounds: BOUNDS,
        };
        let explored = search.run(&mut |_| std::ops::ControlFlow::Continue(()));
        assert!(explored.is_complete(), "{:?}", explored.cut);
        (explored.ends, explored.states)
    }

    /// The ends of all runs; `None` if there are too many runs.
    fn enumerated(&self) -> Option<BTreeSet<Fingerprint>> {
        let mut ends = BTreeSet::new();
        let mut runs = 0;
        follow(World::new(self.setup(), 1), &mut ends, &mut runs, RUNS_MAX).then_some(ends)
    }
}

/// All that can be seen when a run is over: what the programs saw, and what is there.
pub fn look(world: &World, end: End) -> Fingerprint {
    let kernel = world.kernel();
    Fingerprint::of(&(kernel.names(MachineId(0)), kernel.open_sockets(), end))
}

fn follow(world: World, ends: &mut BTreeSet<Fingerprint>, runs: &mut u32, most: u32) -> bool {
    let choices: Vec<Choice> = world.choices();
    if choices.is_empty() {
        *runs += 1;
        let end = if world.is_over() { End::Finished } else { End::Hung };
        ends.insert(look(&world, end));
        return *runs <= most;
    }
    choices.into_iter().all(|choice| {
        let mut next = world.clone();
        next.apply(choice);
        follow(next, ends, runs, most)
    })
}

/// The search sees the same ends, whatever it leaves out.
fn agrees(case: &Case, ends: &BTreeSet<Fingerprint>) -> Result<(), TestCaseError> {
    let none = Reductions::NONE;
    let memory = Some(Memory { programs: OLD + SECOND, monitors: SECOND });
    let all = Reductions { memory, ..Reductions::TIMED };
    let (plain, states) = case.searched(none);
    prop_assert_eq!(&plain, ends, "without reductions");
    for (name, reductions) in [
        ("waits", Reductions { waits: true, ..none }),
        ("local", Reductions { local: true, ..none }),
        ("memory", Reductions { memory, ..none }),
        ("all", all),
    ] {
        let (reduced, fewer) = case.searched(reductions);
        prop_assert_eq!(&reduced, ends, "{}", name);
        let leaves_out_states = reductions.memory.is_none();
        prop_assert!(!leaves_out_states || fewer <= states, "{}", name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn a_search_sees_every_end_and_no_other(case in case()) {
        match case.enumerated() {
            Some(ends) => agrees(&case, &ends)?,
            None => return Err(TestCaseError::reject("too many runs")),
        }
    }
}

/// What chance seldom makes.
#[test]
fn ends_that_are_hard_to_come_by_are_seen() {
    use Deed::{Age, Create, Learn, Lock, Nest, Share, Sleep};
    let none = Budgets::default();
    let kills = Adversary { kills: 1, ..Adversary::default() };
    let stops = Adversary { stops: 1, ..Adversary::default() };
    let steps = Adversary { mishaps: Budgets { clock_steps: 1, ..none }, ..Adversary::default() };
    let sleeps = Adversary { mishaps: Budgets { sleeps: 1, ..none }, ..Adversary::default() };
    let reboots = Adversary { mishaps: Budgets { reboots: 1, ..none }, ..Adversary::default() };
    let cases = [
        // It waits for itself, and nobody need kill it.
        (vec![vec![Lock, Nest]], kills.clone(), 0),
        (vec![vec![Lock, Nest]], reboots, 0),
        // Stopped between the look at the file and the look at the clock.
        (vec![vec![Age], vec![Create, Sleep, Sleep, Sleep]], stops, 0),
        // A file time ahead of the clock.
        (vec![vec![Create, Sleep, Sleep, Age]], steps, 0),
        // A launch that is put off is not put off for ever, nor forgotten.
        (vec![vec![Create], vec![Age]], sleeps, 3),
        // Who waits for more than it has lets go of what it has.
        (vec![vec![Share, Lock], vec![Share, Learn], vec![Lock]], Adversary::default(), 0),
    ];
    for (deeds, adversary, late) in cases {
        let numbers = InodeNumbers::Fresh;
        let case = Case { deeds, adversary, numbers, late: late * SECOND };
        let mut ends = BTreeSet::new();
        follow(World::new(case.setup(), 1), &mut ends, &mut 0, u32::MAX);
        agrees(&case, &ends).unwrap_or_else(|why| panic!("{case:?}: {why}"));
    }
}
