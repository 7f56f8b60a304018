//! Limits the work for a glob, because strangers write both the glob and the files that it searches.

/// The work for all globs of an Application: about five seconds, and 100 MB of paths. A tree of 100,000 files needs a
/// tenth of it.
const MOST: u64 = 500_000_000;

/// The work for storing one byte of a path.
const KEPT: u64 = 5;

/// The remaining work. Its unit is about ten nanoseconds.
#[derive(Debug)]
pub(super) struct Work {
    left: u64,
}

/// Not enough work remains.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl Work {
    /// The work for one Application.
    pub(super) fn for_all() -> Self {
        Self { left: MOST }
    }

    /// A given number of units, for tests.
    #[cfg(test)]
    pub(super) fn of(left: u64) -> Self {
        Self { left }
    }

    /// Subtracts `units`.
    pub(super) fn spend(&mut self, units: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(units).ok_or(TooMuch)?;
        Ok(())
    }

    /// Subtracts the work for storing a path.
    pub(super) fn keep(&mut self, path: &str) -> Result<(), TooMuch> {
        self.spend(path.len() as u64 * KEPT)
    }
}
