//! What there is to say about one source, and the sums of all.

use std::collections::BTreeSet;

use preview::{Behaviour, Compared, ForecastRow, Subject, Upgrade, Verdict};
use text::{agreed, capitalized, few, plural};

use super::NAMED;
use crate::preview::words::in_words;
use crate::preview::words::start::start;

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// Whether the new version ends a sync, or keeps one from starting, that the old one does not.
    pub(super) is_harmful: bool,
}

/// All that changes for one source; `all` shortens nothing.
pub(super) fn lines(upgrade: &Upgrade, all: bool) -> Vec<Line> {
    let comparison = &upgrade.comparison;
    let named_most = if all { usize::MAX } else { NAMED };
    let info = |text: String| Line { text, is_harmful: false };
    let bad = |text: String| Line { text, is_harmful: true };
    let (harmful, others): (Vec<_>, Vec<_>) = upgrade.behaviours.iter().partition(|one| one.is_harmful());
    let each = |one: &Behaviour| {
        let line = |subject: &Subject| format!("{} `{}`: {}", subject.place, named(subject), one.says());
        one.subjects.iter().map(line).collect::<Vec<_>>()
    };
    let mut lines: Vec<Line> = harmful.into_iter().flat_map(each).map(bad).collect();
    let forecast = comparison.forecast();
    let is_meant = |row: &&ForecastRow| {
        let is_job =
            |job: &Compared| job.place == *row.place.as_ref().unwrap_or(&job.place) && job.name == row.object.name;
        row.place.is_none() && row.is_changed() || upgrade.changes().any(is_job)
    };
    lines.extend(forecast.rows.iter().filter(is_meant).map(|row| of_row(row, all)));
    if comparison.differs() {
        lines.push(info(capitalized(&start(&forecast, None, all)) + "."));
        let hooks: Vec<String> =
            with_the_sync(upgrade).map(|job| format!("`{}`", job.kind.named(None, &job.name))).collect();
        if !hooks.is_empty() {
            lines.push(info(format!(
                "A sync of the Application runs {} too: {}",
                plural(hooks.len(), "hook"),
                few(&hooks, named_most)
            )));
        }
    }
    for one in others {
        let names: Vec<String> = one.subjects.iter().map(|subject| format!("`{}`", named(subject))).collect();
        lines.push(info(format!("{}: {}", few(&names, named_most), one.says())));
    }
    if !upgrade.nulls.is_empty() {
        let names: Vec<String> = upgrade.nulls.iter().map(|name| format!("`{name}`")).collect();
        let objects = agreed(names.len(), "object", "only gains or loses", "only gain or lose");
        lines.push(info(format!("{objects} nulls, which runs nothing: {}", few(&names, named_most))));
    }
    lines
}

fn of_row(row: &ForecastRow, all: bool) -> Line {
    let place = row.place.as_ref().map_or_else(String::new, |place| format!("{place} "));
    let name = row.object.kind.named(row.object.namespace.as_deref(), &row.object.name);
    Line { text: format!("{place}`{name}` {}", in_words(row, all)), is_harmful: row.is_bad() }
}

/// `prod/migrate`, or `Workflow prod/migrate`
fn named(subject: &Subject) -> String {
    subject.kind.named(subject.namespace.as_deref(), &subject.name)
}

/// Whether a sync starts because of the upgrade.
fn starts_a_sync(upgrade: &Upgrade) -> bool {
    upgrade.comparison.differs() && upgrade.comparison.auto_sync().may_start()
}

/// The hooks that are the same, and that each sync runs, where the upgrade makes a sync start.
pub(super) fn with_the_sync(upgrade: &Upgrade) -> impl Iterator<Item = &Compared> {
    let is_started = starts_a_sync(upgrade);
    let is_same = |job: &&Compared| matches!(&job.verdict, Verdict::EverySync { changed, .. } if changed.is_empty());
    upgrade.comparison.jobs.iter().filter(move |job| is_started && is_same(job))
}

/// How many Jobs and hooks of all sources something is said of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// Jobs and hooks that cannot be synced any more, once they change.
    blocked: usize,
    /// Jobs and hooks that run because of the upgrade.
    run: usize,
    /// Jobs and hooks that are treated differently.
    otherwise: usize,
    /// The syncs that start.
    syncs: usize,
}

impl Totals {
    pub(super) fn of<'u>(all: impl Iterator<Item = &'u Upgrade>) -> Self {
        let mut totals = Self::default();
        for upgrade in all {
            let subjects = |is_harmful: bool| {
                let meant = upgrade.behaviours.iter().filter(move |one| one.is_harmful() == is_harmful);
                let subjects = meant.flat_map(|one| &one.subjects);
                subjects.map(|one| (one.place.to_string(), named(one))).collect::<BTreeSet<_>>().len()
            };
            let changed =
                |is_meant: fn(&Verdict) -> bool| upgrade.changes().filter(|job| is_meant(&job.verdict)).count();
            totals.blocked += subjects(true) + changed(Verdict::is_an_error);
            totals.run += changed(Verdict::runs) + with_the_sync(upgrade).count();
            totals.otherwise += subjects(false);
            totals.syncs += usize::from(starts_a_sync(upgrade));
        }
        totals
    }

    /// Each number that is not zero, as a part of a sentence.
    pub(super) fn parts(&self) -> Vec<String> {
        let what = |count: usize| plural(count, "Job or hook").replace("Job or hooks", "Jobs and hooks");
        let of = |count: usize, one: &str, many: &str| {
            (count > 0).then(|| format!("{} {}", what(count), if count == 1 { one } else { many }))
        };
        let syncs = (self.syncs > 0).then(|| agreed(self.syncs, "sync", "starts", "start") + " where auto-sync is on");
        [
            of(
                self.blocked,
                "cannot be synced any more at its next change",
                "cannot be synced any more at their next change",
            ),
            of(self.run, "runs because of the upgrade", "run because of the upgrade"),
            syncs,
            of(self.otherwise, "is treated differently", "are treated differently"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
