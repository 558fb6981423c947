//! The house is kept: files of one idea, and data that flows one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const LINES_MAX: usize = 400;

/// What a folder may not speak of, since it stands below it.
const FORBIDDEN: [(&str, &[&str]); 3] = [
    ("sim/sys/src", &["locklab_sim", "locklab_models"]),
    ("sim/src", &["locklab_models", "scenario"]),
    ("models/src", &["locklab_sim", "scenario"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// A file's lines of code, without comments.
fn code(path: &Path) -> String {
    let text = read(path);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let files = rust_files(root());
    assert!(files.len() > 60, "the walk has found the project");
    let long: Vec<String> = files
        .iter()
        .map(|path| (path, read(path).lines().count()))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(path, lines)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// The one place where calls on the real kernel are made that no library makes.
const UNSAFE: &str = "sim/sys/src/host/raw.rs";

#[test]
fn what_is_unsafe_stands_in_one_place() {
    let allowing = rust_files(root()).into_iter().filter(|path| {
        let marks = ["allow(unsafe", "expect(unsafe"];
        marks.iter().any(|mark| code(path).contains(mark)) && !path.ends_with("tests/tidy.rs")
    });
    let allowing: Vec<PathBuf> = allowing.collect();
    assert_eq!(allowing, [root().join(UNSAFE)]);
}

/// The simulator runs wherever Rust does: the real kernel stands apart.
#[test]
fn only_the_host_needs_linux() {
    for folder in ["sim/sys/src", "sim/src", "models/src"] {
        for file in rust_files(&root().join(folder)) {
            let is_host = file.starts_with(root().join("sim/sys/src/host"))
                || file == root().join("sim/sys/src/host.rs");
            let words = ["rustix", "libc::", "std::os::"];
            let speaks = words.iter().any(|word| code(&file).contains(word));
            assert!(is_host || !speaks, "{} speaks of Linux", file.display());
        }
    }
}

#[test]
fn lower_floors_do_not_know_upper_ones() {
    for (folder, words) in FORBIDDEN {
        let files = rust_files(&root().join(folder));
        assert!(!files.is_empty(), "{folder} is there");
        for file in files {
            let code = code(&file);
            for word in words {
                assert!(!code.contains(word), "{} speaks of `{word}`", file.display());
            }
        }
    }
}

/// Which modules of a crate's top level each of them uses. Names with a capital
/// come from the crate's root, which only says where they are.
fn uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in rust_files(source) {
        let inside = file.strip_prefix(source).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let used = uses.entry(module.clone()).or_default();
        for rest in code(&file).split("crate::").skip(1) {
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if !name.is_empty() && name != module {
                used.insert(name);
            }
        }
    }
    uses
}

#[test]
fn modules_use_each_other_one_way() {
    for source in ["sim/sys/src", "sim/src", "models/src", "src"] {
        let uses = uses(&root().join(source));
        assert!(uses.values().any(|used| !used.is_empty()), "{source} uses something");
        for start in uses.keys() {
            let mut reached = BTreeSet::new();
            let mut next: Vec<&String> = vec![start];
            while let Some(module) = next.pop() {
                for used in uses.get(module).into_iter().flatten() {
                    assert!(used != start, "{source}: {start} uses itself through {module}");
                    if reached.insert(used) {
                        next.push(used);
                    }
                }
            }
        }
    }
}
