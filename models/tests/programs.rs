//! Programs: their parameters, and what makes two of them one.

use std::sync::Arc;
use std::time::Duration;

use locklab_models::{NAMED_POLICIES, Policy, PolicyRow, Program, Setting, Worker};

fn policy(name: &str) -> Arc<Policy> {
    let file: toml::Table = NAMED_POLICIES.parse().expect("well-formed");
    let row: PolicyRow = file["policy"][name].clone().try_into().expect("a row");
    Arc::new(row.check(name).expect("sensible"))
}

fn program(name: &str, parameters: &str) -> Result<Program, String> {
    let parameters = toml::Deserializer::parse(parameters).expect("TOML");
    let program = Program::deserialize_named(name, parameters).expect("such a program");
    program.map_err(|error| error.message().to_owned())
}

#[test]
fn the_defaults_are_those_that_are_told() {
    for info in Program::all() {
        let told: Vec<String> =
            info.parameters.iter().map(|it| format!("{} = {}", it.name, it.default)).collect();
        assert_eq!(program(info.name, &told.join("\n")), program(info.name, ""), "{}", info.name);
    }
}

#[test]
fn an_unknown_program_is_none() {
    let parameters = toml::Deserializer::parse("").expect("TOML");
    assert!(Program::deserialize_named("sleeper", parameters).is_none());
}

#[test]
fn parameters_are_checked() {
    for (name, parameters, expected) in [
        ("worker", "wrok = '5s'", "unknown field `wrok`"),
        ("worker", "every = '0s'", "a duration of `0s` is none at all"),
        ("worker", "path = 'run/lock'", "\"run/lock\" is no path like `/run/lock`"),
        ("poster", "accounts = []", "at least one account is needed"),
        ("poster", "accounts = ['a/b']", "\"a/b\" is no account"),
        ("poster", "accounts = ['a', 'a']", "the account `a` is named twice"),
        ("poster", "spacing = '0s'", "a duration of `0s` is none at all"),
        ("poster", "spacing = 'some'", "`some` is no duration"),
        (
            "poster",
            "looks = 'twice'",
            "unknown variant `twice`, expected one of `inside`, `before-lock`, `at-start`",
        ),
        (
            "poster",
            "notes = 'never'",
            "unknown variant `never`, expected `inside` or `after-release`",
        ),
        ("stray", "path = '.index'", "\".index\" is no path like `/run/lock`"),
        ("keeper", "ticks = -1", "invalid value: integer `-1`, expected u32"),
    ] {
        let error = program(name, parameters).expect_err("a mistake");
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_poster_has_a_lock_an_account() {
    let poster = program("poster", "accounts = ['a', 'b']").expect("well-formed");
    assert_eq!(poster.durations(), [Duration::from_secs(1); 3]);
}

#[test]
fn a_poster_that_keeps_posts_apart_says_how_old_one_must_be() {
    let ages = |parameters: &str| program("poster", parameters).expect("well-formed").ages();
    let half_an_hour = Duration::from_secs(30 * 60);
    assert_eq!(ages("looks = 'at-start'"), Some(Vec::new()), "nothing is kept apart");
    assert_eq!(ages("spacing = '30m'"), Some(vec![half_an_hour]));
    // It keeps the time of a post that it has read.
    assert_eq!(ages("spacing = '30m'\nlooks = 'at-start'"), None);
    let poster = program("poster", "spacing = '30m'").expect("well-formed");
    assert!(poster.durations().contains(&half_an_hour));
}

#[test]
fn images_differ_where_programs_could() {
    let setting =
        Setting { slots: vec![("lock", policy("pid"))], patience: Duration::from_secs(60) };
    let worker = Program::Worker(Worker::default());
    let image = worker.image(&setting);
    assert_eq!(image, worker.image(&setting));
    let twice = Program::Worker(Worker { rounds: 2, ..Worker::default() });
    assert_ne!(image, twice.image(&setting));
    let posters = ["", "spacing = '1m'", "spacing = '2m'", "spacing = '1m'\nlooks = 'at-start'"];
    let posters = posters.map(|it| program("poster", it).expect("well-formed").image(&setting));
    for (nth, poster) in posters.iter().enumerate() {
        assert!(!posters[..nth].contains(poster), "the poster {nth} is another");
    }
    assert_ne!(
        image,
        worker.image(&Setting { slots: vec![("lock", policy("age"))], ..setting.clone() })
    );
    assert_ne!(image, worker.image(&Setting { patience: Duration::from_secs(61), ..setting }));
}
