use std::time::Duration;

use locklab_models::Program;
use locklab_sim::{Adversary, Points};
use serde_json::Value;

use super::words::{action, deeds, ordinal, period};
use crate::report::effects::{counted_moves, moves};
use crate::report::text::listed;
use crate::scenario::{ProcessSpec, Scenario};

/// Who is launched when, and does what.
pub(super) fn launches(scenario: &Scenario) -> Vec<String> {
    let mut processes: Vec<&ProcessSpec> = scenario.processes.iter().collect();
    processes.sort_by_key(|process| process.start);
    processes.into_iter().map(|process| launch(scenario, process)).collect()
}

fn launch(scenario: &Scenario, process: &ProcessSpec) -> String {
    let machine = match &scenario.machines[..] {
        [_] => String::new(),
        machines => format!(" on {}", machines[process.machine].name),
    };
    let fixed = process.slots.iter().filter_map(|slot| Some((slot.name, slot.fixed.as_ref()?)));
    let fixed: String =
        fixed.map(|(slot, policy)| format!(" Its {slot} is always {}.", policy.name)).collect();
    let again = if process.every_boot { ", and again after each boot" } else { "" };
    let change = if process.changed == process.program {
        String::new()
    } else {
        format!(" In the story, {}.", listed(&changes(process)))
    };
    format!(
        "At {}{machine} {} ({}) starts{again}: it {}.{change}{fixed}",
        period(process.start),
        process.name,
        process.program.info().name,
        deeds(&process.program),
    )
}

/// The parameters that the story changes, each as a file says it.
fn changes(process: &ProcessSpec) -> Vec<String> {
    let [before, after] = [&process.program, &process.changed].map(parameters);
    let changed = after.into_iter().filter(|(name, value)| before.get(name) != Some(value));
    changed.map(|(name, value)| format!("{name} = {value}")).collect()
}

fn parameters(program: &Program) -> serde_json::Map<String, Value> {
    let value = serde_json::to_value(program).expect("a program has only string keys");
    match value {
        Value::Object(tagged) => tagged.into_iter().find_map(|(_, it)| it.as_object().cloned()),
        _ => None,
    }
    .expect("a program is a table of parameters")
}

/// What happens to whom.
pub(super) fn faults(scenario: &Scenario) -> Vec<String> {
    let process = |index: usize| &scenario.processes[index].name;
    let told = scenario.faults.iter().map(|fault| {
        let time = if fault.nth == 1 {
            String::new()
        } else {
            format!(" for the {} time", ordinal(fault.nth))
        };
        let when = match fault.after {
            Duration::ZERO => "When".to_owned(),
            after => format!("{} after", period(after)),
        };
        format!(
            "{when} {} comes to {}{time}, {}.",
            process(fault.process),
            one_of(&fault.at),
            action(fault.action),
        )
    });
    told.collect()
}

/// A point, or whichever it is of several.
fn one_of(points: &Points) -> String {
    points.iter().map(|point| format!("`{point}`")).collect::<Vec<_>>().join(" or ")
}

/// What the adversary of sampled runs may spend, and from when on.
pub(super) fn adversary(scenario: &Scenario) -> String {
    let adversary = &scenario.adversary;
    if adversary.is_silent() {
        return "There is none: random runs have neither the story's faults nor others, and differ in the order of steps at most.".to_owned();
    }
    let since = match &adversary.after {
        None => String::new(),
        Some(after) => {
            let process = &scenario.processes[after.process].name;
            format!(" once {process} has said `{}`", after.mark)
        }
    };
    format!("In a random run an adversary may spend {}{since}.", listed(&budgets(adversary)))
}

fn budgets(adversary: &Adversary) -> Vec<String> {
    let granted = adversary.budgets().into_iter().filter(|(_, count)| *count > 0);
    granted
        .map(|(budget, count)| match count {
            Adversary::FREE => format!("{}, as often as it likes", moves(budget).1),
            _ => counted_moves(budget, count),
        })
        .collect()
}
