//! The table, from cells made by hand.

use std::time::Duration;

use locklab::arm::Arm;
use locklab::cell::{Cell, Evidence, PropertyResult, Verdict};
use locklab::report::table::{Comparison, Row, json, markdown, text};
use locklab::scenario::PropertyName;
use locklab_sim::Limits;
use textwrap::core::display_width;

fn fell(word: &str) -> Verdict {
    let message = format!("{word}, in a sentence");
    Verdict::Violated { word: word.into(), message, arm: Arm::Story, times: 1 }
}

fn result(name: PropertyName, verdict: Verdict, expected: &'static str) -> PropertyResult {
    let as_expected = match &verdict {
        Verdict::Holds { .. } | Verdict::NotFound { .. } => expected == "safe",
        Verdict::Inconclusive => expected == "inconclusive",
        Verdict::Violated { .. } => expected == "violated",
    };
    let because = Some("That is how it is.".to_owned());
    let reasons = match &verdict {
        Verdict::Inconclusive => vec!["nobody came to `judged`".to_owned()],
        _ => Vec::new(),
    };
    let (expected, counterexample, teeth) = (Some(expected), None, None);
    PropertyResult { name, verdict, reasons, expected, because, as_expected, counterexample, teeth }
}

fn cell(scenario: &str, policy: &str, properties: Vec<PropertyResult>) -> Cell {
    Cell {
        scenario: scenario.into(),
        policy: policy.into(),
        slot: "lock".into(),
        properties,
        evidence: vec![Evidence {
            runs: 1000,
            arm: Arm::Sampled,
            schedules: 1000,
            states: None,
            steps: 12_345,
            faults: vec![("stops".to_owned(), 812, 1)],
        }],
        unconfirmed: Vec::new(),
        contradictions: Vec::new(),
    }
}

fn comparison(policies: &[&str], rows: Vec<(&str, Vec<Vec<PropertyResult>>)>) -> Comparison {
    let limits = Limits { horizon: Duration::from_secs(3600), steps: 100_000 };
    let row = |(scenario, cells): (&str, Vec<Vec<PropertyResult>>)| Row {
        scenario: scenario.into(),
        path: None,
        memory: None,
        limits,
        cells: cells
            .into_iter()
            .zip(policies)
            .map(|(properties, policy)| cell(scenario, policy, properties))
            .collect(),
        metrics: Vec::new(),
    };
    Comparison {
        groups: Vec::new(),
        seed: 0,
        policies: policies.iter().map(|name| (*name).into()).collect(),
        rows: rows.into_iter().map(row).collect(),
        ranking: None,
        policy_file: None,
        of_file: Vec::new(),
    }
}

/// One of everything that a cell can come to.
fn mixed() -> Comparison {
    use PropertyName::{LiveHolder, MutualExclusion, Progress};
    let clean = || Verdict::NotFound { schedules: 1001 };
    let unclear = || Verdict::Inconclusive;
    comparison(
        &["age", "identity-guarded"],
        vec![
            (
                "stopped-holder",
                vec![
                    vec![
                        result(MutualExclusion, fell("2 IN"), "violated"),
                        result(LiveHolder, fell("ROBBED"), "violated"),
                    ],
                    vec![result(MutualExclusion, clean(), "safe")],
                ],
            ),
            (
                "late-takeover",
                vec![
                    vec![result(MutualExclusion, unclear(), "inconclusive")],
                    vec![
                        result(MutualExclusion, clean(), "violated"),
                        result(Progress, fell("STUCK"), "safe"),
                    ],
                ],
            ),
        ],
    )
}

#[test]
fn words_flags_legend_and_reasons() {
    insta::assert_snapshot!(anstream::adapter::strip_str(&text(&mixed())));
}

#[test]
fn as_markdown() {
    insta::assert_snapshot!(markdown(&mixed()));
}

#[test]
fn as_json() {
    insta::assert_snapshot!(json(&mixed()));
}

#[test]
fn what_was_not_expected_stands_out() {
    let coloured = text(&mixed());
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31m! STUCK"), "{coloured:?}");
    assert!(coloured.contains("\u{1b}[31m2 IN"), "{coloured:?}");
    assert!(coloured.contains("\u{1b}[32m0 of 1,001"), "{coloured:?}");
}

#[test]
fn too_many_policies_make_several_tables() {
    let names: Vec<String> = (10..40).map(|number| format!("some-policy-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let properties = || vec![result(PropertyName::OwnRelease, fell("LOST CLAIM"), "violated")];
    let rows = vec![("successor-deleted", names.iter().map(|_| properties()).collect())];
    let text = anstream::adapter::strip_str(&text(&comparison(&names, rows))).to_string();
    let tables = text.lines().filter(|line| line.starts_with("successor-deleted")).count();
    assert!(tables > 1, "{text}");
    assert!(text.lines().all(|line| display_width(line) <= 100), "{text}");
    for number in 10..40 {
        assert!(text.contains(&number.to_string()), "{text}");
    }
}
