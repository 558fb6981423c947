//! The classes of failures, as `docs/failures.md` tells them: each that can be shown here is
//! shown by a rule that falls, and answered by one that does not.

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::scenario;
use common::told::{self, Row};

/// How many classes there are.
const CLASSES: u32 = 31;

fn classes() -> Vec<Row> {
    told::rows("docs/failures.md", 'P')
}

fn class(row: &Row) -> u32 {
    row.key.trim_start_matches('P').parse().expect("a number")
}

#[test]
fn every_class_is_told_of_in_order() {
    let rows = classes();
    let classes: Vec<u32> = rows.iter().map(class).collect();
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
    for row in classes() {
        let complete = !row.falls.is_empty() && !row.stands.is_empty();
        assert!(complete || row.remark.len() > 20, "{} lacks a reason: {row:?}", row.key);
        assert_eq!(row.scenario.is_empty(), row.property.is_empty(), "{row:?}");
        let names = !row.falls.is_empty() || !row.stands.is_empty();
        assert_eq!(row.scenario.is_empty(), !names, "{row:?}");
        by_class.entry(class(&row)).or_default().push(row);
    }
    let shown = |rows: &[Row]| rows.iter().any(|row| !row.falls.is_empty());
    let shown = by_class.values().filter(|rows| shown(rows)).count();
    assert!(shown >= 20, "only {shown} classes are shown");
}

#[test]
fn whoever_is_said_to_fall_does() {
    told::try_falls(&classes());
}

#[test]
fn whoever_is_said_to_stand_does() {
    told::try_stands(&classes());
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
