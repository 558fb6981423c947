//! Policy files: `[policy.NAME]` tables, each a row of parts.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use locklab_models::{NAMED_POLICIES, Policy, PolicyRow};
use serde::Deserialize;
use toml::Spanned;

use crate::diagnostic::{Diagnostic, Findings, Problems, Table, read_text};

/// The keys of a row that are no parts of the policy.
const PROSE: [&str; 5] = ["title", "rule", "group", "source", "leaves-open"];

/// The key of a row that stands for the part `kind`.
const KERNEL: &str = "kernel";

/// The policies that locklab comes with.
pub fn named() -> Vec<Arc<Policy>> {
    static NAMED: OnceLock<Vec<Arc<Policy>>> = OnceLock::new();
    let read = || {
        parse("the named policies", NAMED_POLICIES).unwrap_or_else(|problems| panic!("{problems}"))
    };
    NAMED.get_or_init(read).clone()
}

/// Reads a policy file.
pub fn load(path: &Path) -> Result<Vec<Arc<Policy>>, Problems> {
    parse(&path.display().to_string(), &read_text(path)?)
}

/// Reads the text of a policy file called `origin`.
pub fn parse(origin: &str, text: &str) -> Result<Vec<Arc<Policy>>, Problems> {
    let mut findings = Findings::default();
    let mut top = Table::parse(text, &mut findings);
    let rows = top.take_named("policy", &mut findings);
    let span = top.span();
    top.finish(&mut findings);
    if rows.is_empty() && findings.is_empty() {
        findings.add_absence(
            Diagnostic::new("there is no policy in this file", span)
                .help("a policy is a table `[policy.NAME]`"),
        );
    }
    let policies: Vec<Arc<Policy>> =
        rows.into_iter().filter_map(|(name, row)| policy(&name, row, &mut findings)).collect();
    if findings.is_empty() { Ok(policies) } else { Err(findings.into_problems(origin, text)) }
}

fn policy(
    name: &Spanned<String>,
    mut table: Table<'_>,
    findings: &mut Findings,
) -> Option<Arc<Policy>> {
    let keys = table.keys();
    table.keep_known(&known_keys(), findings);
    let span = table.span();
    let row = table.read(findings, PolicyRow::deserialize)?;
    match row.check(name.get_ref()) {
        Ok(policy) => Some(Arc::new(policy)),
        Err(complaints) => {
            for complaint in complaints {
                let key = keys.iter().find(|key| key.get_ref() == complaint.part);
                let at = match (complaint.part, key) {
                    ("name", _) => name.span(),
                    (_, Some(key)) => key.span(),
                    // It complains of a part that is not there.
                    (_, None) => span.clone(),
                };
                let diagnostic = Diagnostic::new(complaint.message, at);
                findings.add(match complaint.help {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                });
            }
            None
        }
    }
}

fn known_keys() -> Vec<&'static str> {
    let parts = Policy::part_values().iter().map(|(part, _)| *part);
    PROSE.into_iter().chain([KERNEL]).chain(parts.filter(|part| *part != "kind")).collect()
}
