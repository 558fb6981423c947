use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use locklab_models::Policy;
use wildmatch::WildMatch;

use super::Refusal;
use crate::cast::Cast;
use crate::diagnostic::advice;
use crate::fleet::{Fleet, JOINT};
use crate::policy_file;
use crate::report::Files;
use crate::scenario::{self, Scenario};
use crate::variant::{CHANGE, base, variant};

/// What can be asked for by name.
pub struct Catalogue {
    /// The scenarios that are compiled in.
    pub scenarios: Vec<Arc<Scenario>>,
    /// The policies that are compiled in, and then those of a file.
    pub policies: Vec<Arc<Policy>>,
    /// The names of the file's policies.
    of_file: Vec<String>,
}

/// A `+` that was meant for a part stands between two policies.
const DOT: &str = "in a change of a part a `+` is written as a dot: `record=pid.nonce`";

/// What a list of patterns selects.
pub struct Selection<T> {
    /// In the order of the patterns, each once.
    pub chosen: Vec<Arc<T>>,
    /// Patterns that match nothing.
    pub idle: Vec<String>,
}

/// One scenario under one policy, or a mixed fleet, by name.
#[derive(Clone, Debug, Args)]
pub struct Which {
    /// The scenario: its name, or the path of a file
    scenario: String,
    /// The policy; or a mixed fleet: `NEW+OLD` lets the first contender that starts
    /// follow NEW, and the others OLD
    #[arg(long, value_name = "P|NEW+OLD")]
    policy: String,
    /// Policies of your own
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
}

/// The same, found.
pub struct Asked {
    pub scenario: Arc<Scenario>,
    pub fleet: Fleet,
    /// What it takes to find them elsewhere.
    pub files: Files,
}

impl Which {
    /// What is asked for, if the fleet fits the scenario.
    pub fn open(&self) -> Result<Asked, Refusal> {
        let policy_file = self.policy_file.as_deref();
        let catalogue = Catalogue::open(policy_file)?;
        let scenario = catalogue.scenario(&self.scenario)?;
        let fleet = catalogue.fleet(&self.policy)?;
        if let Some(misfit) = Cast::new(&scenario, &fleet).misfit() {
            return Err(Refusal::bad_input(misfit));
        }
        let files = Files { scenario: catalogue.path_of(&scenario), policies: None }
            .for_policy(policy_file, catalogue.is_of_file(fleet.name()));
        Ok(Asked { scenario, fleet, files })
    }
}

impl Catalogue {
    /// All there is. A policy of the file may not have the name of a shipped
    /// one: a schedule names its policy.
    pub fn open(policy_file: Option<&Path>) -> Result<Self, Refusal> {
        let scenarios = scenario::builtin().iter().cloned().map(Arc::new).collect();
        let more = policy_file.map(policy_file::load).transpose()?.unwrap_or_default();
        let of_file: Vec<String> = more.iter().map(|policy| policy.name.to_string()).collect();
        let mut policies = policy_file::named();
        if let Some(twin) =
            policies.iter().find(|policy| of_file.iter().any(|it| *it == policy.name))
        {
            return Err(Refusal::bad_input(format!(
                "the policy file has a policy `{}`, as locklab has one\n  help: give it a name of its own",
                twin.name
            )));
        }
        policies.extend(more);
        Ok(Self { scenarios, policies, of_file })
    }

    /// The scenario of this name, or at this path.
    pub fn scenario(&self, wanted: &str) -> Result<Arc<Scenario>, Refusal> {
        if is_path(wanted) {
            return Ok(Arc::new(scenario::load(Path::new(wanted))?));
        }
        let found = self.scenarios.iter().find(|scenario| scenario.name == wanted);
        found.cloned().ok_or_else(|| {
            let file = format!("{wanted}.toml");
            if Path::new(&file).is_file() {
                return Refusal::bad_input(format!("unknown scenario `{wanted}`"))
                    .or_help(&format!("there is a file: name it `{file}`"));
            }
            unknown("scenario", wanted, self.scenario_names())
        })
    }

    /// The policy of this name, or one that is as it but for some parts:
    /// `identity~guard=flock`.
    pub fn policy(&self, wanted: &str) -> Result<Arc<Policy>, Refusal> {
        if let Some((base, changes)) = wanted.split_once(CHANGE) {
            let changed = variant(&*self.policy(base)?, changes).map_err(Refusal::bad_input)?;
            return Ok(Arc::new(changed));
        }
        let found = self.policies.iter().find(|policy| policy.name == wanted);
        found.cloned().ok_or_else(|| unknown("policy", wanted, self.policy_names()))
    }

    /// The fleet of this name: a policy, or several with `+` between.
    pub fn fleet(&self, wanted: &str) -> Result<Fleet, Refusal> {
        let names: Vec<&str> = wanted.split(JOINT).collect();
        let members = names.iter().enumerate().map(|(nth, name)| {
            self.policy(name).map_err(|unknown| {
                match names[..nth].iter().any(|it| it.contains(CHANGE)) {
                    true => unknown.or_help(DOT),
                    false => unknown,
                }
            })
        });
        Ok(Fleet::new(members.collect::<Result<_, _>>()?))
    }

    /// Selects scenarios by names, patterns and paths; all without any.
    pub fn select_scenarios(&self, patterns: &[String]) -> Result<Selection<Scenario>, Refusal> {
        if patterns.is_empty() {
            return Ok(Selection { chosen: self.scenarios.clone(), idle: Vec::new() });
        }
        select(patterns, &self.scenarios, |it| &it.name, |name| self.scenario(name))
    }

    /// The scenarios that the essays tell of.
    pub fn essays(&self) -> Selection<Scenario> {
        let told = self.scenarios.iter().filter(|scenario| scenario.is_of_an_essay());
        Selection { chosen: told.cloned().collect(), idle: Vec::new() }
    }

    /// Every policy, those of a group beside each other.
    pub fn all_fleets(&self) -> Selection<Fleet> {
        let mut groups: Vec<&Option<String>> = Vec::new();
        for policy in &self.policies {
            if !groups.contains(&&policy.group) {
                groups.push(&policy.group);
            }
        }
        let of = |group: &Option<String>| {
            let members = self.policies.iter().filter(move |policy| policy.group == *group);
            members.map(|policy| Arc::new(policy.into())).collect::<Vec<_>>()
        };
        Selection { chosen: groups.into_iter().flat_map(of).collect(), idle: Vec::new() }
    }

    /// Selects policies by names and patterns, and mixed fleets by the names of
    /// their policies. Without any: the policies of the file if there is one,
    /// else those of the first group.
    pub fn select_fleets(&self, patterns: &[String]) -> Result<Selection<Fleet>, Refusal> {
        let all: Vec<Arc<Fleet>> =
            self.policies.iter().map(|policy| Arc::new(policy.into())).collect();
        if patterns.is_empty() {
            let first = self.policies.first().map(|policy| &policy.group);
            let in_question = |policy: &Arc<Policy>| {
                if self.of_file.is_empty() {
                    first == Some(&policy.group)
                } else {
                    self.is_of_file(&policy.name)
                }
            };
            let policies = self.policies.iter().zip(all);
            let chosen = policies.filter(|(policy, _)| in_question(policy)).map(|(_, fleet)| fleet);
            return Ok(Selection { chosen: chosen.collect(), idle: Vec::new() });
        }
        if let Some(pattern) = patterns.iter().find(|it| it.contains(JOINT) && is_glob(it)) {
            return Err(Refusal::bad_input(format!("`{pattern}` is a pattern and a mixed fleet"))
                .or_help("name each policy of a mixed fleet, as in `identity+age`"));
        }
        select(patterns, &all, |it| it.name(), |name| self.fleet(name).map(Arc::new))
    }

    /// The names of the policies that come from the file.
    pub fn names_of_file(&self) -> impl Iterator<Item = &str> {
        self.of_file.iter().map(String::as_str)
    }

    /// Whether a policy comes from the file, or one of a mixed fleet.
    pub fn is_of_file(&self, fleet: &str) -> bool {
        fleet.split(JOINT).any(|policy| self.of_file.iter().any(|name| name == base(policy)))
    }

    /// The file of a scenario that is not compiled in.
    pub fn path_of(&self, scenario: &Arc<Scenario>) -> Option<String> {
        let is_shipped = self.scenarios.iter().any(|shipped| Arc::ptr_eq(shipped, scenario));
        (!is_shipped).then(|| scenario.origin.clone())
    }

    /// The names of the scenarios.
    pub fn scenario_names(&self) -> impl Iterator<Item = &str> {
        self.scenarios.iter().map(|scenario| scenario.name.as_str())
    }

    /// The names of the policies.
    pub fn policy_names(&self) -> impl Iterator<Item = &str> {
        self.policies.iter().map(|policy| policy.name.as_str())
    }
}

fn select<T>(
    patterns: &[String],
    all: &[Arc<T>],
    name: impl Fn(&T) -> &str,
    by_name: impl Fn(&str) -> Result<Arc<T>, Refusal>,
) -> Result<Selection<T>, Refusal> {
    let mut chosen: Vec<Arc<T>> = Vec::new();
    let mut idle = Vec::new();
    for pattern in patterns {
        let found: Vec<Arc<T>> = if is_glob(pattern) {
            let glob = WildMatch::new(pattern);
            all.iter().filter(|it| glob.matches(name(it))).cloned().collect()
        } else {
            vec![by_name(pattern)?]
        };
        if found.is_empty() {
            idle.push(pattern.clone());
        }
        for it in found {
            if chosen.iter().all(|other| name(other) != name(&it)) {
                chosen.push(it);
            }
        }
    }
    Ok(Selection { chosen, idle })
}

/// Whether a scenario is asked for by path rather than by name.
pub(super) fn is_path(wanted: &str) -> bool {
    !is_glob(wanted) && (wanted.contains('/') || wanted.ends_with(".toml"))
}

fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

/// There is no such thing; this would be the nearest.
pub(super) fn unknown<'a>(
    kind: &str,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Refusal {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let advice = advice(name, candidates.iter().copied());
    Refusal::bad_input(format!("unknown {kind} `{name}`\n  help: {advice}"))
}
