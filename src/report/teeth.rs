use serde::Serialize;

use super::Files;
use super::quoted;
use super::style::Tone;
use super::text::{listed, paragraph};
use crate::cell::{Counterexample, Teeth};
use crate::count::counted;
use crate::scenario::PropertyName;

/// What there is to say of the teeth of some properties: a sentence, and the fall that it
/// is about.
pub(super) struct Said<'a> {
    pub(super) sentence: String,
    pub(super) fall: Option<&'a Counterexample>,
}

/// What makes the properties fall that hold, for people.
pub(super) fn text(
    out: &mut String,
    teeth: &[(PropertyName, &Teeth)],
    files: &Files,
    indent: &str,
) {
    for Said { sentence, fall } in said(teeth) {
        let (sign, tone) = if fall.is_some() { ("✗", Tone::Plain) } else { ("?", Tone::Warn) };
        paragraph(out, &format!("{indent}{sign} {sentence}"), &format!("{indent}  "), tone);
        if let Some(fall) = fall {
            let line = quoted(&fall.schedule.to_string());
            out.push_str(&format!("{indent}  locklab replay {line}{}\n", files.arguments()));
        }
    }
}

/// A sentence for each change, and one for all properties that fall with none.
pub(super) fn said<'a>(teeth: &[(PropertyName, &'a Teeth)]) -> Vec<Said<'a>> {
    let mut said: Vec<Said<'_>> = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for (_, teeth_of_one) in teeth {
        let Teeth::Bite(bite) = teeth_of_one else { continue };
        if told.contains(&bite.policy.as_str()) {
            continue;
        }
        told.push(&bite.policy);
        let is_same = |it: &Teeth| matches!(it, Teeth::Bite(it) if it.policy == bite.policy);
        let names = names(teeth, &is_same);
        let verb = if names.len() == 1 { "falls" } else { "fall" };
        let change = format!("{}: {} → {}", bite.part, bite.from, bite.to);
        said.push(Said {
            sentence: format!("{change}: {} {verb}", listed(&names)),
            fall: Some(&bite.counterexample),
        });
    }
    let blunt = teeth.iter().find_map(|(_, teeth)| match teeth {
        Teeth::Blunt { tried, unclear, interrupted } => Some((*tried, *unclear, *interrupted)),
        Teeth::Bite(_) => None,
    });
    said.extend(blunt.map(|(tried, unclear, interrupted)| {
        let names = names(teeth, &|it| matches!(it, Teeth::Blunt { .. }));
        Said {
            sentence: format!("{}: {}", listed(&names), weak(tried, unclear, interrupted)),
            fall: None,
        }
    }));
    said
}

fn names(teeth: &[(PropertyName, &Teeth)], is_it: &dyn Fn(&Teeth) -> bool) -> Vec<&'static str> {
    teeth.iter().filter(|(_, teeth)| is_it(teeth)).map(|(name, _)| name.as_str()).collect()
}

/// What is to be thought of a proof that nothing makes fall.
fn weak(tried: u64, unclear: u64, interrupted: bool) -> String {
    match unclear {
        _ if interrupted => {
            let changes = counted(tried, "change");
            format!("interrupted before one of {changes} of one part was seen to fall here")
        }
        0 => format!(
            "no change of one part ({tried} tried) falls here: this scenario may be too weak"
        ),
        _ => format!(
            "no change of one part ({tried} tried) was seen to fall here; of {unclear}, not all \
             runs were looked at"
        ),
    }
}

/// For programs: the change, and how the property falls with it.
#[derive(Serialize)]
pub(super) struct TeethJson<'a> {
    part: &'static str,
    from: &'a str,
    to: &'static str,
    policy: &'a str,
    property: PropertyName,
    schedule: String,
    steps: u64,
    minimal: bool,
}

impl<'a> TeethJson<'a> {
    /// `None` if it falls with no change of one part.
    pub(super) fn of(teeth: &'a Teeth) -> Option<Self> {
        let Teeth::Bite(bite) = teeth else { return None };
        let it = &bite.counterexample;
        Some(Self {
            part: bite.part,
            from: &bite.from,
            to: bite.to,
            policy: &bite.policy,
            property: it.property,
            schedule: it.schedule.to_string(),
            steps: it.steps,
            minimal: it.minimal,
        })
    }
}
