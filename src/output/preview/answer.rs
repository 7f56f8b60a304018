//! The first line of every preview: what runs at the next sync.

use crate::preview::{Comparison, JobReport, Report, Verdict, When};
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
    FailsIfUnchanged,
    FailsIfNotNew,
    Blocked,
    RunsIfTheSyncFails,
    Baseline,
    Suspended,
    RunsAtDeletion,
    NeverRuns,
}

/// Each [`Fate`], as the rest of a sentence about one Job and about several.
const ALONE: [[&str; 2]; 12] = [
    ["makes the sync fail", "make the sync fail"],
    ["runs", "run"],
    ["runs only if new or changed", "run only if new or changed"],
    ["runs only if new", "run only if new"],
    ["runs if new or changed, and fails the sync otherwise", "run if new or changed, and fail the sync otherwise"],
    ["runs if new, and fails the sync otherwise", "run if new, and fail the sync otherwise"],
    ["does not run, because the sync fails before it", "do not run, because the sync fails before them"],
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
            When::EveryFullSync(_) | When::EverySync => Self::Runs,
            When::OncePerContent | When::WhenRefused => Self::RunsIfNewOrChanged,
            When::OnceForAll => Self::RunsIfNew,
            When::FailedSync => Self::RunsIfTheSyncFails,
            When::Baseline => Self::Baseline,
            When::Suspended(_) => Self::Suspended,
            When::Never(Absence::Deletion) => Self::RunsAtDeletion,
            When::Never(Absence::Skip | Absence::NoValidType) => Self::NeverRuns,
        }
    }

    /// Of a Job of a report.
    fn in_report(report: &Report, job: &JobReport) -> Self {
        let fate = Self::of(&job.when);
        let may_run = (Self::Runs..=Self::RunsIfTheSyncFails).contains(&fate);
        if may_run && report.is_blocked(job) { Self::Blocked } else { fate }
    }
}

/// How many Jobs of a comparison there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    fails: usize,
    rejected: usize,
    new: usize,
    again: usize,
    every_sync: usize,
    never: usize,
    blocked: usize,
    idle: usize,
    gone: usize,
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
        for job in &comparison.jobs {
            let count = match &job.verdict {
                Verdict::Fails(_) => &mut counts.fails,
                verdict if verdict.is_rejected() => &mut counts.rejected,
                verdict if verdict.is_never() => &mut counts.never,
                Verdict::New(_) if job.verdict.runs() => &mut counts.new,
                Verdict::RunsAgain(_) => &mut counts.again,
                Verdict::EverySync { .. } => &mut counts.every_sync,
                Verdict::Gone { .. } => &mut counts.gone,
                Verdict::Blocked(_) => &mut counts.blocked,
                Verdict::New(_) | Verdict::DoesNotRun { .. } => &mut counts.idle,
            };
            *count += 1;
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
            (Self::Compared(one), Self::Compared(other)) => Self::Compared(Counts {
                fails: one.fails + other.fails,
                rejected: one.rejected + other.rejected,
                new: one.new + other.new,
                again: one.again + other.again,
                every_sync: one.every_sync + other.every_sync,
                never: one.never + other.never,
                blocked: one.blocked + other.blocked,
                idle: one.idle + other.idle,
                gone: one.gone + other.gone,
            }),
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
    /// `3 Jobs run (1 new, 2 again); 1 is gone`
    fn text(self) -> String {
        let Self { fails, rejected, new, again, every_sync, never, blocked, idle, gone } = self;
        let runs = new + again + every_sync;
        let mut parts = Vec::new();
        if fails > 0 {
            parts.push(format!("it fails at {} with `field is immutable`", plural(fails, "Job")));
        }
        if rejected > 0 {
            parts.push(format!("it fails, because {} cannot be applied", plural(rejected, "Job")));
        }
        let run = if runs == 1 { "1 Job runs".to_owned() } else { format!("{runs} Jobs run") };
        parts.push(match (new, again, every_sync) {
            (0, 0, 0) if fails + rejected + never + blocked + idle + gone == 0 => "there are no Jobs".to_owned(),
            (0, 0, 0) => "no Job runs".to_owned(),
            (1, 0, 0) => "1 new Job runs".to_owned(),
            (_, 0, 0) => format!("{new} new Jobs run"),
            (0, _, 0) => format!("{run} again"),
            (0, 0, _) => format!("{run}, as at every full sync"),
            _ => {
                let kinds = [(new, "new"), (again, "again"), (every_sync, "as at every full sync")];
                let kinds = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
                format!("{run} ({})", kinds.collect::<Vec<_>>().join(", "))
            }
        });
        let rest = [
            (
                blocked,
                ["does not run, because the sync fails before it", "do not run, because the sync fails before them"],
            ),
            (never, ["will never run", "will never run"]),
            (idle, ["does not run", "do not run"]),
            (gone, ["is gone", "are gone"]),
        ];
        let rest = rest.iter().filter(|(count, _)| *count > 0);
        parts.extend(rest.map(|(count, words)| format!("{count} {}", words[usize::from(*count > 1)])));
        parts.join("; ")
    }
}

/// Whether a comparison with another version says more about one of the Jobs.
pub(super) fn depends_on_changes(job: &JobReport) -> bool {
    matches!(job.when, When::OncePerContent | When::WhenRefused | When::OnceForAll | When::FailsUnchanged(_))
}
