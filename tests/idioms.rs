//! Each part that `docs/idioms.md` names is one, with a word that it has.

use std::fs;

use locklab_models::Policy;

#[test]
fn every_part_that_an_idiom_is_said_to_be_is_there() {
    let text = fs::read_to_string("docs/idioms.md").expect("it is there");
    let mut named = 0;
    for line in text.lines().filter(|line| line.starts_with("| ") && line.contains(" = ")) {
        let line = line.replace(r"\|", "/");
        let cell = line.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default().to_owned();
        for part in cell.split('`').filter(|part| part.contains(" = ")) {
            let (part, value) = part.split_once(" = ").expect("it was looked for");
            let part = if part == "kernel" { "kind" } else { part };
            let words = Policy::part_values().iter().find(|(name, _)| *name == part);
            let words = words.unwrap_or_else(|| panic!("no part {part}: {line}")).1;
            let value = value.trim_matches(['{', '}', '[', ']', ' ']);
            let word = value.split(" = ").next().unwrap_or_default().replace("\", \"", "+");
            let word = match word.trim_matches('"') {
                "" => "none",
                word => word,
            };
            assert!(words.contains(&word), "no {part} is {word}: {line}");
            named += 1;
        }
    }
    assert!(named > 30, "only {named} parts");
}
