//! How many findings there are, and how a line of text says so.

use text::plural;

use crate::{Finding, Level, State};

/// The numbers of findings, by level and state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Open ones, of the levels error, warning, info.
    pub open: [usize; 3],
    /// Fixed by the plugin.
    pub solved: usize,
    /// Ignored by the user.
    pub ignored: usize,
}

impl Count {
    /// Counts.
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let mut count = Self::default();
        for finding in findings {
            match (&finding.state, finding.level) {
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

/// `1 error, 2 warnings, 3 info`: the open findings, by level.
pub fn levels([errors, warnings, infos]: [usize; 3]) -> String {
    let open = [(errors, "error"), (warnings, "warning")];
    let mut parts: Vec<String> =
        open.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(count, noun)).collect();
    if infos > 0 {
        parts.push(format!("{infos} info"));
    }
    parts.join(", ")
}
