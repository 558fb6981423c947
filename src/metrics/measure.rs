use std::ops::ControlFlow;

use locklab_sim::{Notes, Random, Recorder, Strategy, Trace, Turns, World, run};

use super::Metrics;
use crate::arm::Arm;
use crate::cast::{Cast, cut_off};
use crate::cell::{CUT_OFF_MAX, Question, Stage};
use crate::scenario::Scenario;

/// Measures a cell in its story and its random runs: those by which it is judged. `report` is
/// told how many runs were made, and may end it.
pub fn measure(question: &Question, report: &mut dyn FnMut(Stage) -> ControlFlow<()>) -> Metrics {
    let Question { scenario, fleet, .. } = question;
    let cast = Cast::new(scenario, fleet);
    let mut metrics = Metrics::default();
    if cast.misfit().is_some() {
        return metrics;
    }
    let counts = |process: &str| is_contender(scenario, process);
    let (story, _) = recorded(&cast, cast.world(Arm::Story, 0), &mut Turns::default());
    metrics.merge(&Metrics::of(&story, &counts));
    let setup = cast.setup(Arm::Sampled);
    let mut cut_offs = 0;
    for index in 0..question.runs {
        if cut_offs == CUT_OFF_MAX || report(Stage::Runs(index)).is_break() {
            break;
        }
        let seed = question.run_seed(index);
        let world = World::new(setup.clone(), seed);
        let (trace, is_cut_off) = recorded(&cast, world, &mut Random::new(seed));
        cut_offs += u64::from(is_cut_off);
        metrics.merge(&Metrics::of(&trace, &counts));
    }
    metrics
}

/// A run, and whether it was cut off.
fn recorded<S: Strategy>(cast: &Cast<'_>, mut world: World, strategy: &mut S) -> (Trace, bool) {
    let mut recorder = Recorder::new(Vec::new(), Notes::default());
    let finished = run(&mut world, strategy, &mut (), cast.limits(), Some(&mut recorder));
    (recorder.into_trace(), cut_off(&finished).is_some())
}

/// Whether the cell varies the rule of a process: of a contender, its later lives (`holder.2`)
/// and its children (`holder/child`).
fn is_contender(scenario: &Scenario, process: &str) -> bool {
    let first = process.split(['.', '/']).next().unwrap_or_default();
    let mut contenders = scenario.processes.iter().filter(|it| it.is_contender());
    contenders.any(|contender| contender.name == first)
}
