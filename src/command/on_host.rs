//! A run, forced upon a real Linux.

use super::{Answer, Exit, Format, Refusal, run};
use crate::cast::Cast;
use crate::on_host::{End, Forced, Obstacle, Plan, force};
use crate::report::single::Single;

/// The run in the form that was asked for, with what Linux said to it.
pub(super) fn answer(single: &Single<'_>, format: Format) -> Result<Answer, Refusal> {
    let cast = Cast::new(single.scenario, single.fleet);
    let plan = Plan::of(&cast, &single.shown.line).map_err(|obstacles| refused(&obstacles))?;
    let forced = force(&plan).map_err(|lack| Refusal {
        message: format!("nothing ran: no real machine can be had here, for lack of {lack}"),
        exit: Exit::NothingRan,
    })?;
    let text = match format {
        Format::Lanes => single.on_host(&forced),
        Format::Json => single.json(Some(&forced)),
    };
    Ok(Answer { text, remarks: Vec::new(), exit: exit(single, &forced) })
}

fn refused(obstacles: &[Obstacle]) -> Refusal {
    let reasons: Vec<String> = obstacles.iter().map(Obstacle::to_string).collect();
    let message = format!("this run cannot be forced upon a real Linux: {}", reasons.join("; "));
    Refusal::bad_input(message)
}

/// A simulation with which Linux does not agree is a fault of ours.
fn exit(single: &Single<'_>, forced: &Forced) -> Exit {
    match forced.end {
        End::Differs { .. } => Exit::Fault,
        End::NotForced { .. } => Exit::Inconclusive,
        End::Agreed(_) => run::exit(single.shown),
    }
}
