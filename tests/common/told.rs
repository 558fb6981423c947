//! Tables in documents that say which rule falls where, and which stands: a test tries both.

use std::fs;
use std::sync::Arc;

use locklab::arm::Arm;
use locklab::cell::{PropertyResult, Question, Verdict, judge};
use locklab::fleet::Fleet;
use locklab::scenario::PropertyName;
use locklab::variant;
use rayon::prelude::*;

use super::{policy, scenario};

/// What stands where there is nothing to name.
const NOTHING: &str = "–";

/// A row of such a table.
#[derive(Debug)]
pub struct Row {
    pub key: String,
    pub what: String,
    pub scenario: String,
    pub property: String,
    pub falls: Vec<String>,
    pub stands: Vec<String>,
    pub remark: String,
}

/// The rows of the table in a document of which the first column is `letter` and a number.
pub fn rows(document: &str, letter: char) -> Vec<Row> {
    let text = fs::read_to_string(document).expect("it is there");
    let begin = format!("| {letter}");
    let is_row = |line: &&str| {
        let number = line.strip_prefix(begin.as_str()).and_then(|rest| rest.split(' ').next());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    text.lines().filter(is_row).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [key, what, scenario, property, falls, stands, remark] = cells[..] else {
        panic!("no row of seven: {line}")
    };
    let named = |cell: &str| -> Vec<String> {
        let cell = if cell == NOTHING { "" } else { cell };
        let names = cell.split(',').map(|name| name.trim().trim_matches('`').to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let one = |cell: &str| named(cell).pop().unwrap_or_default();
    Row {
        key: key.to_owned(),
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

/// Each that is said to fall does, in the story or in a search: no lucky seed.
pub fn try_falls(rows: &[Row]) {
    rows.par_iter().for_each(|row| {
        for rule in &row.falls {
            let found = result(row, rule);
            let falls = matches!(
                found.verdict,
                Verdict::Violated { arm: Arm::Story | Arm::Exhaustive, .. }
            );
            assert!(falls, "{} in {} under {rule}: {found:?}", row.key, row.scenario);
            assert!(found.as_expected, "{} under {rule}: {found:?}", row.scenario);
        }
    });
}

/// Each that is said to stand does: it is proved to, or stood in the story and in random runs.
pub fn try_stands(rows: &[Row]) {
    rows.par_iter().for_each(|row| {
        for rule in &row.stands {
            let found = result(row, rule);
            let stands = matches!(found.verdict, Verdict::Holds { .. } | Verdict::NotFound { .. });
            assert!(stands, "{} in {} under {rule}: {found:?}", row.key, row.scenario);
        }
    });
}
