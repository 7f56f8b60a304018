//! What `check` prints, in each format.

pub mod github;
pub mod json;
mod region;
pub mod sarif;
pub mod text;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::finding::{Finding, Level, State};
use crate::survey::Survey;
use crate::text::{Origin, Place, plural};

/// The findings of one source.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'s> {
    /// The findings, sorted by place.
    pub findings: &'s [Finding],
    /// What they are about.
    pub survey: &'s Survey<'s>,
    /// The source directory as messages call it.
    pub shown_as: &'s str,
}

/// The findings of several sources, one after the other.
fn all<'s>(sheets: &'s [Sheet<'s>]) -> impl Iterator<Item = &'s Finding> + Clone {
    sheets.iter().flat_map(|sheet| sheet.findings)
}

/// A finding with the other sources that have it too, because they use the same file.
struct Distinct<'s> {
    finding: &'s Finding,
    sheet: &'s Sheet<'s>,
    others: Vec<&'s str>,
}

/// What makes two findings in one file the same.
type Key<'s> = (&'s str, &'s Place, &'s str, bool);

/// The findings of several sources, each once.
fn distinct<'s>(sheets: &'s [Sheet<'s>]) -> Vec<Distinct<'s>> {
    let mut known: BTreeMap<Key<'s>, usize> = BTreeMap::new();
    let mut found: Vec<Distinct<'s>> = Vec::new();
    for sheet in sheets {
        for finding in sheet.findings {
            let place = finding.place.as_ref().filter(|place| matches!(place.origin, Origin::File(_)));
            let key =
                place.map(|place| (finding.rule.id, place, finding.message.as_str(), finding.state == State::Open));
            match key.and_then(|key| known.get(&key)) {
                Some(first) if sheets.len() > 1 => found[*first].others.push(sheet.shown_as),
                _ => {
                    known.extend(key.map(|key| (key, found.len())));
                    found.push(Distinct { finding, sheet, others: Vec::new() });
                }
            }
        }
    }
    found
}

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
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
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

/// One line: how many findings there are.
fn summary(count: Count) -> String {
    let mut text = match count.open.iter().sum() {
        0 => "no findings".to_owned(),
        all => format!("{}: {}", plural(all, "finding"), levels(count.open)),
    };
    if count.solved > 0 {
        let _ = write!(text, "; {} solved by `generate`", count.solved);
    }
    if count.ignored > 0 {
        let _ = write!(text, "; {} ignored", count.ignored);
    }
    text + "\n"
}
