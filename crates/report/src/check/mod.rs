//! What `check` prints, in each format.

mod fingerprint;
mod fixed;
pub mod fixes;
pub mod github;
pub mod gitlab;
mod groups;
pub mod json;
mod lines;
pub mod patch;
pub mod sarif;
pub mod text;
pub mod unrendered;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ::text::{Origin, Place, Precision, plural};
use deployment::row::Further;
use lint::count::{Count, levels};
use lint::survey::{Side, Survey};
use lint::{Finding, Level, State};
use rewrite::manifest::Manifest;

use crate::show::Show;

/// The findings of one source.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'s> {
    /// The findings, sorted by place.
    pub findings: &'s [Finding],
    /// What they are about.
    pub survey: &'s Survey<'s>,
    /// The source directory as messages call it.
    pub shown_as: &'s str,
    /// The further sources of its Application, whose manifests come after its own.
    pub further: &'s [Further],
    /// True when the plugin refuses the source as a whole, and prints nothing.
    pub is_refused: bool,
}

impl<'s> Sheet<'s> {
    /// The directory of the source that a finding is about; that of the first one if it is about all.
    fn source_of(&self, finding: &Finding) -> &'s str {
        let number = finding.span.map_or(0, |(manifest, _)| self.survey.source_number(manifest));
        number.checked_sub(1).and_then(|index| self.further.get(index)).map_or(self.shown_as, |further| &further.path)
    }
}

/// The findings of several sources, one after the other.
fn all<'s>(sheets: &'s [Sheet<'s>]) -> impl Iterator<Item = &'s Finding> + Clone {
    sheets.iter().flat_map(|sheet| sheet.findings)
}

/// A finding with the other sources that have it too, because they use the same file.
struct Distinct<'s> {
    finding: &'s Finding,
    sheet: &'s Sheet<'s>,
    /// The index of the sheet.
    index: usize,
    others: Vec<&'s str>,
}

/// What makes two findings in one file the same.
type Key<'s> = (&'s str, &'s Place, &'s str, bool);

/// The findings of several sources, each once.
fn distinct<'s>(sheets: &'s [Sheet<'s>]) -> Vec<Distinct<'s>> {
    let mut known: BTreeMap<Key<'s>, usize> = BTreeMap::new();
    let mut found: Vec<Distinct<'s>> = Vec::new();
    for (index, sheet) in sheets.iter().enumerate() {
        for finding in sheet.findings {
            let place = finding.place.as_ref().filter(|place| matches!(place.origin, Origin::File(_)));
            let key =
                place.map(|place| (finding.rule.id, place, finding.message.as_str(), finding.state == State::Open));
            match key.and_then(|key| known.get(&key)) {
                Some(first) if sheets.len() > 1 => found[*first].others.push(sheet.source_of(finding)),
                _ => {
                    known.extend(key.map(|key| (key, found.len())));
                    found.push(Distinct { finding, sheet, index, others: Vec::new() });
                }
            }
        }
    }
    found
}

/// `Job namespace/name`, of the object that a finding is about; none when it has no name, or is unknown.
fn subject(finding: &Finding, survey: &Survey<'_>) -> Option<String> {
    let surveyed = &survey.objects[finding.object?];
    let object = surveyed.on(Side::Written).or(surveyed.on(Side::Emitted))?.object();
    let name = object.shown_name()?;
    let namespace = match survey.namespace(object) {
        "" => String::new(),
        namespace => format!("{namespace}/"),
    };
    Some(format!("{} {namespace}{name}", object.kind()))
}

/// A part of one line, counted from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    line: usize,
    column: usize,
    /// One past the last character; always more than `column`.
    end: usize,
}

impl Region {
    /// The region of a finding that is at one place.
    fn of(finding: &Finding, manifests: &[Manifest]) -> Option<Self> {
        let place = finding.place.as_ref()?;
        let at = place.at;
        // What is wrong is not at this place itself.
        let span = finding.span.filter(|_| place.precision == Precision::Line);
        let text = span.map_or("", |(manifest, span)| span.of(&manifests[manifest].text));
        Some(Self { line: at.line, column: at.column, end: at.column + text.chars().count().max(1) })
    }
}

/// How many Jobs have an error that only the plugin fixes.
fn broken_without_plugin(distinct: &[Distinct<'_>]) -> usize {
    let is_error = |finding: &Finding| matches!(finding.state, State::Solved(_)) && finding.level == Level::Error;
    let errors = distinct.iter().filter(|one| is_error(one.finding));
    let jobs = errors.filter_map(|one| {
        let object = one.finding.object?;
        one.sheet.survey.objects[object].job.map(|job| (one.index, job))
    });
    jobs.collect::<BTreeSet<_>>().len()
}

/// One line: how many findings there are.
fn summary(distinct: &[Distinct<'_>], show: Show) -> String {
    let count = Count::of(distinct.iter().map(|one| one.finding));
    let broken = broken_without_plugin(distinct);
    let open: usize = count.open.iter().sum();
    let mut text = match open {
        // What the plugin fixes and what is ignored is not compared.
        0 if show.only_new && count.solved + count.ignored == 0 => "no new findings".to_owned(),
        0 if count.solved + count.ignored > 0 => "no open findings".to_owned(),
        0 => "no findings".to_owned(),
        _ => format!("{}: {}", plural(open, "finding"), levels(count.open)),
    };
    if broken > 0 {
        let _ = write!(text, "; {} would break without the plugin (see `--plugin=false`)", plural(broken, "Job"));
    } else if count.solved > 0 {
        let _ = write!(text, "; {} fixed by the plugin", count.solved);
    }
    if count.ignored > 0 {
        let _ = write!(text, "; {} ignored", count.ignored);
    }
    text.push_str(&fixes::offers(distinct));
    show.wrapped(&text, "", "  ") + "\n"
}
