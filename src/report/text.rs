use std::time::Duration;

use textwrap::core::display_width;
use textwrap::{Options, WordSplitter, WrapAlgorithm};

use super::style::Tone;

/// How wide reports are, at most.
pub(crate) const WIDTH: usize = 100;

/// The text in lines of at most `width`, every line but the first indented.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> Vec<String> {
    wrapped(text, width, indent, WordSplitter::NoHyphenation)
}

/// As [`wrap`], and words may be parted after a hyphen.
pub(crate) fn wrap_at_hyphens(text: &str, width: usize) -> Vec<String> {
    wrapped(text, width, "", WordSplitter::HyphenSplitter)
}

fn wrapped(text: &str, width: usize, indent: &str, splitter: WordSplitter) -> Vec<String> {
    let options = Options::new(width)
        .subsequent_indent(indent)
        .word_splitter(splitter)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

/// The text in its tone, with blanks up to `width`.
pub(crate) fn cell(text: &str, tone: Tone, width: usize) -> String {
    let blanks = width.saturating_sub(display_width(text));
    format!("{}{:blanks$}", tone.paint(text), "")
}

/// Adds a text in its tone, at most [`WIDTH`] wide, every line but the first indented.
pub(crate) fn paragraph(out: &mut String, text: &str, indent: &str, tone: Tone) {
    for line in wrap(text, WIDTH, indent) {
        out.push_str(&tone.paint(&line));
        out.push('\n');
    }
}

/// At most `width` of the text, the rest an ellipsis.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if display_width(&short) + display_width(letter.encode_utf8(&mut [0; 4])) >= width {
            break;
        }
        short.push(letter);
    }
    short.truncate(short.trim_end().len());
    short + "…"
}

/// `a, b and c`.
pub(crate) fn listed<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Seconds, with as many decimals as it takes: `30.01 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{} s", locklab_sim::Seconds(time).to_string().trim_end_matches('s'))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{seconds, shorten};

    #[test]
    fn times_are_easy_to_read() {
        assert_eq!(seconds(Duration::from_millis(30_010)), "30.01 s");
        assert_eq!(seconds(Duration::from_secs(45)), "45 s");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(shorten("pid=1000", 10), "pid=1000");
        assert_eq!(shorten("pid=1000 start=5", 10), "pid=1000…");
        assert_eq!(shorten("鎖鎖鎖", 4), "鎖…");
    }
}
