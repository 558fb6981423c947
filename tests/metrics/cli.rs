//! `compare --metrics` as people and programs run it.

use std::path::PathBuf;

use serde_json::Value;
use textwrap::core::display_width;

use crate::common::cli::{locklab, stderr, stdout};

const ASKED: [&str; 15] = [
    "compare",
    "--runs",
    "20",
    "--scenario",
    "dead-holder",
    "--scenario",
    "stopped-holder",
    "--policy",
    "age",
    "--policy",
    "identity",
    "--policy",
    "identity-guarded",
    "--policy",
    "pid",
];

fn json(more: &[&str]) -> Value {
    let output = locklab(&[&ASKED[..], &["--format", "json"], more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn without_being_asked_nothing_is_measured() {
    let plain = json(&[]);
    assert!(plain.get("ranking").is_none());
    for cell in plain["cells"].as_array().unwrap() {
        assert_eq!(cell["metrics"], serde_json::json!({}));
    }
}

/// Keys are only added, and only where they were asked for.
#[test]
fn metrics_change_nothing_else() {
    let (plain, mut measured) = (json(&[]), json(&["--metrics"]));
    assert!(measured.as_object_mut().unwrap().remove("ranking").is_some());
    for cell in measured["cells"].as_array_mut().unwrap() {
        assert_eq!(cell["metrics"]["runs"], 21);
        cell["metrics"] = serde_json::json!({});
    }
    assert_eq!(plain, measured);
}

#[test]
fn numbers_are_whole_and_what_nobody_could_measure_is_nothing() {
    let measured = json(&["--metrics"]);
    let cells = measured["cells"].as_array().unwrap();
    let of = |scenario: &str, policy: &str| {
        let found = cells.iter().find(|it| it["scenario"] == scenario && it["policy"] == policy);
        &found.unwrap()["metrics"]
    };
    for cell in cells {
        for (name, value) in cell["metrics"].as_object().unwrap() {
            assert!(value.is_u64() || value.is_null(), "{name}: {value}");
        }
    }
    let age = of("stopped-holder", "age");
    assert!(age["double_occupancy_ns_max"].as_u64().unwrap() >= 19_000_000_000);
    assert_eq!(age["death_to_entry_ns_median"], Value::Null, "nobody dies there");
    assert_eq!(age["deaths_followed_by_entry"], 0);
    assert_eq!(of("stopped-holder", "identity")["takeover_calls_median"], Value::Null);
    assert_eq!(of("dead-holder", "identity")["takeover_calls_median"], 9);
}

#[test]
fn the_ranking_says_who_fell_and_where() {
    let measured = json(&["--metrics"]);
    let ranking = &measured["ranking"];
    assert_eq!(ranking["scenarios"], 2);
    let policies = ranking["policies"].as_array().unwrap();
    let ranks: Vec<Option<u64>> = policies.iter().map(|it| it["rank"].as_u64()).collect();
    let safe = ranks.iter().flatten().count();
    assert!(safe > 1, "several are safe here");
    assert!((1..=safe as u64).eq(ranks[..safe].iter().map(|rank| rank.unwrap())));
    let calls = |it: &Value| it["metrics"]["uncontended_calls_median"].as_u64().unwrap();
    assert!(policies[..safe].is_sorted_by_key(calls));
    let age = policies.iter().find(|it| it["policy"] == "age").unwrap();
    assert_eq!(age["rank"], Value::Null);
    assert_eq!(age["fell"], serde_json::json!(["stopped-holder"]));
}

#[test]
fn for_people_it_fits_the_page_and_has_units() {
    let output = locklab(&[&ASKED[..], &["--metrics"]].concat());
    let text = stdout(&output);
    let lines = text.lines().filter(|line| !line.contains("locklab replay"));
    for line in lines {
        assert!(display_width(line) <= 100, "{line}");
    }
    for needed in [
        "dead-holder, in 21 runs of each policy:",
        "Safe in every cell, the cheapest first:",
        "Not safe in every cell, and therefore not ranked:",
        "2 calls",
        " s in ",
        "never",
    ] {
        assert!(text.contains(needed), "{needed}\n{text}");
    }
    let markdown = locklab(&[&ASKED[..], &["--metrics", "--format", "markdown"]].concat());
    assert!(stdout(&markdown).contains("| policy | uncontended | takeover | death to entry |"));
}

#[test]
fn a_policy_of_ones_own_is_measured_too() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("metrics-mine.toml");
    let rule = "[policy.mine]\ntitle = \"Mine\"\nrule = \"Never stale.\"\npublish = \"link\"\n\
                record = [\"pid\"]\nstale = \"never\"\nrelease = \"own-bytes\"\n";
    std::fs::write(&path, rule).unwrap();
    let file = path.to_str().unwrap();
    let arguments = ["compare", "--metrics", "--runs", "20", "--scenario", "stopped-holder"];
    let output = locklab(&[&arguments[..], &["--policy-file", file]].concat());
    let text = stdout(&output);
    assert!(text.contains("1. mine"), "{text}{}", stderr(&output));
    let help = stdout(&locklab(&["compare", "--help"]));
    assert!(help.contains("locklab compare --metrics"), "{help}");
}
