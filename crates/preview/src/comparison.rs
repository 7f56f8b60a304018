//! What a change makes of the Jobs of a source, as values: their verdicts, the findings, and what happens to the Application.

use std::sync::Arc;

use kube_jobs::argocd::{Gone, Phase, SyncPolicy};
use lint::survey::sync_order::Moment;
use lint::{Finding, Level};
use serde::Serialize;
use text::Place;

use super::at_deletion::AtDeletion;
use super::live::Leftover;
use super::starts::{Refused, Start};
use super::stop::{Halt, Rest, Stop};
use super::upgrade::VersionChange;
use super::uses::{ChangedUse, Sees};
use super::verdict::{Failure, Verdict};
use super::{Kind, Step, When};

/// What happens to the Jobs from one version to the next.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The Jobs of the new version in the order of its report, then the Jobs that are gone.
    pub jobs: Vec<Compared>,
    /// The changes that make the Application OutOfSync, so that an auto-sync starts.
    pub starts: Vec<Start>,
    /// Whether a sync starts without automated `prune` too if there is only something to prune: the cluster or the new version has an object
    /// for which Argo CD stores no sync status (`requirePruneOnly` in `controller/appcontroller.go`).
    pub starts_to_prune: bool,
    /// Whether an automated sync would delete everything that the Application has: only what it need prune is left (`bAllNeedPrune` in
    /// `controller/appcontroller.go`). False if the Application may have more than is known.
    pub deletes_all: bool,
    /// The Application's sync policy, when it is known.
    pub sync: Option<Arc<SyncPolicy>>,
    /// The waves of the new version in which a Job runs, with everything that is applied in them except the Jobs that do not run.
    pub steps: Vec<Step>,
    /// The objects other than Jobs that make the sync fail; without those that it does not reach, because it ends or waits before.
    pub refused: Vec<Refused>,
    /// Where the sync certainly ends or waits, if it does.
    pub stop: Option<Stop>,
    /// What a sync that ends or waits applies, and what not.
    pub rest: Rest,
    /// The open findings of the new version, sorted by place.
    pub findings: Vec<NewOrOld>,
    /// Whether the versions are two of Argo CD, with the same manifests.
    pub is_upgrade: bool,
    /// An earlier commit that had the manifests of the new version, if whoever compares knows one.
    pub goes_back_to: Option<String>,
}

/// One Job, or a hook of another kind, in two versions.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The index of the object in the survey of the new version; none when it is gone.
    pub object: Option<usize>,
    /// The kind of the object.
    pub kind: Kind,
    /// Whether it is a hook, in the version that has it.
    pub is_hook: bool,
    /// What the hook does when the Application is deleted.
    pub at_deletion: AtDeletion,
    /// The namespace, when it is known.
    pub namespace: Option<String>,
    /// The name that the user wrote.
    pub name: String,
    /// The name as emitted; that of the old version when it is gone.
    pub emitted: String,
    /// The place of the object, in the version that has it.
    pub place: Place,
    /// Whether it runs.
    pub verdict: Verdict,
    /// Why no sync has applied the manifest of the old version; none if one has, or if that version does not have it.
    pub unapplied: Option<Unapplied>,
    /// Why Argo CD could not have applied the new manifest as it is written.
    pub as_written: Option<Failure>,
    /// True when the rewrite prevents that failure.
    pub is_prevented: bool,
    /// What happens to the Job of the old version, if the new one has another name.
    pub leftover: Option<Leftover>,
    /// What may delete the live Job to which the new one is applied: then the verdict no longer holds.
    pub until: Option<Until>,
    /// Whether it fails already in the comparison, so that no sync starts.
    pub fails_in_comparison: bool,
    /// When a sync of the new version first applies it; none when it is gone, or in no phase.
    pub moment: Option<Moment>,
    /// Whether it is a hook to which a sync comes that has failed.
    pub is_of_failure: bool,
    /// Its findings: indices into [`Comparison::findings`].
    pub findings: Vec<usize>,
    /// What it uses in both versions and that differs.
    pub uses: Vec<ChangedUse>,
    /// What another version of Argo CD does differently with it.
    pub of_versions: Vec<VersionChange>,
}

impl Compared {
    /// An object with this verdict, of which nothing else is known.
    pub(super) fn new(kind: Kind, name: String, place: Place, verdict: Verdict) -> Self {
        Self {
            object: None,
            kind,
            is_hook: false,
            at_deletion: AtDeletion::default(),
            namespace: None,
            emitted: name.clone(),
            name,
            place,
            verdict,
            unapplied: None,
            as_written: None,
            is_prevented: false,
            leftover: None,
            until: None,
            fails_in_comparison: false,
            moment: None,
            is_of_failure: false,
            findings: Vec::new(),
            uses: Vec::new(),
            of_versions: Vec::new(),
        }
    }
}

/// Why no sync has applied the manifest of the old version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unapplied {
    /// It could not be created.
    Rejected,
    /// It was in no sync.
    InNoSync,
}

impl Unapplied {
    /// The reason for a manifest that runs at these times. None if a sync has applied it.
    pub(super) fn of(when: &When) -> Option<Self> {
        match when {
            When::Rejected(_) => Some(Self::Rejected),
            When::Never(_) => Some(Self::InNoSync),
            _ => None,
        }
    }
}

/// What deletes a Job that the old version left in the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Its TTL, in seconds.
    Ttl(i64),
    /// The TTL of the new version, in seconds, when the sync sets it on a Job that ended longer ago.
    NewTtl(i64),
    /// A person who deletes the Job of the hook.
    Deleted,
    /// A person, or a sync that fails (`HookFailed`).
    FailedSync,
}

/// A finding, and whether the old version lacks it.
#[derive(Clone, Debug)]
pub struct NewOrOld {
    /// The finding.
    pub finding: Finding,
    /// True when the old version does not have it.
    pub is_new: bool,
    /// True when it is about a Job that makes the sync fail, or that does not run although it should.
    pub is_due: bool,
    /// True when it is about a sync that waits for a Job, and the live Job has ended.
    pub is_over: bool,
}

impl NewOrOld {
    /// Whether it is about the next change of a Job, and not about this sync.
    pub fn is_later(&self) -> bool {
        self.finding.rule.id == "immutable-fields" && !self.is_due
    }

    /// Whether the row of its Job says the same: that the sync fails with `field is immutable`.
    pub fn is_in_its_row(&self) -> bool {
        self.finding.rule.id == "immutable-fields" && self.is_due
    }

    /// Whether a comparison shows it: a new error or warning, and an old error about a Job that makes this sync fail.
    pub fn is_of_interest(&self) -> bool {
        let is_old_error = self.finding.level == Level::Error && self.is_due;
        is_old_error || self.is_new && self.finding.level >= Level::Warning && !self.is_over
    }
}

impl Comparison {
    /// What happens to the Application, if the change removes it.
    pub fn gone(&self) -> Option<&Gone> {
        self.sync.as_ref()?.arrival.gone.as_ref()
    }

    /// True when the change has nothing to do with it, even if a sync fails: it failed before.
    pub fn is_untouched(&self) -> bool {
        self.starts.is_empty() && !self.is_refused() && self.jobs.iter().all(Compared::is_unchanged)
    }

    /// True when another object than a Job makes the sync fail, and did not in the old version.
    pub fn is_refused(&self) -> bool {
        self.refused.iter().any(|one| !one.is_old)
    }

    /// Where the sync ends or waits in the end: a failed one waits for a suspended hook for failed syncs.
    pub(super) fn last_stop(&self) -> Option<Stop> {
        let stop = self.stop?;
        let is_suspended = |job: &&Compared| match job.verdict.when() {
            Some(When::Suspended(then)) => **then == When::FailedSync,
            _ => false,
        };
        let suspended = self.jobs.iter().filter(is_suspended).filter_map(|job| job.moment);
        let held = suspended.filter(|_| stop.runs_hooks_for(Phase::SyncFail)).min();
        Some(held.map_or(stop, |moment| Stop { moment: Some(moment), why: Halt::Suspended }))
    }

    /// How many Jobs make the sync fail; 0 if it failed before and the change starts none.
    pub fn failing_jobs(&self) -> usize {
        if self.is_untouched() {
            return 0;
        }
        let is_wrong = |job: &Compared| job.verdict.is_an_error() && !job.verdict.is_never();
        let is_failing = |job: &&Compared| is_wrong(job) && !Stop::spares(self.stop, job.moment) || job.cannot_start();
        self.jobs.iter().filter(is_failing).count()
    }

    /// Whether the change makes an object differ that Argo CD compares.
    pub fn differs(&self) -> bool {
        self.starts.iter().any(Start::is_of_the_change)
    }

    /// True when nothing has changed that concerns a Job or starts a sync, and nothing is wrong.
    pub fn is_quiet(&self) -> bool {
        self.jobs.iter().all(Compared::is_unchanged)
            && (self.gone().is_none() || self.jobs.is_empty())
            && !self.is_refused()
            && (self.jobs.is_empty()
                || self.starts.iter().all(Start::is_random)
                || !self.differs() && !self.auto_sync().may_start())
            && !self.findings.iter().any(NewOrOld::is_of_interest)
    }
}

impl Compared {
    /// Whether it has to be said what it does when the Application is deleted: not if it stays the same.
    pub(super) fn tells_of_the_deletion(&self) -> bool {
        match &self.verdict {
            Verdict::New(When::Never(_) | When::Rejected(_)) => false,
            Verdict::New(_) => true,
            Verdict::EverySync { changed, .. } => !changed.is_empty(),
            _ => false,
        }
    }

    /// Whether the sync starts it before it creates something that its pods need to start.
    pub fn cannot_start(&self) -> bool {
        let is_missing = |found: &ChangedUse| found.sees == Sees::Nothing;
        self.verdict.runs() && self.uses.iter().any(is_missing)
    }

    /// True when neither it nor what it uses nor its treatment by Argo CD has changed: what happens to it does not come from the change.
    pub fn is_unchanged(&self) -> bool {
        self.uses.is_empty()
            && self.of_versions.is_empty()
            && !matches!(self.verdict, Verdict::New(_))
            && !self.verdict.is_a_change()
    }
}

/// An Application that the change removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoneApplication {
    /// What happens to it.
    #[serde(flatten)]
    pub gone: Gone,
    /// The names of its hooks that Argo CD runs when it deletes an Application.
    pub hooks: Vec<String>,
}

impl GoneApplication {
    /// What a comparison says of an Application that the change removes.
    pub fn of(comparison: &Comparison) -> Option<Self> {
        let gone = comparison.gone()?.clone();
        let is_hook =
            |verdict: &Verdict| matches!(verdict, Verdict::Gone(Leftover::RunsAtDeletion | Leftover::CannotRun));
        let hooks = comparison.jobs.iter().filter(|job| is_hook(&job.verdict)).map(|job| job.name.clone()).collect();
        Some(Self { gone, hooks })
    }
}
