//! What serde says when it cannot read a value, said as the rest is.

use std::ops::Range;

use toml::de::Error;

use super::Diagnostic;

/// The key that `error` says is missing, if it says so.
pub(super) fn missing_key(error: &Error) -> Option<&str> {
    error.message().strip_prefix("missing field `")?.strip_suffix('`')
}

/// The diagnostic for `error`, which is somewhere in `span`.
pub(super) fn diagnostic(error: &Error, span: &Range<usize>) -> Diagnostic {
    let message = error.message();
    let at = error.span().unwrap_or_else(|| span.clone());
    let unknown = |kind: &str, rest: &str| {
        let (name, expected) = rest.split_once("`, ").unwrap_or((rest, ""));
        let candidates = expected.split('`').skip(1).step_by(2);
        Diagnostic::unknown(kind, name, at.clone(), candidates)
    };
    if let Some(rest) = message.strip_prefix("unknown field `") {
        return unknown("key", rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant `") {
        return unknown("word", rest);
    }
    if message.contains("expected newtype variant") {
        return Diagnostic::new("this word needs a value", at).help("write `{ word = value }`");
    }
    if message.starts_with("wanted exactly 1 element") {
        return Diagnostic::new("exactly one key is to be given here", at);
    }
    Diagnostic::new(plain(message), at)
}

/// The message with types of TOML instead of those of Rust.
fn plain(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let expected = match expected {
        "a sequence" => "a list",
        "u32" => "a whole number",
        "a nonzero u32" => "a whole number from 1 on",
        "struct" | "a map" => "a table",
        other => other,
    };
    format!("{found}, expected {expected}")
}
