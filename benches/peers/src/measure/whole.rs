//! The whole answer, each time by a process of its own, on one core.

use std::path::PathBuf;

use super::REPETITIONS;
use super::row::{Column, Figure, Row, Unit, thousands};
use crate::answer::{Answer, Peer};
use crate::peer::spin::Verifier;
use crate::protocol::{Case, KINDS, name};
use crate::spend::{spend, this_program};

/// A row a case.
pub fn answers(has_spin: bool) -> Result<Vec<Row>, String> {
    let cases = KINDS.into_iter().flat_map(Case::all_of);
    cases.map(|case| answer(case, has_spin)).collect()
}

/// A program that answers, and what was measured of it.
struct Contestant {
    peer: Peer,
    program: PathBuf,
    arguments: Vec<String>,
    /// What it is told for it to start and do nothing.
    nothing: Vec<String>,
    /// Goes when the contest is over, and its folder with it.
    _verifier: Option<Verifier>,
    states: u64,
    seconds: f64,
    starts_in_seconds: f64,
    kilobytes: u64,
}

impl Contestant {
    fn new(peer: Peer, case: Case) -> Result<Self, String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let (keepers, rounds) = (case.keepers.to_string(), case.rounds.to_string());
        let (program, arguments, nothing, verifier) = if peer.is_spin() {
            let verifier = Verifier::new(case, peer == Peer::SpinReduced, "-O2")?;
            let program = verifier.program();
            (program, Verifier::arguments().into(), words(&["-V"]), Some(verifier))
        } else {
            let arguments = ["answer", peer.name(), name(case.kind), &keepers, &rounds];
            (this_program()?, words(&arguments), words(&["nothing"]), None)
        };
        Ok(Self {
            peer,
            program,
            arguments,
            nothing,
            _verifier: verifier,
            states: 0,
            seconds: f64::INFINITY,
            starts_in_seconds: f64::INFINITY,
            kilobytes: u64::MAX,
        })
    }

    fn go(&mut self, case: Case) -> Result<(), String> {
        let started = spend(&self.program, &self.nothing)?;
        self.starts_in_seconds = self.starts_in_seconds.min(started.seconds);
        let spent = spend(&self.program, &self.arguments)?;
        let answer = Answer::read(self.peer, &spent.printed).ok_or(spent.printed)?;
        answer.check(self.peer, case)?;
        self.states = answer.states;
        self.seconds = self.seconds.min(spent.seconds);
        self.kilobytes = self.kilobytes.min(spent.kilobytes);
        Ok(())
    }

    fn figure(&self) -> Figure {
        let column = match self.peer {
            Peer::Locklab => Column::Locklab,
            Peer::Stateright => Column::Stateright,
            Peer::Spin => Column::Spin,
            Peer::SpinReduced => Column::SpinReduced,
        };
        Figure {
            column,
            value: (self.seconds - self.starts_in_seconds).max(0.0),
            work: [thousands(self.states), format!("{:.1} MB", self.kilobytes as f64 / 1024.0)],
            states: Some(self.states),
        }
    }
}

fn answer(case: Case, has_spin: bool) -> Result<Row, String> {
    let title = format!("every state, {}, {} × {}", name(case.kind), case.keepers, case.rounds);
    eprintln!("{title} …");
    let peers = Peer::ALL.into_iter().filter(|peer| has_spin || !peer.is_spin());
    let mut contestants =
        peers.map(|peer| Contestant::new(peer, case)).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..REPETITIONS {
        for contestant in &mut contestants {
            contestant.go(case)?;
        }
    }
    let figures = contestants.iter().map(Contestant::figure).collect();
    Ok(Row { title, counts: ["states", "memory"], unit: Unit::Seconds, figures })
}
