use std::fmt;

use locklab_models::Policy;
use serde::de::{self, Deserialize, Deserializer, SeqAccess};
use smol_str::SmolStr;
use toml::Spanned;

use super::fields::Fields;
use super::{property, prose};
use crate::diagnostic::{Diagnostic, Findings, Table};
use crate::scenario::{
    Expectation, Expectations, Expected, OpenQuestion, Parts, PropertyName, Scope, Whom,
};

/// What a file may say of a property, as its verdict.
#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Violated,
    Holds,
    Safe,
    Inconclusive,
    Open,
}

/// All that the file expects of the properties it asks about; `searched` says whether
/// anything can be proved.
pub(super) fn read(
    top: &mut Table<'_>,
    asked: &[PropertyName],
    searched: bool,
    findings: &mut Findings,
) -> Expectations {
    let mut expectations = Expectations::default();
    for table in top.take_each("expect", findings) {
        read_one(table, asked, searched, &mut expectations, findings);
    }
    expectations
}

fn read_one(
    mut table: Table<'_>,
    asked: &[PropertyName],
    searched: bool,
    expectations: &mut Expectations,
    findings: &mut Findings,
) -> Option<()> {
    let span = table.span();
    let whom = whom(&mut table, findings);
    let properties = properties(&mut table, asked, findings);
    let verdict = table.require::<Word>("verdict", findings);
    if let Some(verdict) = verdict.as_ref().filter(|_| !searched) {
        check_search(verdict, findings);
    }
    let verdict = verdict.map(Spanned::into_inner);
    let cause = cause(&mut table, verdict.as_ref(), findings);
    if let (Some(cause), Whom::InTurn(_)) = (&cause, &whom) {
        findings.add(
            Diagnostic::new(
                format!("`{}` is a part of each policy of a mixed fleet", cause.get_ref()),
                cause.span(),
            )
            .help("say in `because` whose it is"),
        );
    }
    let because = prose("because", &mut table, findings);
    table.finish(findings);

    let scope = Scope { whom, properties, span };
    let because = because?;
    let mut told = |verdict| {
        let scope = scope.clone();
        let cause = cause.as_ref().map(|it| it.get_ref().clone());
        expectations.told.push(Expectation { scope, verdict, cause, because: because.clone() });
    };
    match verdict? {
        Word::Violated => told(Expected::Violated),
        Word::Holds => told(Expected::Holds),
        Word::Safe => told(Expected::Safe),
        Word::Inconclusive => told(Expected::Inconclusive),
        Word::Open => expectations.open.push(OpenQuestion { scope, because }),
    }
    Some(())
}

/// What is to hold must be searched.
fn check_search(verdict: &Spanned<Word>, findings: &mut Findings) {
    if matches!(verdict.get_ref(), Word::Holds) {
        findings.add_absence(
            Diagnostic::new("only a search proves that something holds", verdict.span())
                .help("add a table `[search]`, or expect `safe`"),
        );
    }
}

/// Whose policies it is about: a table of parts, or a list of tables for a
/// mixed fleet; all policies without either.
fn whom(table: &mut Table<'_>, findings: &mut Findings) -> Whom {
    let Some(len) = table.list_len("where") else {
        let parts_of = table.take_table("where", findings);
        return Whom::All(parts_of.map(|table| parts(table, findings)).unwrap_or_default());
    };
    let span = table.span_of("where");
    let turns: Vec<Parts> =
        table.take_each("where", findings).into_iter().map(|it| parts(it, findings)).collect();
    if len < 2 {
        findings.add(
            Diagnostic::new("a mixed fleet follows at least two policies", span)
                .help("a single table, without the brackets, is about a policy that all follow"),
        );
    }
    Whom::InTurn(turns)
}

/// The parts that must match.
fn parts(mut table: Table<'_>, findings: &mut Findings) -> Parts {
    let mut parts = Vec::new();
    for key in table.keys() {
        let words: Option<Spanned<Words>> = table.take_any(key.get_ref(), findings);
        let Some(known) = words_of(&key, findings) else { continue };
        let Some(words) = words else { continue };
        let mut meant: Vec<SmolStr> = Vec::new();
        for word in &words.get_ref().0 {
            match words_meant(word, known) {
                Ok(words) => meant.extend(words),
                Err(unknown) => {
                    findings.add(unknown.label(format!("no word for `{}`", key.get_ref())));
                }
            }
        }
        if words.get_ref().0.is_empty() {
            findings.add(Diagnostic::new("no word at all matches no policy", words.span()));
        }
        parts.push((key.into_inner().into(), meant));
    }
    parts
}

/// The words of a part for which a word stands: itself, or all that have certain fields.
fn words_meant(word: &Spanned<String>, known: &[&'static str]) -> Result<Vec<SmolStr>, Diagnostic> {
    let unknown =
        || Diagnostic::unknown("word", word.get_ref(), word.span(), known.iter().copied());
    let has_fields = known.contains(&"none") && known.iter().any(|it| it.contains('+'));
    match Fields::read(word, known).filter(|_| has_fields) {
        Some(fields) => {
            let fields = fields?;
            let fitting = known.iter().copied().filter(|word| fields.fit(word));
            let fitting: Vec<SmolStr> = fitting.map(SmolStr::from).collect();
            if fitting.is_empty() { Err(unknown()) } else { Ok(fitting) }
        }
        None if known.contains(&word.get_ref().as_str()) => Ok(vec![word.get_ref().into()]),
        None => Err(unknown()),
    }
}

/// The words that there are for a part.
fn words_of(part: &Spanned<String>, findings: &mut Findings) -> Option<&'static [&'static str]> {
    let all = Policy::part_values();
    let found = all.iter().find(|(name, _)| name == part.get_ref());
    if found.is_none() {
        let names = all.iter().map(|(name, _)| *name);
        findings.add(Diagnostic::unknown("part", part.get_ref(), part.span(), names));
    }
    found.map(|(_, words)| *words)
}

/// The properties, named by `property` or by `properties`.
fn properties(
    table: &mut Table<'_>,
    asked: &[PropertyName],
    findings: &mut Findings,
) -> Vec<PropertyName> {
    let one = table.take::<Spanned<String>>("property", findings);
    let many = table.take::<Vec<Spanned<String>>>("properties", findings);
    let words = match (one, many) {
        (Some(one), None) => vec![one.into_inner()],
        (None, Some(many)) => {
            if many.get_ref().is_empty() {
                findings.add(Diagnostic::new("this is about no property", many.span()));
            }
            many.into_inner()
        }
        (None, None) => {
            table.need("property");
            Vec::new()
        }
        (Some(_), Some(many)) => {
            let message = "both `property` and `properties` are given";
            findings.add(Diagnostic::new(message, many.span()));
            Vec::new()
        }
    };
    words
        .iter()
        .filter_map(|word| {
            let property = property(word, findings)?;
            if !asked.contains(&property) {
                findings.add(
                    Diagnostic::new("the scenario does not ask about this", word.span())
                        .help(format!("add `{property}` to its `properties`")),
                );
            }
            Some(property)
        })
        .collect()
}

fn cause(
    table: &mut Table<'_>,
    verdict: Option<&Word>,
    findings: &mut Findings,
) -> Option<Spanned<SmolStr>> {
    let cause = table.take::<String>("cause", findings)?;
    words_of(&cause, findings)?;
    if verdict.is_some_and(|verdict| !matches!(verdict, Word::Violated)) {
        findings.add(Diagnostic::new("only what is violated has a cause", cause.span()));
    }
    Some(Spanned::new(cause.span(), cause.into_inner().into()))
}

/// A word, or a list of words.
pub(super) struct Words(pub(super) Vec<Spanned<String>>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Spans survive only through `Spanned` itself, so it comes first.
        let any = Spanned::<OneOrMany>::deserialize(deserializer)?;
        let span = any.span();
        Ok(Self(match any.into_inner() {
            OneOrMany::One(word) => vec![Spanned::new(span, word)],
            OneOrMany::Many(words) => words,
        }))
    }
}

enum OneOrMany {
    One(String),
    Many(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word or a list of words")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(word.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<OneOrMany, A::Error> {
                let mut all = Vec::new();
                while let Some(word) = words.next_element()? {
                    all.push(word);
                }
                Ok(OneOrMany::Many(all))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}
