//! How a sync ends that fails or waits, and what has to happen for a sync to succeed.

use crate::{Compared, Comparison, Failure, Halt, Rest, Stop, Until, Verdict};

/// The end of a sync that fails or waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Where, and why.
    pub stop: Stop,
    /// What the sync applies otherwise; none without a version to compare with.
    pub rest: Option<Rest>,
    /// What has to happen.
    pub way_out: WayOut,
}

/// What has to happen for a sync to succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// Somebody confirms the pruning.
    Confirm,
    /// Somebody resumes the Job, or terminates the sync.
    Resume,
    /// The next sync runs the hook: by then, the earlier object is gone.
    NextSyncAfterPruning,
    /// The next sync runs the hook: this one deletes it, because it has failed.
    NextSyncAfterFailure,
    /// A change, and that objects are deleted in the cluster.
    Change {
        /// Whether the manifest is wrong, so that undoing the change is not enough.
        is_wrong: bool,
        /// Whether `Replace=true` is the mistake.
        is_replaced: bool,
        /// How many Jobs have to be deleted otherwise.
        jobs: usize,
        /// How many other objects.
        others: usize,
    },
    /// It is unknown, because there is no version to compare with.
    Unknown,
}

impl End {
    /// None if the sync neither fails nor waits.
    pub(super) fn of(comparison: &Comparison) -> Option<Self> {
        let stop = comparison.last_stop()?;
        let way_out = match stop.why {
            Halt::Confirmation => WayOut::Confirm,
            Halt::Suspended => WayOut::Resume,
            Halt::Failure if only_collides(comparison) => WayOut::NextSyncAfterPruning,
            Halt::Failure if only_gates(comparison) => WayOut::NextSyncAfterFailure,
            Halt::Failure | Halt::Comparison => change(comparison),
        };
        let rest = Some(comparison.rest).filter(|_| comparison.stop == Some(stop));
        Some(Self { stop, rest, way_out })
    }
}

/// Whether nothing makes the sync fail but one hook that cannot be changed, and that the failed sync deletes.
fn only_gates(comparison: &Comparison) -> bool {
    let mut failing =
        comparison.jobs.iter().map(|job| (job, job.verdict.otherwise())).filter(|(_, one)| one.is_an_error());
    let is_gate = |(job, verdict): (&Compared, &Verdict)| {
        matches!(verdict, Verdict::Fails(_)) && job.until == Some(Until::FailedSync)
    };
    comparison.refused.is_empty() && failing.next().is_some_and(is_gate) && failing.next().is_none()
}

/// Whether nothing makes the sync fail but hooks that are applied while the sync deletes the objects of their names.
fn only_collides(comparison: &Comparison) -> bool {
    let mut verdicts = comparison.jobs.iter().map(|job| job.verdict.otherwise());
    comparison.refused.is_empty() && !verdicts.any(|one| one.is_rejected() || matches!(one, Verdict::Fails(_)))
}

fn change(comparison: &Comparison) -> WayOut {
    let refused = comparison.refused.iter().filter(|one| !one.fields.is_empty()).count();
    let is_failing = |job: &&Compared| matches!(job.verdict.otherwise(), Verdict::Fails(_));
    let failing: Vec<&Compared> = comparison.jobs.iter().filter(is_failing).collect();
    let is_random = |job: &&Compared| {
        job.findings.iter().any(|index| comparison.findings[*index].finding.rule.id == "random-value")
    };
    let is_replaced = |job: &&Compared| job.as_written == Some(Failure::ReplaceAlone) && !job.is_prevented;
    // Without the option, a Job in which nothing else changes is not refused.
    let is_only_replaced = |job: &&Compared| is_replaced(job) && job.verdict.otherwise().changed().is_empty();
    let deleted: Vec<&Compared> = failing.iter().copied().filter(|job| !is_only_replaced(job)).collect();
    let jobs = deleted.iter().filter(|job| job.kind.is_job()).count();
    WayOut::Change {
        is_wrong: comparison.jobs.iter().any(|job| job.verdict.otherwise().is_rejected())
            || comparison.refused.len() > refused
            || failing.iter().any(is_random),
        is_replaced: failing.iter().any(is_replaced),
        jobs,
        others: refused + deleted.len() - jobs,
    }
}
