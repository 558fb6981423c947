use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Problems};

/// More than one file can have wrong that is worth reading.
const SHOWN: usize = 20;

impl Problems {
    /// The problems as people read them, with colours or without.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let shown = self.diagnostics.iter().take(SHOWN);
        let mut blocks: Vec<String> =
            shown.map(|diagnostic| renderer.render(&[self.group(diagnostic)])).collect();
        if let more @ 1.. = self.diagnostics.len().saturating_sub(SHOWN) {
            blocks.push(format!("and {more} more"));
        }
        blocks.join("\n\n")
    }

    fn group<'a>(&'a self, diagnostic: &'a Diagnostic) -> Group<'a> {
        let title = Level::ERROR.primary_title(&diagnostic.message);
        let group = if self.source.is_empty() {
            title.element(Origin::path(&self.origin))
        } else {
            let place = AnnotationKind::Primary
                .span(self.clamped(&diagnostic.span))
                .label(diagnostic.label.as_deref());
            title.element(Snippet::source(&self.source).path(&self.origin).annotation(place))
        };
        match &diagnostic.help {
            Some(help) => group.element(Level::HELP.message(help)),
            None => group,
        }
    }

    /// The span within the text and between characters: a renderer need not
    /// survive anything else.
    fn clamped(&self, span: &Range<usize>) -> Range<usize> {
        let boundary = |at: usize| {
            let at = at.min(self.source.len());
            (0..=at).rev().find(|at| self.source.is_char_boundary(*at)).unwrap_or(0)
        };
        let start = boundary(span.start);
        start..boundary(span.end).max(start)
    }
}
