//! What another version of Argo CD changes for the Jobs and hooks of the same manifests: each fact of the table, with the Jobs and hooks that it
//! concerns.

mod versions;

use kube_jobs::argocd::{Deletion, FACTS, Fact, IGNORE_DIFFERENCES, Version, Waits};
use kube_jobs::kubernetes::{Job, Object};
use lint::survey::ObjectState;
use lint::survey::sync_order::Absence;
use serde::Serialize;
use text::Place;

use crate::by_application::ByApplication;
use crate::{Compared, Comparison, Kind, Report, Runnable, Snapshot, Step, When};
pub use versions::upgrade;

/// What another version of Argo CD changes for one source.
#[derive(Clone, Debug)]
pub struct Upgrade {
    /// What becomes of the manifests that the tools of the old version render, with the tools of the new version.
    pub comparison: Comparison,
    /// What Argo CD does otherwise with the manifests of the new version.
    pub behaviours: Vec<Behaviour>,
    /// The objects that only gain or lose nulls, such as `Deployment shop/api`. A null is no difference for Argo CD, so nothing runs.
    pub nulls: Vec<String>,
}

/// A fact that one of two versions has, and the Jobs and hooks that it concerns: at least one.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The fact.
    pub fact: Fact,
    /// Whether the new version has it; otherwise only the old one.
    pub is_gained: bool,
    /// Whether it concerns them only if the Application, which is not known, has `ServerSideApply=true`.
    pub is_assumed: bool,
    /// The Jobs and hooks that it concerns, in the order of a sync.
    pub subjects: Vec<Subject>,
}

/// A Job, or a hook of another kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its place.
    #[serde(flatten)]
    pub place: Place,
    /// Its kind.
    #[serde(serialize_with = "Kind::without_group")]
    pub kind: Kind,
    /// The namespace, if it is known.
    pub namespace: Option<String>,
    /// The name that the user wrote.
    pub name: String,
}

impl Behaviour {
    /// Whether it keeps Argo CD from syncing what it syncs now, once one of the Jobs changes.
    pub fn is_harmful(&self) -> bool {
        match self.fact {
            Fact::ApplyTurnsDiffOn => self.is_gained && !self.is_assumed,
            Fact::ForceIsIgnored | Fact::DeletionBesideSync => !self.is_gained,
            _ => false,
        }
    }

    /// What the new version does, as the end of a sentence about one of them.
    pub fn says(&self) -> String {
        let row = FACTS.iter().find(|row| row.fact == self.fact);
        let says = row.map_or("", |row| row.concerns[usize::from(self.is_gained)]);
        let condition = if self.is_assumed { "if the Application has `ServerSideApply=true`, " } else { "" };
        format!("{condition}{says}")
    }
}

impl Upgrade {
    /// Whether something runs, fails, waits or is deleted that is not with the old version. False if only nulls differ.
    pub fn is_a_change(&self) -> bool {
        let comparison = &self.comparison;
        !self.behaviours.is_empty()
            || comparison.is_refused()
            || comparison.differs()
            || self.changes().next().is_some()
    }

    /// The Jobs and hooks that run, fail or disappear because their manifest is rendered otherwise.
    pub fn changes(&self) -> impl Iterator<Item = &Compared> {
        self.comparison.jobs.iter().filter(|job| job.verdict.is_a_change())
    }

    /// Whether the new version ends a sync, or keeps one from starting, that the old one does not.
    pub fn is_harmful(&self) -> bool {
        let stop = self.changes().any(|job| job.verdict.is_an_error());
        stop || self.comparison.is_refused() || self.behaviours.iter().any(Behaviour::is_harmful)
    }
}

/// The facts that only one of two versions has and that concern a Job or a hook of `new`. `old` is another rendering of the same manifests.
pub fn behaviours(old: Version, new: Snapshot<'_>) -> Vec<Behaviour> {
    // A version before 3.3.0 leaves no hook out of syncs, and does not have that fact either.
    let may_differ = |fact| old.has(fact) != new.argocd_version.has(fact) || fact == Fact::DeletionBesideSync;
    let changed = FACTS.iter().filter(|row| may_differ(row.fact));
    let of_fact = |fact: Fact| {
        let concerned = new.report.jobs.iter().filter(|job| is_concerned(job, fact, old, new));
        let subjects: Vec<Subject> = concerned.map(Subject::of).collect();
        let is_assumed = fact == Fact::ApplyTurnsDiffOn && new.survey.application.sync.is_none();
        Behaviour { fact, is_gained: new.argocd_version.has(fact), is_assumed, subjects }
    };
    changed.map(|row| of_fact(row.fact)).filter(|one| !one.subjects.is_empty()).collect()
}

impl Subject {
    fn of(job: &Runnable) -> Self {
        let (kind, namespace, name, place) = (&job.kind, &job.namespace, &job.written, &job.place);
        Self { kind: kind.clone(), namespace: namespace.clone(), name: name.clone(), place: place.clone() }
    }
}

/// Whether a Job or hook is treated otherwise because only one of two versions has a fact.
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

/// Whether a hook of the deletion alone is applied by only one of two versions, because the other one does not know `PreDelete`.
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
