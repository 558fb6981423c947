use std::collections::BTreeSet;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use smol_str::SmolStr;

/// A path from the root, to something below it.
pub(super) fn absolute_path<'de, D: Deserializer<'de>>(from: D) -> Result<SmolStr, D::Error> {
    let path = SmolStr::deserialize(from)?;
    if path.starts_with('/') && !path.ends_with('/') {
        Ok(path)
    } else {
        Err(D::Error::custom(format_args!("`{path}` is no path like `/run/lock`")))
    }
}

/// The names of at least one account, each once.
pub(super) fn accounts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SmolStr>, D::Error> {
    let accounts = Vec::<SmolStr>::deserialize(from)?;
    if accounts.is_empty() {
        return Err(D::Error::custom("at least one account is needed"));
    }
    let mut seen = BTreeSet::new();
    for account in &accounts {
        if account.is_empty() || account.contains('/') {
            return Err(D::Error::custom(format_args!(
                "`{account}` is no account: it becomes part of a file name"
            )));
        }
        if !seen.insert(account) {
            return Err(D::Error::custom(format_args!("the account `{account}` is named twice")));
        }
    }
    Ok(accounts)
}
