use std::collections::BTreeSet;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use smol_str::SmolStr;

use crate::Period;

/// A path from the root, to something below it.
pub(super) fn absolute_path<'de, D: Deserializer<'de>>(from: D) -> Result<SmolStr, D::Error> {
    let path = SmolStr::deserialize(from)?;
    // One path has one spelling: a claim is known by it.
    if path.strip_prefix('/').is_some_and(|names| names.split('/').all(is_name)) {
        Ok(path)
    } else {
        Err(D::Error::custom(format_args!("{path:?} is no path like `/run/lock`")))
    }
}

fn is_name(name: &str) -> bool {
    const LEN_MAX: usize = 255;
    !matches!(name, "" | "." | "..")
        && name.len() <= LEN_MAX
        && !name.contains(|c: char| c == '/' || c.is_control())
}

/// A path for a socket, which has an address of so many bytes at most.
pub(super) fn socket_path<'de, D: Deserializer<'de>>(from: D) -> Result<SmolStr, D::Error> {
    const LEN_MAX: usize = 107;
    let path = absolute_path(from)?;
    if path.len() > LEN_MAX {
        return Err(D::Error::custom(format_args!(
            "the path of a socket has at most {LEN_MAX} bytes, this one has {}",
            path.len()
        )));
    }
    Ok(path)
}

/// A word without blanks, for a line of words.
pub(super) fn word<'de, D: Deserializer<'de>>(from: D) -> Result<SmolStr, D::Error> {
    const LEN_MAX: usize = 64;
    let word = SmolStr::deserialize(from)?;
    if !is_name(&word) || word.contains(char::is_whitespace) {
        return Err(D::Error::custom(format_args!("{word:?} is no single word")));
    }
    if word.len() > LEN_MAX {
        return Err(D::Error::custom(format_args!("a word of more than {LEN_MAX} bytes")));
    }
    Ok(word)
}

/// The names of at least one account, each once.
pub(super) fn accounts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SmolStr>, D::Error> {
    let accounts = Vec::<SmolStr>::deserialize(from)?;
    if accounts.is_empty() {
        return Err(D::Error::custom("at least one account is needed"));
    }
    let mut seen = BTreeSet::new();
    for account in &accounts {
        if !is_name(account) {
            return Err(D::Error::custom(format_args!(
                "{account:?} is no account: it becomes part of a file name"
            )));
        }
        if !seen.insert(account) {
            return Err(D::Error::custom(format_args!("the account `{account}` is named twice")));
        }
    }
    Ok(accounts)
}

/// A period, or `none`.
pub(super) fn period_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Period>, D::Error> {
    let text = SmolStr::deserialize(from)?;
    match text.as_str() {
        "none" => Ok(None),
        period => period.parse().map(Some).map_err(D::Error::custom),
    }
}
