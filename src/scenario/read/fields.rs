use toml::Spanned;

use crate::diagnostic::Diagnostic;

/// A word for all words of a part that is a sum of fields: `+start-boot` for those that have
/// `start` and not `boot`.
pub(super) struct Fields<'a> {
    /// Each with whether it must be there.
    wanted: Vec<(bool, &'a str)>,
}

impl<'a> Fields<'a> {
    /// What `word` wants of a part that has the words `known`; `None` if it is a plain word.
    pub(super) fn read(
        word: &'a Spanned<String>,
        known: &[&'static str],
    ) -> Option<Result<Self, Diagnostic>> {
        let text = word.get_ref();
        if known.contains(&text.as_str()) || !text.starts_with(['+', '-']) {
            return None;
        }
        let all: Vec<&str> = known.iter().copied().flat_map(fields).collect();
        let mut wanted = Vec::new();
        let mut rest = text.as_str();
        while let Some(sign) = rest.chars().next() {
            let field = &rest[1..];
            let end = field.find(['+', '-']).unwrap_or(field.len());
            let field = &field[..end];
            if !all.contains(&field) {
                let mut all = all.clone();
                all.sort_unstable();
                all.dedup();
                return Some(Err(Diagnostic::unknown("field", field, word.span(), all)));
            }
            wanted.push((sign == '+', field));
            rest = &rest[1 + end..];
        }
        Some(Ok(Self { wanted }))
    }

    /// Whether a word has what is wanted.
    pub(super) fn fit(&self, word: &str) -> bool {
        word != "-"
            && self.wanted.iter().all(|(there, it)| fields(word).any(|f| f == *it) == *there)
    }
}

/// The fields of a sum; there are none in `none`.
fn fields(word: &str) -> impl Iterator<Item = &str> {
    word.split('+').filter(|field| !matches!(*field, "none" | "-"))
}
