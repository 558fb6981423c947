use super::{Diagnostic, Problems};

/// After so many lines that are no TOML, the rest is guesswork.
const BROKEN_LINES_TOLD: usize = 3;

/// What was found wrong so far in a file that is being read.
#[derive(Default)]
pub(crate) struct Findings {
    /// Where the file is no TOML.
    syntax: Vec<Diagnostic>,
    others: Vec<Diagnostic>,
}

impl Findings {
    /// The file is no TOML here.
    pub fn add_syntax(&mut self, diagnostic: Diagnostic) {
        self.syntax.push(diagnostic);
    }

    /// Something is wrong with what is there.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        self.others.push(diagnostic);
    }

    /// Something is not there. In a file that is no TOML it may be where
    /// nothing could be read.
    pub fn add_absence(&mut self, diagnostic: Diagnostic) {
        if self.syntax.is_empty() {
            self.add(diagnostic);
        }
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.syntax.is_empty() && self.others.is_empty()
    }

    /// All that was found wrong with `source`, in its order.
    pub fn into_problems(self, origin: &str, source: &str) -> Problems {
        let line_ends: Vec<usize> = source.match_indices('\n').map(|(at, _)| at).collect();
        let line =
            |diagnostic: &Diagnostic| line_ends.partition_point(|end| *end < diagnostic.span.start);
        let mut syntax: Vec<(usize, Diagnostic)> =
            self.syntax.into_iter().map(|diagnostic| (line(&diagnostic), diagnostic)).collect();
        syntax.sort_by_key(|(_, diagnostic)| diagnostic.span.start);
        syntax.dedup_by_key(|(line, _)| *line);
        // A line that is no TOML is read as something, which is wrong as well.
        let is_broken = |at: usize| syntax.binary_search_by_key(&at, |(line, _)| *line).is_ok();
        let others = self.others.into_iter().filter(|diagnostic| !is_broken(line(diagnostic)));
        let others: Vec<Diagnostic> = others.collect();
        let told = syntax.into_iter().take(BROKEN_LINES_TOLD).map(|(_, diagnostic)| diagnostic);
        let mut diagnostics: Vec<Diagnostic> = told.chain(others).collect();
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        Problems { origin: origin.to_owned(), source: source.to_owned(), diagnostics }
    }
}
