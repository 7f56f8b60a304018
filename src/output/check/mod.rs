//! What `check` prints, in each format.

pub mod github;
pub mod json;
mod region;
pub mod sarif;
pub mod text;

use std::fmt::Write;

use crate::finding::{Finding, Level, State};
use crate::text::plural;

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
            match (&finding.state, finding.rule.level) {
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

/// One line: how many findings there are.
fn summary(count: Count) -> String {
    let [errors, warnings, infos] = count.open;
    let open = [(errors, "error"), (warnings, "warning")];
    let mut parts: Vec<String> =
        open.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(count, noun)).collect();
    if infos > 0 {
        parts.push(format!("{infos} info"));
    }
    let mut text = match errors + warnings + infos {
        0 => "no findings".to_owned(),
        all => format!("{}: {}", plural(all, "finding"), parts.join(", ")),
    };
    if count.solved > 0 {
        let _ = write!(text, "; {} solved by `generate`", count.solved);
    }
    if count.ignored > 0 {
        let _ = write!(text, "; {} ignored", count.ignored);
    }
    text + "\n"
}
