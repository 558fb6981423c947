//! The classes of failures, as `docs/failures.md` tells them: each that can be shown here is
//! shown by a rule that falls, and answered by one that does not.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use common::{policy, scenario};
use locklab::arm::Arm;
use locklab::cell::{PropertyResult, Question, Verdict, judge};
use locklab::fleet::Fleet;
use locklab::scenario::PropertyName;
use locklab::variant;
use rayon::prelude::*;

/// What stands where there is nothing to name.
const NOTHING: &str = "–";

/// How many classes there are.
const CLASSES: u32 = 31;

/// A row of the table.
#[derive(Debug)]
struct Row {
    class: u32,
    what: String,
    scenario: String,
    property: String,
    falls: Vec<String>,
    stands: Vec<String>,
    remark: String,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string("docs/failures.md").expect("it is there");
    let lines = text.lines().filter(|line| line.starts_with("| P"));
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [class, what, scenario, property, falls, stands, remark] = cells[..] else {
        panic!("no row of seven: {line}")
    };
    let named = |cell: &str| -> Vec<String> {
        let cell = if cell == NOTHING { "" } else { cell };
        let names = cell.split(',').map(|name| name.trim().trim_matches('`').to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let one = |cell: &str| named(cell).pop().unwrap_or_default();
    Row {
        class: class.trim_start_matches('P').parse().expect("a number"),
        what: what.to_owned(),
        scenario: one(scenario),
        property: one(property),
        falls: named(falls),
        stands: named(stands),
        remark: remark.to_owned(),
    }
}

/// The rules that a name stands for, `~` and `+` as on the command line.
fn fleet(name: &str) -> Fleet {
    let member = |name: &str| match name.split_once(variant::CHANGE) {
        Some((base, changes)) => Arc::new(variant::variant(&policy(base), changes).expect(name)),
        None => policy(name),
    };
    Fleet::new(name.split('+').map(member).collect())
}

fn result(row: &Row, rule: &str) -> PropertyResult {
    let property: PropertyName = row.property.parse().expect("a property");
    let question =
        Question { scenario: scenario(&row.scenario), fleet: fleet(rule), seed: 0, runs: 200 };
    let cell = judge(&question);
    let asked = cell.properties.into_iter().find(|it| it.name == property);
    asked.unwrap_or_else(|| panic!("{} does not ask about {property}", row.scenario))
}

#[test]
fn every_class_is_told_of_in_order() {
    let rows = rows();
    let classes: Vec<u32> = rows.iter().map(|row| row.class).collect();
    assert!(classes.is_sorted(), "{classes:?}");
    for class in 1..=CLASSES {
        assert!(classes.contains(&class), "P{class} is missing");
    }
    assert_eq!(classes.last(), Some(&CLASSES));
    assert!(rows.iter().all(|row| !row.what.is_empty()));
}

/// What is not shown, or not answered, has a reason.
#[test]
fn what_is_missing_is_accounted_for() {
    let mut by_class: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for row in rows() {
        let complete = !row.falls.is_empty() && !row.stands.is_empty();
        assert!(complete || row.remark.len() > 20, "P{} lacks a reason: {row:?}", row.class);
        assert_eq!(row.scenario.is_empty(), row.property.is_empty(), "{row:?}");
        let names = !row.falls.is_empty() || !row.stands.is_empty();
        assert_eq!(row.scenario.is_empty(), !names, "{row:?}");
        by_class.entry(row.class).or_default().push(row);
    }
    let shown = |rows: &[Row]| rows.iter().any(|row| !row.falls.is_empty());
    let shown = by_class.values().filter(|rows| shown(rows)).count();
    assert!(shown >= 20, "only {shown} classes are shown");
}

/// It falls in the story, or in a search: no lucky seed.
#[test]
fn whoever_is_said_to_fall_does() {
    rows().par_iter().for_each(|row| {
        for rule in &row.falls {
            let found = result(row, rule);
            let falls = matches!(
                found.verdict,
                Verdict::Violated { arm: Arm::Story | Arm::Exhaustive, .. }
            );
            assert!(falls, "P{} in {} under {rule}: {found:?}", row.class, row.scenario);
            assert!(found.as_expected, "{} under {rule}: {found:?}", row.scenario);
        }
    });
}

#[test]
fn whoever_is_said_to_stand_does() {
    rows().par_iter().for_each(|row| {
        for rule in &row.stands {
            let found = result(row, rule);
            let stands = matches!(found.verdict, Verdict::Holds { .. } | Verdict::NotFound { .. });
            assert!(stands, "P{} in {} under {rule}: {found:?}", row.class, row.scenario);
        }
    });
}

/// A scenario that is spoken of elsewhere in the text is one, too.
#[test]
fn every_scenario_that_is_named_is_there() {
    let text = fs::read_to_string("docs/failures.md").expect("it is there");
    let names = text.lines().filter(|line| line.starts_with("| `"));
    let mut named = 0;
    for line in names {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        for name in cells[1].split(',').map(|name| name.trim().trim_matches('`')) {
            scenario(name);
            named += 1;
        }
    }
    assert!(named >= 7, "only {named} other names");
}
