//! The first line about one version: how many Jobs the next sync runs, and how often it runs them.

use std::collections::BTreeMap;

use lint::survey::sync_order::Absence;
use preview::{Forecast, ForecastRow, Halt, Kind, Outcome, Reason, When, counted};

/// What a sync of one version does with a Job, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    FailsTheSync,
    Runs,
    Applied,
    RunsIfNewOrChanged,
    RunsIfNew,
    RunsAfterItsTtl,
    FailsIfUnchanged,
    FailsIfNotNew,
    Blocked,
    Waits,
    RunsIfTheSyncFails,
    Baseline,
    Suspended,
    RunsAtDeletion,
    NeverRuns,
}

/// Each [`Fate`], as the rest of a sentence about one Job and about several.
const FATES: [[&str; 2]; 15] = [
    ["makes the sync fail", "make the sync fail"],
    ["runs", "run"],
    ["is applied", "are applied"],
    ["runs only if new or changed", "run only if new or changed"],
    ["runs only if new", "run only if new"],
    ["runs only if new, or deleted by its TTL", "run only if new, or deleted by their TTL"],
    ["runs if new or changed, and fails the sync otherwise", "run if new or changed, and fail the sync otherwise"],
    ["runs if new, and fails the sync otherwise", "run if new, and fail the sync otherwise"],
    ["does not run, because the sync fails before it", "do not run, because the sync fails before them"],
    ["does not run, because the sync waits before it", "do not run, because the sync waits before them"],
    ["runs only if the sync fails", "run only if the sync fails"],
    ["does not run until it changes (baseline)", "do not run until they change (baseline)"],
    ["is suspended", "are suspended"],
    ["runs when the Application is deleted", "run when the Application is deleted"],
    ["never runs", "never run"],
];

impl Fate {
    fn of(row: &ForecastRow) -> Self {
        let is_waiting = |reason: &Reason| matches!(reason, Reason::Halted(Halt::Confirmation | Halt::Suspended));
        match &row.outcome {
            Outcome::AsWritten(when) => match Self::when(when) {
                Self::Runs | Self::RunsIfNew if row.object.kind.is_only_applied() => Self::Applied,
                fate => fate,
            },
            Outcome::Fails => Self::FailsTheSync,
            Outcome::NotReached if row.why.iter().any(is_waiting) => Self::Waits,
            Outcome::NotReached => Self::Blocked,
            Outcome::AtDeletion => Self::RunsAtDeletion,
            Outcome::Waits | Outcome::Suspended => Self::Suspended,
            Outcome::Never => Self::NeverRuns,
            _ => Self::Runs,
        }
    }

    /// The group of a Job that the sync reaches.
    fn when(when: &When) -> Self {
        match when {
            When::Rejected(_) => Self::FailsTheSync,
            When::FailsUnchanged(then) => match **then {
                When::Baseline => Self::FailsTheSync,
                When::OnceForAll | When::OncePerName => Self::FailsIfNotNew,
                _ => Self::FailsIfUnchanged,
            },
            When::EveryFullSync(_) | When::EverySync | When::EveryRendering(_) => Self::Runs,
            When::OncePerContent | When::WhenRefused => Self::RunsIfNewOrChanged,
            When::OnceForAll | When::OncePerName | When::Once => Self::RunsIfNew,
            When::AfterItsTtl { .. } => Self::RunsAfterItsTtl,
            When::FailedSync => Self::RunsIfTheSyncFails,
            When::Baseline => Self::Baseline,
            When::Suspended(_) => Self::Suspended,
            When::Never(Absence::Deletion) => Self::RunsAtDeletion,
            When::Never(_) => Self::NeverRuns,
        }
    }
}

/// `Next sync: 2 Jobs run; 1 runs only if new or changed`: the first count says what is counted.
pub(crate) fn alone<'f>(forecasts: impl IntoIterator<Item = &'f Forecast>) -> String {
    let forecasts: Vec<&Forecast> = forecasts.into_iter().collect();
    let mut fates: BTreeMap<Fate, Vec<(&Kind, bool)>> = BTreeMap::new();
    for row in forecasts.iter().flat_map(|forecast| &forecast.rows) {
        fates.entry(Fate::of(row)).or_default().push((&row.object.kind, row.is_hook));
    }
    let sync = if forecasts.len() > 1 { "Next syncs" } else { "Next sync" };
    let all = || fates.values().flatten();
    let is_one_kind = all().all(|(kind, _)| Some(kind) == all().next().map(|(first, _)| first));
    let mut parts: Vec<String> = Vec::new();
    for (fate, of_fate) in &fates {
        let words = FATES[*fate as usize];
        let subject = match is_one_kind && !parts.is_empty() {
            true => of_fate.len().to_string(),
            false => counted(of_fate.iter().copied(), ""),
        };
        parts.push(format!("{subject} {}", words[usize::from(of_fate.len() > 1)]));
    }
    let what = if parts.is_empty() { "no Jobs".to_owned() } else { parts.join("; ") };
    format!("{sync}: {what}")
}
