//! Policies that are as another but for a part or two, under names that say so:
//! `identity~guard=flock`.

use std::sync::Arc;

use locklab_models::{Complaint, Policy};
use locklab_sys::SmolStr;

use crate::diagnostic::advice;

/// Before each part that is changed, in the name of a policy.
pub const CHANGE: char = '~';

/// The name of the policy that a name is of, without its changes.
pub fn base(name: &str) -> &str {
    name.split(CHANGE).next().unwrap_or(name)
}

/// One part of a policy, changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The part.
    pub part: &'static str,
    /// Its word in the policy that was changed.
    pub from: String,
    /// Its word now.
    pub to: &'static str,
    /// The policy as it is then.
    pub policy: Arc<Policy>,
}

/// Every change of one part that makes sense, in the order of the parts.
pub fn changes(policy: &Policy) -> Vec<Change> {
    let own = policy.parts();
    let mut found = Vec::new();
    for &(part, words) in Policy::part_values() {
        let from = own.iter().find(|(name, _)| *name == part).map(|(_, word)| word.clone());
        let from = from.expect("a policy has every part");
        for &to in words.iter().filter(|word| **word != from) {
            if let Some(Ok(changed)) = plain(policy).with_part(part, to) {
                let policy = Arc::new(named(policy, changed, part, to));
                found.push(Change { part, from: from.clone(), to, policy });
            }
        }
    }
    found
}

/// The policy with parts changed as `changes` says, such as `guard=none` or
/// `guard=none~verify=bytes`; or what is wrong with that.
pub fn variant(policy: &Policy, changes: &str) -> Result<Policy, String> {
    let mut changed_parts: Vec<&str> = Vec::new();
    changes.split(CHANGE).try_fold(policy.clone(), |policy, change| {
        let (part, word) = change.split_once('=').ok_or_else(|| {
            format!("`{change}` is no change of a part\n  help: it has the form PART=WORD")
        })?;
        if changed_parts.contains(&part) {
            return Err(format!("`{part}` is changed twice\n  help: say once what it is"));
        }
        changed_parts.push(part);
        changed(&policy, part, &word.replace('.', "+"))
    })
}

fn changed(policy: &Policy, part: &str, word: &str) -> Result<Policy, String> {
    let parts = || Policy::part_values().iter().map(|(part, _)| *part);
    let known = Policy::part_values().iter().find(|(name, _)| *name == part);
    let (part, words) = known.ok_or_else(|| unknown("part", part, parts()))?;
    match plain(policy).with_part(part, word) {
        None => Err(unknown(part, word, words.iter().copied().filter(|word| *word != "-"))),
        Some(Err(complaints)) => Err(told(policy, &complaints)),
        Some(Ok(changed)) => Ok(named(policy, changed, part, word)),
    }
}

/// Under a name that a file may give it.
fn plain(policy: &Policy) -> Policy {
    Policy { name: base(&policy.name).into(), ..policy.clone() }
}

/// Under a name that says what was changed. A `+` stands between the members of a fleet.
fn named(policy: &Policy, changed: Policy, part: &str, word: &str) -> Policy {
    let name = format!("{}{CHANGE}{part}={}", without(&policy.name, part), word.replace('+', "."));
    Policy {
        name: SmolStr::from(name),
        title: format!("{}; but {part} is {word}", policy.title),
        rule: format!("As {}, but for its {part}: {word}.", policy.name),
        source: None,
        ..changed
    }
}

/// The name without a change of this part: none is said twice.
fn without(name: &str, part: &str) -> String {
    let is_it = |change: &&str| change.split_once('=').is_some_and(|(of, _)| of == part);
    let kept: Vec<&str> = name.split(CHANGE).filter(|change| !is_it(change)).collect();
    kept.join(&CHANGE.to_string())
}

fn unknown<'a>(kind: &str, word: &str, all: impl Iterator<Item = &'a str> + Clone) -> String {
    format!("unknown {kind} `{word}`\n  help: {}", advice(word, all))
}

fn told(policy: &Policy, complaints: &[Complaint]) -> String {
    let told: Vec<String> = complaints
        .iter()
        .map(|complaint| match &complaint.help {
            Some(help) => format!("{}\n  help: {help}", complaint.message),
            None => complaint.message.clone(),
        })
        .collect();
    format!("{} cannot be changed so: {}", policy.name, told.join("\n"))
}
