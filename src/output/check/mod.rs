//! What `check` prints, in each format.

pub mod text;

use crate::finding::{Finding, Level, State};

/// How many findings there are, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Open ones, of the levels error, warning, info.
    pub open: [usize; 3],
    /// Solved by what `generate` does.
    pub solved: usize,
    /// Ignored by the user.
    pub ignored: usize,
}

impl Count {
    /// Counts.
    pub fn of(findings: &[Finding]) -> Self {
        let mut count = Self::default();
        for finding in findings {
            match (&finding.state, finding.row.level) {
                (State::Open, Level::Error) => count.open[0] += 1,
                (State::Open, Level::Warning) => count.open[1] += 1,
                (State::Open, Level::Info) => count.open[2] += 1,
                (State::Solved(_), _) => count.solved += 1,
                (State::Ignored(_), _) => count.ignored += 1,
            }
        }
        count
    }
}

/// `1 error`, `2 errors`
pub fn several(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
