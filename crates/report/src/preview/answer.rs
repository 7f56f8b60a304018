//! The first line of every preview: what runs at the next sync, or what a merge does.

use std::collections::BTreeMap;

use kube_jobs::argocd::Phase;
use lint::survey::sync_order::Absence;
use preview::{Comparison, Halt, Kind, Report, Runnable, When, counted};

use super::headline::{Headline, Sentences, Unknown, Whose};

/// The first line of a preview: of one source, or of several.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Of one version alone: what runs at every sync, what if it is new or changed, and so on.
    Alone(Alone),
    /// Compared with another version.
    Compared(Headline),
}

/// The Jobs and hooks of one version, by what a sync does with them: the kind of each, and whether it is a hook.
#[derive(Clone, Debug, Default)]
pub struct Alone(BTreeMap<Fate, Vec<(Kind, bool)>>);

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
const ALONE: [[&str; 2]; 15] = [
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
    /// Of a Job that the sync comes to.
    fn of(when: &When) -> Self {
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
            When::AfterItsTtl(_) => Self::RunsAfterItsTtl,
            When::FailedSync => Self::RunsIfTheSyncFails,
            When::Baseline => Self::Baseline,
            When::Suspended(_) => Self::Suspended,
            When::Never(Absence::Deletion) => Self::RunsAtDeletion,
            When::Never(_) => Self::NeverRuns,
        }
    }

    /// Of a Job of a report.
    fn in_report(report: &Report, job: &Runnable) -> Self {
        let fate = match Self::of(&job.when) {
            Self::Runs | Self::RunsIfNew if job.kind.is_only_applied() => Self::Applied,
            fate => fate,
        };
        let may_run = (Self::Runs..=Self::RunsIfTheSyncFails).contains(&fate);
        match report.stop {
            Some(stop) if fate == Self::RunsIfTheSyncFails && stop.runs_hooks_for(Phase::SyncFail) => Self::Runs,
            Some(stop) if may_run && report.is_blocked(job) => match stop.why {
                Halt::Comparison | Halt::Failure => Self::Blocked,
                Halt::Confirmation | Halt::Suspended => Self::Waits,
            },
            _ => fate,
        }
    }
}

impl Answer {
    /// What runs at the next sync of one version.
    pub fn of_report(report: &Report) -> Self {
        let mut alone = Alone::default();
        for job in &report.jobs {
            alone.0.entry(Fate::in_report(report, job)).or_default().push((job.kind.clone(), job.is_hook));
        }
        Self::Alone(alone)
    }

    /// What a merge of the new version does to the Application `whose`; none if there is only one.
    pub fn of_comparison(comparison: &Comparison, whose: Option<Whose>) -> Self {
        Self::Compared(Headline::of(comparison, whose))
    }

    /// Of both together; of two kinds of answers the comparison.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Alone(mut one), Self::Alone(other)) => {
                other.0.into_iter().for_each(|(fate, of_fate)| one.0.entry(fate).or_default().extend(of_fate));
                Self::Alone(one)
            }
            (Self::Compared(one), Self::Compared(other)) => Self::Compared(one.and(other)),
            (compared @ Self::Compared(_), _) | (_, compared) => compared,
        }
    }

    /// The sentences about so many sources, the first of them with what is not known.
    pub fn sentences(&self, sources: usize, unknown: &Unknown) -> Sentences {
        let in_sources = if sources > 1 { format!(", in {sources} sources") } else { String::new() };
        match self {
            Self::Alone(_) => {
                let mut sentences = Sentences::of(self.text(sources) + &in_sources);
                sentences.first.extend(unknown.more.iter().cloned());
                sentences
            }
            Self::Compared(headline) => headline.sentences(unknown),
        }
    }

    /// The sentences in the section of one source; empty without a comparison.
    pub fn of_its_own(&self) -> Sentences {
        match self {
            Self::Alone(_) => Sentences::default(),
            Self::Compared(headline) => headline.of_its_own(),
        }
    }

    /// `Next sync: 2 Jobs run; 1 runs only if new or changed`, or what a merge does.
    pub fn text(&self, sources: usize) -> String {
        let sync = if sources > 1 { "Next syncs" } else { "Next sync" };
        match self {
            Self::Alone(alone) if alone.0.is_empty() => format!("{sync}: no Jobs"),
            Self::Alone(alone) => format!("{sync}: {}", alone.text()),
            Self::Compared(headline) => headline.sentences(&Unknown::default()).on_one_line(),
        }
    }

    /// Where its section stands among others.
    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Alone(_) => 0,
            Self::Compared(headline) => headline.rank(),
        }
    }

    /// What runs anyway and what does not run, as one sentence; empty where the answer says it all.
    pub fn rest(&self) -> String {
        match self {
            Self::Alone(_) => String::new(),
            Self::Compared(headline) => headline.rest(),
        }
    }
}

impl Alone {
    /// `2 Jobs run; 1 never runs`: the first count says what is counted.
    fn text(&self) -> String {
        let all = || self.0.values().flatten().map(|(kind, is_hook)| (kind, *is_hook));
        let is_one_kind = all().all(|(kind, _)| Some(kind) == all().next().map(|(first, _)| first));
        let mut parts: Vec<String> = Vec::new();
        for (fate, of_fate) in &self.0 {
            let words = ALONE[*fate as usize];
            let subject = match is_one_kind && !parts.is_empty() {
                true => of_fate.len().to_string(),
                false => counted(of_fate.iter().map(|(kind, is_hook)| (kind, *is_hook)), ""),
            };
            parts.push(format!("{subject} {}", words[usize::from(of_fate.len() > 1)]));
        }
        parts.join("; ")
    }
}

/// Whether a comparison with another version says more about a Job.
pub(super) fn depends_on_changes(job: &Runnable) -> bool {
    job.job.is_some()
        && matches!(
            job.when,
            When::OncePerContent
                | When::WhenRefused
                | When::OnceForAll
                | When::OncePerName
                | When::AfterItsTtl(_)
                | When::FailsUnchanged(_)
        )
}
