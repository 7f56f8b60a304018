//! When a Job runs, as far as its manifest decides.

use std::fmt;

use crate::argocd::{Fact, Phase, Version};
use crate::kubernetes::{Job, Object, job_name};
use crate::plan::JobPlan;
use crate::strategy::Strategy;
use crate::survey::Survey;
use crate::survey::sync_order::{self, Absence};

/// The sync option by which objects are replaced.
const REPLACE: &str = "Replace=true";

/// When a Job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Once under its emitted name, which changes with the content.
    OncePerContent,
    /// Not again: its content is the baseline, and the name stays as it is in the cluster.
    Baseline,
    /// At every full sync, as a hook in these phases.
    EveryFullSync(Vec<Phase>),
    /// Only when a sync has failed.
    FailedSync,
    /// At every sync that applies it, because it is replaced by force.
    EverySync,
    /// Once, when it is created; a change of an immutable field fails.
    OnceForAll,
    /// Once, and again when a change is refused: then it is deleted and created.
    WhenRefused,
    /// Not in a sync.
    Never(Absence),
    /// Never: the API server rejects it for its name, and the sync fails.
    Rejected,
    /// Not at all while `suspend: true` is set.
    Suspended(Box<When>),
}

impl When {
    /// When the Job runs that is object `object` of the survey.
    pub(super) fn of(survey: &Survey<'_>, object: usize, plan: &JobPlan, version: Version) -> Self {
        let Some(job) = survey.objects[object].emitted.as_ref().and_then(|resource| resource.job()) else {
            return Self::Never(Absence::NoValidType);
        };
        let sync = survey.application.sync.as_ref();
        let application = ByApplication {
            replaces: sync.is_some_and(|sync| sync.has_option(REPLACE)),
            has_server_side_diff: sync.is_some_and(|sync| sync.uses_server_side_diff(version)),
        };
        let when = match Self::of_job(job, plan, application) {
            Self::Never(why) => return Self::Never(absence(job, why, version)),
            _ if job_name::invalid(job).next().is_some() => return Self::Rejected,
            when => when,
        };
        if job.is_suspended() { Self::Suspended(Box::new(when)) } else { when }
    }

    fn of_job(job: &Job, plan: &JobPlan, application: ByApplication) -> Self {
        let phases = match sync_order::phases(job) {
            Ok(phases) => phases,
            Err(absence) => return Self::Never(absence),
        };
        if job.is_hook() {
            return if phases == [Phase::SyncFail] { Self::FailedSync } else { Self::EveryFullSync(phases) };
        }
        let outcome = &plan.outcome;
        let has = |option| job.has_sync_option(option);
        // Without `_`: a new strategy does not compile until it is decided here.
        match outcome.decision.strategy {
            Strategy::HashName if !plan.changes && plan.emitted.name == plan.name && !is_hashed(plan) => Self::Baseline,
            Strategy::HashName => Self::OncePerContent,
            Strategy::Hook | Strategy::GenerateName | Strategy::Replace | Strategy::Keep => {
                match (has("Force=true"), has(REPLACE) || application.replaces) {
                    // The dry run with which it is compared is refused before anything is replaced.
                    (true, true) if application.has_server_side_diff => Self::OnceForAll,
                    (true, true) => Self::EverySync,
                    (true, false) => Self::WhenRefused,
                    (false, _) => Self::OnceForAll,
                }
            }
        }
    }

    /// True when a sync that changes nothing runs it.
    pub fn is_every_sync(&self) -> bool {
        matches!(self, Self::EveryFullSync(_) | Self::EverySync)
    }
}

/// What the options of the Application do to all its objects.
#[derive(Clone, Copy)]
struct ByApplication {
    replaces: bool,
    has_server_side_diff: bool,
}

/// Why this version of Argo CD does not apply an object in a sync.
pub(super) fn absence(object: &Object, why: Absence, version: Version) -> Absence {
    let is_unknown = !version.has(Fact::PreDelete) && object.is_only_before_delete();
    if why == Absence::Deletion && is_unknown { Absence::NoValidType } else { why }
}

/// True when the emitted name ends in the hash of the content.
fn is_hashed(plan: &JobPlan) -> bool {
    match (&plan.emitted.name, &plan.outcome.hash) {
        (Some(name), Some(hash)) => name.ends_with(hash.as_str()),
        _ => false,
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OncePerContent => f.write_str("once per change"),
            Self::Baseline => f.write_str("not until it changes (baseline)"),
            Self::EveryFullSync(phases) => {
                let phases: Vec<&str> = phases.iter().map(|phase| phase.as_str()).collect();
                write!(f, "every full sync, in {}", phases.join(" and "))
            }
            Self::FailedSync => f.write_str("only if a sync fails"),
            Self::EverySync => f.write_str("every sync that touches it"),
            Self::OnceForAll => f.write_str("once; a change fails: `field is immutable`"),
            Self::WhenRefused => f.write_str("once, and again when a change replaces it"),
            Self::Never(Absence::Deletion) => f.write_str("when the Application is deleted"),
            Self::Never(Absence::Skip) => f.write_str("never (`Skip`)"),
            Self::Never(Absence::NoValidType) => f.write_str("never: unknown hook type"),
            Self::Rejected => f.write_str("never: the API server rejects it"),
            Self::Suspended(when) => write!(f, "not while suspended; then {when}"),
        }
    }
}
