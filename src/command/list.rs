//! All things of a kind.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use locklab_models::Program;
use locklab_models::word::{MARKS, POINTS};

use super::{Answer, Catalogue, Refusal};
use crate::scenario::PropertyName;

/// List what there is, a line each.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// What to list
    #[arg(value_enum)]
    kind: Kind,
    /// Policies of your own, to be listed as well
    #[arg(long, value_name = "FILE")]
    policy_file: Option<PathBuf>,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The stories that policies are put to
    Scenarios,
    /// The lock rules
    Policies,
    /// What processes run
    Programs,
    /// What scenarios ask about
    Properties,
    /// Where faults can be aimed
    Points,
    /// What programs say of themselves
    Marks,
}

/// Lists what was asked for.
pub fn list(args: &Args) -> Result<Answer, Refusal> {
    let catalogue = Catalogue::open(args.policy_file.as_deref())?;
    let entries: Vec<(&str, &str)> = match args.kind {
        Kind::Scenarios => catalogue.scenarios.iter().map(|it| (&*it.name, &*it.title)).collect(),
        Kind::Policies => catalogue.policies.iter().map(|it| (&*it.name, &*it.title)).collect(),
        Kind::Programs => Program::all().iter().map(|it| (it.name, it.summary)).collect(),
        Kind::Properties => {
            PropertyName::ALL.iter().map(|it| (it.as_str(), it.summary())).collect()
        }
        Kind::Points => POINTS.to_vec(),
        Kind::Marks => MARKS.to_vec(),
    };
    let width = entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines = entries.iter().map(|(name, meaning)| format!("{name:width$}  {meaning}\n"));
    Ok(Answer::plain(lines.collect()))
}
