//! A limit on the work for a glob, which comes from a stranger and walks through a stranger's files.

/// How much work may be done for all globs of one Application: about five seconds, and 100 MB that are kept. A tree of 100,000 files takes
/// a tenth of it.
const MOST: u64 = 500_000_000;

/// What keeping one byte of a path costs.
const KEPT: u64 = 5;

/// Work that is left. Its unit is about ten nanoseconds.
#[derive(Debug)]
pub(super) struct Work {
    left: u64,
}

/// There is too little left.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl Work {
    /// The work for one Application.
    pub(super) fn for_all() -> Self {
        Self { left: MOST }
    }

    /// This many units, for a test.
    #[cfg(test)]
    pub(super) fn of(left: u64) -> Self {
        Self { left }
    }

    /// Takes `units` away.
    pub(super) fn spend(&mut self, units: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(units).ok_or(TooMuch)?;
        Ok(())
    }

    /// Takes away what it costs to keep a path.
    pub(super) fn keep(&mut self, path: &str) -> Result<(), TooMuch> {
        self.spend(path.len() as u64 * KEPT)
    }
}
