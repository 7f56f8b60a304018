//! Decides what a sync does to each Job of a source, given what is in the cluster.

use std::collections::{BTreeMap, BTreeSet};

use kube_jobs::argocd::Phase;
use kube_jobs::kubernetes::immutability::SuspendedTemplate;
use text::{Message, Time};

use super::left::Left;
use super::meeting::{Fate, Meeting};
use super::{Cluster, Judged, JudgedJob, LiveJob, LiveReason, LiveState};
use crate::Runnable;
use crate::applied::Applied;
use crate::forecast::{ForecastRow, Outcome, Reason};
use crate::kind::ObjectName;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use crate::when::When;

/// Judges the Jobs of a version; `now` is the time from which ages are counted. Fails if it is unknown in which namespace they are.
pub(crate) fn judge(version: Snapshot<'_>, cluster: &Cluster, now: Option<&Time>) -> Result<Judged, Message> {
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
        let is_awaited = report.moment.is_some_and(|moment| applied.waits_for(new, moment));
        let is_awaited = is_awaited && !(new.is_queued() && new.is_suspended());
        let meeting = Meeting { report, new, application, suspended, version, is_awaited };
        let fate = match old {
            Some(old) => meeting.with(old),
            None => meeting.without(cluster.whole, is_known),
        };
        found.push(Found { report, namespace, state: old.map(|old| old.state.clone()), fate });
    }
    let left = Left::of(cluster, &known, version);
    let stops = found.iter().filter_map(|one| one.fate.stop).chain(left.stop(application));
    let stop = stops.chain(version.report.stop.filter(|stop| stop.moment.is_none())).min();
    let mut jobs: Vec<JudgedJob> = found.into_iter().map(|one| one.judged(stop, version, now)).collect();
    let strangers = left.strangers;
    jobs.extend(left.judged(application, stop, now));
    Ok(Judged { jobs, stop, strangers })
}

/// A Job of the source, and what a sync does that comes to it.
struct Found<'v> {
    report: &'v Runnable,
    namespace: Option<String>,
    state: Option<LiveState>,
    fate: Fate,
}

impl Found<'_> {
    /// The row of the Job, in a sync that ends or waits at `stop`.
    fn judged(self, stop: Option<Stop>, version: Snapshot<'_>, now: Option<&Time>) -> JudgedJob {
        let (outcome, halted) = self.outcome(stop);
        let is_reached = halted.is_none();
        let Self { report, namespace, state, fate } = self;
        let state = state.map(|state| Reason::Live(LiveReason::State(state, now.cloned())));
        // Why it would fail is worth knowing, also if the sync fails before it.
        let is_said = is_reached || fate.outcome == Outcome::Fails;
        let why = halted.into_iter().chain(state).chain(fate.why.into_iter().filter(|_| is_said)).collect();
        let object = ObjectName { kind: report.kind.clone(), namespace, name: report.emitted.clone() };
        let row = ForecastRow {
            is_hook: report.is_hook,
            moment: report.moment,
            why,
            ..ForecastRow::live(object, report.place.clone(), outcome)
        };
        let row = if row.runs() { row.held_by(&version.report.steps, report.object) } else { row };
        JudgedJob { row, if_reached: fate.outcome }
    }

    /// What the sync does, and why it does not come to the Job.
    fn outcome(&self, stop: Option<Stop>) -> (Outcome, Option<Reason>) {
        let Fate { outcome, stop: own, .. } = &self.fate;
        let fails = stop.is_some_and(|stop| stop.runs_hooks_for(Phase::SyncFail));
        let is_met = own.zip(stop).is_some_and(|(own, stop)| stop.meets(own));
        let is_idle = matches!(outcome, Outcome::Untouched | Outcome::Unknown);
        let is_reached =
            |stop: Stop, moment| stop.reaches(moment) || is_met || fails && self.report.when.is_also_after_failure();
        match (&self.report.when, stop.zip(self.report.moment)) {
            _ if Stop::spares(stop, self.report.moment) => (Outcome::IfSyncFails, None),
            (When::FailedSync | When::Never(_), _) => (outcome.clone(), None),
            (_, Some((stop, moment))) if !is_idle && !is_reached(stop, moment) => {
                (Outcome::NotReached, Some(Reason::Halted(stop.why)))
            }
            _ => match (outcome, &self.state) {
                (Outcome::Untouched, Some(LiveState::Failed { .. })) if is_met => (Outcome::Fails, None),
                (Outcome::Untouched | Outcome::Suspended, _) if is_met => (Outcome::Waits, None),
                (outcome, _) => (outcome.clone(), None),
            },
        }
    }
}
