//! Every command in the documents prints what the documents say.

#[test]
fn commands_in_the_documents() {
    trycmd::TestCases::new()
        .default_bin_name("locklab")
        .register_bin("locklab", trycmd::cargo::cargo_bin!("locklab"))
        .case("README.md")
        .case("docs/*.md");
}
