//! The commands: each takes its arguments to an answer.

pub mod ablate;
mod catalogue;
pub mod compare;
mod exit;
pub mod explain;
pub mod find;
mod interrupt;
pub mod list;
mod on_host;
pub mod replay;
pub mod run;

use crate::diagnostic::Problems;

pub use catalogue::Catalogue;
pub use exit::Exit;
pub use run::Format;

/// What a command has to say when it could do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// For stdout.
    pub text: String,
    /// For stderr, a line each.
    pub remarks: Vec<String>,
    /// How to exit.
    pub exit: Exit,
}

impl Answer {
    /// An answer to a question that has no wrong ones.
    pub fn plain(text: String) -> Self {
        Self { text, remarks: Vec::new(), exit: Exit::AsExpected }
    }
}

/// Why a command could not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// For stderr.
    pub message: String,
    /// How to exit.
    pub exit: Exit,
}

impl Refusal {
    /// The input is at fault.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self { message: format!("error: {}", message.into()), exit: Exit::BadInput }
    }

    /// With more advice.
    #[must_use]
    fn or_help(self, help: &str) -> Self {
        Self { message: format!("{}\n  help: {help}", self.message), ..self }
    }
}

impl From<Problems> for Refusal {
    fn from(problems: Problems) -> Self {
        Self { message: problems.render(true), exit: Exit::BadInput }
    }
}
