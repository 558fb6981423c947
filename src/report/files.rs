use std::path::{Path, PathBuf};

/// The files that a printed command must name to find the same things again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The scenario's, if it is not compiled in.
    pub scenario: Option<String>,
    /// The policy's, if it is not compiled in.
    pub policies: Option<PathBuf>,
}

impl Files {
    /// The file to name for a policy, if it comes from that file.
    pub fn for_policy(self, file: Option<&Path>, of_file: bool) -> Self {
        Self { policies: file.filter(|_| of_file).map(Path::to_owned), ..self }
    }

    /// As arguments of `replay`, each after a blank.
    pub fn arguments(&self) -> String {
        let scenario = self.scenario.iter().map(|path| format!(" --scenario {}", quoted(path)));
        scenario.chain(self.policy_arguments()).collect()
    }

    /// As arguments of `run` and `explain`, to which a path is a scenario.
    pub fn policy_arguments(&self) -> Option<String> {
        let path = self.policies.as_ref()?;
        Some(format!(" --policy-file {}", quoted(&path.to_string_lossy())))
    }
}

/// The word as a shell takes it literally.
pub fn quoted(word: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+~".contains(c);
    // A shell reads a `~` only where a word begins.
    if !word.is_empty() && !word.starts_with('~') && word.chars().all(is_safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_a_shell_would_read_is_quoted() {
        assert_eq!(quoted("a/b-c.toml"), "a/b-c.toml");
        assert_eq!(quoted("identity~guard=flock"), "identity~guard=flock");
        assert_eq!(quoted("~x"), "'~x'");
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
