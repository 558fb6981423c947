//! Files with mistakes: each mistake is told at its place, several at once,
//! and nothing that people may write makes the reader panic.

use std::fs;
use std::path::{Path, PathBuf};

use insta::{assert_snapshot, with_settings};
use locklab::diagnostic::Problems;
use locklab::{policy_file, scenario};
use locklab_models::NAMED_POLICIES;
use proptest::prelude::*;

/// What is wrong with a file, as its name says of what kind.
fn problems(path: &Path) -> Option<Problems> {
    let name = path.file_name().unwrap().to_str().unwrap();
    if name.starts_with("policy") {
        policy_file::load(path).err()
    } else {
        scenario::load(path).err()
    }
}

#[test]
fn every_mistake_is_told_at_its_place() {
    let files = fs::read_dir("tests/bad").unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect();
    files.sort();
    assert!(files.len() > 10, "the fixtures are there");
    for path in files {
        let problems = problems(&path).unwrap_or_else(|| panic!("{} is good", path.display()));
        let name = path.file_stem().unwrap().to_str().unwrap();
        with_settings!({ snapshot_path => "bad", prepend_module_to_snapshot => false, omit_expression => true }, {
            assert_snapshot!(name, problems.to_string());
        });
    }
}

#[test]
fn colours_change_nothing_but_the_looks() {
    let problems = problems(Path::new("tests/bad/scenario-words.toml")).unwrap();
    let coloured = problems.render(true);
    assert!(coloured.contains("\u{1b}["));
    assert!(!problems.render(false).contains('\u{1b}'));
}

/// A file of the test's own, with these bytes.
fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[track_caller]
fn cannot_be_read(path: &Path, why: &str) {
    for problems in [scenario::load(path).unwrap_err(), policy_file::load(path).unwrap_err()] {
        let text = problems.to_string();
        assert!(text.contains(why), "{text}");
        assert!(text.contains(&path.display().to_string()), "{text}");
    }
}

#[test]
fn a_file_that_is_no_text_is_told() {
    cannot_be_read(&written("latin.toml", b"title = \"caf\xe9\"\n"), "byte 12 is no UTF-8 text");
    cannot_be_read(&written("long.toml", &vec![b'#'; (1 << 20) + 1]), "longer than 1 MiB");
    cannot_be_read(Path::new("tests/bad/no-such-file.toml"), "cannot read it");
    cannot_be_read(Path::new("tests/bad"), "cannot read it");
    let longest = [&b"schema = 2 #"[..], &vec![b'#'; (1 << 20) - 12]].concat();
    cannot_be_read_as_scenario(&written("longest.toml", &longest), "unknown schema 2");
}

#[track_caller]
fn cannot_be_read_as_scenario(path: &Path, why: &str) {
    let text = scenario::load(path).unwrap_err().to_string();
    assert!(text.contains(why), "{why}");
}

#[test]
fn a_contradiction_is_told_at_both_places() {
    let text = fs::read_to_string("scenarios/widened-guard.toml").unwrap();
    let more =
        "\n[[expect]]\nproperty = \"progress\"\nverdict = \"open\"\nbecause = \"Who knows.\"\n";
    let path = written("widened-guard.toml", (text + more).as_bytes());
    let scenario = scenario::load(&path).unwrap();
    let flock = policy_file::named().into_iter().find(|policy| policy.name == "flock").unwrap();
    let mut problems = scenario.check_expectations(&(&flock).into()).unwrap_err();
    assert!(scenario.expectation(&(&flock).into(), scenario.properties[0]).is_none());
    problems.origin = "widened-guard.toml".to_owned();
    with_settings!({ snapshot_path => "bad", prepend_module_to_snapshot => false, omit_expression => true }, {
        assert_snapshot!("contradiction", problems.to_string());
    });
}

#[test]
fn what_nothing_is_expected_of_is_told() {
    let text = fs::read_to_string("scenarios/long-holder.toml").unwrap();
    let without = text.split("[[expect]]").next().unwrap();
    let scenario = scenario::load(&written("long-holder.toml", without.as_bytes())).unwrap();
    let age = policy_file::named().into_iter().find(|policy| policy.name == "age").unwrap();
    let problems = scenario.check_expectations(&(&age).into()).unwrap_err();
    assert_eq!(problems.diagnostics.len(), scenario.properties.len());
    assert!(problems.to_string().contains("nothing is expected of live-holder under policy `age`"));
}

/// Every file that is good.
fn good_files() -> Vec<String> {
    let shipped = scenario::builtin().iter().map(|scenario| scenario.text.clone());
    shipped.chain([NAMED_POLICIES.to_owned()]).collect()
}

/// What may stand in a file in place of something else.
fn scrap() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[\\[\\]{}=\"',.#\\n\\r 0-9a-z-]{1,6}",
        "\\PC{1,3}",
        Just("\u{0}\u{feff}é\u{10ffff}\r".to_owned()),
        Just("\"\"\"".to_owned()),
        Just("9999999999999999999999s".to_owned()),
        Just("[[process]]\n".to_owned()),
        Just("x.y.z = [{}, {a = [1, [2]]}]\n".to_owned()),
    ]
}

proptest! {
    #[test]
    fn nothing_makes_the_reader_panic(
        file in proptest::sample::select(good_files()),
        changes in proptest::collection::vec((any::<usize>(), 0_usize..40, scrap()), 1..5),
        colour: bool,
    ) {
        let mut text = file;
        for (at, len, scrap) in changes {
            let at = floor(&text, at % (text.len() + 1));
            let end = floor(&text, (at + len).min(text.len()));
            text.replace_range(at..end, &scrap);
        }
        for problems in [scenario::parse("file", &text).err(), policy_file::parse("file", &text).err()] {
            prop_assert!(problems.is_none_or(|problems| !problems.render(colour).is_empty()));
        }
    }
}

/// The last place at or before `at` between two characters.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap()
}
