//! How much work patterns may make.

use std::cell::Cell;

/// The steps that matching may still take. Without any left, nothing matches, and [`Steps::left`] says so.
pub struct Steps(Cell<usize>);

impl Steps {
    /// This many steps.
    pub fn new(most: usize) -> Self {
        Self(Cell::new(most))
    }

    /// How many are left; 0 when there were not enough.
    pub fn left(&self) -> usize {
        self.0.get()
    }

    /// Takes steps; false when there are not enough.
    pub fn take(&self, count: usize) -> bool {
        self.0.set(self.0.get().saturating_sub(count));
        self.0.get() > 0
    }
}
