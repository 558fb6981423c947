use std::mem::discriminant;

use crate::choice::Choice;
use crate::random::Stream;

/// One move of each kind.
pub(super) fn kinds_of(moves: &[Choice]) -> Vec<Choice> {
    let mut kinds: Vec<Choice> = Vec::new();
    for choice in moves {
        if !kinds.iter().any(|kind| discriminant(kind) == discriminant(choice)) {
            kinds.push(*choice);
        }
    }
    kinds
}

/// Any of these kinds is as likely as another, however many moves each has, and so is each
/// move among its kind.
pub(super) fn pick(moves: &mut Vec<Choice>, kinds: &[Choice], stream: &mut Stream) -> Choice {
    let kind = discriminant(&kinds[stream.below(kinds.len())]);
    moves.retain(|choice| discriminant(choice) == kind);
    moves[stream.below(moves.len())]
}
