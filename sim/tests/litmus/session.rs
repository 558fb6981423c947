//! All programs, in all places.

use std::num::NonZero;
use std::str::FromStr;

use locklab_sim::kernel::{InodeNumbers, MachineConfig};
use locklab_sys::host::{self, Machine};

use crate::arena::Arena;
use crate::place::Place;
use crate::programs;
use crate::tally::Tally;
use crate::walk;

/// A full disk has nothing to add: its programs are few calls.
const PLACES: [Place; 2] = [Place::Tmpfs, Place::Ext4];

/// So many runs of each program, without being told.
const RUNS: usize = 600;

/// So often is that repeated, as long as one order alone was seen.
const PATIENCE: usize = 20;

/// What is asked for.
pub struct Options {
    runs: usize,
    seed: u64,
    /// The one program.
    only: Option<String>,
    /// Whether each outcome is told.
    all: bool,
    /// Places where not to run is a failure.
    must_run: Vec<String>,
}

impl Options {
    pub fn from(arguments: &[String]) -> Self {
        let after = |word: &str| {
            let named = arguments.windows(2).filter(|words| words[0] == word);
            named.map(|words| words[1].clone()).collect::<Vec<_>>()
        };
        let runs = after("--runs").first().map_or(RUNS, |it| number(it));
        let seed = after("--seed").first().map_or(0, |it| number(it));
        let only = after("--only").into_iter().next();
        let all = arguments.iter().any(|it| it == "--all");
        Self { runs, seed, only, all, must_run: after("--must-run") }
    }
}

fn number<T: FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word} is not the number it should be"))
}

/// Runs programs, and fails when Linux does what nobody expects.
pub fn hold(options: &Options) {
    if let Err(error) = host::take_precedence() {
        println!("litmus: others' work may come in between: {error}");
    }
    for place in PLACES {
        match place.machine().and_then(room_for_two) {
            Ok((machine, processors)) => {
                run(place, Arena::new(&machine, processors, options.seed), options);
            }
            Err(obstacle) => {
                let must_run = options.must_run.contains(&place.to_string());
                assert!(!must_run, "cannot run on {place}, for lack of {obstacle}");
                println!("litmus on {place}: skipped, for lack of {obstacle}");
            }
        }
    }
}

/// On one processor, nothing is at once.
fn room_for_two(machine: Machine) -> Result<(Machine, usize), String> {
    match std::thread::available_parallelism().map_or(1, NonZero::get) {
        1 => Err("a second processor".to_owned()),
        processors => Ok((machine, processors)),
    }
}

/// In one of so many programs, at most, no race may be seen.
const TAME_IN: usize = 10;

fn run(place: Place, mut arena: Arena<'_>, options: &Options) {
    let mut programs = programs::all();
    programs.retain(|it| options.only.as_ref().is_none_or(|only| only == it.name));
    assert!(!programs.is_empty(), "there is no such program");
    let (mut wrong, mut tame) = (Vec::new(), Vec::new());
    println!("litmus on {place}:");
    for program in &programs {
        let mut tally = Tally::new(program, walk::outcomes(program, models(place)));
        for _ in 0..PATIENCE {
            tally.count(arena.run(program, options.runs).expect("a machine runs"));
            if tally.is_telling() {
                break;
            }
        }
        print!("{}", tally.report(options.all));
        wrong.extend((!tally.is_right()).then_some(program.name));
        tame.extend((!tally.is_telling()).then_some(program.name));
    }
    assert!(wrong.is_empty(), "on {place}, Linux gives what the model does not: {wrong:?}");
    if !tame.is_empty() {
        println!("on {place}, it looks as if no order mattered: {tame:?}");
    }
    // One side may be slow on a machine: not in most programs.
    let is_alone = programs.len() == 1;
    let few = is_alone || tame.len() * TAME_IN <= programs.len();
    assert!(few, "on {place}, it looks as if no order mattered in many programs");
}

/// Such machines as it may be: on a disk, a number that is free may just then be
/// taken by somebody else.
fn models(place: Place) -> Vec<MachineConfig> {
    let model = place.config();
    let fresh = MachineConfig { inode_numbers: InodeNumbers::Fresh, ..model.clone() };
    if model == fresh { vec![fresh] } else { vec![model, fresh] }
}
