//! Whether all peers do the same work. Nothing is timed.

use locklab_sim::Reductions;

use crate::answer::{Answer, Peer, ask};
use crate::known::states;
use crate::peer::spin::{self, Verifier};
use crate::peer::{futures, locklab, shuttle, stateright};
use crate::protocol::{Case, KEEPERS_MAX, KINDS, Kind, Step, Walk};
use crate::spend::spend;

/// Random runs of each case in each peer.
const RUNS: u64 = 100;

pub fn check() -> Result<(), String> {
    for case in KINDS.into_iter().flat_map(Case::all_of) {
        for peer in [Peer::Locklab, Peer::Stateright] {
            ask(peer, case).check(peer, case)?;
        }
        let explained = stateright::remembering::search(case);
        if explained != states(case).locklab {
            return Err(format!("{case:?}: with keepers that remember, {explained} states"));
        }
        waits_alone_are_left_out(case)?;
        runs_are_of_the_protocol(case)?;
        falls_are_found(case)?;
    }
    println!(
        "locklab and stateright see the states that are known, in all cases; with keepers that \
         remember, stateright sees locklab's.\nRuns of locklab, the futures and shuttle are runs \
         of stateright's model, and fall where they should."
    );
    if spin::version().is_none() {
        println!("Spin is not installed (with gcc), and was not asked.");
        return Ok(());
    }
    for case in KINDS.into_iter().flat_map(Case::all_of) {
        for peer in [Peer::Spin, Peer::SpinReduced] {
            let verifier = Verifier::new(case, peer == Peer::SpinReduced, "-O0")?;
            let printed = spend(&verifier.program(), &Verifier::arguments())?.printed;
            let answer = Answer::read(peer, &printed).ok_or(printed)?;
            answer.check(peer, case)?;
        }
    }
    println!("Spin sees the states that are known, too.");
    Ok(())
}

/// Of what locklab need not look at, it is who begins to wait that makes a difference here, and
/// only where somebody waits.
fn waits_alone_are_left_out(case: Case) -> Result<(), String> {
    if case.keepers == KEEPERS_MAX as u32 {
        // The smaller ones will do.
        return Ok(());
    }
    let known = states(case).locklab;
    let with = |reductions| locklab::search(case, reductions).states;
    let alone = with(Reductions { waits: true, ..Reductions::NONE });
    let none = with(Reductions::NONE);
    if alone != known || (none > known) != (case.kind == Kind::Guarded) {
        return Err(format!("{case:?}: {alone} states by waits alone, {none} without reductions"));
    }
    Ok(())
}

/// What keepers do in a random run, in one peer.
type Trace = fn(Case, u64) -> Vec<Step>;

fn runs_are_of_the_protocol(case: Case) -> Result<(), String> {
    let model = stateright::Takeover(case);
    let peers: [(&str, Trace); 3] =
        [("locklab", locklab::trace), ("futures", futures::trace), ("shuttle", shuttle::trace)];
    for (name, trace) in peers {
        for seed in 0..RUNS {
            let steps = trace(case, seed);
            if !model.accepts(&steps) {
                return Err(format!("{name}, {case:?}: not of the protocol: {steps:?}"));
            }
        }
    }
    Ok(())
}

fn falls_are_found(case: Case) -> Result<(), String> {
    let walk = Walk { case, seed: 1, runs: RUNS, until_fall: false };
    let steps = RUNS * 40;
    let peers = [
        ("locklab", locklab::walk(walk)),
        ("futures", futures::walk(walk)),
        ("shuttle", shuttle::walk(walk)),
        ("stateright", stateright::walk(case, 1, steps)),
    ];
    for (name, walked) in peers {
        if (walked.falls > 0) != case.falls() {
            return Err(format!("{name}, {case:?}: two were inside in {} runs", walked.falls));
        }
    }
    Ok(())
}
