use textwrap::{Options, WordSplitter};

/// Nothing that has a name here has a longer one.
const LEN_MAX: usize = 64;

/// The candidate that `name` was probably meant to be, if one is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LEN_MAX {
        return None;
    }
    // With more than a third of the letters wrong it is another word, unless
    // it is the beginning of one.
    let limit = name.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= limit || (name.len() > 2 && candidate.starts_with(name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Between `help: ` and this many columns there is room for a list of names.
const WIDTH: usize = 92;

/// What to say to who names something that there is not: the nearest, or all there are.
pub fn advice<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(name, candidates.clone()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => {
            let names: Vec<&str> = candidates.into_iter().collect();
            wrapped(&format!("there are: {}", names.join(", ")))
        }
    }
}

/// Advice in lines that go on below where they begin.
pub fn wrapped(advice: &str) -> String {
    let options = Options::new(WIDTH).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(advice, options).join("\n        ")
}

#[cfg(test)]
mod tests {
    use super::{advice, nearest};

    #[test]
    fn a_long_list_of_names_is_wrapped() {
        let names = ["a-name-that-is-long"; 20];
        let advice = advice("other", names);
        assert!(advice.lines().count() > 2, "{advice}");
        assert!(advice.lines().all(|line| line.len() <= 100), "{advice}");
    }

    #[test]
    fn a_slip_or_a_beginning_is_recognised() {
        let words = ["patience", "prompt", "progress", "lowest-free"];
        assert_eq!(nearest("paitence", words), Some("patience"));
        assert_eq!(nearest("progres", words), Some("progress"));
        assert_eq!(nearest("lowest", words), Some("lowest-free"));
    }

    #[test]
    fn another_word_is_not() {
        assert_eq!(nearest("horizon", ["patience", "prompt"]), None);
        assert_eq!(nearest("", ["patience", "a"]), None);
        assert_eq!(nearest("pa", ["patience"]), None);
    }
}
