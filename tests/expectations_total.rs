//! Every scenario says one thing of every policy that can be written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use locklab::cell::{Question, Verdict, judge};
use locklab::scenario::{Parts, Scenario, Whom, builtin};
use locklab_models::{Policy, PolicyRow, Publish, RecordField, Release, Stale};
use rayon::prelude::*;

/// The parts, each with the words that are tried.
type Words = Vec<(&'static str, Vec<&'static str>)>;

/// All words, but of the many that a record has: of those that no `where` tells apart there
/// are few, with no field more than they must have, with some, and with all.
fn words() -> Words {
    let all = Policy::part_values().iter().map(|(part, words)| {
        let mut words = words.to_vec();
        if *part == "record" {
            let mut alike: BTreeMap<Vec<bool>, Vec<&'static str>> = BTreeMap::new();
            words.iter().for_each(|it| alike.entry(told_apart(part, it)).or_default().push(it));
            words = alike.into_values().flat_map(|all| few(&all)).collect();
        }
        (*part, words)
    });
    all.collect()
}

/// The shortest, a middle one and the longest.
fn few(words: &[&'static str]) -> BTreeSet<&'static str> {
    let mut words = words.to_vec();
    words.sort_by_key(|word| word.len());
    BTreeSet::from([words[0], words[words.len() / 2], words[words.len() - 1]])
}

/// In which `where` a word is.
fn told_apart(part: &str, word: &str) -> Vec<bool> {
    let parts = builtin().iter().flat_map(wheres).flatten().filter(|(name, _)| name == part);
    parts.map(|(_, words)| words.iter().any(|it| it == word)).collect()
}

/// The parts of which each `[[expect]]` of a scenario speaks.
fn wheres(scenario: &Scenario) -> Vec<&Parts> {
    let all = &scenario.expectations;
    let scopes = all.told.iter().map(|it| &it.scope).chain(all.open.iter().map(|it| &it.scope));
    let parts = scopes.filter_map(|scope| match &scope.whom {
        Whom::All(parts) => Some(parts),
        Whom::InTurn(_) => None,
    });
    parts.collect()
}

/// Shows every policy that can be made of these words: part by part, for as long as there is
/// some policy with these parts.
fn for_each_policy(words: &Words, see: &mut dyn FnMut(Policy)) {
    let mut rows = vec![(PolicyRow::default(), Vec::new())];
    while let Some((row, chosen)) = rows.pop() {
        let Some((part, words)) = words.get(chosen.len()) else {
            see(row.check("p").expect("it was sensible part by part"));
            continue;
        };
        for word in words {
            let row = match *word {
                "-" => row.clone(),
                word => row.clone().with_part(part, word).expect("such a word"),
            };
            let chosen: Vec<&str> = chosen.iter().copied().chain([*word]).collect();
            if has_these_parts(&row, &chosen) {
                rows.push((row, chosen));
            }
        }
    }
}

/// Whether some policy has these first parts, and this is the row for it.
fn has_these_parts(row: &PolicyRow, chosen: &[&str]) -> bool {
    let mut row = row.clone();
    if row.kernel.is_none() {
        row.publish.get_or_insert(Publish::CreateThenWrite);
        row.record.get_or_insert(vec![RecordField::Pid]);
        row.stale.get_or_insert(Stale::Never);
        let has_numbers = row.publish == Some(Publish::Numbered);
        let release = if has_numbers { Release::OwnNumber } else { Release::Unlink };
        row.release.get_or_insert(release);
    }
    let Ok(policy) = row.check("p") else { return false };
    policy.parts().iter().zip(chosen).all(|((_, word), chosen)| word == chosen)
}

/// What a scenario sees of a policy: for each part, the number of the words that it tells apart.
struct Eyes<'a> {
    scenario: &'a Scenario,
    parts: Vec<BTreeMap<&'static str, usize>>,
}

impl<'a> Eyes<'a> {
    fn of(scenario: &'a Scenario) -> Self {
        let wheres = wheres(scenario);
        let part = |part: &str, words: &[&'static str]| {
            let mut kinds: Vec<Vec<bool>> = Vec::new();
            let number = |word: &'static str| {
                let all = wheres.iter().flat_map(|parts| parts.iter());
                let of_part = all.filter(|(name, _)| name == part);
                let kind = of_part.map(|(_, words)| words.iter().any(|it| it == word)).collect();
                let known = kinds.iter().position(|it| *it == kind);
                let number = known.unwrap_or_else(|| {
                    kinds.push(kind);
                    kinds.len() - 1
                });
                (word, number)
            };
            words.iter().copied().map(number).collect()
        };
        let parts = Policy::part_values().iter().map(|(name, words)| part(name, words)).collect();
        Self { scenario, parts }
    }

    fn see(&self, parts: &[(&'static str, String)]) -> u64 {
        let words = parts.iter().zip(&self.parts);
        words.fold(0, |code, ((_, word), numbers)| {
            code * (numbers.len() as u64 + 1) + numbers[word.as_str()] as u64
        })
    }
}

/// So many problems of one scenario are told: the others are much like them.
const TOLD_OF_EACH: usize = 4;

#[test]
fn every_scenario_says_one_thing_of_every_policy() {
    let mut eyes: Vec<(Eyes<'_>, BTreeSet<u64>)> =
        builtin().iter().map(|scenario| (Eyes::of(scenario), BTreeSet::new())).collect();
    let mut count = 0;
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for_each_policy(&words(), &mut |policy| {
        count += 1;
        let parts = policy.parts();
        let fleet = Arc::new(policy).into();
        for (eyes, seen) in &mut eyes {
            if !seen.insert(eyes.see(&parts)) {
                continue;
            }
            if let Err(problems) = eyes.scenario.check_expectations(&fleet) {
                let wrong = wrong.entry(&eyes.scenario.name).or_default();
                if wrong.len() < TOLD_OF_EACH {
                    wrong.push(problems.to_string());
                }
            }
        }
    });
    let all: Vec<String> = wrong.into_values().flatten().collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
    // Publish, record, stale, unsigned, verify, guard, release, re-entry: far
    // fewer would mean that the walk was stuck.
    assert!(count > 5_000, "only {count} policies");
}

/// So many of the policies are judged in each scenario: they are so far from each other that
/// each word comes beside each other one.
const JUDGED: usize = 240;

/// A search takes longer.
const JUDGED_SEARCHED: usize = 24;

/// What is expected is so: in every story, and in a few random runs, or in every run
/// there is.
#[test]
fn every_scenario_is_right_about_one_policy_in_so_many() {
    let mut policies: Vec<Arc<Policy>> = Vec::new();
    let words = words();
    let mut count = 0;
    for_each_policy(&words, &mut |_| count += 1);
    let mut nth = 0;
    // Odd, for the last words change with each policy.
    let stride = (count / JUDGED) | 1;
    for_each_policy(&words, &mut |policy| {
        if nth % stride == 0 {
            policies.push(Arc::new(policy));
        }
        nth += 1;
    });
    let mut all = Vec::new();
    for scenario in builtin() {
        let scenario = Arc::new(scenario.clone());
        let stride = if scenario.search.is_some() { JUDGED / JUDGED_SEARCHED } else { 1 };
        let problems = policies.par_iter().step_by(stride).flat_map_iter(|policy| {
            let question =
                Question { scenario: scenario.clone(), fleet: policy.into(), seed: 0, runs: 40 };
            let wrong = judge(&question).properties.into_iter().filter(|property| {
                // In so few runs a fault may not have come to anything.
                !property.as_expected && !matches!(property.verdict, Verdict::Inconclusive)
            });
            let told = wrong.map(|it| format!("{} {it:?} {:?}", scenario.name, policy.parts()));
            told.collect::<Vec<_>>()
        });
        all.extend(problems.collect::<Vec<_>>().into_iter().take(TOLD_OF_EACH));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
