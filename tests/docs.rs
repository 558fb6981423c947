//! Every command in the documents prints what the documents say.

mod common;

use common::on_host::is_allowed;

/// Speaks of what real processes do.
const ON_HOST: &str = "docs/on-host.md";

#[test]
fn commands_in_the_documents() {
    let cases = trycmd::TestCases::new();
    cases
        .default_bin_name("locklab")
        .register_bin("locklab", trycmd::cargo::cargo_bin!("locklab"))
        .case("README.md")
        .case("docs/*.md");
    if !is_allowed(ON_HOST) {
        cases.skip(ON_HOST);
    }
}
