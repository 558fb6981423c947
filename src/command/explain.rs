//! One thing of any kind, explained.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use locklab_models::Program;
use locklab_models::word::{MARKS, POINTS};

use super::{Answer, Catalogue, Refusal, catalogue};
use crate::diagnostic::{nearest, wrapped};
use crate::report::explain;
use crate::scenario::PropertyName;
use crate::variant::CHANGE;

/// Explain a scenario, a policy, a program, a property, a point, or a word of the reports.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Its name; of a scenario also the path. `kills`, `teeth` and other words of reports
    /// and scenario files are known, too
    name: String,
    /// Policies of your own
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
}

/// Explains whatever has that name.
pub fn explain(args: &Args) -> Result<Answer, Refusal> {
    let catalogue = Catalogue::open(args.policy_file.as_deref())?;
    let name = args.name.as_str();
    if catalogue::is_path(name) {
        return Ok(Answer::plain(explain::scenario(&*catalogue.scenario(name)?)));
    }
    let scenarios = catalogue.scenarios.iter().filter(|it| it.name == name);
    let changed = name.contains(CHANGE).then(|| catalogue.policy(name)).transpose()?;
    let policies = catalogue.policies.iter().filter(|it| it.name == name).chain(&changed);
    let programs = Program::all().iter().filter(|it| it.name == name);
    let properties = PropertyName::ALL.into_iter().filter(|it| it.as_str() == name);
    let points = POINTS.iter().filter(|(point, _)| *point == name);
    let marks = MARKS.iter().filter(|(mark, _)| *mark == name);
    let texts: Vec<String> = scenarios
        .map(|it| explain::scenario(it))
        .chain(
            policies
                .map(|it| explain::policy(it, catalogue.is_of_file(name), &catalogue.scenarios)),
        )
        .chain(programs.map(|it| explain::program(it, &catalogue.scenarios)))
        .chain(properties.map(|it| explain::property(it, &catalogue.scenarios)))
        .chain(points.map(|(point, meaning)| explain::point(point, meaning, &catalogue.scenarios)))
        .chain(marks.map(|(mark, meaning)| explain::mark(mark, meaning)))
        .chain(explain::word(name))
        .collect();
    if texts.is_empty() {
        return Err(unknown(name, &catalogue));
    }
    Ok(Answer::plain(texts.join("\n")))
}

fn unknown(name: &str, catalogue: &Catalogue) -> Refusal {
    let words = || explain::WORDS.iter().map(|(word, _)| *word);
    let known: Vec<&str> = catalogue
        .scenario_names()
        .chain(catalogue.policy_names())
        .chain(Program::all().iter().map(|it| it.name))
        .chain(PropertyName::ALL.iter().map(|it| it.as_str()))
        .chain(POINTS.iter().map(|(point, _)| *point))
        .chain(MARKS.iter().map(|(mark, _)| *mark))
        .chain(words())
        .collect();
    if nearest(name, known.iter().copied()).is_some() {
        return catalogue::unknown("name", name, known);
    }
    // All of them would be a page of names.
    let words: Vec<&str> = words().collect();
    let words = wrapped(&format!("other words are: {}", words.join(", ")));
    Refusal::bad_input(format!("unknown name `{name}`"))
        .or_help(
            "`locklab list KIND` names scenarios, policies, programs, properties, points and marks",
        )
        .or_help(&words)
}
