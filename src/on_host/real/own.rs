use locklab_sys::{Pid, SmolStr};

/// What each machine makes up for itself, and what it is on the other: start ticks,
/// a boot id, random bytes, and how they are written.
#[derive(Default)]
pub(super) struct Own {
    /// The ticks at which whoever has a pid now was started, here and there.
    starts: Vec<(Pid, [u64; 2])>,
    /// The same of pids in a container, which come back with each of its starts.
    inner_starts: Vec<(SmolStr, Pid, [u64; 2])>,
    boot_ids: Option<[u128; 2]>,
    /// Words, here and there.
    words: Vec<[String; 2]>,
    /// Lengths of texts that agree, though they are not equally long.
    lengths: Vec<[u32; 2]>,
}

impl Own {
    /// A process was started at these ticks.
    pub(super) fn learn_start(&mut self, pid: Pid, ticks: [u64; 2]) {
        self.starts.retain(|(other, _)| *other != pid);
        self.starts.push((pid, ticks));
        self.learn(ticks.map(|ticks| ticks.to_string()));
    }

    /// A process was started at these ticks in a container.
    pub(super) fn learn_inner_start(&mut self, container: &SmolStr, pid: Pid, ticks: [u64; 2]) {
        self.inner_starts.retain(|(other, its, _)| (other, *its) != (container, pid));
        self.inner_starts.push((container.clone(), pid, ticks));
    }

    /// Whether these ticks are the same as those of whoever had the pid in a container
    /// before, here and there; `None` if nobody had.
    pub(super) fn repeats_inner_start(
        &self,
        container: &SmolStr,
        pid: Pid,
        ticks: [u64; 2],
    ) -> Option<[bool; 2]> {
        let known = |it: &&(SmolStr, Pid, [u64; 2])| (&it.0, it.1) == (container, pid);
        let (_, _, [here, there]) = self.inner_starts.iter().find(known)?;
        Some([*here == ticks[0], *there == ticks[1]])
    }

    /// Whether these ticks are the same as those of whoever had the pid before, here
    /// and there; `None` if nobody had.
    pub(super) fn repeats_start(&self, pid: Pid, ticks: [u64; 2]) -> Option<[bool; 2]> {
        let (_, [here, there]) = self.starts.iter().find(|(other, _)| *other == pid)?;
        Some([*here == ticks[0], *there == ticks[1]])
    }

    /// Whether a process with this pid was started at these ticks; somebody, if it is
    /// a pid inside a container. Init's are not compared: no run begins with a boot.
    pub(super) fn is_start(&self, pid: Pid, ticks: [u64; 2]) -> bool {
        match self.starts.iter().find(|(known, _)| *known == pid) {
            Some((_, known)) => *known == ticks,
            None => pid == Pid(1) || self.starts.iter().any(|(_, known)| *known == ticks),
        }
    }

    /// Whether these are the boot ids, or the first that are seen.
    pub(super) fn is_boot_id(&mut self, ids: [u128; 2]) -> bool {
        self.learn(ids.map(|id| format!("{id:032x}")));
        self.learn(ids.map(|id| format!("{:08x}", id >> 96)));
        *self.boot_ids.get_or_insert(ids) == ids
    }

    /// A namespace has a number of its own, and so has a process.
    pub(super) fn learn_number(&mut self, numbers: [u64; 2]) {
        self.learn(numbers.map(|number| number.to_string()));
    }

    /// Random bytes are as many as was asked for.
    pub(super) fn are_random(&mut self, here: &[u8], there: &[u8]) -> bool {
        let written = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.learn([written(here), written(there)]);
        here.len() == there.len()
    }

    fn learn(&mut self, words: [String; 2]) {
        if words[0] != words[1] && !self.words.contains(&words) {
            self.words.push(words);
        }
    }

    /// Whether two texts say the same: word for word, but for words that each
    /// machine made up.
    pub(super) fn is_same_text(&mut self, here: &[u8], there: &[u8]) -> bool {
        if here == there {
            return true;
        }
        let (Ok(a), Ok(b)) = (std::str::from_utf8(here), std::str::from_utf8(there)) else {
            return false;
        };
        let (a, b) = (words(a), words(b));
        let is_same = a.len() == b.len()
            && a.iter().zip(&b).all(|(a, b)| {
                a == b || self.words.iter().any(|[here, there]| here == a && there == b)
            });
        if is_same {
            self.lengths.push([here.len() as u32, there.len() as u32]);
        }
        is_same
    }

    /// Whether these are the lengths of one text.
    pub(super) fn is_same_length(&self, here: u32, there: u32) -> bool {
        here == there || self.lengths.contains(&[here, there])
    }

    /// A text without what a machine made up.
    pub(super) fn common(&self, text: &str) -> String {
        let is_own = |word: &&str| self.words.iter().flatten().any(|own| own == word);
        words(text).iter().map(|word| if is_own(word) { "…" } else { *word }).collect()
    }
}

/// The text's words, and what stands between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
        words.push(&rest[..end]);
        rest = &rest[end..];
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_differ_in_what_each_machine_made_up_alone() {
        let mut own = Own::default();
        let here: &[u8] = b"pid=1000 start=100000 boot=0000beef";
        let there: &[u8] = b"pid=1000 start=7 boot=12345678";
        assert!(!own.is_same_text(here, there), "nobody knows these words");
        own.learn_start(Pid(1000), [100_000, 7]);
        assert!(own.is_boot_id([0xbeef << 96, 0x1234_5678 << 96]));
        assert!(own.is_same_text(here, there));
        assert!(own.is_same_length(35, 30) && !own.is_same_length(35, 31));
        assert!(!own.is_same_text(here, b"pid=1001 start=7 boot=12345678"));
        assert!(!own.is_same_text(here, b"pid=1000 start=7  boot=12345678"));
        assert!(!own.is_same_text(b"start=7", b"start=100000"), "it has two sides");
        assert_eq!(own.common("pid=1000 start=7"), "pid=1000 start=…");
        assert!(!own.is_boot_id([0xbeef << 96, 1]), "there is one boot");
    }

    #[test]
    fn a_start_tells_who_has_a_pid_now() {
        let mut own = Own::default();
        assert_eq!(own.repeats_start(Pid(1000), [5, 70]), None);
        own.learn_start(Pid(1000), [5, 70]);
        own.learn_start(Pid(1001), [5, 71]);
        assert!(own.is_start(Pid(1000), [5, 70]) && !own.is_start(Pid(1001), [5, 70]));
        assert!(own.is_start(Pid(2), [5, 70]) && !own.is_start(Pid(2), [5, 72]));
        assert_eq!(own.repeats_start(Pid(1000), [6, 70]), Some([false, true]));
        assert_eq!(own.repeats_start(Pid(1000), [5, 71]), Some([true, false]));
        own.learn_start(Pid(1000), [6, 71]);
        assert!(!own.is_start(Pid(1000), [5, 70]), "somebody else has it");
        assert!(own.is_start(Pid(1), [0, 9]), "init's are not compared");
    }
}
