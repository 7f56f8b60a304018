//! One Job in two versions: the verdict, its reasons, and whether Argo CD could have applied the new manifest as written.

use std::cell::OnceCell;

use goyaml::Step;
use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::immutability::{self, SuspendedTemplate};
use kube_jobs::kubernetes::{Difference, Job, Object, differences, invalid};
use lint::survey::sync_order;
use rewrite::hash;
use rewrite::plan::JobPlan;
use rewrite::settings::Id;
use rewrite::strategy::Strategy;

use super::because::{Because, Moments};
use super::by_application::ByApplication;
use super::live::Live;
use super::verdict::{Failure, Verdict};
use super::{Runnable, When};

/// Whether a sync that reaches such a Job applies it, and the Job is not suspended.
pub(super) fn is_applied(when: &When) -> bool {
    !matches!(when, When::FailedSync | When::Never(_) | When::Rejected(_) | When::Suspended(_))
}

/// Whether the verdict depends on the live Job: the new manifest is applied to it.
pub(super) fn is_patched(when: &When) -> bool {
    is_applied(when) && !when.is_every_sync()
}

/// One Job in two versions, with the state of the cluster that is assumed for it.
pub(super) struct Pair<'v> {
    /// Their plans, the old one first.
    pub(super) plans: (&'v JobPlan, &'v JobPlan),
    /// When the old Job runs.
    pub(super) was: &'v When,
    /// The Jobs as emitted, the old one first.
    pub(super) jobs: (&'v Job, &'v Job),
    /// The state of the old Job in the cluster.
    pub(super) live: Live,
    /// The options of the Application.
    pub(super) application: ByApplication<'v>,
    /// Which fields of a suspended Job this version of Kubernetes lets change.
    pub(super) suspended: SuspendedTemplate,
    /// What [`Pair::refused`] has found.
    pub(super) refused: OnceCell<Vec<Difference>>,
}

impl Pair<'_> {
    /// Whether both have the same name, so that the new Job is applied to the old one.
    pub(super) fn has_one_name(&self) -> bool {
        self.plans.0.emitted.name == self.plans.1.emitted.name
    }

    /// The changed fields of `spec`, without those that the API server drops.
    fn changed(&self) -> Vec<Because> {
        let all = spec_differences(self.jobs.0, self.jobs.1);
        fields(all.into_iter().filter(|found| invalid::is_kept(&found.path)).collect())
    }

    /// A reason, and then the changed fields.
    fn changed_after(&self, reason: Because) -> Vec<Because> {
        [reason].into_iter().chain(self.changed()).collect()
    }

    /// The verdict on the new Job. `has_trigger` says whether the trigger ConfigMap is written.
    pub(super) fn verdict(&self, now: &Runnable, has_trigger: bool) -> Verdict {
        let (plans, when) = (self.plans, now.when.clone());
        let changed_or_new = || self.changed_or_new(&now.when);
        let pruned = AfterPruning::of((self.jobs.0, self.jobs.1), self.application);
        match pruned.filter(|_| self.is_on_the_live_one() && is_applied(&when)) {
            Some(AfterPruning::Trap) => return Verdict::Trapped(self.changes()),
            Some(AfterPruning::Refused) => return Verdict::Collides(self.changes()),
            Some(AfterPruning::Created) => {
                return Verdict::RunsAgain([Because::Pruned].into_iter().chain(self.changes()).collect());
            }
            None => {}
        }
        match &now.when {
            When::EveryFullSync(_) if self.is_on_the_live_one() && !self.jobs.1.is_new_each_time() => {
                self.onto_the_live_one(when)
            }
            When::EveryFullSync(_) => {
                let starts = has_trigger && plans.0.emitted.trigger_digest != plans.1.emitted.trigger_digest;
                Verdict::EverySync { when, changed: changed_or_new(), starts }
            }
            // The comparison refuses it before anything is replaced.
            when if *when.awake() == When::EverySync
                && self.is_on_the_live_one()
                && self.is_refused_in_comparison() =>
            {
                Verdict::Fails(fields(self.refused().to_vec()))
            }
            When::EverySync if self.is_on_the_live_one() && self.is_skipped() => Verdict::Skipped(self.changed()),
            When::EverySync => {
                let all = self.application.seen(self.jobs.0, self.jobs.1);
                let starts = !all.is_empty();
                let changed = changed_or_new();
                // With `ApplyOutOfSyncOnly`, any difference that Argo CD sees makes it apply the Job.
                let is_beside = changed.is_empty() && self.application.skips_unchanged();
                let changed = if is_beside { fields(all) } else { changed };
                Verdict::EverySync { when, changed, starts }
            }
            When::EveryRendering(_) => Verdict::EverySync { when, changed: changed_or_new(), starts: true },
            // The sync does not come to it.
            When::Rejected(_) if self.is_on_the_live_one() && self.is_skipped() => Verdict::Skipped(self.changed()),
            When::Suspended(_) if self.is_on_the_live_one() && self.is_skipped() => Verdict::Skipped(self.changed()),
            // It has ended, and an ended Job is not held.
            When::Suspended(then) if self.is_on_the_live_one() && is_patched(then) && !self.jobs.0.is_suspended() => {
                Verdict::DoesNotRun { when: (**then).clone(), changed: self.changed() }
            }
            when if !is_applied(when) => Verdict::DoesNotRun { when: when.clone(), changed: self.changed() },
            _ if !self.has_one_name() => Verdict::RunsAgain(because(plans, self.jobs.0, self.jobs.1)),
            _ => match self.live {
                Live::There => self.onto_the_live_one(when),
                Live::Expired(ttl) => {
                    let is_refused_otherwise = matches!(self.onto_the_live_one(when.clone()), Verdict::Fails(_));
                    Verdict::RunsAgain(self.changed_after(Because::Ttl { ttl, is_refused_otherwise }))
                }
                Live::Deleted => {
                    let because = if self.jobs.1.is_hook() { Because::DeletePolicy } else { Because::NotAHook };
                    Verdict::RunsAgain(self.changed_after(because))
                }
                Live::Never => Verdict::New(when),
            },
        }
    }

    /// What differs between the Jobs: their strategies, or else their fields.
    fn changes(&self) -> Vec<Because> {
        match strategies(self.plans) {
            // Another strategy can leave it as it is.
            Some((was, is)) if self.jobs.0.value() != self.jobs.1.value() => vec![Because::Strategy(was, is)],
            _ => self.changed(),
        }
    }

    /// The changes of a Job that runs at every sync, also of the times when it runs.
    fn changed_or_new(&self, when: &When) -> Vec<Because> {
        if strategies(self.plans).is_some() {
            return self.changes();
        }
        let is_moved = when.is_every_sync() && self.was.is_every_sync();
        let moved = moved(self.jobs.0, self.jobs.1).filter(|_| is_moved);
        newly_every_sync(when, self.was, self.application).into_iter().chain(self.changes()).chain(moved).collect()
    }

    /// Whether a sync applies the new Job to the live one.
    pub(super) fn is_on_the_live_one(&self) -> bool {
        self.has_one_name() && self.live == Live::There
    }

    /// Whether a sync skips the Job.
    fn is_skipped(&self) -> bool {
        self.application.skips(self.jobs.0, self.jobs.1)
    }

    /// The changed fields that make the API server refuse the update.
    pub(super) fn refused(&self) -> &[Difference] {
        self.refused.get_or_init(|| immutability::refused(self.jobs.0, self.jobs.1, self.suspended))
    }

    /// Whether the API server refuses the update already in the comparison, because that is a server-side diff. Hooks are not compared, and a removal
    /// that the diff misses is not refused.
    fn is_refused_in_comparison(&self) -> bool {
        let (old, new) = self.jobs;
        if !self.application.has_server_side_diff() || new.is_hook() {
            return false;
        }
        let refused = self.refused();
        if !self.application.misses_removals_from(old, new) {
            return !refused.is_empty();
        }
        let seen = self.application.seen(old, new);
        refused.iter().any(|one| seen.contains(one))
    }

    /// The verdict on a Job that is applied to a live one.
    fn onto_the_live_one(&self, when: When) -> Verdict {
        let (old, new) = self.jobs;
        let refused = fields(self.refused().to_vec());
        let (is_replaced, is_forced) = (self.application.replaces_live(new, old), self.application.forces(new, old));
        match when {
            _ if is_replaced && !is_forced && !self.is_skipped() => Verdict::Fails(self.changed()),
            _ if is_replaced && self.is_skipped() => Verdict::Skipped(self.changed()),
            _ if self.is_refused_in_comparison() => Verdict::Fails(refused),
            // It differs at every rendering.
            When::FailsUnchanged(_) if !is_replaced => Verdict::Fails(refused),
            _ if self.is_skipped() => Verdict::Skipped(self.changed()),
            _ if is_replaced && is_forced => {
                let reason = strategies(self.plans).map(|(was, is)| Because::Strategy(was, is));
                Verdict::RunsAgain(self.changed_after(reason.unwrap_or(Because::LiveOptions)))
            }
            _ if is_forced && !refused.is_empty() => Verdict::RunsAgain(refused),
            _ if !refused.is_empty() => Verdict::Fails(refused),
            _ if old.is_suspended() && !new.is_suspended() => Verdict::Resumes(self.changed()),
            when => Verdict::DoesNotRun { when, changed: self.changed_in_place() },
        }
    }

    /// What an update changes: fields of `spec`, or else whatever Argo CD sees, such as the wave.
    fn changed_in_place(&self) -> Vec<Because> {
        let changed = self.changed();
        if !changed.is_empty() {
            return changed;
        }
        let seen = self.application.seen(self.jobs.0, self.jobs.1);
        fields(seen.into_iter().filter(|found| invalid::is_kept(&found.path)).collect())
    }
}

/// The reason of a Job or hook that runs at every sync and did not before. The reason of one that was suspended is a changed field.
pub(super) fn newly_every_sync(when: &When, was: &When, application: ByApplication<'_>) -> Option<Because> {
    let is_skipped = |when: &When| *when == When::EverySync && application.skips_unchanged();
    let runs_anyway = |when: &When| when.is_every_sync() && !is_skipped(when);
    let is_new = runs_anyway(when) && !matches!(was, When::Suspended(_)) && !runs_anyway(was);
    is_new.then_some(Because::EverySync)
}

/// The reason when a hook runs in other phases or another wave than before.
pub(super) fn moved(old: &Object, new: &Object) -> Option<Because> {
    let (before, now) = (sync_order::phases(old).ok()?, sync_order::phases(new).ok()?);
    let without = |all: &[Phase], some: &[Phase]| {
        let rest: Vec<Phase> = all.iter().copied().filter(|phase| !some.contains(phase)).collect();
        (!rest.is_empty()).then_some(rest)
    };
    let is_same_wave = old.wave() == new.wave();
    let reason = match (without(&now, &before), without(&before, &now)) {
        (Some(added), None) if is_same_wave => Because::Also(added),
        (None, Some(dropped)) if is_same_wave => Because::NoLonger(dropped),
        (None, None) if is_same_wave => return None,
        _ => Because::Moved {
            was: Moments { phases: before, wave: old.wave() },
            is: Moments { phases: now, wave: new.wave() },
        },
    };
    (old.is_hook() && new.is_hook()).then_some(reason)
}

/// What pruning a live ordinary object does to a hook of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterPruning {
    /// Argo CD stores the result of the pruning under the key of the hook (`resultKey` in `gitops-engine/pkg/sync/sync_task.go`), and does not run
    /// it.
    Trap,
    /// The hook gets a finalizer, which the API server refuses while the object is being deleted (`no new finalizers can be added`).
    Refused,
    /// The hook is created.
    Created,
}

impl AfterPruning {
    /// None if the object is not pruned, or not before the hook. Argo CD prunes in the phase Sync; a hook with `BeforeHookCreation` waits until the
    /// object is gone.
    pub(super) fn of((old, new): (&Object, &Object), application: ByApplication<'_>) -> Option<Self> {
        sync_order::phases(new).ok().filter(|_| new.is_hook() && !old.is_hook())?;
        let phases = new.phases();
        let is_in = |phase| phases.contains(&phase);
        let is_before = is_in(Phase::Sync) && (new.wave() < old.wave() || application.prunes_last(old));
        if is_before || is_in(Phase::PreSync) || phases == [Phase::SyncFail] {
            return None;
        }
        if new.is_new_each_time() {
            return (!is_in(Phase::PostSync)).then_some(Self::Trap);
        }
        application.deletes(old).then(|| match (is_in(Phase::Sync), is_in(Phase::PostSync)) {
            (true, _) if new.wave() == old.wave() => Self::Refused,
            (_, true) => Self::Created,
            _ => Self::Trap,
        })
    }
}

/// Changed fields as reasons.
pub(super) fn fields(changed: Vec<Difference>) -> Vec<Because> {
    changed.into_iter().map(Because::Field).collect()
}

/// The strategies, when they differ.
fn strategies((old, new): (&JobPlan, &JobPlan)) -> Option<(Strategy, Strategy)> {
    let (was, is) = (old.outcome.decision.strategy, new.outcome.decision.strategy);
    (was != is).then_some((was, is))
}

/// The differences between the specs as emitted.
fn spec_differences(old: &Job, new: &Job) -> Vec<Difference> {
    let is_spec = |difference: &Difference| difference.path.is_below("spec");
    differences(old.value(), new.value()).into_iter().filter(is_spec).collect()
}

/// Why the names differ: the changed fields that the hash covers and `rerun`; without such a change, the referenced data or the name itself.
fn because(plans: (&JobPlan, &JobPlan), old: &Job, new: &Job) -> Vec<Because> {
    let (old_plan, new_plan) = plans;
    if let Some((was, is)) = strategies(plans) {
        return vec![Because::Strategy(was, is)];
    }
    let is_covered = |difference: &Difference| match difference.path.steps().get(1) {
        // The hash has only whether it is set, because that decides the default of `completions`.
        Some(Step::Key(field)) if field == "parallelism" => difference.old.is_none() || difference.new.is_none(),
        _ => hash::covers(&difference.path),
    };
    let mut found = fields(spec_differences(old, new).into_iter().filter(is_covered).collect());
    let rerun = |plan: &JobPlan| plan.settings.get(Id::Rerun).map(|setting| setting.value.display().to_string());
    let (before, now) = (rerun(old_plan).unwrap_or_default(), rerun(new_plan).unwrap_or_default());
    if before != now {
        found.push(Because::Rerun(before, now));
    }
    if found.is_empty() && old_plan.outcome.hash != new_plan.outcome.hash {
        found.push(Because::References);
    }
    if found.is_empty() {
        let name = |plan: &JobPlan| plan.emitted.name.clone().unwrap_or_default();
        found.push(Because::Name(name(old_plan), name(new_plan)));
    }
    found
}

/// Why Argo CD could not have applied `new` in the place of `old` without this program. `live` is the state of `old`, and `refused` the result of
/// [`immutability::refused`].
pub(super) fn failure(
    (old, new): (&Job, &Job),
    live: Live,
    application: ByApplication<'_>,
    refused: impl FnOnce() -> Vec<Difference>,
) -> Option<Failure> {
    // No sync that succeeds comes to a hook for failed ones, and a failed one deletes what is live first (`HookFailed`).
    let is_only_after_failure = new.phases() == [Phase::SyncFail];
    if sync_order::phases(new).is_err() || is_only_after_failure || new.is_hook() && new.is_new_each_time() {
        return None;
    }
    let is_created = old.name() != new.name() || live != Live::There;
    match (application.forces(new, old), application.replaces_live(new, old)) {
        (_, is_replaced) if new.name().is_none() => (!is_replaced).then_some(Failure::GenerateName),
        (true, _) => None,
        // Only an update can be refused.
        (false, _) if is_created => None,
        (false, _) if application.skips(old, new) => None,
        (false, true) => Some(Failure::ReplaceAlone),
        (false, false) => Some(refused()).filter(|found| !found.is_empty()).map(Failure::Immutable),
    }
}
