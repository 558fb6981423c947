//! What `docs/choosing.md` recommends, and what it warns of: each row is tried, and each sentence
//! that rests on rows names them.

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::told::{self, Row};

const DOCUMENT: &str = "docs/choosing.md";

fn cells() -> Vec<Row> {
    told::rows(DOCUMENT, 'C')
}

#[test]
fn whoever_is_said_to_fall_does() {
    told::try_falls(&cells());
}

#[test]
fn whoever_is_said_to_stand_does() {
    told::try_stands(&cells());
}

/// Every list item rests on rows, and every row is rested on.
#[test]
fn every_advice_names_what_it_rests_on() {
    let text = fs::read_to_string(DOCUMENT).expect("it is there");
    let items: Vec<&str> = text.split("\n- ").skip(1).collect();
    assert!(items.len() > 8, "only {} items", items.len());
    let mut named = BTreeSet::new();
    for item in items {
        let item = item.split("\n\n").next().unwrap_or_default();
        let (_, rows) = item.rsplit_once('[').unwrap_or_else(|| panic!("on what rests: {item}"));
        for row in rows.trim_end().trim_end_matches(']').split(", ") {
            named.insert(row.to_owned());
        }
    }
    let rows: BTreeSet<String> = cells().into_iter().map(|row| row.key).collect();
    assert_eq!(named, rows);
}
