//! What another version of Argo CD does differently with the same manifests: for each Job and hook, the facts that only one of the versions has.

mod versions;

use kube_jobs::argocd::{Deletion, FACTS, Fact, IGNORE_DIFFERENCES, Version, Waits};
use kube_jobs::kubernetes::{Job, Object};
use lint::survey::ObjectState;
use lint::survey::sync_order::Absence;

use crate::by_application::ByApplication;
use crate::{Report, Runnable, Snapshot, Step, When};
pub use versions::upgrade;

/// A fact that only one of two versions of Argo CD has, and that concerns a Job or hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionChange {
    /// The fact.
    pub fact: Fact,
    /// Whether the new version has it; otherwise only the old one.
    pub is_gained: bool,
    /// Whether it concerns the Job only if the Application, which is unknown, has `ServerSideApply=true`.
    pub is_assumed: bool,
}

impl VersionChange {
    /// The changes for one Job or hook of `new`, in the order of the table. `old` is the other version.
    fn of(job: &Runnable, old: Version, new: Snapshot<'_>) -> Vec<Self> {
        // A version before 3.3.0 leaves no hook out of syncs, and does not have that fact either.
        let may_differ = |fact| old.has(fact) != new.argocd_version.has(fact) || fact == Fact::DeletionBesideSync;
        let facts = FACTS.iter().map(|row| row.fact);
        let concerned = facts.filter(|fact| may_differ(*fact) && is_concerned(job, *fact, old, new));
        let change = |fact| Self {
            fact,
            is_gained: new.argocd_version.has(fact),
            is_assumed: fact == Fact::ApplyTurnsDiffOn && new.survey.application.sync.is_none(),
        };
        concerned.map(change).collect()
    }

    /// Whether it keeps Argo CD from syncing the next change of the Job.
    pub fn is_harmful(self) -> bool {
        match self.fact {
            Fact::ApplyTurnsDiffOn => self.is_gained && !self.is_assumed,
            Fact::ForceIsIgnored | Fact::DeletionBesideSync => !self.is_gained,
            _ => false,
        }
    }
}

/// Whether a Job or hook is treated differently because only one of two versions has a fact.
fn is_concerned(job: &Runnable, fact: Fact, old: Version, new: Snapshot<'_>) -> bool {
    let Some(state) = new.emitted(job.object) else { return false };
    if job.when == When::Never(Absence::Repeated) {
        return false;
    }
    let object = state.object();
    let versions = [old, new.argocd_version];
    let [before, now] = versions.map(|version| ByApplication::of(new.survey, version));
    let is_ordinary = !object.is_hook() && !object.is_skipped();
    match fact {
        Fact::PreDelete => is_new_hook_type(object, versions),
        Fact::DeletionAmongTypes => {
            let [before, now] = versions.map(|version| object.deletions(version));
            before != now && !is_new_hook_type(object, versions)
        }
        Fact::DeletionBesideSync => {
            let [before, now] = versions.map(|version| object.is_left_out_of_syncs(version));
            before != now
        }
        // It is about a change of the strategy, which is not made here.
        Fact::LiveSyncOptions => false,
        Fact::RetryRunsHooks => matches!(job.when.awake(), When::EveryFullSync(_)),
        Fact::MissingEndsSync => is_ordinary && is_gone_early(state, job, new.report),
        Fact::PruneOfApplication => is_ordinary && before.pruning(object) != now.pruning(object),
        Fact::ApplyTurnsDiffOn => {
            let is_replaced = *job.when.awake() == When::EverySync && object.name().is_some();
            let is_known = new.survey.application.sync.is_some();
            is_ordinary && is_replaced && (!is_known || before.has_server_side_diff() != now.has_server_side_diff())
        }
        Fact::ForceIsIgnored => before.cannot_force(object) != now.cannot_force(object),
        Fact::IgnoreDifferences => is_ordinary && object.annotation(IGNORE_DIFFERENCES).is_some(),
        Fact::TektonHealth => {
            let [before, now] = versions.map(|version| {
                Waits::of(object.group(), object.kind(), version, &new.survey.application.health_checks)
            });
            object.is_hook() && job.moment.is_some() && before != now
        }
    }
}

/// Whether a hook of the deletion alone is applied by only one of two versions, because the other version does not know `PreDelete`.
fn is_new_hook_type(object: &Object, versions: [Version; 2]) -> bool {
    let [before, now] = versions.map(|version| version.has(Fact::PreDelete));
    before != now && object.phases().is_empty() && object.deletions(Version::NEWEST) == [Deletion::Pre]
}

/// The longest time between two looks of Argo CD at an Application without any event, in seconds (`defaultAppResyncPeriod` and
/// `defaultAppResyncPeriodJitter` in `cmd/argocd-application-controller/commands`).
const RESYNC: i64 = 180;

/// Whether the TTL of a Job can delete it before Argo CD has seen it finish, in a sync that has a later wave.
fn is_gone_early(state: &ObjectState, job: &Runnable, report: &Report) -> bool {
    let ttl = state.job().and_then(Job::ttl);
    let is_before = |step: &Step| job.moment.is_some_and(|moment| moment < step.moment());
    ttl.is_some_and(|ttl| (0..=RESYNC).contains(&ttl)) && report.steps.iter().any(is_before)
}
