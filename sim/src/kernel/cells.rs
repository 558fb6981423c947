use locklab_sys::SmolStr;

/// The memory cells of a process, sorted by name. One that holds 0 is not
/// kept: it cannot be told from one never written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Cells(Vec<(SmolStr, i64)>);

impl Cells {
    pub(super) fn read(&self, cell: &str) -> i64 {
        self.position(cell).map_or(0, |at| self.0[at].1)
    }

    pub(super) fn write(&mut self, cell: &SmolStr, value: i64) {
        match self.position(cell) {
            Ok(at) if value == 0 => {
                self.0.remove(at);
            }
            Ok(at) => self.0[at].1 = value,
            Err(_) if value == 0 => {}
            Err(at) => self.0.insert(at, (cell.clone(), value)),
        }
    }

    /// Writes `new` if the cell holds `expected`; what it held.
    pub(super) fn swap(&mut self, cell: &SmolStr, expected: i64, new: i64) -> i64 {
        let held = self.read(cell);
        if held == expected {
            self.write(cell, new);
        }
        held
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn position(&self, cell: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(name, _)| name.as_str().cmp(cell))
    }
}
