//! What was seen: which call ended how, how often.

use std::collections::BTreeMap;
use std::fmt;

use locklab_sys::{Call, Reply};

/// Calls, each with its endings.
#[derive(Default)]
pub struct Counts(BTreeMap<String, BTreeMap<String, u64>>);

impl Counts {
    /// A call has returned.
    pub fn count(&mut self, call: &Call, reply: &Reply) {
        let ending = match reply {
            Ok(_) => "ok".to_owned(),
            Err(errno) => errno.to_string(),
        };
        self.add(call, ending);
    }

    /// A call waits.
    pub fn count_wait(&mut self, call: &Call) {
        self.add(call, "waits".to_owned());
    }

    fn add(&mut self, call: &Call, ending: String) {
        let words = call.to_string();
        let name = words.split(' ').next().unwrap_or_default().to_owned();
        *self.0.entry(name).or_default().entry(ending).or_default() += 1;
    }

    /// How many different endings of calls were seen.
    pub fn pairs(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (call, endings) in &self.0 {
            let endings: Vec<String> =
                endings.iter().map(|(ending, times)| format!("{ending} {times}")).collect();
            writeln!(f, "  {call:18} {}", endings.join(", "))?;
        }
        Ok(())
    }
}
