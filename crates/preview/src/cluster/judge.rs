//! Decides what a sync does to each Job of a source, given what is in the cluster.

use std::collections::{BTreeMap, BTreeSet};

use goyaml::Value;
use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::Job;
use kube_jobs::kubernetes::immutability::{self, SuspendedTemplate};
use rewrite::strategy::{Strategy, gate};
use text::Message;

use super::left::Left;
use super::verdict::{How, LiveVerdict, Refusal, Remedy};
use super::{Cluster, Judged, LiveJob, Row, State, Whole};
use crate::Runnable;
use crate::applied::Applied;
use crate::by_application::ByApplication;
use crate::pair::AfterPruning;
use crate::snapshot::Snapshot;
use crate::stop::{Halt, Stop};
use crate::when::When;

/// Judges the Jobs of a version. Fails if it is not known in which namespace they are.
pub(crate) fn judge(version: Snapshot<'_>, cluster: &Cluster) -> Result<Judged, Message> {
    let namespaces: BTreeSet<&str> = cluster.jobs.iter().map(|job| job.namespace.as_str()).collect();
    let only = match namespaces.iter().collect::<Vec<_>>().as_slice() {
        [only] => Some((**only).to_owned()),
        _ => None,
    };
    let live: BTreeMap<(&str, &str), &LiveJob> =
        cluster.jobs.iter().map(|job| ((job.namespace.as_str(), job.name.as_str()), job)).collect();
    let application = version.application();
    let suspended = SuspendedTemplate::of_cluster(version.survey.application.kube_version.as_deref());
    let applied = Applied::all(&version.report.steps);
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for report in &version.report.jobs {
        let Some(new) = version.emitted(report.object).and_then(|state| state.job()) else {
            continue;
        };
        let namespace = report.namespace.clone().or_else(|| only.clone());
        if namespace.is_none() && !namespaces.is_empty() {
            let message = Message::new("the namespace of the Job is not known, and there are live Jobs in several");
            return Err(message
                .about(&report.place)
                .help("set `ARGOCD_APP_NAMESPACE`, or `spec.destination.namespace` in the Application's manifest"));
        }
        let key = (namespace.as_deref().unwrap_or_default(), new.name().unwrap_or_default());
        let old = live.get(&key).copied();
        known.extend(old.map(|old| (&old.namespace, &old.name)));
        let is_known = namespaces.len() != 1 || namespaces.contains(key.0);
        let applied_to_it = old.map(|old| application.applied(new, &old.job));
        let new = applied_to_it.as_deref().unwrap_or(new);
        let meeting = Meeting { report, new, application, suspended, version };
        let verdict = match old {
            Some(old) => meeting.with(old),
            None => meeting.without(cluster.whole, is_known),
        };
        let row = Row {
            namespace,
            name: report.emitted.clone(),
            place: report.place.clone(),
            state: old.map(|old| old.state.clone()),
            ttl: old.and_then(|old| meeting.ttl(old)),
            misses_removals: report.hash.is_none() && old.is_some_and(|old| old.applied.is_none()),
            verdict,
        };
        let is_touched = old.is_none_or(|old| meeting.touches(old));
        let is_waited_for = is_touched && report.moment.is_some_and(|moment| applied.waits_for(new, moment));
        let stop = stop(report, &row, is_waited_for && !(new.is_queued() && new.is_suspended()), application);
        found.push((report, row, stop));
    }
    let left = Left::of(cluster, &known, version);
    let stops = found.iter().filter_map(|(_, _, stop)| *stop).chain(left.stop(application));
    let stop = stops.chain(version.report.stop.filter(|stop| stop.moment.is_none())).min();
    let mut rows: Vec<Row> = found.into_iter().map(|(report, row, own)| reached(report, row, own, stop)).collect();
    let strangers = left.strangers;
    rows.extend(left.rows(application, stop));
    Ok(Judged { rows, stop, strangers })
}

/// A Job that meets what is in the cluster.
struct Meeting<'v> {
    report: &'v Runnable,
    new: &'v Job,
    application: ByApplication<'v>,
    suspended: SuspendedTemplate,
    version: Snapshot<'v>,
}

impl Meeting<'_> {
    /// Without a live Job of its name.
    fn without(&self, whole: Whole, is_known: bool) -> LiveVerdict {
        let is_named = self.new.name().is_some();
        match &self.report.when {
            when @ (When::Never(_) | When::Rejected(_) | When::Suspended(_)) => LiveVerdict::DoesNotRun(when.clone()),
            _ if !is_named => LiveVerdict::Runs("it gets a new name each time"),
            _ if whole == Whole::One => LiveVerdict::Unknown("the input is one object, and not a list of all Jobs"),
            _ if whole == Whole::WithoutHooks && self.new.is_hook() => {
                LiveVerdict::Unknown("it is a hook, and the input has no hooks, as that of `argocd app manifests`")
            }
            _ if !is_known => LiveVerdict::Unknown("the input has no Job of its namespace, only of another one"),
            _ => LiveVerdict::Runs("not there"),
        }
    }

    /// With the live Job of its name.
    fn with(&self, old: &LiveJob) -> LiveVerdict {
        let new = self.new;
        match &self.report.when {
            when @ (When::Never(_) | When::Rejected(_)) => return LiveVerdict::DoesNotRun(when.clone()),
            _ if old.state == State::Deleting => {
                return LiveVerdict::Unknown("the live Job is being deleted; look again when it is gone");
            }
            _ => {}
        }
        match AfterPruning::of((&old.job, new), self.application) {
            Some(AfterPruning::Trap) => return LiveVerdict::Trapped,
            Some(AfterPruning::Refused) => return LiveVerdict::Refused(Refusal::Pruned),
            Some(AfterPruning::Created) => return self.after(old, How::Pruned),
            None if new.is_hook() && new.is_new_each_time() => return self.after(old, How::Hook),
            None => {}
        }
        let replaces = self.application.replaces_live(new, &old.job);
        let forces = self.application.forces(new, &old.job);
        let is_touched = self.touches(old);
        let refused = immutability::refused_live(&old.job, old.applied.as_ref(), new, self.suspended);
        // A removal that a server-side diff misses is not refused in the comparison.
        let is_compared = self.application.has_server_side_diff() && !new.is_hook() && {
            let misses = self.application.misses_removals_from(&old.job, new);
            !misses || !immutability::refused_live(&old.job, None, new, self.suspended).is_empty()
        };
        match (replaces, forces) {
            (true, false) if is_touched => LiveVerdict::Refused(Refusal::ReplaceAlone),
            (true, _) if !is_touched => self.onto(old),
            _ if is_compared && !refused.is_empty() => LiveVerdict::Refused(Refusal::Immutable(refused)),
            (false, _) if !is_touched => self.onto(old),
            (true, true) => self.after(old, How::Replaced),
            (false, true) if !refused.is_empty() => self.after(old, How::Forced),
            _ if !refused.is_empty() => LiveVerdict::Refused(Refusal::Immutable(refused)),
            _ => self.onto(old),
        }
    }

    /// The new Job is created when the live one is gone.
    fn after(&self, old: &LiveJob, how: How) -> LiveVerdict {
        match &self.report.when {
            _ if old.state.is_running() => LiveVerdict::Kills(how),
            when @ When::Suspended(_) => LiveVerdict::DoesNotRun(when.clone()),
            _ => LiveVerdict::RunsAgain(how),
        }
    }

    /// The new Job is applied to the live one, and accepted.
    fn onto(&self, old: &LiveJob) -> LiveVerdict {
        match old.state {
            State::Complete { .. } if gate::is_gate(self.new) => LiveVerdict::GateDone,
            State::Failed { .. } => LiveVerdict::NothingFailed(self.remedy()),
            State::Running { .. } if self.suspends(old) => LiveVerdict::Kills(How::Suspended),
            State::Suspended if !self.suspends(old) => LiveVerdict::Runs("it is suspended, and the sync resumes it"),
            _ => LiveVerdict::Nothing,
        }
    }

    fn remedy(&self) -> Remedy {
        let strategy = self.report.job.map(|job| self.version.survey.plan.jobs[job].outcome.decision.strategy);
        match strategy {
            _ if self.new.is_hook() && self.new.is_deleted_only_after_failure() => Remedy::NextSync,
            Some(Strategy::HashName) => Remedy::Rerun,
            _ => Remedy::Delete,
        }
    }

    /// Whether the Job is suspended when the new one is applied.
    fn suspends(&self, old: &LiveJob) -> bool {
        let of = |job: &Job| job.value().at(&["spec", "suspend"]).filter(|value| **value != Value::Null).cloned();
        match of(self.new) {
            Some(suspend) => suspend == Value::Bool(true),
            None => old.job.is_suspended() && old.applied.as_ref().and_then(of).is_none(),
        }
    }

    /// The TTL when the new Job is applied to the live one.
    fn ttl(&self, old: &LiveJob) -> Option<i64> {
        let is_removed = old.applied.as_ref().is_some_and(|applied| applied.ttl().is_some());
        self.new.ttl().or_else(|| old.job.ttl().filter(|_| !is_removed))
    }

    /// Whether a sync applies the Job, although `ApplyOutOfSyncOnly=true` may skip unchanged ones.
    fn touches(&self, old: &LiveJob) -> bool {
        if !self.application.skips_unchanged() || self.new.is_hook() {
            return true;
        }
        match old.last_manifest(self.new) {
            Some(applied) => !self.application.seen(&applied, self.new).is_empty(),
            None => self.application.differs_live(&old.job, self.new),
        }
    }
}

/// Where a Job makes the sync end or wait, if it does.
fn stop(report: &Runnable, row: &Row, is_waited_for: bool, application: ByApplication<'_>) -> Option<Stop> {
    let moment = report.moment;
    match &row.verdict {
        LiveVerdict::DoesNotRun(_) => Stop::by(&report.when, moment, is_waited_for),
        LiveVerdict::Refused(Refusal::Immutable(_)) if !report.is_hook => Stop::by_update(moment, application),
        LiveVerdict::Refused(_) => Stop::failing(moment),
        LiveVerdict::NothingFailed(_) if is_waited_for => Stop::failing(moment),
        LiveVerdict::Nothing if row.state != Some(State::Suspended) => None,
        LiveVerdict::Nothing | LiveVerdict::Kills(How::Suspended) => {
            is_waited_for.then_some(Stop { moment, why: Halt::Suspended })
        }
        _ => None,
    }
}

/// The row for a sync that ends or waits at `stop`; `own` is where the Job itself would make it do so.
fn reached(report: &Runnable, row: Row, own: Option<Stop>, stop: Option<Stop>) -> Row {
    let fails = stop.is_some_and(|stop| stop.runs_hooks_for(Phase::SyncFail));
    let is_idle = matches!(
        row.verdict,
        LiveVerdict::Nothing | LiveVerdict::GateDone | LiveVerdict::NothingFailed(_) | LiveVerdict::Unknown(_)
    );
    let verdict = match (&report.when, stop.zip(report.moment)) {
        (When::FailedSync, _) if !fails => LiveVerdict::DoesNotRun(When::FailedSync),
        (When::FailedSync | When::Never(_), _) => row.verdict,
        (when, Some((stop, moment))) if !(stop.reaches(moment) || is_idle || fails && when.is_also_after_failure()) => {
            match own {
                Some(own) if stop.meets(own) => row.verdict,
                _ => LiveVerdict::Blocked(Box::new(row.verdict), stop.why),
            }
        }
        _ => row.verdict,
    };
    Row { verdict, ..row }
}
