//! Problems of files, underlined at their place.

mod file;
mod findings;
mod nearest;
mod render;
mod serde_words;
mod table;

use std::error::Error;
use std::fmt;
use std::ops::Range;

pub(crate) use file::read_text;
pub(crate) use findings::Findings;
pub use nearest::{advice, nearest, wrapped};
pub(crate) use table::Table;

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes.
    pub span: Range<usize>,
    /// What to say at that place.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Something is wrong there.
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span, label: None, help: None }
    }

    /// With this said at the place.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// With this advice.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// There is no such `kind` of thing as `name`; these would be some.
    pub fn unknown<'a>(
        kind: &str,
        name: &str,
        span: Range<usize>,
        candidates: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let diagnostic = Self::new(format!("unknown {kind} `{}`", shortened(name)), span);
        if let Some(nearest) = nearest(name, candidates.clone()) {
            return diagnostic.help(format!("did you mean `{nearest}`?"));
        }
        let known: Vec<String> = candidates.into_iter().map(|it| format!("`{it}`")).collect();
        match &known[..] {
            [] => diagnostic.help(format!("there is no {kind} here")),
            [only] => diagnostic.help(format!("there is only {only}")),
            known => diagnostic.help(format!("there are {}", known.join(", "))),
        }
    }
}

/// A name as a message can carry it.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// The file's path, or its name if it is compiled in.
    pub origin: String,
    /// The file's text; empty if it could not be read.
    pub source: String,
    /// The problems, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Problems {
    /// A file whose text cannot be had.
    pub fn without_source(origin: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            source: String::new(),
            diagnostics: vec![Diagnostic::new(message, 0..0)],
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Error for Problems {}
