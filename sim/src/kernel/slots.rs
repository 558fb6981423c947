/// Values under numbers. A new one gets the lowest that is free, so that what
/// has come and gone leaves no trace. Which of two got which number still
/// depends on who came first.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Slots<T>(Vec<Option<T>>);

impl<T> Slots<T> {
    /// Its number.
    pub(super) fn insert(&mut self, value: T) -> u32 {
        let at = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        match self.0.get_mut(at) {
            Some(free) => *free = Some(value),
            None => self.0.push(Some(value)),
        }
        at as u32
    }

    pub(super) fn get(&self, at: u32) -> Option<&T> {
        self.0[at as usize].as_ref()
    }

    pub(super) fn get_mut(&mut self, at: u32) -> Option<&mut T> {
        self.0[at as usize].as_mut()
    }

    pub(super) fn remove(&mut self, at: u32) -> Option<T> {
        let removed = self.0[at as usize].take();
        while self.0.pop_if(|last| last.is_none()).is_some() {}
        removed
    }

    /// All values, with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.0).filter_map(|(at, value)| Some((at, value.as_ref()?)))
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Clone for Slots<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Keeps the buffer that it fills.
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}
