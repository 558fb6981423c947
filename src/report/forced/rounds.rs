use crate::on_host::Line;

/// A round has no more steps than this.
const LENGTH_MAX: usize = 24;

/// What is shown: a line, or that the last ones came again.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Once(&'a Line),
    /// The last `length` lines, so many times more.
    Again {
        times: usize,
        length: usize,
    },
}

/// The lines, where the same ones that come again and again are told once.
pub(super) fn parts(lines: &[Line]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let rounds = (1..=LENGTH_MAX.min(rest.len())).map(|length| (repeats(rest, length), length));
        // What tells the same in the fewest lines.
        let best = rounds
            .filter(|(times, _)| *times > 1)
            .max_by_key(|(times, length)| (times * length, usize::MAX - length));
        let (times, length) = best.unwrap_or((0, 1));
        parts.extend(rest[..length].iter().map(Part::Once));
        if times > 0 {
            parts.push(Part::Again { times, length });
        }
        rest = &rest[length * (times + 1)..];
    }
    parts
}

/// How often the first lines come again at once.
fn repeats(lines: &[Line], length: usize) -> usize {
    let (first, rest) = lines.split_at(length);
    let again = |round: &&[Line]| first.iter().zip(*round).all(|(a, b)| are_alike(a, b));
    rest.chunks_exact(length).take_while(again).count()
}

fn are_alike(a: &Line, b: &Line) -> bool {
    let of =
        |line: &Line| (line.process.clone(), line.what.clone(), line.linux.clone(), line.agrees);
    of(a) == of(b) && a.marks == b.marks && a.agrees && b.agrees
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(words: &str) -> Vec<Line> {
        let line = |what: &str| Line {
            number: 1,
            time_ns: 0,
            process: None,
            what: what.to_owned(),
            linux: String::new(),
            agrees: true,
            marks: Vec::new(),
        };
        words.split(' ').map(line).collect()
    }

    fn told(words: &str) -> String {
        let lines = lines(words);
        let told: Vec<String> = parts(&lines)
            .iter()
            .map(|part| match part {
                Part::Once(line) => line.what.clone(),
                Part::Again { times, length } => format!("{times}×{length}"),
            })
            .collect();
        told.join(" ")
    }

    #[test]
    fn rounds_are_told_once() {
        assert_eq!(told("a b c"), "a b c");
        assert_eq!(told("a b a b"), "a b a b", "once more is not worth a line");
        assert_eq!(told("x a b a b a b y"), "x a b 2×2 y");
        assert_eq!(told("a a a a"), "a 3×1");
        assert_eq!(told("a b b b c"), "a b 2×1 c");
    }
}
