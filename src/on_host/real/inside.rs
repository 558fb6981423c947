use locklab_models::word::mark;
use locklab_sim::kernel::ProcId;
use locklab_sys::{Happening, SmolStr};

/// Who is inside which lock, by the marks of real tasks and the deaths of real
/// processes alone.
#[derive(Default)]
pub(super) struct Inside(Vec<(SmolStr, ProcId)>);

impl Inside {
    /// A task says something; who are inside the lock that it enters by it.
    pub(super) fn hear(&mut self, proc: ProcId, said: &Happening) -> Vec<ProcId> {
        let Happening::Mark { name, subject, .. } = said else { return Vec::new() };
        match *name {
            mark::ENTERED => {
                self.0.push((subject.clone(), proc));
                let mut inside: Vec<ProcId> = Vec::new();
                for (_, other) in self.0.iter().filter(|(lock, _)| lock == subject) {
                    // Who nests a lock in itself is one.
                    if !inside.contains(other) {
                        inside.push(*other);
                    }
                }
                inside
            }
            mark::LEAVING => {
                let is_it = |(lock, other): &(SmolStr, ProcId)| lock == subject && *other == proc;
                if let Some(index) = self.0.iter().rposition(is_it) {
                    self.0.remove(index);
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// A process has ended.
    pub(super) fn forget(&mut self, ended: ProcId) {
        self.0.retain(|(_, proc)| *proc != ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ProcId = ProcId(0);
    const B: ProcId = ProcId(1);

    fn says(inside: &mut Inside, proc: ProcId, name: &'static str) -> Vec<ProcId> {
        inside.hear(proc, &Happening::Mark { name, subject: "/run/lock".into(), value: 1 })
    }

    #[test]
    fn who_has_entered_is_inside_until_it_leaves_or_ends() {
        let mut inside = Inside::default();
        assert_eq!(says(&mut inside, A, mark::WAITING), []);
        assert_eq!(says(&mut inside, A, mark::ENTERED), [A]);
        assert_eq!(says(&mut inside, B, mark::ENTERED), [A, B]);
        says(&mut inside, B, mark::LEAVING);
        assert_eq!(says(&mut inside, B, mark::ENTERED), [A, B]);
        inside.forget(A);
        assert_eq!(says(&mut inside, B, mark::ENTERED), [B], "nested, and alone");
        says(&mut inside, B, mark::LEAVING);
        assert_eq!(says(&mut inside, A, mark::ENTERED), [B, A], "the outer one is not left");
    }
}
