//! From the text of a scenario file to a [`Scenario`], or to all that is
//! wrong with it.

mod adversary;
mod cast;
mod expect;
mod fields;
mod machines;
mod search;
mod story;

use std::time::Duration;

use locklab_models::Period;
use smol_str::SmolStr;
use toml::Spanned;

use super::{ProcessSpec, PropertyName, Scenario};
use crate::diagnostic::{Diagnostic, Findings, Problems, Table};

use cast::Cast;

/// The version of the format that this reader knows.
const SCHEMA: i64 = 1;

const HORIZON: Duration = Duration::from_secs(60 * 60);

/// Reads the file called `origin`.
pub fn read(origin: &str, text: &str) -> Result<Scenario, Problems> {
    let mut findings = Findings::default();
    let scenario = read_top(Table::parse(text, &mut findings), &mut findings);
    match scenario {
        Some(scenario) if findings.is_empty() => {
            Ok(Scenario { origin: origin.to_owned(), text: text.to_owned(), ..scenario })
        }
        _ => Err(findings.into_problems(origin, text)),
    }
}

fn read_top(mut top: Table<'_>, findings: &mut Findings) -> Option<Scenario> {
    let schema: Option<Spanned<i64>> = top.require("schema", findings);
    if let Some(schema) = schema.filter(|schema| *schema.get_ref() != SCHEMA) {
        findings.add(
            Diagnostic::new(format!("unknown schema {}", schema.get_ref()), schema.span())
                .help(format!("this version of locklab reads `schema = {SCHEMA}`")),
        );
        // Under another schema, the rest means something else.
        return None;
    }
    let name = top.require::<SmolStr>("name", findings);
    check_name("a scenario", name.as_ref(), findings);
    let title = prose("title", &mut top, findings);
    let lesson = prose("lesson", &mut top, findings);
    let source = top.take("source", findings).map(Spanned::into_inner);
    let hypothesis = top.take("hypothesis", findings).map(Spanned::into_inner);
    let vary = top.require::<SmolStr>("vary", findings);
    let properties = Properties::read(&mut top, findings);
    let patience = top.require::<Period>("patience", findings);
    let prompt = top.take::<Period>("prompt", findings);
    let horizon = top.take::<Period>("horizon", findings);

    let cast = Cast::read(&mut top, findings);
    check_vary(vary.as_ref(), &cast, findings);
    let reached = story::reached(&mut top, &cast.names, findings);
    let faults = story::faults(&mut top, &cast, findings);
    let adversary = adversary::read(&mut top, &cast, findings);
    let asked = properties.as_ref().map_or(&[][..], |properties| &properties.names);
    let searched = top.has(search::KEY);
    let search = search::read(&mut top, findings);
    let expectations = expect::read(&mut top, asked, searched, findings);
    check_prompt(prompt.as_ref(), properties.as_ref(), findings);
    top.finish(findings);

    let (name, properties) = (name?, properties?);
    Some(Scenario {
        name_span: name.span(),
        name: name.into_inner(),
        title: title?,
        lesson: lesson?,
        source,
        hypothesis,
        vary: vary?.into_inner(),
        properties: properties.names,
        properties_span: properties.span,
        patience: patience?.into_inner().get(),
        prompt: prompt.map(|prompt| prompt.into_inner().get()),
        horizon: horizon.map_or(HORIZON, |horizon| horizon.into_inner().get()),
        reached,
        machines: cast.machines,
        processes: cast.processes.into_iter().collect::<Option<_>>()?,
        faults,
        adversary,
        search,
        expectations,
        origin: String::new(),
        text: String::new(),
    })
}

/// What the scenario asks about, as far as it could be read.
struct Properties {
    names: Vec<PropertyName>,
    span: std::ops::Range<usize>,
}

impl Properties {
    fn read(top: &mut Table<'_>, findings: &mut Findings) -> Option<Self> {
        let words = top.require::<Vec<Spanned<String>>>("properties", findings)?;
        let span = words.span();
        if words.get_ref().is_empty() {
            findings.add(Diagnostic::new("a scenario asks about something", span.clone()));
        }
        let mut names = Vec::new();
        for word in words.into_inner() {
            let Some(name) = property(&word, findings) else { continue };
            if names.contains(&name) {
                findings.add(Diagnostic::new(format!("`{name}` is named twice"), word.span()));
            }
            names.push(name);
        }
        Some(Self { names, span })
    }
}

/// The property called `word`.
fn property(word: &Spanned<String>, findings: &mut Findings) -> Option<PropertyName> {
    let property = word.get_ref().parse().ok();
    if property.is_none() {
        let all = PropertyName::ALL.iter().map(|property| property.as_str());
        findings.add(Diagnostic::unknown("property", word.get_ref(), word.span(), all));
    }
    property
}

/// Text for people: something, and not only blanks.
fn prose(key: &'static str, table: &mut Table<'_>, findings: &mut Findings) -> Option<String> {
    let text = table.require::<String>(key, findings)?;
    if text.get_ref().trim().is_empty() {
        findings.add(Diagnostic::new(format!("`{key}` says nothing"), text.span()));
    }
    if text.get_ref().contains(|c: char| c.is_control() && c != '\n') {
        let message = format!("`{key}` has a control character in it");
        findings.add(Diagnostic::new(message, text.span()));
    }
    Some(text.into_inner())
}

/// What a process is called in messages.
const PROCESS: &str = "a process";
/// What schedules call the moves that are of no process.
const MOVES: [&str; 2] = ["jump", "quiet"];

/// Schedules, traces and command lines carry names.
fn check_name<T: AsRef<str>>(what: &str, name: Option<&Spanned<T>>, findings: &mut Findings) {
    let Some(name) = name else { return };
    let text = name.get_ref().as_ref();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if text.is_empty() || text.starts_with('-') || !text.chars().all(fits) {
        findings.add(
            Diagnostic::new(format!("`{text}` cannot be the name of {what}"), name.span())
                .help("use small letters, digits and `-`"),
        );
    } else if what == PROCESS && (MOVES.contains(&text) || is_strangers(text)) {
        findings.add(
            Diagnostic::new(format!("`{text}` cannot be the name of {what}"), name.span())
                .help("schedules call something else so"),
        );
    }
}

/// Whether strangers, who are given reused pids, are called so.
fn is_strangers(name: &str) -> bool {
    let number = name.strip_prefix("stranger");
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn check_vary(vary: Option<&Spanned<SmolStr>>, cast: &Cast, findings: &mut Findings) {
    let Some(vary) = vary else { return };
    if vary.get_ref() != "lock" {
        findings.add(Diagnostic::unknown("slot", vary.get_ref(), vary.span(), ["lock"]));
        return;
    }
    let broken = cast.processes.iter().any(Option::is_none);
    if !broken && !cast.processes.iter().flatten().any(ProcessSpec::is_contender) {
        findings.add_absence(
            Diagnostic::new("no process follows the policy that varies", vary.span())
                .help("give a process `lock = \"$policy\"`"),
        );
    }
}

fn check_prompt(
    prompt: Option<&Spanned<Period>>,
    properties: Option<&Properties>,
    findings: &mut Findings,
) {
    let Some(properties) = properties else { return };
    let asked = properties.names.contains(&PropertyName::PromptTakeover);
    match prompt {
        None if asked => findings.add_absence(
            Diagnostic::new("`prompt-takeover` needs a bound", properties.span.clone())
                .help("say how soon with `prompt = \"2s\"`"),
        ),
        Some(prompt) if !asked => findings.add(
            Diagnostic::new("a bound that is not asked about", prompt.span())
                .help("leave out `prompt`, or ask about `prompt-takeover`"),
        ),
        _ => {}
    }
}
