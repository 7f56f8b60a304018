//! The first line of every preview: what runs at the next sync.

use crate::argocd::Phase;
use crate::preview::{Comparison, Halt, JobReport, Report, Verdict, When};
use crate::survey::sync_order::Absence;
use crate::text::plural;

/// How many Jobs run, by what decides it: of one source, or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Of one version alone: how many Jobs run at every sync, how many if they are new or changed, and so on.
    Alone([usize; ALONE.len()]),
    /// Compared with another version.
    Compared(Counts),
}

/// What a sync of one version does with a Job, in the order in which it is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    FailsTheSync,
    Runs,
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
const ALONE: [[&str; 2]; 14] = [
    ["makes the sync fail", "make the sync fail"],
    ["runs", "run"],
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
                When::OnceForAll => Self::FailsIfNotNew,
                _ => Self::FailsIfUnchanged,
            },
            When::EveryFullSync(_) | When::EverySync | When::EveryRendering(_) => Self::Runs,
            When::OncePerContent | When::WhenRefused => Self::RunsIfNewOrChanged,
            When::OnceForAll => Self::RunsIfNew,
            When::AfterItsTtl(_) => Self::RunsAfterItsTtl,
            When::FailedSync => Self::RunsIfTheSyncFails,
            When::Baseline => Self::Baseline,
            When::Suspended(_) => Self::Suspended,
            When::Never(Absence::Deletion) => Self::RunsAtDeletion,
            When::Never(_) => Self::NeverRuns,
        }
    }

    /// Of a Job of a report.
    fn in_report(report: &Report, job: &JobReport) -> Self {
        let fate = Self::of(&job.when);
        let may_run = (Self::Runs..=Self::RunsIfTheSyncFails).contains(&fate);
        match report.stop {
            Some(stop) if fate == Self::RunsIfTheSyncFails && stop.runs_hooks_for(Phase::SyncFail) => Self::Runs,
            Some(stop) if may_run && report.is_blocked(job) => match stop.why {
                Halt::Failure => Self::Blocked,
                Halt::Confirmation | Halt::Suspended => Self::Waits,
            },
            _ => fate,
        }
    }
}

/// How many Jobs of a comparison there are of each kind, and how many syncs wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Kind::Gone as usize + 1]);

/// What the first line of a comparison counts, in the order of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fails,
    Rejected,
    Refused,
    Confirmed,
    Suspended,
    New,
    Again,
    Resumed,
    EverySync,
    AfterFailure,
    Blocked,
    Waits,
    Trapped,
    Never,
    Idle,
    Gone,
}

impl Kind {
    fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Fails(_) => Self::Fails,
            verdict if verdict.is_rejected() => Self::Rejected,
            verdict if verdict.is_never() => Self::Never,
            Verdict::New(_) if verdict.runs() => Self::New,
            Verdict::RunsAgain(_) => Self::Again,
            Verdict::Resumes(_) => Self::Resumed,
            Verdict::EverySync { .. } => Self::EverySync,
            Verdict::AfterFailure(_) => Self::AfterFailure,
            Verdict::Gone(_) => Self::Gone,
            Verdict::Trapped(_) => Self::Trapped,
            Verdict::Blocked(_, Halt::Failure) => Self::Blocked,
            Verdict::Blocked(..) => Self::Waits,
            Verdict::New(_) | Verdict::DoesNotRun { .. } => Self::Idle,
        }
    }
}

impl Answer {
    /// What runs at the next sync of one version.
    pub fn of_report(report: &Report) -> Self {
        let mut counts = [0; ALONE.len()];
        report.jobs.iter().for_each(|job| counts[Fate::in_report(report, job) as usize] += 1);
        Self::Alone(counts)
    }

    /// What runs at the next sync, compared with another version.
    pub fn of_comparison(comparison: &Comparison) -> Self {
        let mut counts = Counts::default();
        comparison.jobs.iter().for_each(|job| counts.0[Kind::of(&job.verdict) as usize] += 1);
        counts.0[Kind::Refused as usize] = comparison.refused.len();
        match comparison.stop.map(|stop| stop.why) {
            Some(Halt::Confirmation) => counts.0[Kind::Confirmed as usize] += 1,
            Some(Halt::Suspended) => counts.0[Kind::Suspended as usize] += 1,
            Some(Halt::Failure) | None => {}
        }
        Self::Compared(counts)
    }

    /// True when there are no Jobs.
    pub fn is_empty(self) -> bool {
        match self {
            Self::Alone(counts) => counts == [0; ALONE.len()],
            Self::Compared(counts) => counts == Counts::default(),
        }
    }

    /// Of both together; of two kinds of answers the first.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Alone(mut one), Self::Alone(other)) => {
                one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
                Self::Alone(one)
            }
            (Self::Compared(Counts(mut one)), Self::Compared(Counts(other))) => {
                one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
                Self::Compared(Counts(one))
            }
            (one, _) => one,
        }
    }

    /// `Next full sync: 2 Jobs run; 1 runs only if new or changed`, or `Next sync, compared with `main`: 1 Job runs again`. `named` is
    /// what the version is compared with.
    pub fn text(self, named: &str) -> String {
        match self {
            Self::Alone(_) if self.is_empty() => "Next full sync: no Jobs".to_owned(),
            Self::Alone(counts) => {
                let words = ALONE.iter().zip(counts).map(|(words, count)| (count, *words));
                format!("Next full sync: {}", joined(words))
            }
            Self::Compared(counts) => format!("Next sync, compared with `{named}`: {}", counts.text()),
        }
    }
}

/// `2 Jobs run; 1 never runs`: the first count says what is counted.
fn joined(counts: impl Iterator<Item = (usize, [&'static str; 2])>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (count, words) in counts.filter(|(count, _)| *count > 0) {
        let subject = if parts.is_empty() { plural(count, "Job") } else { count.to_string() };
        parts.push(format!("{subject} {}", words[usize::from(count > 1)]));
    }
    parts.join("; ")
}

impl Counts {
    fn of(self, kind: Kind) -> usize {
        self.0[kind as usize]
    }

    /// `3 Jobs run (1 new, 2 again); 1 is gone`
    fn text(self) -> String {
        let mut parts = Vec::new();
        match self.of(Kind::Fails) {
            0 => {}
            fails => parts.push(format!("it fails at {} with `field is immutable`", plural(fails, "Job"))),
        }
        match self.of(Kind::Rejected) {
            0 => {}
            rejected => parts.push(format!("it fails, because {} cannot be applied", plural(rejected, "Job"))),
        }
        match self.of(Kind::Refused) {
            0 => {}
            refused => {
                let change = if refused == 1 { "changes an immutable field" } else { "change immutable fields" };
                parts.push(format!("it fails, because {} {change}", plural(refused, "other object")));
            }
        }
        if self.of(Kind::Confirmed) > 0 {
            parts.push("it waits until somebody confirms the pruning".to_owned());
        }
        if self.of(Kind::Suspended) > 0 {
            parts.push("it waits for a suspended Job".to_owned());
        }
        parts.push(self.runs());
        let rest = [
            (
                Kind::Blocked,
                ["does not run, because the sync fails before it", "do not run, because the sync fails before them"],
            ),
            (
                Kind::Waits,
                ["does not run, because the sync waits before it", "do not run, because the sync waits before them"],
            ),
            (Kind::Trapped, ["does not run, although it is a hook", "do not run, although they are hooks"]),
            (Kind::Never, ["will never run", "will never run"]),
            (Kind::Idle, ["does not run", "do not run"]),
            (Kind::Gone, ["is gone", "are gone"]),
        ];
        let rest = rest.map(|(kind, words)| (self.of(kind), words)).into_iter().filter(|(count, _)| *count > 0);
        parts.extend(rest.map(|(count, words)| format!("{count} {}", words[usize::from(count > 1)])));
        parts.join("; ")
    }

    /// `3 Jobs run (1 new, 2 again)`
    fn runs(self) -> String {
        let kinds = [
            (Kind::New, "new"),
            (Kind::Again, "again"),
            (Kind::Resumed, "resumed"),
            (Kind::EverySync, "as at every full sync"),
            (Kind::AfterFailure, "because it fails"),
        ];
        let kinds = kinds.map(|(kind, what)| (self.of(kind), kind, what));
        let kinds: Vec<_> = kinds.into_iter().filter(|(count, ..)| *count > 0).collect();
        let runs: usize = kinds.iter().map(|(count, ..)| count).sum();
        let run = if runs == 1 { "1 Job runs".to_owned() } else { format!("{runs} Jobs run") };
        match kinds.as_slice() {
            [] if self == Self::default() => "there are no Jobs".to_owned(),
            [] => "no Job runs".to_owned(),
            [(1, Kind::New, _)] => "1 new Job runs".to_owned(),
            [(new, Kind::New, _)] => format!("{new} new Jobs run"),
            [(_, Kind::Again, _)] => format!("{run} again"),
            [(count, Kind::Resumed, _)] => {
                format!("{} {}", plural(*count, "Job"), if *count == 1 { "is resumed" } else { "are resumed" })
            }
            [(_, _, what)] => format!("{run}, {what}"),
            kinds => {
                let kinds = kinds.iter().map(|(count, _, what)| format!("{count} {what}"));
                format!("{run} ({})", kinds.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Whether a comparison with another version says more about one of the Jobs.
pub(super) fn depends_on_changes(job: &JobReport) -> bool {
    matches!(
        job.when,
        When::OncePerContent | When::WhenRefused | When::OnceForAll | When::AfterItsTtl(_) | When::FailsUnchanged(_)
    )
}
